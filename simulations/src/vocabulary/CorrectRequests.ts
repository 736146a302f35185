/** A correct request of each operation: what probes vary. */
import { absent, IdOf, unchanged } from "./Form.ts"

type Json = any

/** The bodies, by the operation. Ids stand for what exists. */
const bodies: Readonly<Record<string, object>> = {
  createBrand: { name: "A tenant" },
  renameBrand: { name: "A tenant" },
  createKey: { label: "A tenant's" },
  createToken: { name: "A collector's", scopes: ["ingest"] },
  createSignal: {
    name: "Spare",
    signalType: "keywords",
    source: { type: "posts-with-keywords", value: "https://network.example/spare" }
  },
  renameSignal: { name: "Renamed" },
  amendLead: { qualified: true },
  createCampaign: { name: "Spare" },
  renameCampaign: { name: "Renamed" },
  putSnapshot: { impressions: 10, reactions: 3, comments: 2, reposts: 1 },
  createWebhook: { url: "https://nobody.example/hook", events: ["lead2.created"] },
  changeWebhook: { description: "Changed" },
  recoverWebhook: { since: "2026-01-01" },
  resendLead: { webhookId: new IdOf("webhook", "own"), event: "lead2.created" }
}

/** Parameters of paths that are not ids. */
export const pathTexts: Readonly<Record<string, string>> = { postId: "post-0", day: "2026-01-04" }

/** The fields of an observation that all of its forms need, so that an answer shows them. */
const renderedWith: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "observations[].engagement.commentText": { "observations[].engagement.type": "comment" },
  "observations[].engagement.reactionType": { "observations[].engagement.type": "reaction" }
}

/** The other fields that a field of a body goes with. [OPER-7] */
export const companions = (path: string): Readonly<Record<string, unknown>> =>
  path.startsWith("source.company") || path === "source.liCompanyId"
    ? { "source.type": "li-company-mention" }
    : (renderedWith[path] ?? {})

/** A new body; that of observations has the given one. */
export const correctBody = (operation: string, observation: object): Json =>
  operation === "recordObservations" ? { observations: [observation] } : copyOf(bodies[operation])

const copyOf = (value: Json): Json => {
  if (value instanceof IdOf || typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]))
}

/** What an object must have that a path makes on its way. */
const emptyObjects: Readonly<Record<string, object>> = { company: { id: 1 } }

/** Sets, leaves out, or keeps the field at a path like `observations[].person.name`. */
export const place = (body: Json, path: string, value: unknown): void => {
  if (value === unchanged) return
  const keys = path.replaceAll("[]", ".0").split(".")
  const last = keys.pop()!
  let inner = body
  for (const key of keys) inner = inner[key] ??= { ...emptyObjects[key] }
  if (value === absent) delete inner[last]
  else inner[last] = value
}
