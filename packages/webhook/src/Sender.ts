/** Posts one signed body. A port: undici in production, a simulated network in a simulation. */
import type { AttemptError } from "@lead-signals/domain"
import { Context, Data, type Effect } from "effect"

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** As much of an answer's body as is read. */
export const greatestExcerptBytes = 1024

export interface PostAnswer {
  readonly status: number
  /** The header as it came. */
  readonly retryAfter: string | null
  /** The first 1 KiB of the body as far as it came, and whether there was more. */
  readonly excerpt: Uint8Array
  readonly truncated: boolean
}

/** There was no answer: not even its status. */
export class SendFailed extends Data.TaggedError("SendFailed")<{ readonly error: AttemptError }> {}

export class Sender extends Context.Tag("@lead-signals/webhook/Sender")<
  Sender,
  {
    /**
     * Never follows a redirect, and never dials an address that the guard refuses. When it is interrupted, it gives the
     * connection up. It need not limit its time: the emitter does.
     */
    readonly post: (request: PostRequest) => Effect.Effect<PostAnswer, SendFailed>
  }
>() {}
