/**
 * Idempotency-Keys for the console's calls: what is sent twice because the first answer did not come, or because somebody clicked twice,
 * is done once. A call that was answered has used up its key: the same button, pressed again, does it again.
 */
import type { Middleware } from "openapi-fetch"

const header = "Idempotency-Key"

/** Random; `randomUUID` is not there on pages of plain http. */
const freshKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    ""
  )

const takesKey = ({ method, url }: Request): boolean =>
  method === "POST" && url.includes("/operator/") && !new URL(url).pathname.endsWith("/observations")

/**
 * Whether the server has done what was asked, or has refused it for good. A 409 with `Retry-After` says that the call with this key is still under
 * way. Any other 409 is an answer: the first one is lost, or something else is in the way, and the same key would get it again. [IDEM-3]
 */
const isAnswered = ({ headers, status }: Response): boolean =>
  status < 500 && (status !== 409 || !headers.has("retry-after"))

/** Puts a key on each call that takes one: the same for the same request, until it is answered. */
export const repeatedCalls = (): Middleware => {
  const keys = new Map<string, string>()
  const answered = (request: Request): void => {
    const sent = request.headers.get(header)
    for (const [call, key] of keys) if (`"${key}"` === sent) keys.delete(call)
  }
  return {
    onRequest: async ({ request }) => {
      if (!takesKey(request)) return undefined
      const call = `${request.url}\n${await request.clone().text()}`
      const key = keys.get(call) ?? freshKey()
      keys.set(call, key)
      request.headers.set(header, `"${key}"`)
      return request
    },
    onResponse: ({ request, response }) => {
      if (isAnswered(response)) answered(request)
      return undefined
    }
  }
}
