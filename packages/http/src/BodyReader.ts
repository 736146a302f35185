import { Effect, Option } from "effect"
import type { IncomingMessage } from "node:http"
import { finished } from "node:stream"

const ignored = (): void => {}

/**
 * Reads a body in the pieces in which it arrives. Interrupting a read has an effect at once; the iterator that Node has for this returns only
 * when the client sends something.
 */
export class BodyReader {
  /** The end of the body: null when all of it has arrived, an error when it broke off; undefined until it ends. */
  private end: Error | null | undefined
  private look: () => void = ignored
  private readonly onReadable = (): void => this.look()

  constructor(private readonly source: IncomingMessage) {
    source.on("readable", this.onReadable)
    finished(source, { writable: false }, (error) => {
      this.end = error ?? null
      this.look()
    })
  }

  /** Waits until bytes have arrived, and answers all since the last read. At the end of the body it fails: with none, or with the error. */
  readonly next: Effect.Effect<Uint8Array, Option.Option<Error>> = Effect.async((resume) => {
    this.look = () => {
      const bytes = this.source.destroyed ? null : (this.source.read() as Uint8Array | null)
      if (bytes === null && this.end === undefined) return
      this.look = ignored
      resume(bytes === null ? Effect.fail(Option.fromNullable(this.end)) : Effect.succeed(bytes))
    }
    this.look()
    return Effect.sync(() => {
      this.look = ignored
    })
  })

  /** Lets what comes from now on flow to other listeners. */
  close(): void {
    this.source.off("readable", this.onReadable)
  }
}
