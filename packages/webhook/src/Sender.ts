/** The port that posts one signed body: undici in production, a simulated network in a simulation. */
import type { AttemptError } from "@lead-signals/domain"
import { Context, Data, Effect, type Exit, Fiber, Runtime } from "effect"

/** One signed post. */
export interface PostRequest {
  /** The webhook's URL in its normal form. */
  readonly url: string
  /** Header names in lower case: media type, user agent and the three of the signature. */
  readonly headers: Readonly<Record<string, string>>
  /** The JSON text, the same at every attempt of a delivery. */
  readonly body: string
}

/** Bytes of a response body that a sender reads at most. [DELIV-5] */
export const maxExcerptBytes = 1024

/** The answer of a receiver, as far as a sender reads it. */
export interface PostResponse {
  /** The HTTP status, a redirect's included. */
  readonly status: number
  /** The header Retry-After as it came; null without one. */
  readonly retryAfter: string | null
  /** The header Content-Type as it came, whose charset the excerpt is read in; null or absent without one. */
  readonly contentType?: string | null
  /** The first `maxExcerptBytes` of the body, fewer when it is shorter or the connection broke. */
  readonly excerpt: Uint8Array
  /** Whether the body went on after the excerpt. */
  readonly truncated: boolean
}

/** No response arrived, not even a status. */
export class SendFailed extends Data.TaggedError("SendFailed")<{
  /** The class of the failure. */
  readonly error: AttemptError
}> {}

/**
 * Starts a post. `onEnd` gets its end, once, at any time after the call or within it. The effect interrupts the post, which closes the
 * connection: `onEnd` then gets the interruption, unless the post has ended before.
 */
export type StartPost = (
  request: PostRequest,
  onEnd: (exit: Exit.Exit<PostResponse, SendFailed>) => void
) => Effect.Effect<void>

/** Starts each post in a fiber of its own. */
export const startInFibers = (
  post: (request: PostRequest) => Effect.Effect<PostResponse, SendFailed>,
  runtime: Runtime.Runtime<never>
): StartPost => {
  const fork = Runtime.runFork(runtime)
  return (request, onEnd) => {
    const fiber = fork(Effect.interruptible(Effect.suspend(() => post(request))), { immediate: false })
    fiber.addObserver(onEnd)
    return Effect.asVoid(Fiber.interrupt(fiber))
  }
}

/** The port of a host for posting webhooks. */
export class Sender extends Context.Tag("@lead-signals/webhook/Sender")<
  Sender,
  {
    /**
     * Posts, follows no redirect, and dials no address that the guard refuses. It needs no timeout: the emitter
     * interrupts an attempt that takes too long, which must close the connection. Fails with `SendFailed` when no
     * status arrived. [DELIV-3, DELIV-6]
     */
    readonly post: (request: PostRequest) => Effect.Effect<PostResponse, SendFailed>
    /**
     * The same without a fiber, for a sender whose posts end in callbacks: a fiber costs more than the rest of a small post. The emitter runs
     * `post` in fibers where it is absent.
     */
    readonly start?: StartPost
  }
>() {}
