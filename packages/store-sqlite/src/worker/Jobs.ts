/**
 * The jobs of a store's worker threads. Each runs the same synchronous functions that the serving thread runs where they
 * take little effort. Inputs and outputs are structured-cloneable.
 */
import type { DeliveryId, LeadListQuery, LeadPage, RenderedPage } from "@lead-signals/domain"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import { copyPages } from "../connection/CopyPages.ts"
import { type CopyCounts, verifyCopy } from "../connection/VerifyCopy.ts"
import * as Erasure from "../writes/Erasure.ts"
import {
  foundLeadPage,
  foundRenderedPage,
  type ListingOptions,
  type ReadPage,
  readLeadPage,
  readRenderedPage
} from "../query/LeadPages.ts"
import * as FilterCounts from "../query/FilterCounts.ts"
import { migrate, type Migrating } from "../schema/Migrations.ts"
import { beginMerge, endMerge, mergeOwnedStep, type OwnedStep } from "../search/SegmentMerge.ts"
import type { Total } from "../query/Totals.ts"
import { idOf } from "@lead-signals/sql-rows"
import * as TextMemory from "./TextMemory.ts"

interface ListInput {
  readonly brandId: string
  readonly query: LeadListQuery
  readonly rankIndex: ListingOptions["rankIndex"]
  /** Whether memory may answer the list instead: then only what the file answers sooner is read. */
  readonly isInMemory: boolean
  /** By `totalKeys`, those that the serving thread knows. */
  readonly totals: ReadonlyMap<string, number>
}

/** Totals that a job counted, by `totalKeys`; `state` is the number of the newest change that the total covers. */
export type CountedTotals = ReadonlyMap<string, { readonly total: Total; readonly state: number }>

interface ListOutput<A> {
  /** Null where memory answers sooner. */
  readonly page: A | null
  readonly counted: CountedTotals
}

interface ErasureInput {
  readonly lead: Erasure.Erased
  readonly personHash: string
  /** As many as there are bodies of other deliveries that name the person, or more. */
  readonly deliveryIds: ReadonlyArray<DeliveryId>
  readonly now: number
  readonly maxBucketLeads: number
}

/** With too few ids nothing is erased; `wanted` would have sufficed. */
type ErasureOutput = { readonly erased: boolean } | { readonly wanted: number }

/** How far a checkpoint goes, in SQLite's words. */
export type CheckpointMode = "PASSIVE" | "RESTART" | "TRUNCATE"

/** SQLite's answer to `PRAGMA wal_checkpoint`, in pages. */
export interface Checkpoint {
  readonly busy: number
  readonly log: number
  readonly checkpointed: number
}

/** Every job by its kind: what it takes, and what it answers. */
export interface Jobs {
  readonly listLeads: { readonly input: ListInput; readonly output: ListOutput<LeadPage> }
  readonly listRenderedLeads: { readonly input: ListInput; readonly output: ListOutput<RenderedPage> }
  /** Reads a piece of a brand's leads into memory, for searches of the same thread. */
  readonly rememberLeads: { readonly input: TextMemory.Piece; readonly output: TextMemory.PieceRead }
  readonly followLeads: { readonly input: null; readonly output: TextMemory.Followed }
  readonly forgetLeads: { readonly input: ReadonlyArray<string>; readonly output: void }
  readonly searchLeads: { readonly input: TextMemory.Search; readonly output: TextMemory.Searched<LeadPage> }
  readonly searchRenderedLeads: {
    readonly input: TextMemory.Search
    readonly output: TextMemory.Searched<RenderedPage>
  }
  readonly eraseLead: { readonly input: ErasureInput; readonly output: ErasureOutput }
  /** Returns how many leads the brand has left. */
  readonly removeSomeLeads: { readonly input: { readonly brandId: string }; readonly output: number }
  /** In one transaction. */
  readonly migrate: { readonly input: { readonly filename: string }; readonly output: void }
  readonly checkpoint: { readonly input: CheckpointMode; readonly output: Checkpoint }
  /** Writes one page, so that this thread is the first to write into a restarted log. */
  readonly beginLog: { readonly input: null; readonly output: void }
  /** Writes all rows into a new file under the key of this one. */
  readonly vacuumInto: { readonly input: { readonly target: string }; readonly output: void }
  /** The input is the owner. */
  readonly beginMerge: { readonly input: number; readonly output: void }
  /** Whether there was something to merge. */
  readonly mergeStep: { readonly input: OwnedStep; readonly output: boolean }
  /** Copies another file to a new one, which may be the worker's. Answers the number of pages. */
  readonly copyPages: {
    readonly input: { readonly filename: string; readonly target: string }
    readonly output: number
  }
  /** Reads through a copy; the input is its name. */
  readonly verifyCopy: { readonly input: string; readonly output: CopyCounts }
  /** The input is the owner. */
  readonly endMerge: { readonly input: number; readonly output: void }
}

