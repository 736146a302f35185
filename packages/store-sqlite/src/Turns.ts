/** The turns of whatever loop runs the store: what comes in one of them shares a commit, and is read of one state of the file. */
import { Effect } from "effect"

export interface Turns {
  /** Lets others come until the next turn. */
  readonly next: Effect.Effect<void>
  /** Runs the work when this turn ends. */
  readonly atEnd: (work: () => void) => void
  /** A turn that lasts longer reads the file's newest state anew. */
  readonly greatestMillis: number
  /** Nobody else is served meanwhile: every write is done before its caller goes on. */
  readonly isAlone?: boolean
}

export const ofEventLoop: Turns = {
  next: Effect.async((resume) => {
    setImmediate(() => resume(Effect.void))
  }),
  atEnd: (work) => {
    setImmediate(work)
  },
  greatestMillis: 2
}

/** Nobody waits for others, and nobody shares: for a simulation, whose turns are its own. */
export const none: Turns = {
  next: Effect.void,
  atEnd: (work) => work(),
  greatestMillis: 0,
  isAlone: true
}
