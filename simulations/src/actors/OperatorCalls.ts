/** What calls for a brand have in common, and those of an operator who looks at one. */
import type { Query } from "@lead-signals/store-contract/reference"
import type { Effect } from "effect"
import type { Action } from "../plan/Plan.ts"
import type { KnownBrand, KnownKey } from "../world/KnownFacts.ts"
import type { ActorContext, Call, Caller } from "./ActorContext.ts"

/** An action of a plan by which an operator looks at a brand: `what`, and numbers that choose among what is there. */
export type Inspection = Extract<Action, { do: "inspect" }>

/** What an operator does for one kind of inspection of a brand, under labels that begin with the caller's. */
export type Inspect = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  inspection: Inspection
) => Effect.Effect<void>

/** A call that changes nothing that the oracles have to know. */
export const look = { means: "look" } as const

/** The path of a brand. */
export const ofBrand = "/operator/brands/{brandId}"

/** The query of a list without parameters. */
export const everyLead: Query = {
  filter: {},
  field: "createdAt",
  direction: "desc",
  page: 1,
  pageSize: 25,
  engagements: "none"
}

/** A short list that a key reads: the newest five leads of its brand. It spends one request of the key's window. */
export const firstLeads = (brand: KnownBrand, key: KnownKey): Call => ({
  route: "/signals/leads",
  query: "pageSize=5",
  brand,
  key,
  meaning: { means: "list", query: { ...everyLead, pageSize: 5 } }
})

/** The callers of one action, each under a label of its own. */
export const caller =
  ({ label, party }: Caller) =>
  (what: string): Caller => ({ party, label: `${label} ${what}` })
