/** The port that posts one signed body: undici in production, a simulated network in a simulation. */
import type { AttemptError } from "@lead-signals/domain"
import { Context, Data, type Effect } from "effect"

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Bytes of a response body that a sender reads. */
export const maxExcerptBytes = 1024

export interface PostResponse {
  readonly status: number
  /** The unparsed header. */
  readonly retryAfter: string | null
  /**
   * The first `maxExcerptBytes` of the body, fewer when the connection broke, and whether the body was
   * longer.
   */
  readonly excerpt: Uint8Array
  readonly truncated: boolean
}

/** No response arrived, not even a status. */
export class SendFailed extends Data.TaggedError("SendFailed")<{ readonly error: AttemptError }> {}

export class Sender extends Context.Tag("@lead-signals/webhook/Sender")<
  Sender,
  {
    /**
     * Follows no redirect and dials no address that the guard refuses. Interruption closes the connection.
     * Needs no timeout: the emitter interrupts an attempt that takes too long.
     */
    readonly post: (request: PostRequest) => Effect.Effect<PostResponse, SendFailed>
  }
>() {}
