// Receives webhooks of Lead Signals and verifies their signatures. Node 18 or newer, no packages.
//
//   WEBHOOK_SECRETS="whsec_…" node receiver.mjs
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const toleranceSeconds = 300
const maxBodyBytes = 16 * 1024 * 1024

// One secret, or two with a space between while the secret is rotated.
const keys = (process.env.WEBHOOK_SECRETS ?? "")
  .split(" ")
  .filter((secret) => secret.startsWith("whsec_"))
  .map((secret) => Buffer.from(secret.slice("whsec_".length), "base64"))
if (keys.length === 0) {
  console.error("WEBHOOK_SECRETS takes the webhook's secret, whsec_…")
  process.exit(1)
}

const equalsInConstantTime = (a, b) => a.length === b.length && timingSafeEqual(a, b)

/** Returns the reason why a post is not authentic; null when it is. `body` takes the bytes as they arrived. */
const refusal = (headers, body) => {
  const id = headers["webhook-id"]
  const timestamp = headers["webhook-timestamp"]
  const signatures = headers["webhook-signature"]
  if (!id || !timestamp || !signatures) return "a signature header is missing"
  if (!/^[0-9]{1,12}$/.test(timestamp)) return "the timestamp is not a number"
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds)
    return "the timestamp is too far off"
  const expected = keys.map((key) => {
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")
    return Buffer.from(`v1,${digest}`)
  })
  // During a rotation the header holds two signatures. One match is enough.
  const isAuthentic = signatures
    .split(" ")
    .some((given) => expected.some((each) => equalsInConstantTime(Buffer.from(given), each)))
  return isAuthentic ? null : "no signature matches"
}

const server = createServer((request, response) => {
  if (request.method !== "POST") return response.writeHead(405, { allow: "POST" }).end()
  const chunks = []
  let size = 0
  request.on("data", (chunk) => {
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(chunk)
  })
  request.on("end", () => {
    if (size > maxBodyBytes) return response.writeHead(413).end()
    const body = Buffer.concat(chunks)
    const reason = refusal(request.headers, body)
    if (reason !== null) return response.writeHead(400).end(reason)
    // One event, or an array of them where the webhook takes batches. A CloudEvent has its type as `type`.
    for (const event of [JSON.parse(body.toString("utf8"))].flat()) {
      // Store the event under event.id before you answer. An id that you have stored already is a repetition.
      console.log(event.event ?? event.type, event.id)
    }
    response.writeHead(204).end()
  })
})
server.listen(Number(process.env.PORT ?? 4100), "127.0.0.1")
