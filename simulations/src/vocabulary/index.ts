/** Every form of every input of the interface, what the contract says of each, and how much of them a campaign exercises. */
export { type Coverage, coverageOf, type OperationCoverage, percent } from "./Coverage.ts"
export { difference, type Expectation } from "./Expectation.ts"
export type { Form, Refusal } from "./Form.ts"
export { isRefused, type Probe, probes } from "./Probes.ts"
export { requiredScope } from "./Scopes.ts"
export { type InstantForm, instantForms } from "./Times.ts"
export { unreachable } from "./Unreachable.ts"
