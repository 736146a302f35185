/**
 * Keeps the host out of a run while it lasts: chance and time come from the seed and the kernel, and a real timer is an
 * error, since what it does would happen after the run. `Effect.never` keeps an interval of its own, which does nothing.
 */
import type { Prng } from "../Prng.ts"

class RealTimer extends Error {
  constructor(name: string) {
    super(`Something in a simulation asked the host for ${name}: time must come from Clock.`)
  }
}

const refuse = (name: string) => (): never => {
  throw new RealTimer(name)
}

/** The longest that Node takes for an interval: by it Effect keeps a process alive that waits for nothing. */
const neverMillis = 2 ** 31 - 1

const timers = ["setTimeout", "setInterval", "setImmediate", "clearInterval"]

/** Runs the work, synchronously, and gives the host back its own whatever happens. */
export const sealed = <A>(chance: Prng, now: () => number, work: () => A): A => {
  const kept = Object.fromEntries(timers.map((name) => [name, Reflect.get(globalThis, name)]))
  const { random } = Math
  const { now: dateNow } = Date
  const idle = {}
  try {
    Object.assign(globalThis, {
      setTimeout: refuse("setTimeout"),
      setImmediate: refuse("setImmediate"),
      setInterval: (_: unknown, millis: number) => (millis === neverMillis ? idle : refuse("setInterval")()),
      clearInterval: (handle: unknown) => {
        if (handle !== idle) kept["clearInterval"](handle)
      }
    })
    Math.random = () => chance.fraction()
    Date.now = now
    return work()
  } finally {
    Object.assign(globalThis, kept)
    Math.random = random
    Date.now = dateNow
  }
}
