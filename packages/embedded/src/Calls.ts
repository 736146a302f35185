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
  private closed = false
  private readonly underWay = new Map<Promise<unknown>, AbortController>()

  constructor(private readonly runtime: ManagedRuntime.ManagedRuntime<Services, Failure>) {}

  get isClosed(): boolean {
    return this.closed
  }

  /** Rejects with the failure itself, which is an `Error` with a `_tag`. */
  async run<A, E>(work: Effect.Effect<A, E, Services>, { signal }: Call = {}): Promise<A> {
    if (this.closed) throw new Closed()
    signal?.throwIfAborted()
    // Of its own: many calls that listen to one signal would look like a leak.
    const own = new AbortController()
    const stop = signal === undefined ? own.signal : AbortSignal.any([signal, own.signal])
    const exit = await this.track(this.runtime.runPromiseExit(work, { signal: stop }), own)
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.isInterruptedOnly(exit.cause)) {
      signal?.throwIfAborted()
      throw new Closed()
    }
    throw Cause.squash(exit.cause)
  }

  /** Answers by the work, and is waited for when this is closed; null when it is closed already. */
  answer<A>(work: () => Promise<A>): Promise<A> | null {
    return this.closed ? null : this.track(work(), new AbortController())
  }

  private async track<A>(running: Promise<A>, stop: AbortController): Promise<A> {
    this.underWay.set(running, stop)
    try {
      return await running
    } finally {
      this.underWay.delete(running)
    }
  }

  /** Stops calls that are under way, and waits for what is answered; then what they ran over is closed. */
  async close(): Promise<void> {
    this.closed = true
    for (const stop of this.underWay.values()) stop.abort()
    await Promise.allSettled(this.underWay.keys())
    await this.runtime.dispose()
  }
}
