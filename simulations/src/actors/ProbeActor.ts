/** Sends probes: correct requests, each with one field or one part of the request in another form. */
import type { HttpMethod } from "@effect/platform/HttpMethod"
import type { Query } from "@lead-signals/store-contract/reference"
import { Effect, Either } from "effect"
import type { Sighting } from "../plan/Plan.ts"
import type { Expectation } from "../vocabulary/Expectation.ts"
import { absent, type Refusal } from "../vocabulary/Form.ts"
import type { LineForm } from "../vocabulary/LineForms.ts"
import { type FieldProbe, isRefused, type Probe, probes, type RequestProbe } from "../vocabulary/Probes.ts"
import type { RequestForm } from "../vocabulary/RequestForms.ts"
import { operatorToken } from "../world/Host.ts"
import { type Json, type KnownBrand, type Meaning, personOf } from "../world/KnownFacts.ts"
import type { UnusualRequest } from "../world/RequestParts.ts"
import { type ActorContext, type Call, type Caller, persistently } from "./ActorContext.ts"
import { everyLead, look, ofBrand } from "./OperatorCalls.ts"
import { type ProbeTargets, targetsOf } from "./ProbeTargets.ts"
import { jsonOf, mayBeGone, resolve, type Resolved } from "./ProbeRequests.ts"

/* What an accepted request means */

const listQuery = ({ field, form }: FieldProbe, value: unknown): Query => {
  const means = form.means ?? value
  if (value === absent) return everyLead
  switch (field.path) {
    case "page":
      return { ...everyLead, page: means as number }
    case "pageSize":
      return { ...everyLead, pageSize: Math.min(means as number, 100) }
    case "sort": {
      const [by, direction] = means as [Query["field"], Query["direction"]]
      return { ...everyLead, field: by, direction }
    }
    case "signalId":
      return { ...everyLead, filter: { signalId: String(Number(means)) } }
    case "includeEngagements":
      return { ...everyLead, engagements: means === true ? "plain" : "none" }
    // Alone it has no effect on a list. [ENG-4]
    case "includeEngagementDetail":
      return everyLead
    default:
      return { ...everyLead, filter: { [field.path]: means } }
  }
}

/** An observation as it is meant: what is null counts as missing. */
const sightingOf = ({ engagement, person }: Json): Sighting => ({
  signal: 0,
  person,
  engagement: Object.fromEntries(
    Object.entries(engagement as object).filter(([key, value]) => key !== "trackedAt" || value !== null)
  ) as Sighting["engagement"]
})

/** Whether nothing is wrong with the request but that its body comes too slowly: it is taken where the process stands still meanwhile. */
const isOnlyLate = ({ form }: Probe): boolean => form.refusal?.status === 408

const meansOf = (probe: Probe, resolved: Resolved, targets: ProbeTargets): Meaning => {
  const { home, meant, params, value } = resolved
  const { id, method } = probe.operation
  if (isRefused(probe) && !isOnlyLate(probe)) return { means: "bad" }
  const field = probe.of === "field" ? probe : null
  const means = field === null ? undefined : (field.form.means ?? value)
  const given = (name: string): string | null =>
    field?.field.path === name && value !== absent ? (means as string) : null
  switch (id) {
    case "listLeads":
    case "listSignalLeads":
    case "operatorLeads":
      return { means: "list", query: field === null ? everyLead : listQuery(field, value) }
    case "getLead":
    case "getSignalLead":
      return {
        means: "detail",
        id: Number(params["id"]),
        withDetail: field?.field.path === "includeEngagementDetail" && means === true
      }
    case "operatorLead":
      return { means: "detail", id: Number(params["id"]), withDetail: true }
    case "exportLead":
      return { means: "export", id: Number(params["id"]) }
    case "campaignMetrics":
    case "operatorMetrics":
      return { means: "metrics", startDate: given("startDate"), endDate: given("endDate") }
    case "amendLead":
      return { means: "amend", id: Number(params["id"]), change: meant }
    case "eraseLead": {
      const person = targets.personOfLead(home, String(Number(params["id"])))!
      return { means: "erase", id: Number(params["id"]), person }
    }
    case "putSnapshot":
      return { means: "reading", post: params["postId"]!, day: params["day"]!, totals: meant }
    case "recordObservations": {
      const { observations } = meant
      const {
        alters,
        observations: count = 1,
        rejections
      } = (probe.of === "request" ? probe.form : {}) as Partial<LineForm>
      if (field?.field.path === "observations" || rejections !== undefined) return { means: "bad" }
      return {
        means: "observe",
        seen: Array.from({ length: count }, () => sightingOf(alters?.(observations[0]) ?? observations[0]))
      }
    }
    default:
      return { means: method === "GET" ? "look" : "make" }
  }
}

