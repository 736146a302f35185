/** Requests drawn at random, good and hostile, for every path of the API. */
import { LeadQueries } from "@lead-signals/domain"
import { Prng } from "@lead-signals/simulation-kernel"
import { observation, operatorToken } from "../harness/HttpServers.ts"

export interface Sent {
  readonly bytes: Buffer
  readonly method: string
  /** The path in the document that it is meant for; null when it is meant for none. */
  readonly path: string | null
  readonly summary: string
}

const junk = [
  "",
  "%",
  "%zz",
  "%ff",
  "%00",
  "%F0%9F%98%80",
  "é",
  "\u0001",
  "'\";--",
  "../..",
  "1e9",
  "-1",
  "0",
  "9".repeat(300),
  "true",
  "TRUE",
  "null",
  "[]",
  "a".repeat(3000),
  "%2B02:00",
  "2026-01-01",
  "2026-01-01T00:00:00+02:00",
  "name:asc",
  "updatedAt:DESC",
  "createdAt",
  "*",
  "%25_%25",
  "\u00ff\u00fe"
]
const names = [
  ...LeadQueries.listParameters,
  "startDate",
  "endDate",
  "state",
  "page[]",
  "filter[x]",
  "__proto__",
  "constructor",
  "%70age",
  ""
]
const good: Record<string, ReadonlyArray<string>> = {
  page: ["1", "2", "50"],
  pageSize: ["1", "3", "100"],
  signalId: ["1", "2"],
  sort: ["name:asc", "score1:desc", "updatedAt:asc"],
  search: ["of", "p1", "%F0%9F%98%80", "a"],
  createdAfter: ["2026-01-01", "2020-01-01T00:00:00%2B01:00"],
  includeEngagements: ["true"],
  includeEngagementDetail: ["true"],
  qualified: ["true", "false"],
  state: ["dead", "held"],
  startDate: ["2026-01-01"],
  endDate: ["2026-12-31"]
}

const routes: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["/signals/leads", ["/signals/leads"]],
  [
    "/signals/leads/{id}",
    ["/signals/leads/1", "/signals/leads/7", "/signals/leads/x", "/signals/leads/99999999999999999999"]
  ],
  ["/signal-leads", ["/signal-leads"]],
  ["/signal-leads/{id}", ["/signal-leads/2"]],
  [
    "/campaign/{id}/metrics",
    ["/campaign/1/metrics", "/campaign/x/metrics", "/campaign/%F0%9F%98%80/metrics"]
  ],
  ["/health", ["/health"]],
  ["/health/ready", ["/health/ready"]],
  // What creates things is drawn more often: much of what is sent there is refused.
  ["/operator/brands", ["/operator/brands"]],
  ["/operator/brands", ["/operator/brands"]],
  ["/operator/brands/{brandId}/campaigns", ["/operator/brands/1/campaigns"]],
  ["/operator/brands/{brandId}", ["/operator/brands/1", "/operator/brands/99"]],
  ["/operator/brands/{brandId}/signals/{id}", ["/operator/brands/1/signals/1"]],
  ["/operator/brands/{brandId}/campaigns/{id}", ["/operator/brands/1/campaigns/1"]],
  ["/operator/brands/{brandId}/keys", ["/operator/brands/1/keys", "/operator/brands/x/keys"]],
  ["/operator/brands/{brandId}/signals", ["/operator/brands/1/signals"]],
  ["/operator/brands/{brandId}/campaigns", ["/operator/brands/1/campaigns"]],
  ["/operator/brands/{brandId}/observations", ["/operator/brands/1/observations"]],
  ["/operator/brands/{brandId}/leads/{id}", ["/operator/brands/1/leads/1", "/operator/brands/1/leads/0"]],
  ["/operator/brands/{brandId}/leads/{id}/export", ["/operator/brands/1/leads/1/export"]],
  ["/operator/brands/{brandId}/leads/{id}/resend", ["/operator/brands/1/leads/1/resend"]],
  ["/operator/brands/{brandId}/webhooks", ["/operator/brands/1/webhooks", "/operator/brands/x/webhooks"]],
  [
    "/operator/brands/{brandId}/webhooks/{id}",
    ["/operator/brands/1/webhooks/1", "/operator/brands/1/webhooks/%FF"]
  ],
  ["/operator/brands/{brandId}/webhooks/{id}/rotate-secret", ["/operator/brands/1/webhooks/1/rotate-secret"]],
  ["/operator/brands/{brandId}/webhooks/{id}/test", ["/operator/brands/1/webhooks/1/test"]],
  ["/operator/brands/{brandId}/webhooks/{id}/recover", ["/operator/brands/1/webhooks/1/recover"]],
  ["/operator/brands/{brandId}/webhooks/{id}/deliveries", ["/operator/brands/1/webhooks/1/deliveries"]],
  [
    "/operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}",
    ["/operator/brands/1/webhooks/1/deliveries/wh_x"]
  ],
  [
    "/operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}/resend",
    ["/operator/brands/1/webhooks/1/deliveries/%20/resend"]
  ],
  [
    "/operator/brands/{brandId}/campaigns/{id}/posts/{postId}/snapshots/{day}",
    [
      "/operator/brands/1/campaigns/1/posts/p/snapshots/2026-01-01",
      "/operator/brands/1/campaigns/1/posts/%2F/snapshots/2026-02-30"
    ]
  ]
]

