/** The store of the audit log. The deletion of a brand and the erasure of a person leave its entries as they are. [AUD-1] */
import { Context } from "effect"
import type { AuditCursor, AuditEntry } from "../model/AuditEntry.ts"
import type { BrandId } from "../model/Brand.ts"
import type { Instant } from "../model/Instant.ts"
import type { Operations } from "./Operation.ts"
import type { StoreEffect } from "./StoreEffect.ts"

/** Which entries to list. */
export interface AuditQuery {
  /** Lists entries of these brands alone; null lists all, those without a brand, too. */
  readonly brandIds: ReadonlyArray<BrandId> | null
  /** Lists entries of this instant or later; null lists all. */
  readonly since: Instant | null
  /** Lists entries after this one in the list's order, whether or not it still exists; null begins with the newest. */
  readonly after: AuditCursor | null
  /** The maximum number of entries, at least 1. */
  readonly limit: number
}

/**
 * The port of a store for the audit log. Each method is atomic, and fails with `StoreUnavailable` while the store can't answer.
 */
export class AuditLog extends Context.Tag("@lead-signals/domain/AuditLog")<
  AuditLog,
  {
    /** Appends an entry and answers its id: decimal digits, never given twice. Once it has succeeded, the entry is durable. */
    readonly append: (entry: Omit<AuditEntry, "id">) => StoreEffect<string>
    /** Writes how the call ended. It changes nothing where the entry has a status already, or is gone. */
    readonly complete: (
      id: string,
      outcome: { readonly status: number; readonly subjectId: string | null }
    ) => StoreEffect<void>
    /** Answers entries, the newest first: by time, then by id. */
    readonly list: (query: AuditQuery) => StoreEffect<ReadonlyArray<AuditEntry>>
    /** Removes entries that are older than `before`, the oldest first, at most `limit` (at least 1). Answers how many. [AUD-5] */
    readonly prune: (due: { readonly before: Instant; readonly limit: number }) => StoreEffect<number>
  }
>() {
  /** Whether each method reads or writes. */
  static readonly operations: Operations<AuditLog["Type"]> = {
    append: "write",
    complete: "write",
    list: "read",
    prune: "write"
  }
}
