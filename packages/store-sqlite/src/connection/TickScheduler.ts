/** The ticks of the loop that runs the store: writes of one tick share a commit, and reads one state of the file. */
import { Effect } from "effect"

export interface TickScheduler {
  /** Lets others run until the next tick. */
  readonly next: Effect.Effect<void>
  /** Runs the work when this tick ends. */
  readonly atEnd: (work: () => void) => void
  /** A tick that lasts longer reads the newest state of the file again. */
  readonly maxMillis: number
  /** Nobody else is served meanwhile: every write is done before its caller goes on. */
  readonly isAlone?: boolean
}

export const ofEventLoop: TickScheduler = {
  next: Effect.async((resume) => {
    setImmediate(() => resume(Effect.void))
  }),
  atEnd: (work) => {
    setImmediate(work)
  },
  maxMillis: 2
}

/** Nobody waits for others, and nobody shares: for a simulation, which schedules by itself. */
export const none: TickScheduler = {
  next: Effect.void,
  atEnd: (work) => work(),
  maxMillis: 0,
  isAlone: true
}
