/**
 * Internals of this package for the workspace's tests and benchmarks. Nothing else may import this module, and the packed package does not
 * hold it: what it exports changes without notice.
 */
export { deriveCounters } from "./maintenance/DerivedTables.ts"
export { gramsOf, searchTextsOf } from "./query/Grams.ts"
