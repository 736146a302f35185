/**
 * Somebody's own program in the place of ours: a fetch handler that serves the API, over whatever it likes. Its promises
 * are let run between scheduling steps; its timers and `Date.now` are the simulation's. It can't be killed, for nobody can take back
 * what it promised.
 */
import { Effect } from "effect"
import type { Host, Running } from "./Host.ts"
import { operatorToken } from "./Host.ts"
import type { SimulatedRequest } from "./SimulatedHttp.ts"

export interface WebhookAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What the simulation gives a host. */
export interface HostWorld {
  /** The operator's calls bear it: `Authorization: Bearer <operatorToken>`. */
  readonly operatorToken: string
  /**
   * How the host posts to webhooks, instead of `fetch`: to receivers of every character, over a network that fails. Rejects
   * when there is no answer; one that never comes is for the host to give up on.
   */
  readonly post: (
    url: string,
    message: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
  ) => Promise<WebhookAnswer>
}

export type OwnHost = (world: HostWorld) => Promise<(request: Request) => Promise<Response>>

const origin = "http://host.example"

const requestOf = ({ body, method, token, url }: SimulatedRequest): Request =>
  new Request(origin + url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

export const ownHost = (make: OwnHost): Host => ({
  dieWithin: null,
  crash: () => {},
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
        handle: (request) =>
          Effect.promise(async () => {
            const response = await fetch(requestOf(request))
            return {
              status: response.status,
              headers: Object.fromEntries(response.headers.entries()),
              text: await response.text()
            }
          })
      }
    })
})
