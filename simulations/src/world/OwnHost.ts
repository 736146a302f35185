/**
 * Somebody's own program in the place of ours: a fetch handler that serves the API, over whatever it likes. Its promises
 * are let run between scheduling steps; its timers and `Date.now` are the simulation's. It can't be killed, for nobody can take back
 * what it promised.
 */
import { Context, Effect } from "effect"
import type { Host, Running } from "./Host.ts"
import { operatorToken } from "./Host.ts"
import { bytesOf, headersOf, unframed } from "./RequestParts.ts"
import type { SimulatedRequest } from "./SimulatedHttp.ts"

/** The answer of a receiver. */
export interface WebhookAnswer {
  /** The HTTP status. */
  readonly status: number
  /** The headers: at most `retry-after`. */
  readonly headers: Readonly<Record<string, string>>
  /** The first bytes of the body, at most 1,024. */
  readonly body: Uint8Array
}

/** The services that the simulation gives a host. */
export interface HostWorld {
  /** The token of the operator's calls: `Authorization: Bearer <operatorToken>`. */
  readonly operatorToken: string
  /**
   * Posts to a webhook in the place of `fetch`: to receivers of every behaviour, over a network that fails. Rejects
   * when there is no answer. An answer may never come; the host gives up on it by its own timeout.
   */
  readonly post: (
    url: string,
    message: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
  ) => Promise<WebhookAnswer>
}

/** A host: given its world, it resolves with the fetch handler of the whole API. */
export type OwnHost = (world: HostWorld) => Promise<(request: Request) => Promise<Response>>

const origin = "http://host.example"

const requestOf = (sent: SimulatedRequest): Request => {
  const bytes = bytesOf(sent)
  return new Request(origin + sent.url, {
    method: sent.method,
    headers: headersOf(sent),
    // A request that only asks has no body there.
    ...(bytes.length === 0 || sent.method === "GET" ? {} : { body: Uint8Array.from(bytes) })
  })
}

/** A host of one process, which keeps its state in itself: it is never killed, and no store of it is seen. */
export const ownHost = (make: OwnHost): Host => ({
  auditsKeyReads: false,
  dieWithin: null,
  tearNextCommit: () => false,
  losePower: () => {},
  crash: () => {},
  presentDamage: () => null,
  discard: () => {},
  start: ({ machine, post }) =>
    Effect.promise(async (): Promise<Running> => {
      const fetch = await make({
        operatorToken,
        post: (url, { body, headers }) =>
          new Promise((resolve, reject) => {
            machine.fork(
              Effect.match(post({ url, headers, body }), {
                onFailure: ({ error }) => reject(new Error(error)),
                onSuccess: ({ excerpt, retryAfter, status }) =>
                  resolve({
                    status,
                    headers: retryAfter === null ? {} : { "retry-after": retryAfter },
                    body: excerpt
                  })
              })
            )
          })
      })
      return {
        handle: (request) => ({
          work: Effect.promise(async () => {
            const response = await fetch(requestOf(request))
            return unframed({
              status: response.status,
              headers: Object.fromEntries(response.headers.entries()),
              text: await response.text()
            })
          }),
          context: Context.unsafeMake(new Map())
        })
      }
    })
})
