/** What the calls of an operator who looks at a brand have in common. */
import type { Action } from "../plan/Plan.ts"
import type { Caller } from "./ActorContext.ts"

/** One action of looking, as a plan has it. */
export type Inspection = Extract<Action, { do: "inspect" }>

/** A call that changes nothing that the oracles have to know. */
export const look = { means: "look" } as const

export const ofBrand = "/operator/brands/{brandId}"

/** One call after the other, each under a label of its own. */
export const caller =
  ({ label, party }: Caller) =>
  (what: string): Caller => ({ party, label: `${label} ${what}` })
