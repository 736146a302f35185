/** The ticks of the loop that runs the store: writes of one tick share a commit, its reads one state of the file. */
import { Effect } from "effect"

/** The loop that drives the store, as far as the store schedules work on it. */
export interface TickScheduler {
  /** Lets other work run until the next tick. */
  readonly next: Effect.Effect<void>
  /** Runs the work when this tick ends. */
  readonly atEnd: (work: () => void) => void
  /** A tick that lasts longer reads the newest state of the file again. */
  readonly maxMillis: number
  /** Nothing else runs meanwhile: every write ends before its caller goes on. */
  readonly isAlone?: boolean
  /** `false`: no thread runs beside it, and what a thread would read is read in place. */
  readonly hasThreads?: boolean
}

/** One tick is one iteration of Node's event loop. */
export const ofEventLoop: TickScheduler = {
  next: Effect.async((resume) => {
    setImmediate(() => resume(Effect.void))
  }),
  atEnd: (work) => {
    setImmediate(work)
  },
  maxMillis: 2
}

/** No write waits for others and no read shares a snapshot: for a simulation, which schedules by itself. */
export const none: TickScheduler = {
  next: Effect.void,
  atEnd: (work) => work(),
  maxMillis: 0,
  isAlone: true
}

/** As `none`, where what takes long must end before its caller goes on, too. */
export const withoutThreads: TickScheduler = { ...none, hasThreads: false }