/** The name of a job. */
export type JobKind = keyof Jobs

/** A job as it is posted to the thread. */
export type Job = {
  [K in JobKind]: { readonly kind: K; readonly input: Jobs[K]["input"] }
}[JobKind]

/** What the thread posts: any number of progress reports, each of which it waits to be acknowledged, then an end. */
export type Report =
  | { readonly kind: "progress"; readonly progress: Migrating }
  | { readonly kind: "done"; readonly output: Jobs[JobKind]["output"] }
  /** `code` is SQLite's where it has one; `reason` is for the operator where the job says one. */
  | { readonly kind: "failed"; readonly code: string; readonly reason: string | null }

/** A pass over a brand in memory costs as much as reading a quarter as many rows of the file as the brand has leads. */
const memoryEffort = 1 / 4

const listing =
  <A>(read: ReadPage<A>) =>
  (sql: DriverConnection, { brandId, isInMemory, rankIndex, query, totals }: ListInput): ListOutput<A> => {
    const counted = new Map<string, { readonly total: Total; readonly state: number }>()
    const known = {
      totals: {
        get: (key: string) => totals.get(key) ?? counted.get(key)?.total.n,
        set: (key: string, total: Total, state: number) => void counted.set(key, { total, state })
      },
      // Pages that the rank index finds take little effort: the serving thread reads them.
      buckets: null
    }
    return sql.snapshot(() => {
      const maxEffort = isInMemory
        ? memoryEffort * FilterCounts.countLeads(sql, idOf(brandId))
        : Number.POSITIVE_INFINITY
      return { page: read(sql, brandId, query, { rankIndex, maxEffort }, known), counted }
    })
  }

const erase = (
  sql: DriverConnection,
  { deliveryIds, maxBucketLeads, lead, now, personHash }: ErasureInput
): ErasureOutput =>
  sql.transaction(() => {
    const wanted = Erasure.countBodies(sql, lead)
    if (wanted > deliveryIds.length) return { wanted }
    const ids = deliveryIds.values()
    const nextId = (): DeliveryId => ids.next().value!
    return { erased: Erasure.erase(sql, lead, { personHash, nextId, now, maxBucketLeads }) }
  })

type Run<K extends JobKind> = (
  sql: DriverConnection,
  input: Jobs[K]["input"],
  report: (progress: Migrating) => void
) => Jobs[K]["output"] | Promise<Jobs[K]["output"]>

const jobs: { readonly [K in JobKind]: Run<K> } = {
  listLeads: listing(readLeadPage),
  listRenderedLeads: listing(readRenderedPage),
  rememberLeads: TextMemory.remember,
  followLeads: TextMemory.follow,
  forgetLeads: TextMemory.forget,
  searchLeads: TextMemory.searching(foundLeadPage),
  searchRenderedLeads: TextMemory.searching(foundRenderedPage),
  eraseLead: erase,
  removeSomeLeads: (sql, { brandId }) => sql.transaction(() => Erasure.removeSome(sql, brandId)),
  migrate: (sql, { filename }, report) => sql.transaction(() => migrate(sql, filename, report)),
  checkpoint: (sql, mode) => sql.get<Checkpoint>(`PRAGMA wal_checkpoint(${mode})`)!,
  beginLog: (sql) => sql.run("UPDATE commits SET n = n + 1"),
  vacuumInto: (sql, { target }) => sql.run("VACUUM INTO ?", [target]),
  beginMerge,
  mergeStep: mergeOwnedStep,
  copyPages: (_, { filename, target }, report) =>
    copyPages(filename, target, (fraction) => report({ fraction, doing: "copying" })),
  verifyCopy,
  endMerge
}

/** Runs the job on the thread's connection. */
export const runJob = <K extends JobKind>(
  sql: DriverConnection,
  { input, kind }: { readonly kind: K; readonly input: Jobs[K]["input"] },
  report: (progress: Migrating) => void
): Jobs[K]["output"] | Promise<Jobs[K]["output"]> => jobs[kind](sql, input, report)
