/**
 * Reference (a): Fastify and better-sqlite3 over plain tables, as a careful engineer would write it in a day. Run with the
 * file in DATABASE; prints `Listening on …`. JSON is made by JSON.stringify: a response schema took 27 µs instead of 31 µs
 * of a first page's half a millisecond.
 */
import Database from "better-sqlite3"
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { keyHash } from "./PlainDatabase.ts"
import { BadRequest, makeReading, type Query } from "./PlainReading.ts"

const db = new Database(process.env["DATABASE"])
db.pragma("journal_mode = WAL")
db.pragma("synchronous = FULL")
db.pragma("foreign_keys = ON")
db.pragma("cache_size = -65536")
const reading = makeReading(db)

interface Key {
  readonly id: number
  readonly brand_id: number
  readonly requests_per_minute: number
}

declare module "fastify" {
  interface FastifyRequest {
    brandId: number
  }
}

const keyByHash = db.prepare<[string], Key>(
  "SELECT id, brand_id, requests_per_minute FROM api_key WHERE hash = ? AND revoked_at IS NULL"
)

const windowMillis = 60_000
const windows = new Map<number, { startedAt: number; used: number }>()

const failure = (reply: FastifyReply, status: number, code: string, message: string) =>
  reply.code(status).send({ error: { code, message } })

const admit = async (request: FastifyRequest, reply: FastifyReply) => {
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1]
  const key = token === undefined ? undefined : keyByHash.get(keyHash(token))
  if (key === undefined) return failure(reply, 401, "invalid_api_key", "A valid API key is needed.")
  const now = Date.now()
  let window = windows.get(key.id)
  if (window === undefined || now >= window.startedAt + windowMillis) {
    window = { startedAt: now, used: 0 }
    windows.set(key.id, window)
  }
  const allowed = window.used < key.requests_per_minute
  if (allowed) window.used++
  const resetAt = window.startedAt + windowMillis
  reply.header("x-ratelimit-limit", key.requests_per_minute)
  reply.header("x-ratelimit-remaining", key.requests_per_minute - window.used)
  reply.header("x-ratelimit-reset", Math.ceil(resetAt / 1000))
  reply.header("cache-control", "no-store")
  if (!allowed) {
    reply.header("retry-after", Math.max(1, Math.ceil((resetAt - now) / 1000)))
    return failure(reply, 429, "rate_limit_exceeded", "The window is used up.")
  }
  request.brandId = key.brand_id
  return undefined
}

const app = Fastify({ logger: false })
app.decorateRequest("brandId", 0)
app.setErrorHandler((error, _request, reply) =>
  error instanceof BadRequest
    ? failure(reply, 400, "invalid_parameter", error.message)
    : failure(reply, 500, "internal_error", "Something went wrong here.")
)

app.get("/health", (_request, reply) => reply.send({ status: "ok" }))

app.get<{ Querystring: Query }>("/signals/leads", { onRequest: admit }, (request, reply) =>
  reply.send(reading.list(request.brandId, request.query))
)

app.get<{ Params: { id: string }; Querystring: Query }>(
  "/signals/leads/:id",
  { onRequest: admit },
  ({ brandId, params, query }, reply) => {
    const found = reading.detail(brandId, Number(params.id), query["includeEngagementDetail"] === "true")
    return found === null ? failure(reply, 404, "not_found", "There is no such lead.") : reply.send(found)
  }
)

app.get<{ Params: { id: string }; Querystring: Query }>(
  "/campaign/:id/metrics",
  { onRequest: admit },
  ({ brandId, params, query }, reply) => {
    const { endDate = "9999-99-99", startDate = "0000-00-00" } = query
    const found = reading.metrics(brandId, Number(params.id), startDate, endDate)
    return found === null ? failure(reply, 404, "not_found", "There is no such campaign.") : reply.send(found)
  }
)

process.stdout.write(`Listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}\n`)
