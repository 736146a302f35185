/**
 * Keeps the host out of a run while it lasts: chance and time come from the seed and the kernel, and a real timer is an
 * error, since what it does would happen after the run. `Effect.never` keeps an interval of its own, which does nothing.
 */
import { GlobalValue } from "effect"
import type { Prng } from "./Prng.ts"

class RealTimer extends Error {
  constructor(name: string) {
    super(`A simulation called ${name}: time must come from Clock.`)
  }
}

const refuse = (name: string) => (): never => {
  throw new RealTimer(name)
}

/** The longest that Node takes for an interval: by it Effect keeps a process alive that waits for nothing. */
const neverMillis = 2 ** 31 - 1

/** As Node takes it: what is no number is none, and what is longer than a timer can be is one. */
const delayOf = (millis: unknown): number => {
  const delay = Number(millis)
  return delay > neverMillis ? 1 : delay > 0 ? delay : 0
}

const names = [
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "Date"
]

/** Where Effect keeps every fiber without a parent that has not ended. */
const globalScope: { roots: Pick<Set<unknown>, "add" | "delete"> } = GlobalValue.globalValue(
  Symbol.for("effect/FiberScope/Global"),
  () => ({ roots: new Set<unknown>() })
)

/**
 * In place of the set of fibers: nothing reads it, and those of a machine that was killed never end. They would be kept, and with them
 * everything of their run, for as long as the process lives.
 */
const noFibers: typeof globalScope.roots = {
  add: () => noFibers as Set<unknown>,
  delete: () => true
}

/** Puts these in the place of the host's own; answers how to give the host its own back. */
const replaced = (chance: Prng, now: () => number, replacements: Record<string, unknown>): (() => void) => {
  const kept = Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)]))
  const { random } = Math
  const { now: dateNow } = Date
  const { roots } = globalScope
  globalScope.roots = noFibers
  Object.assign(globalThis, replacements)
  Math.random = () => chance.fraction()
  Date.now = now
  return () => {
    for (const [name, own] of Object.entries(kept)) {
      if (own === undefined) Reflect.deleteProperty(globalThis, name)
      else Reflect.set(globalThis, name, own)
    }
    Math.random = random
    Date.now = dateNow
    globalScope.roots = roots
  }
}

/**
 * Runs synchronous work with the host's chance and time replaced: `Math.random` draws from `chance`, `Date.now` is
 * `now`, and a timer throws. It gives the host back its own at the end, whatever happens.
 */
export const isolated = <A>(chance: Prng, now: () => number, work: () => A): A => {
  const idle = {}
  const clearInterval = Reflect.get(globalThis, "clearInterval") as (handle: unknown) => void
  const restore = replaced(chance, now, {
    setTimeout: refuse("setTimeout"),
    setImmediate: refuse("setImmediate"),
    setInterval: (_: unknown, millis: number) => (millis === neverMillis ? idle : refuse("setInterval")()),
    clearInterval: (handle: unknown) => {
      if (handle !== idle) clearInterval(handle)
    }
  })
  try {
    return work()
  } finally {
    restore()
  }
}

/** The timers that replace the host's. */
export interface VirtualTimers {
  /** The virtual time in whole milliseconds since 1970. */
  readonly now: () => number
  /** Runs the task in so many virtual milliseconds; answers a function that calls it off. */
  readonly after: (millis: number, task: () => void) => () => void
}

/** `new Date()` shows the virtual time; with arguments it is what it was. */
const dateOf = (now: () => number): DateConstructor =>
  class VirtualDate extends Date {
    constructor(...given: ReadonlyArray<unknown>) {
      if (given.length === 0) super(now())
      else super(...(given as [number]))
    }
    static override now(): number {
      return now()
    }
  } as DateConstructor

interface Chance {
  getRandomValues: <A extends ArrayBufferView>(array: A) => A
  randomUUID: () => string
}

/** Secrets and ids that a host draws come from the seed while it runs. Answers how to give it its own back. */
const drawnFrom = (chance: Prng): (() => void) => {
  const crypto = Reflect.get(globalThis, "crypto") as Chance
  const { getRandomValues, randomUUID } = crypto
  const byte = (): number => chance.below(256)
  crypto.getRandomValues = (array) => {
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).forEach(
      (_, i, bytes) => (bytes[i] = byte())
    )
    return array
  }
  crypto.randomUUID = () => {
    const hex = Array.from({ length: 16 }, () => byte().toString(16).padStart(2, "0")).join("")
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
  }
  return () => Object.assign(crypto, { getRandomValues, randomUUID })
}

class Handle {
  constructor(readonly cancel: () => void) {}
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

/** The host's own way to go on once all that is promised has run: Node's `setImmediate`, or a message to oneself. */
const laterOf = (): ((task: () => void) => void) => {
  const own = Reflect.get(globalThis, "setImmediate") as ((task: () => void) => unknown) | undefined
  if (own !== undefined) return (task) => void own(task)
  const Channel = Reflect.get(globalThis, "MessageChannel") as new () => {
    readonly port1: {
      readonly addEventListener: (kind: "message", listener: () => void) => void
      readonly start: () => void
    }
    readonly port2: { readonly postMessage: (message: null) => void }
  }
  const { port1, port2 } = new Channel()
  let waiting = (): void => {}
  port1.addEventListener("message", () => waiting())
  port1.start()
  return (task) => {
    waiting = task
    port2.postMessage(null)
  }
}

/**
 * Runs work with promises in it, with the host's chance, time and timers replaced by those of the run. `settle` lets
 * the host run everything that was promised; it waits for no input or output.
 */
export const virtualised = async <A>(
  chance: Prng,
  { after, now }: VirtualTimers,
  work: (settle: () => Promise<void>) => Promise<A>
): Promise<A> => {
  const later = laterOf()
  const every = (millis: number, task: () => void): Handle => {
    let cancel = (): void => {}
    const next = (): void => {
      cancel = after(Math.max(1, millis), () => {
        next()
        task()
      })
    }
    next()
    return new Handle(() => cancel())
  }
  const clear = (handle: unknown): void => {
    if (handle instanceof Handle) handle.cancel()
  }
  const restore = replaced(chance, now, {
    setTimeout: (
      task: (...args: ReadonlyArray<unknown>) => void,
      millis = 0,
      ...args: ReadonlyArray<unknown>
    ) => new Handle(after(delayOf(millis), () => task(...args))),
    setInterval: (
      task: (...args: ReadonlyArray<unknown>) => void,
      millis = 0,
      ...args: ReadonlyArray<unknown>
    ) => (millis === neverMillis ? new Handle(() => {}) : every(delayOf(millis), () => task(...args))),
    setImmediate: (task: (...args: ReadonlyArray<unknown>) => void, ...args: ReadonlyArray<unknown>) =>
      new Handle(after(0, () => task(...args))),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    Date: dateOf(now)
  })
  const giveBack = drawnFrom(chance)
  try {
    return await work(() => new Promise((resolve) => later(resolve)))
  } finally {
    giveBack()
    restore()
  }
}
