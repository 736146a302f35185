/** The window of a lead's newest engagements: its size and order. [ENG-1, ENG-5] */
import { compareCodePoints } from "../text/Folding.ts"

/** The maximum number of engagements of one lead in an answer or a webhook body. [ENG-1, EVT-5] */
export const maxWindow = 20

interface Sortable {
  readonly id: string
  readonly trackedAt: number
}

/** Compares engagements for sorting: newest `trackedAt` first, ties by id in descending code-point order. [ENG-1] */
export const newestFirst = (a: Sortable, b: Sortable): number =>
  b.trackedAt - a.trackedAt || compareCodePoints(b.id, a.id)
