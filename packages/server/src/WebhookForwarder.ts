/** Forwards a post of a webhook to another receiver as it came: the same bytes, and the headers as they were written. [CLI-14] */
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"

/** A post as it arrived. */
export interface ArrivedPost {
  /** Names and values in turn, as Node has them. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: Buffer
}

/** What became of a forwarded post. */
export interface Forwarded {
  /** The status of the receiver; 502 when it can't be reached, 504 when it takes longer than a webhook's attempt may. */
  readonly status: number
  /** Why there was no answer; null when there was one. */
  readonly error: string | null
  readonly millis: number
  /** Headers of the answer that mean something to the sender. */
  readonly headers: Readonly<Record<string, string>>
  /** The first bytes of the answer's body. */
  readonly body: Buffer
}

/** They belong to one connection (RFC 9110, 7.6.1), or are made anew for the next. */
const hopByHop = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length"
])

const passedBack = ["content-type", "retry-after", "location"]

/** Bytes of an answer's body that are passed back; the service itself keeps fewer. */
const maxAnswerBytes = 64 * 1024

const headersFor = ({ body, rawHeaders }: ArrivedPost, target: URL): Array<string> => {
  const named = new Set(hopByHop)
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.toLowerCase() === "connection")
      for (const name of rawHeaders[i + 1]!.split(",")) named.add(name.trim().toLowerCase())
  const kept: Array<string> = ["Host", target.host, "Content-Length", String(body.length)]
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!named.has(rawHeaders[i]!.toLowerCase())) kept.push(rawHeaders[i]!, rawHeaders[i + 1]!)
  return kept
}

/** Forwards one post, follows no redirect, and never fails: what went wrong is in the answer. */
export const forward = (target: URL, post: ArrivedPost, timeoutMillis: number): Promise<Forwarded> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const end = (status: number, error: string | null, rest: Partial<Forwarded> = {}): void => {
      clearTimeout(timer)
      const millis = Math.round(performance.now() - startedAt)
      resolve({ status, error, millis, headers: {}, body: Buffer.alloc(0), ...rest })
    }
    const send = target.protocol === "https:" ? httpsRequest : httpRequest
    const request = send(target, {
      method: "POST",
      // In this form Node sends them as they are, in this order and with their own letter case.
      headers: headersFor(post, target) as never,
      // A connection of its own for each post, as a receiver that restarts between two posts needs it.
      agent: false
    })
    const timer = setTimeout(() => {
      end(504, `no answer within ${timeoutMillis / 1000} s`)
      request.destroy()
    }, timeoutMillis)
    request.on("error", (error: NodeJS.ErrnoException) => end(502, error.code ?? "no connection"))
    request.on("response", (response) => {
      const parts: Array<Buffer> = []
      let size = 0
      response.on("data", (part: Buffer) => {
        if (size < maxAnswerBytes) parts.push(part.subarray(0, maxAnswerBytes - size))
        size += part.length
      })
      response.on("error", (error: NodeJS.ErrnoException) => end(502, error.code ?? "no connection"))
      response.on("end", () => {
        const headers = Object.fromEntries(
          passedBack.flatMap((name) => {
            const value = response.headers[name]
            return typeof value === "string" ? [[name, value]] : []
          })
        )
        end(response.statusCode!, null, { headers, body: Buffer.concat(parts) })
      })
    })
    request.end(post.body)
  })
