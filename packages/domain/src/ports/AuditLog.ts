/** Who did what, kept apart from what they did: a brand's deletion and a person's erasure leave it as it is. [AUD-1] */
import { Context } from "effect"
import type { AuditCursor, AuditEntry } from "../model/AuditEntry.ts"
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** Which entries to list. */
export interface AuditQuery {
  /** Entries of these brands alone; null lists those of every brand and of none. */
  readonly brandIds: ReadonlyArray<BrandId> | null
  /** Entries of this instant or later; null lists all. */
  readonly since: Instant | null
  /** Entries after this place, which need not be there any more; null begins with the newest. */
  readonly after: AuditCursor | null
  /** How many at most, at least 1. */
  readonly limit: number
}

/**
 * The port of a store for the audit log. Each method is atomic, and fails with `StoreUnavailable` while the store can't answer.
 */
export class AuditLog extends Context.Tag("@lead-signals/domain/AuditLog")<
  AuditLog,
  {
    /** Appends an entry and answers its id, decimal digits that are never given twice. When it succeeds, the entry is durable. */
    readonly append: (entry: Omit<AuditEntry, "id">) => StoreEffect<string>
    /** Writes how the call ended. An entry that has a status, or is not there any more, stays as it is. */
    readonly complete: (
      id: string,
      outcome: { readonly status: number; readonly subjectId: string | null }
    ) => StoreEffect<void>
    /** Answers entries, the newest first: by time, then by id. */
    readonly list: (query: AuditQuery) => StoreEffect<ReadonlyArray<AuditEntry>>
    /** Removes the oldest of the entries of before an instant, at most `limit` (at least 1). Answers how many it removed. [AUD-5] */
    readonly prune: (due: { readonly before: Instant; readonly limit: number }) => StoreEffect<number>
  }
>() {
  /** Which methods write the store; a wrapper of the port derives its list from here. */
  static readonly operations: Operations<AuditLog["Type"]> = {
    append: "write",
    complete: "write",
    list: "read",
    prune: "write"
  }
}
