/**
 * The contract of a store of Lead Signals: a suite of cases for any test runner, which compares the store with a naive reference
 * over generated histories. It needs nothing but the domain, effect and fast-check, and runs in a browser, too.
 */
export { ContractViolation } from "./Assertions.ts"
export * as LeadHistories from "./LeadHistories.ts"
export { SettableClock } from "./SettableClock.ts"
export { type ContractCase, contractCases, type Runner, storeContract } from "./StoreContract.ts"
export type { Stores, StoreUnderTest } from "./StoreUnderTest.ts"
