/** Effects as promises: what fails is thrown as it is, an aborted call stops its work. */
import { Cause, type Effect, Exit, type ManagedRuntime } from "effect"

/** The service was closed before the call, or while it was under way. */
export class Closed extends Error {
  override readonly name = "Closed"
  readonly _tag = "@lead-signals/embedded/Closed"

  constructor() {
    super("This service is closed.")
  }
}

/** What every call takes besides its own arguments. */
export interface Call {
  /** Stops the work; the call is rejected with the signal's reason. What was committed before stays. */
  readonly signal?: AbortSignal | undefined
}

export class Calls<Services, Failure> {
  private readonly closing = new AbortController()
  private readonly underWay = new Set<Promise<unknown>>()

  constructor(private readonly runtime: ManagedRuntime.ManagedRuntime<Services, Failure>) {}

  /** Rejects with the failure itself, which is an `Error` with a `_tag`. */
  async run<A, E>(work: Effect.Effect<A, E, Services>, { signal }: Call = {}): Promise<A> {
    if (this.closing.signal.aborted) throw new Closed()
    signal?.throwIfAborted()
    const stop = signal === undefined ? this.closing.signal : AbortSignal.any([signal, this.closing.signal])
    const running = this.runtime.runPromiseExit(work, { signal: stop })
    this.underWay.add(running)
    const exit = await running.finally(() => this.underWay.delete(running))
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.isInterruptedOnly(exit.cause)) {
      signal?.throwIfAborted()
      throw new Closed()
    }
    throw Cause.squash(exit.cause)
  }

  /** Stops what is under way; when all of it has ended, what it ran over is closed. */
  async close(): Promise<void> {
    this.closing.abort()
    await Promise.allSettled(this.underWay)
    await this.runtime.dispose()
  }
}
