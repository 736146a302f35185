/** The host's event loop, to which long work yields between its pieces. */
import { Context, Effect } from "effect"

/**
 * `nextIteration` ends in the event loop's next iteration, when sockets and timers have been served. Unless a host provides it,
 * it yields to other fibers alone: a scheduler of virtual time has no event loop.
 */
export class EventLoop extends Context.Reference<EventLoop>()("@lead-signals/http/EventLoop", {
  defaultValue: () => ({ nextIteration: Effect.yieldNow() as Effect.Effect<void> })
}) {}

/** The event loop of Node, a browser or a worker. */
export const ofHost: typeof EventLoop.Service = {
  nextIteration: Effect.async<void>((resume) => {
    const proceed = (): void => resume(Effect.void)
    if (typeof globalThis.setImmediate === "function") setImmediate(proceed)
    else setTimeout(proceed, 0)
  })
}
