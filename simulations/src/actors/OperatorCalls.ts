/** What calls for a brand have in common, and those of an operator who looks at one. */
import type { Query } from "@lead-signals/store-contract/reference"
import type { Action } from "../plan/Plan.ts"
import type { Caller } from "./ActorContext.ts"

/** One action of looking, as a plan has it. */
export type Inspection = Extract<Action, { do: "inspect" }>

/** A call that changes nothing that the oracles have to know. */
export const look = { means: "look" } as const

/** The path of a brand. */
export const ofBrand = "/operator/brands/{brandId}"

/** What a list without parameters asks for. */
export const everyLead: Query = {
  filter: {},
  field: "createdAt",
  direction: "desc",
  page: 1,
  pageSize: 25,
  engagements: "none"
}

/** One call after the other, each under a label of its own. */
export const caller =
  ({ label, party }: Caller) =>
  (what: string): Caller => ({ party, label: `${label} ${what}` })
