/** The API as a plain fetch handler, for any host that has `Request` and `Response`. */
import { Effect } from "effect"
import * as HttpApp from "@effect/platform/HttpApp"
import { make, untraced } from "./App.ts"
import { hosted } from "./Hosted.ts"
import type { Requirements } from "./Requirements.ts"

/** Answers a request of the web platform. It never rejects. */
export type FetchHandler = (request: Request) => Promise<Response>

const mayHaveBody = new Set(["POST", "PUT", "PATCH"])

/** `@effect/platform` fails to read a body that is not there, which on a server is an empty one. */
const withBody = (request: Request): Request =>
  request.body === null && mayHaveBody.has(request.method)
    ? new Request(request, { method: request.method, body: new Uint8Array() })
    : request

/**
 * Makes a `(Request) => Promise<Response>` over what the host brings. It never rejects: every failure is a response.
 * Aborting the request's signal stops the work on it, and a request that is aborted already begins none; the status is 499.
 */
export const fetchHandler: Effect.Effect<FetchHandler, never, Requirements> = hosted(
  Effect.gen(function* () {
    const app = yield* make
    const runtime = yield* untraced(Effect.runtime<never>())
    const handle = HttpApp.toWebHandlerRuntime(runtime)(app)
    return async (request: Request) =>
      request.signal?.aborted === true ? new Response(null, { status: 499 }) : handle(withBody(request))
  })
)