/* What the contract says of the answer */

const relative = (path: string): string => path.replace(/^observations\[\]\.?/, "") || "The observation"

const renderedFields: Readonly<Record<string, (field: string) => string | null>> = {
  createBrand: (field) => field,
  renameBrand: (field) => field,
  createKey: (field) => field,
  createToken: (field) => field,
  createCampaign: (field) => field,
  renameCampaign: (field) => field,
  renameSignal: (field) => field,
  createWebhook: (field) => field,
  changeWebhook: (field) => field,
  // A watched company is shown without its domain, and with its id as a text.
  createSignal: (field) =>
    field === "source" || field === "source.company" || field.endsWith(".domain") || field.endsWith(".id")
      ? null
      : field
}

/** The values that the answer to an accepted write shows. */
const showsOf = ({ field, form, operation }: FieldProbe, value: unknown): Record<string, unknown> => {
  if (operation.id === "listDeliveries") {
    const path = `meta.pagination.${field.path}`
    const means = form.means as number | undefined
    if (means === undefined || field.path === "state") return {}
    return { [path]: field.path === "pageSize" ? Math.min(means, 100) : means }
  }
  if (operation.id === "recordObservations" && field.path === "observations" && form.name === "empty")
    return { data: [] }
  if (operation.id === "recoverWebhook" && field.place === "body") return { "data.queued": 0 }
  if (operation.id === "deleteBrand") return { "data.deleted": true }
  const path = renderedFields[operation.id]?.(field.path) ?? null
  if (field.place !== "body" || path === null || typeof value === "symbol") return {}
  const means = form.means ?? value
  const isInstant = field.format?.is === "timestamp" && typeof means === "number"
  return { [`data.${path}`]: isInstant ? new Date(means).toISOString() : means }
}

const ofError = (refusal: Refusal, name: string | null, isFirst: boolean) => {
  const names = refusal.names === undefined ? name : refusal.names
  return {
    status: refusal.status,
    code: refusal.code,
    names,
    // A refusal that names its own text names where in the message it does not stand first.
    isFirst: isFirst && refusal.names === undefined
  }
}

const fieldExpectation = (probe: FieldProbe, value: unknown): Omit<Expectation, "probes"> => {
  const { field, form, operation } = probe
  const { refusal } = form
  const isObservation = field.path.startsWith("observations[]")
  if (refusal === null) {
    const max =
      field.path === "observations" && form.name === "the most" ? (value as Array<unknown>).length : null
    return {
      status: operation.success,
      code: null,
      names: null,
      shows: showsOf(probe, value),
      ...(max === null ? {} : { outcomes: Array.from({ length: max }, () => ({ outcome: "rejected" })) })
    }
  }
  if (isObservation) {
    const names = relative(refusal.names ?? field.path)
    return { status: 200, code: null, names: null, outcomes: [{ outcome: "rejected", names }] }
  }
  return {
    ...ofError(refusal, field.path, field.place === "body"),
    ...(refusal.names === undefined && refusal.code === "invalid_parameter" && form.name !== "given twice"
      ? { takes: form.value === absent ? ["is required."] : taken(field) }
      : {})
  }
}

