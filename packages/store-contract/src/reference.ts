/**
 * Naive models of what a store holds and of what the service answers, written from docs/specification.md alone. They import each other alone, so
 * that they share no code with what they check. The contract's suite and the simulator's oracles compare with them.
 */
export { ReferenceCampaign, type Totals } from "./reference/ReferenceCampaign.ts"
export {
  ReferenceDeliveries,
  type ReferenceDelivery,
  type ReferenceWebhook
} from "./reference/ReferenceDeliveries.ts"
export type { ReferenceSignal, Seen } from "./reference/ReferenceLead.ts"
export { ReferenceModel } from "./reference/ReferenceModel.ts"
export type { Filter, Query } from "./reference/ReferenceQuery.ts"
export { folded } from "./reference/ReferenceText.ts"
export { renderedCompany } from "./reference/ReferenceViews.ts"
