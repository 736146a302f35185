/**
 * Naive models of what a store holds and of what the service answers, written from docs/specification.md alone. They import nothing, so
 * that they share no code with what they check. The contract's suite and the simulator's oracles compare with them.
 */
export { ReferenceCampaign, type Totals } from "./reference/ReferenceCampaign.ts"
export {
  ReferenceDeliveries,
  type ReferenceDelivery,
  type ReferenceWebhook
} from "./reference/ReferenceDeliveries.ts"
export {
  renderedCompany,
  type Filter,
  folded,
  type Query,
  ReferenceModel,
  type ReferenceSignal,
  type Seen
} from "./reference/ReferenceModel.ts"