/** What the message of a refusal says that the field takes. [ERR-3] */
const taken = ({ format, kind }: FieldProbe["field"]): ReadonlyArray<string> => {
  if (format !== null) return []
  switch (kind.is) {
    case "text":
      return kind.max === null ? [] : [String(kind.max)]
    case "integer":
    case "number":
      return [kind.min, kind.max].flatMap((bound) => (bound === null ? [] : [String(bound)]))
    case "choice":
    case "choices":
      return kind.of
    case "boolean":
      return ["true", "false"]
    case "items":
    case "texts":
      return kind.max === null ? [] : [String(kind.max)]
    case "object":
      return []
  }
}

const requestExpectation = ({ form, operation }: RequestProbe): Omit<Expectation, "probes"> => {
  const { refusal, warns } = form
  const { rejections, reports } = form as LineForm
  if (refusal !== null) return ofError(refusal, null, false)
  return {
    status: operation.success,
    code: null,
    names: null,
    ...(warns === undefined ? {} : { warns }),
    ...(reports === undefined ? {} : { reports }),
    ...(rejections === undefined
      ? {}
      : { outcomes: rejections.map((names) => ({ outcome: "rejected", names })) })
  }
}

/* The request */

const encoded = (name: string, value: unknown): string => `${name}=${encodeURIComponent(String(value))}`

const queryOf = (probe: Probe, value: unknown): string => {
  if (probe.of === "request") return probe.form.query ?? ""
  if (probe.field.place !== "query" || value === absent) return ""
  const one = encoded(probe.field.path, value)
  return probe.form.name === "given twice" ? `${one}&${one}` : one
}

const unusualOf = (
  { arrival, authorization, bytes, contentType, path }: RequestForm,
  json: string | null,
  right: string,
  other: string
): UnusualRequest => ({
  ...(path === undefined ? {} : { path }),
  ...(authorization === undefined ? {} : { authorization: authorization({ right, other }) }),
  ...(contentType === undefined ? {} : { contentType }),
  ...(arrival === undefined ? {} : { arrival }),
  ...(json === null ? {} : { bytes: bytes === undefined ? new TextEncoder().encode(json) : bytes(json) })
})

const takesLines = ({ contentType }: RequestForm): boolean => /x-ndjson/i.test(contentType ?? "")

const callOf = (context: ActorContext, targets: ProbeTargets, probe: Probe, resolved: Resolved): Call => {
  const { home, params, sent, value } = resolved
  const { operation } = probe
  const isKeyed = operation.access === "key"
  const [right, other] = isKeyed ? [home.key.value, operatorToken] : [operatorToken, home.key.value]
  const form: RequestForm = probe.of === "request" ? probe.form : { name: "", refusal: null }
  const isObservations = operation.id === "recordObservations"
  const json =
    sent === undefined ? null : jsonOf(isObservations && takesLines(form) ? sent.observations[0] : sent)
  const expected = probe.of === "field" ? fieldExpectation(probe, value) : requestExpectation(probe)
  const hasKey = isKeyed && expected.status !== 401
  const isNone = operation.access === "none"
  return {
    method: (form.method ?? operation.method) as HttpMethod,
    route: operation.route,
    params,
    query: queryOf(probe, value),
    ...(sent === undefined ? {} : { body: resolved.meant }),
    unusual: isNone
      ? { authorization: null, ...unusualOf(form, json, right, other) }
      : unusualOf(form, json, right, other),
    brand: home,
    key: hasKey ? home.key : null,
    meaning: meansOf(probe, resolved, targets),
    expects: {
      ...expected,
      probes: [probe.name],
      mayBeGone: () => mayBeGone(context, targets, probe, resolved)
    }
  }
}

/** A person of its own for each probe, so that no two are about one. */
const observationOf =
  (label: string) =>
  ({ index, signalIds }: KnownBrand): object => {
    const extId = `b${index}-p${label}.`
    return {
      signalId: signalIds[0],
      person: { extId, name: `Name of ${extId}` },
      engagement: { id: `b${index}-e${label}` }
    }
  }