const query = (prng: Prng): string => {
  if (prng.chance(0.25)) return ""
  const pairs = Array.from({ length: 1 + prng.below(4) }, () => {
    const name = prng.pick(names)
    const value = good[name] !== undefined && prng.chance(0.6) ? prng.pick(good[name]) : prng.pick(junk)
    return prng.chance(0.95) ? `${name}=${value}` : name
  })
  return `?${pairs.join(prng.chance(0.97) ? "&" : "&&")}`
}

const bodies = (prng: Prng, signalId: string): Buffer => {
  const text = prng.pick<() => string>([
    () => JSON.stringify({ name: "x" }),
    () => JSON.stringify({ label: "k", requestsPerMinute: prng.pick<unknown>([1, 0, "1", 1e99, null]) }),
    () =>
      JSON.stringify({
        name: "s",
        signalType: "t",
        source: {
          type: prng.pick(["post-url", "nope"]),
          value: prng.pick(["https://network.example/p/1", "v"])
        }
      }),
    () =>
      JSON.stringify({
        observations: [
          observation(signalId, `h${prng.below(50)}`, `h${prng.below(2000)}`),
          prng.pick<unknown>([null, 1, "x", {}, []])
        ]
      }),
    () =>
      JSON.stringify({
        qualified: prng.pick<unknown>([true, "x"]),
        score1: prng.pick<unknown>([1, null, "x"])
      }),
    () =>
      JSON.stringify({
        impressions: prng.pick<unknown>([1, -1, 1.5]),
        reactions: 0,
        comments: 0,
        reposts: 0
      }),
    () =>
      JSON.stringify({
        // Few and disabled: every event waits for each of them.
        url: prng.chance(0.02)
          ? "http://127.0.0.1:1/"
          : prng.pick<unknown>(["https://10.0.0.1", "\u0000", 1, ""]),
        events: prng.pick<unknown>([["lead2.created"], [], "lead2.created"]),
        enabled: false
      }),
    () =>
      JSON.stringify({
        webhookId: prng.pick<unknown>(["1", 1, "x"]),
        event: prng.pick<unknown>(["lead2.created", "x", null])
      }),
    () => JSON.stringify({ since: prng.pick<unknown>(["2026-01-01", "x", 5, null]) }),
    () => '{"__proto__":{"name":"x"},"name":1}',
    () => `{"name":"${"\\ud800"}"}`,
    () => "[".repeat(2000),
    () => "{",
    () => "",
    () => JSON.stringify({ name: "x".repeat(prng.pick([256, 256, 5000])) })
  ])()
  const buffer = Buffer.from(text)
  if (prng.chance(0.1)) buffer[prng.below(Math.max(1, buffer.length))] = 0xff
  return buffer
}

const contentTypes = [
  "application/json",
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "application/x-ndjson",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "\u00ff",
  ""
]

/** A request, with the key or the operator token that its path takes, mostly. */
export const make = (prng: Prng, key: string, signalId: string): Sent => {
  const [path, targets] = prng.pick(routes)
  const isUnknown = prng.chance(0.04)
  const target = isUnknown
    ? prng.pick(["/nope", "/%ff", "//", "/signals/leads/", "/\u00fe", "/a;b", "/signals/../leads"])
    : prng.pick(targets)
  const method = prng.pick([
    "GET",
    "GET",
    "GET",
    "GET",
    "POST",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "HEAD",
    "PROPFIND"
  ])
  const token = path.startsWith("/operator") ? operatorToken : key
  // Erasing and revoking would leave nothing to request.
  const safeMethod = method === "DELETE" ? "OPTIONS" : method
  const authorization = prng.chance(0.95)
    ? `Authorization: Bearer ${token}\r\n`
    : prng.pick(["", "Authorization: \u00ff\r\n", "Authorization: Bearer lsk_x\r\n"])
  const hasBody = ["POST", "PUT", "PATCH"].includes(safeMethod)
  const body = hasBody ? bodies(prng, signalId) : Buffer.alloc(0)
  const type = hasBody ? prng.pick(contentTypes) : ""
  const line = `${safeMethod} ${target}${query(prng)} HTTP/1.1`
  const head = `${line}\r\nHost: x\r\n${authorization}${type === "" ? "" : `Content-Type: ${type}\r\n`}Content-Length: ${body.length}\r\n\r\n`
  return {
    bytes: Buffer.concat([Buffer.from(head, "latin1"), body]),
    method: safeMethod,
    path: isUnknown ? null : path,
    summary: `${line} ${type} ${body.toString("latin1").slice(0, 200)}`
  }
}
