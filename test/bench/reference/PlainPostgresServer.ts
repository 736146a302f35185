/**
 * Reference (e): Fastify and `pg` over plain tables in Postgres, as a careful engineer would write it in some days. Run with the URL in
 * DATABASE; prints `Listening on …`. As in the product, every request looks its key up and counts in a rate window that all processes share.
 */
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import pg from "pg"
import { keyHash } from "./PlainDatabase.ts"
import { makePostgresReading } from "./PlainPostgresReading.ts"
import { BadRequest, type Query } from "./PlainReading.ts"

const int8 = 20
pg.types.setTypeParser(int8, Number)
const pool = new pg.Pool({ connectionString: process.env["DATABASE"], max: 10 })
const reading = makePostgresReading(pool)

declare module "fastify" {
  interface FastifyRequest {
    brandOfKey: number
  }
}

await pool.query(
  `CREATE TABLE IF NOT EXISTS rate_window (key_id bigint PRIMARY KEY, started_at bigint NOT NULL, used bigint NOT NULL) WITH (fillfactor = 50)`
)

const windowMillis = 60_000

const failure = (reply: FastifyReply, status: number, code: string, message: string) =>
  reply.code(status).send({ error: { code, message } })

const admit = async (request: FastifyRequest, reply: FastifyReply) => {
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1]
  const [key] =
    token === undefined
      ? []
      : (
          await pool.query({
            name: "key",
            text: "SELECT id, brand_id, requests_per_minute FROM api_key WHERE hash = $1 AND revoked_at IS NULL",
            values: [keyHash(token)]
          })
        ).rows
  if (key === undefined) return failure(reply, 401, "invalid_api_key", "A valid API key is needed.")
  const now = Date.now()
  const {
    rows: [window]
  } = await pool.query({
    name: "window",
    text: `INSERT INTO rate_window AS w VALUES ($1, $2, 1) ON CONFLICT (key_id) DO UPDATE SET
        used = CASE WHEN w.started_at + ${windowMillis} <= $2 THEN 1 ELSE w.used + 1 END,
        started_at = CASE WHEN w.started_at + ${windowMillis} <= $2 THEN $2 ELSE w.started_at END
      RETURNING started_at, used`,
    values: [key.id, now]
  })
  const resetAt = window.started_at + windowMillis
  reply.header("x-ratelimit-limit", key.requests_per_minute)
  reply.header("x-ratelimit-remaining", Math.max(0, key.requests_per_minute - window.used))
  reply.header("x-ratelimit-reset", Math.ceil(resetAt / 1000))
  reply.header("cache-control", "no-store")
  if (window.used > key.requests_per_minute) {
    reply.header("retry-after", Math.max(1, Math.ceil((resetAt - now) / 1000)))
    return failure(reply, 429, "rate_limit_exceeded", "The window is used up.")
  }
  request.brandOfKey = key.brand_id
  return undefined
}

const app = Fastify({ logger: false })
app.decorateRequest("brandOfKey", 0)
app.setErrorHandler((error, _request, reply) =>
  error instanceof BadRequest
    ? failure(reply, 400, "invalid_parameter", error.message)
    : failure(reply, 500, "internal_error", "Something went wrong here.")
)

app.get("/health", (_request, reply) => reply.send({ status: "ok" }))

app.get<{ Querystring: Query }>("/signals/leads", { onRequest: admit }, (request) =>
  reading.list(request.brandOfKey, request.query)
)

app.get<{ Params: { id: string }; Querystring: Query }>(
  "/signals/leads/:id",
  { onRequest: admit },
  async ({ brandOfKey, params, query }, reply) =>
    (await reading.detail(brandOfKey, Number(params.id), query["includeEngagementDetail"] === "true")) ??
    failure(reply, 404, "not_found", "There is no such lead.")
)

app.get<{ Params: { id: string }; Querystring: Query }>(
  "/campaign/:id/metrics",
  { onRequest: admit },
  async ({ brandOfKey, params, query }, reply) => {
    const { endDate = "9999-99-99", startDate = "0000-00-00" } = query
    return (
      (await reading.metrics(brandOfKey, Number(params.id), startDate, endDate)) ??
      failure(reply, 404, "not_found", "There is no such campaign.")
    )
  }
)

process.stdout.write(`Listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}\n`)