/** The operation of a probe that was sent, and the brand that it was about. */
interface Sent {
  readonly id: string
  readonly home: KnownBrand
}

/** Answers null where the probe can't be sent. */
const send = (
  context: ActorContext,
  caller: Caller,
  targets: ProbeTargets,
  probe: Probe,
  n: number
): Effect.Effect<Sent | null> =>
  Effect.gen(function* () {
    const { facts, world } = context
    if (probe.of === "field" && probe.form.isOfHost === true && !facts.isStoreSeen) return null
    // A host of its own gets a body at once.
    if (probe.of === "request" && probe.form.arrival?.pauses !== undefined && !facts.isStoreSeen) return null
    const resolved = yield* Effect.either(resolve(targets, probe, observationOf(String(n))))
    if (Either.isLeft(resolved)) return null
    const call = callOf(context, targets, probe, resolved.right)
    const { meaning } = call
    const person =
      meaning.means === "erase" ? { ...meaning, key: personOf(call.brand!, meaning.person) } : null
    if (person !== null) facts.erasing.add(person.key)
    yield* persistently(context, caller, call)
    if (person !== null) {
      facts.erased.set(person.key, { brandId: call.brand!.id, extId: person.person, at: world.kernel.now })
    }
    return { id: probe.operation.id, home: resolved.right.home }
  })

/** What shows the change of an operation: a read that is cheap. */
const reads: Readonly<Record<string, string>> = {
  recordObservations: `${ofBrand}/attention`,
  createKey: `${ofBrand}/keys`,
  revokeKey: `${ofBrand}/keys`,
  createSignal: `${ofBrand}/signals`,
  renameSignal: `${ofBrand}/signals`,
  deleteSignal: `${ofBrand}/signals`,
  createCampaign: `${ofBrand}/campaigns`,
  renameCampaign: `${ofBrand}/campaigns`,
  deleteCampaign: `${ofBrand}/campaigns`,
  createWebhook: `${ofBrand}/webhooks`,
  changeWebhook: `${ofBrand}/webhooks`,
  deleteWebhook: `${ofBrand}/webhooks`,
  createToken: "/operator/tokens",
  revokeToken: "/operator/tokens"
}

/** The share of actions after which an operator reads what their probes could have changed. */
const readShare = 0.6

/** Reads once each what the probes have or could have changed, refused or not. */
const readChanges = (
  context: ActorContext,
  { label, party }: Caller,
  sent: ReadonlyArray<Sent>
): Effect.Effect<void> => {
  if (!context.world.decisions.chance(`${label} is read`, readShare)) return Effect.void
  const calls = sent.flatMap(({ home, id }): ReadonlyArray<Call> => {
    const route = reads[id]
    if (route === undefined) return []
    return route.startsWith(ofBrand)
      ? [{ route, params: { brandId: home.id }, brand: home, meaning: look }]
      : [{ route, brand: null, meaning: look }]
  })
  const distinct = new Map(calls.map((call) => [`${call.route} ${call.brand?.id}`, call]))
  return Effect.forEach(
    [...distinct.values()].entries(),
    ([i, call]) => persistently(context, { party, label: `${label} read ${i}` }, call),
    { discard: true }
  )
}

/** How many probes one action can have, so that each has a number of its own. */
const maxProbes = 1000

/** Sends the probes of these names one after the other; `n` is the action's number. */
export const probe = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  brands: ReadonlyArray<KnownBrand>,
  names: ReadonlyArray<string>,
  n: number
): Effect.Effect<void> => {
  const targets = targetsOf(context, brand, brands)
  return targets.lock.withPermits(1)(
    Effect.gen(function* () {
      const sent: Array<Sent> = []
      for (const [i, name] of names.entries()) {
        const found = probes().get(name)
        if (found === undefined) continue
        const label = `${caller.label} ${name}`
        const one = yield* send(context, { ...caller, label }, targets, found, (n + 1) * maxProbes + i)
        if (one !== null) sent.push(one)
      }
      yield* readChanges(context, caller, sent)
    })
  )
}
