/**
 * Internals of this package for the workspace's tests and benchmarks. Nothing else may import this module, and the packed package does
 * not hold it: what it exports changes without notice.
 */
export { type Connection, connectionOf, type Param } from "./connection/Connection.ts"
export { StatementTexts } from "./connection/StatementTexts.ts"
export * as FilterCounts from "./query/FilterCounts.ts"
export { gramsOf, searchTextsOf } from "./query/Grams.ts"
export { changesAfter } from "./query/ChangeReads.ts"
export * as LeadListing from "./query/LeadListing.ts"
export { defaults, readLeadPage, readRenderedPage } from "./query/LeadPages.ts"
export * as Ordering from "./query/Ordering.ts"
export * as RankIndex from "./query/RankIndex.ts"
export * as Selection from "./query/Selection.ts"
export { TotalCache } from "./query/TotalCache.ts"
export { newestMigration } from "./schema/Migrations.ts"
export * as SealedValue from "./sealing/SealedValue.ts"
export * as LeadStore from "./stores/PostgresLeadStore.ts"
export { outboxOver } from "./stores/PostgresOutbox.ts"
export { commitBatch } from "./writes/CommitBatch.ts"
export { rebuildDerivedTables } from "./writes/DerivedTables.ts"
export * as Erasure from "./writes/Erasure.ts"
export { CounterChanges } from "./writes/LeadCounters.ts"
export { writeLeads } from "./writes/LeadWrites.ts"
