/** Runs effects as promises and tracks those under way, so that closing the service can stop them. */
import { InvalidParameter } from "@lead-signals/domain"
import { invalidParameterMessage } from "@lead-signals/http"
import { Cause, type Effect, Exit, type ManagedRuntime } from "effect"

/** An unknown field or parameter gets the message of the HTTP API, which suggests the name that was probably meant. */
const worded = (failure: unknown): unknown =>
  failure instanceof InvalidParameter && failure.unknownField !== undefined
    ? new InvalidParameter({ ...failure, message: invalidParameterMessage(failure) })
    : failure

/** The service was closed before the call, or during it. */
export class Closed extends Error {
  /** The name of the class, for logs. */
  override readonly name = "Closed"
  /** Distinguishes this error from the others that calls reject with. */
  readonly _tag = "@lead-signals/embedded/Closed"

  constructor() {
    super("This service is closed.")
  }
}

/** Options of every call. */
export interface Call {
  /** Interrupts the work; the call rejects with the signal's reason. Changes that were committed stay. */
  readonly signal?: AbortSignal | undefined
}

/** The calls of one embedded service. */
export class CallTracker<Services, Failure> {
  private closed = false
  private readonly underWay = new Map<Promise<unknown>, AbortController>()

  constructor(private readonly runtime: ManagedRuntime.ManagedRuntime<Services, Failure>) {}

  get isClosed(): boolean {
    return this.closed
  }

  /**
   * Rejects with the failure itself, an `Error` with a `_tag`, with the signal's reason, or with `Closed`.
   */
  async run<A, E>(work: Effect.Effect<A, E, Services>, { signal }: Call = {}): Promise<A> {
    if (this.closed) throw new Closed()
    signal?.throwIfAborted()
    // A controller per call: many listeners on one signal would trigger Node's leak warning.
    const own = new AbortController()
    const stop = signal === undefined ? own.signal : AbortSignal.any([signal, own.signal])
    const exit = await this.track(this.runtime.runPromiseExit(work, { signal: stop }), own)
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.isInterruptedOnly(exit.cause)) {
      signal?.throwIfAborted()
      throw new Closed()
    }
    throw worded(Cause.squash(exit.cause))
  }

  /**
   * Tracks work that answers its own failures. Closing waits for it without aborting it. Returns null after
   * closing.
   */
  trackResponse<A>(work: () => Promise<A>): Promise<A> | null {
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

  /** Aborts calls under way, waits for all tracked work, then closes the runtime. */
  async close(): Promise<void> {
    this.closed = true
    for (const stop of this.underWay.values()) stop.abort()
    await Promise.allSettled(this.underWay.keys())
    await this.runtime.dispose()
  }
}
