/** A lead's newest engagements. [ENG-1, ENG-5] */
import { compareCodePoints } from "../text/Folding.ts"

export const maxWindow = 20

interface Placed {
  readonly id: string
  readonly trackedAt: number
}

/** Newest trackedAt first, ties by id in descending code-point order. */
export const newestFirst = (a: Placed, b: Placed): number =>
  b.trackedAt - a.trackedAt || compareCodePoints(b.id, a.id)
