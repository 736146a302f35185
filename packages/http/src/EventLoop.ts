/** The host's event loop, as far as long work takes turns with everything else that the host serves. */
import { Context, Effect } from "effect"

/**
 * `nextTurn` ends in the event loop's next turn, when sockets and timers have been served. Unless a host provides it, only
 * other fibers get a turn: a scheduler of virtual time has no event loop.
 */
export class EventLoop extends Context.Reference<EventLoop>()("@lead-signals/http/EventLoop", {
  defaultValue: () => ({ nextTurn: Effect.yieldNow() as Effect.Effect<void> })
}) {}

/** The event loop of Node, a browser or a worker. */
export const ofHost: typeof EventLoop.Service = {
  nextTurn: Effect.async<void>((resume) => {
    const proceed = (): void => resume(Effect.void)
    if (typeof globalThis.setImmediate === "function") setImmediate(proceed)
    else setTimeout(proceed, 0)
  })
}
