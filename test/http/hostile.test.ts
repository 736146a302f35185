/**
 * A hundred thousand requests (ten thousand unless the run is thorough), good and hostile, over real sockets: none may give a
 * 5xx, and every body must be one that the OpenAPI document gives its operation and status.
 */
import { isThorough } from "../harness/Thoroughness.ts"
import { connect, type Socket } from "node:net"
import { expect, it } from "vitest"
import { Prng } from "@lead-signals/simulation-kernel"
import {
  type Api,
  observation,
  observe,
  operatorToken,
  setUpBrand,
  startApi
} from "../harness/HttpServers.ts"
import { OpenApiDocument } from "@lead-signals/simulations"

const requests = isThorough ? 100_000 : 5000
const connections = 8
const pipelined = 24

interface Sent {
  readonly bytes: Buffer
  readonly method: string
  /** The path in the document that it is meant for; null when it is meant for none. */
  readonly path: string | null
  readonly summary: string
}

interface Received {
  readonly status: number
  readonly contentType: string
  readonly requestId: string
  readonly body: string
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
  "page",
  "pageSize",
  "signalId",
  "qualified",
  "exported",
  "isEmployee",
  "createdAfter",
  "createdBefore",
  "updatedAfter",
  "updatedBefore",
  "includeEngagements",
  "includeEngagementDetail",
  "search",
  "sort",
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

const make = (prng: Prng, key: string, signalId: string): Sent => {
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
  // Erasing and revoking would leave nothing to ask about.
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

/** Takes whole answers off the front of what has come; chunked bodies are put together. */
const take = (buffer: Buffer, isHead: boolean): readonly [Received, number] | null => {
  const end = buffer.indexOf("\r\n\r\n")
  if (end < 0) return null
  const head = buffer.subarray(0, end).toString("latin1")
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim() ?? ""
  const status = Number(head.slice(9, 12))
  const received = (body: string): Received => ({
    status,
    contentType: header("content-type"),
    requestId: header("x-request-id"),
    body
  })
  let at = end + 4
  if (isHead || status === 204) return [received(""), at]
  if (header("transfer-encoding") === "chunked") {
    let body = ""
    for (;;) {
      const lineEnd = buffer.indexOf("\r\n", at)
      if (lineEnd < 0) return null
      const size = parseInt(buffer.subarray(at, lineEnd).toString("latin1"), 16)
      if (buffer.length < lineEnd + 2 + size + 2) return null
      body += buffer.subarray(lineEnd + 2, lineEnd + 2 + size).toString("utf8")
      at = lineEnd + 2 + size + 2
      if (size === 0) return [received(body), at]
    }
  }
  const length = Number(header("content-length"))
  return buffer.length < at + length
    ? null
    : [received(buffer.subarray(at, at + length).toString("utf8")), at + length]
}

/** Sends on one connection, so many at once, and hands out the answers in order; a closed connection is opened again. */
const converse = (
  api: Api,
  next: () => Sent | null,
  onAnswer: (sent: Sent, received: Received) => void
): Promise<void> =>
  new Promise((resolve, reject) => {
    let waiting: Array<Sent> = []
    let buffer: Buffer = Buffer.alloc(0)
    let socket: Socket
    const fill = (): void => {
      while (waiting.length < pipelined) {
        const sent = next()
        if (sent === null) break
        waiting.push(sent)
        socket.write(sent.bytes)
      }
      if (waiting.length === 0) {
        socket.destroy()
        resolve()
      }
    }
    const open = (): void => {
      buffer = Buffer.alloc(0)
      socket = connect(api.port, "127.0.0.1")
      socket.on("error", () => {})
      socket.on("connect", () => {
        const again = waiting
        waiting = []
        for (const sent of again) {
          waiting.push(sent)
          socket.write(sent.bytes)
        }
        fill()
      })
      socket.on("data", (chunk) => {
        buffer = Buffer.concat([buffer, chunk])
        try {
          for (
            let taken = take(buffer, waiting[0]?.method === "HEAD");
            taken !== null && waiting.length > 0;
            taken = take(buffer, waiting[0]?.method === "HEAD")
          ) {
            buffer = buffer.subarray(taken[1])
            onAnswer(waiting.shift()!, taken[0])
          }
          fill()
        } catch (error) {
          reject(error as Error)
          socket.destroy()
        }
      })
      socket.on("close", () => {
        if (waiting.length > 0) open()
      })
    }
    open()
  })

it("thousands of requests give no 5xx and no body outside the document [ERR-1, ERR-2, ERR-3, ERR-4, ERR-5]", async () => {
  const api = await startApi({ retryMillis: [1000] })
  const brand = await setUpBrand(api)
  await api.operate("POST", "/operator/brands/1/campaigns", { name: "C" })
  await observe(
    api,
    brand,
    ...Array.from({ length: 40 }, (_, i) => observation(brand.signalId, `p${i}`, `e${i}`))
  )
  const seed = 20_261_121
  const prng = Prng.of(seed, "hostile")
  const statuses = new Map<number, number>()
  const problems: Array<string> = []
  let made = 0
  await Promise.all(
    Array.from({ length: connections }, () =>
      converse(
        api,
        () => (made++ < requests ? make(prng, brand.key, brand.signalId) : null),
        (sent, { body, contentType, requestId, status }) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          const report = (problem: string): void =>
            void problems.push(`${problem} :: ${status} ${sent.summary} :: ${body.slice(0, 200)}`)
          if (status >= 500 || status < 200) return report("status")
          if (requestId === "") report("no request id")
          if (sent.method === "HEAD" || status === 204) return
          if (contentType.startsWith("application/x-ndjson")) return
          if (!contentType.startsWith("application/json")) return report(`content type ${contentType}`)
          const problem = OpenApiDocument.problemOf(sent.path, sent.method, status, JSON.parse(body))
          if (problem !== null) report(problem)
        }
      )
    )
  )
  expect(problems.slice(0, 5)).toEqual([])
  const answered = [...statuses.values()].reduce((sum, n) => sum + n, 0)
  expect(answered).toBe(requests)
  // The mix must have met them all, or it has proved little.
  for (const status of [200, 201, 400, 401, 404, 405, 415])
    expect([status, (statuses.get(status) ?? 0) > requests / 2000]).toEqual([status, true])
  expect((await api.call("/health")).status).toBe(200)
})
