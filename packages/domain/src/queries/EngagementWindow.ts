/** A lead's newest engagements. [ENG-1, ENG-5] */
import { compareCodePoints } from "../text/Folding.ts"

/** Engagements of one lead in an answer or a webhook body, at most. [ENG-1, EVT-5] */
export const maxWindow = 20

interface Placed {
  readonly id: string
  readonly trackedAt: number
}

/** Compares engagements for sorting: newest `trackedAt` first, ties by id in descending code-point order. [ENG-1] */
export const newestFirst = (a: Placed, b: Placed): number =>
  b.trackedAt - a.trackedAt || compareCodePoints(b.id, a.id)
