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

/** Runs the work, synchronously, and gives the host back its own whatever happens. */
export const sealed = <A>(chance: Prng, now: () => number, work: () => A): A => {
  const host = globalThis as unknown as Record<string, unknown>
  const kept = {
    setTimeout: host["setTimeout"],
    setInterval: host["setInterval"],
    setImmediate: host["setImmediate"],
    clearInterval: host["clearInterval"]
  }
  const { random } = Math
  const dateNow = Date.now
  const clearInterval = kept.clearInterval as (handle: unknown) => void
  const idle = {}
  try {
    host["setTimeout"] = refuse("setTimeout")
    host["setImmediate"] = refuse("setImmediate")
    host["setInterval"] = (_: unknown, millis: number) =>
      millis === neverMillis ? idle : refuse("setInterval")()
    host["clearInterval"] = (handle: unknown) => {
      if (handle !== idle) clearInterval(handle)
    }
    Math.random = () => chance.fraction()
    Date.now = now
    return work()
  } finally {
    Object.assign(host, kept)
    Math.random = random
    Date.now = dateNow
  }
}
