/**
 * Internals of this package for the workspace's tests, benchmarks and simulator. Nothing else may import this module, and the
 * packed package does not hold it: what it exports changes without notice.
 */
export { VersionedCache } from "./cache/VersionedCache.ts"
export type { QueryConnection } from "./connection/Connection.ts"
export { DriverConnection } from "./connection/DriverConnection.ts"
export { runtimeProblem } from "./connection/Driver.ts"
export type { Param } from "./connection/Param.ts"
export { scheduleMerges } from "./database/MergeScheduler.ts"
export * as Ordering from "./filter/Ordering.ts"
export * as FilterCounts from "./query/FilterCounts.ts"
export * as LeadListing from "./query/LeadListing.ts"
export * as RankIndex from "./rank-index/RankIndex.ts"
export { newestMigration } from "./schema/Migrations.ts"
export { fold } from "./schema/migrations/0013_folding.ts"
export { segmentMerge } from "./schema/migrations/0015_segment_merge.ts"
export * as SearchIndex from "./search/SearchIndex.ts"
export { countCommit, finishMerge, isMergeUnderWay, searchIndexes } from "./search/SegmentMerge.ts"
export { type JobKind, type Jobs, runJob } from "./worker/Jobs.ts"
export { roundRobin } from "./worker/ReadingWorker.ts"
export { StoreWorker } from "./worker/StoreWorker.ts"
export * as Selection from "./filter/Selection.ts"
export { rebuildDerivedTables } from "./rank-index/DerivedTables.ts"
