/**
 * Copying the whole content of a store into another one. The tables have a form that is independent of any store. A target derives the rest
 * from them, such as counters, search entries and rank buckets.
 */

import { profileTexts } from "../model/Profile.ts"

/** The name of the column that holds a field: `li_profile_url` for `liProfileUrl`. */
export const columnOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A value of a row. */
export type CopyValue = string | number | boolean | null

/** The values of a row, in the order of its table's columns. */
export type CopyRow = ReadonlyArray<CopyValue>

/** A table in the form in which it is copied, which is the same for every store. */
export interface CopyTable {
  /** The name of the table. */
  readonly name: string
  /** The columns that identify a row, and by which rows are ordered; texts are ordered by code point. */
  readonly key: ReadonlyArray<string>
  /** All columns; instants are milliseconds since 1970. */
  readonly columns: ReadonlyArray<string>
  /** The columns that hold true or false. */
  readonly booleans: ReadonlyArray<string>
}

/** Makes a table of names that are separated by spaces. */
const table = (name: string, key: string, columns: string, booleans = ""): CopyTable => ({
  name,
  key: key.split(" "),
  columns: columns.split(" "),
  booleans: booleans === "" ? [] : booleans.split(" ")
})

/** All tables; each comes after those that it refers to. */
export const copyTables: ReadonlyArray<CopyTable> = [
  table("brand", "id", "id name suppression_secret created_at deletion_started_at deleted_at"),
  table(
    "api_key",
    "brand_id id",
    "brand_id id label start hash requests_per_minute created_at last_used_at revoked_at expires_at scopes allowed_addresses"
  ),
  table(
    "access_token",
    "id",
    "id name start hash scopes brand_ids created_at expires_at last_used_at revoked_at"
  ),
  table(
    "audit_entry",
    "id",
    "id at actor_type actor_id via_session operation brand_id subject_id status",
    "via_session"
  ),
  table("idempotency_record", "id", "id actor fingerprint holder state created_at lease_until answer"),
  table("signal", "brand_id id", "brand_id id name signal_type source created_at deleted_at"),
  table("campaign", "brand_id id", "brand_id id name created_at deleted_at"),
  table(
    "reading",
    "brand_id campaign_id post_id day",
    "brand_id campaign_id post_id day impressions reactions comments reposts"
  ),
  table("suppression", "brand_id hash", "brand_id hash erased_at"),
  table(
    "lead",
    "brand_id id",
    `brand_id id ext_id name ${Object.keys(profileTexts).map(columnOf).join(" ")} company profile_times signal_id signal_ids flags score1 created_at updated_at`
  ),
  table(
    "engagement",
    "brand_id id",
    "brand_id id lead_id signal_id type reaction_type comment_text post_url post_content post_posted_at post_author post_author_detail author_ext_id emitted_at tracked_at"
  ),
  table(
    "event",
    "brand_id position",
    "brand_id position event lead_id engagement_id is_first_activity occurred_at",
    "is_first_activity"
  ),
  table(
    "webhook",
    "brand_id id",
    "brand_id id url events description enabled disabled_reason failing_since secrets created_at ordering max_delay format max_batch max_wait",
    "enabled"
  ),
  table(
    "delivery",
    "brand_id seq",
    "brand_id seq id webhook_id position state attempts failures lease due_at created_at finished_at resend_of resent_as failing_since ordered_lead"
  ),
  table("delivery_body", "brand_id seq", "brand_id seq body"),
  table(
    "attempt",
    "brand_id delivery_seq number",
    "brand_id delivery_seq number at duration_millis status error response batch_id format"
  )
]

/**
 * The tables whose rows a store numbers, with the column of the number. A target continues after the last number that the source gave, even if
 * that row is gone, so that no id is given twice.
 */
export const copySequences: Readonly<Record<string, string>> = {
  brand: "id",
  api_key: "id",
  access_token: "id",
  audit_entry: "id",
  signal: "id",
  campaign: "id",
  lead: "id",
  event: "position",
  webhook: "id",
  delivery: "seq"
}

/** The store that is copied. Nothing writes to it meanwhile. Each function rejects with `StoreUnavailable` where the store can't be read. */
export interface CopySource {
  /** The rows after the one with the key `after`, or all rows for null, in the order of the key and in parts of a few thousand. */
  readonly rows: (table: CopyTable, after: CopyRow | null) => AsyncIterable<ReadonlyArray<CopyRow>>
  /** The last number that the source gave in each table of `copySequences`; 0 where it gave none. */
  readonly lastNumbers: () => Promise<Readonly<Record<string, number>>>
  /** The number of rows of the table, or an estimate, for a progress bar. */
  readonly count: (table: CopyTable) => Promise<number>
}

/** The progress of a copy, which the target stores. */
export interface CopyProgress {
  /** A text that identifies the source. */
  readonly source: string
  /** The table being copied. */
  readonly table: string
  /** The key of the last row of the table that was written; null before the first. */
  readonly after: CopyRow | null
}

/** The new store that is filled. Nothing uses it before `finish`. Each function rejects with `StoreUnavailable` where the store can't answer. */
export interface CopyTarget {
  /** The progress of an earlier copy into the same store, which was interrupted; null when there was none. */
  readonly progress: () => Promise<CopyProgress | null>
  /** Writes the rows and the progress in one transaction. */
  readonly write: (table: CopyTable, rows: ReadonlyArray<CopyRow>, progress: CopyProgress) => Promise<void>
  /** Reads the written rows, as `rows` of a source does. */
  readonly rows: CopySource["rows"]
  /** Writes the derived tables, continues the numbers after `lastNumbers`, and makes the store usable. */
  readonly finish: (lastNumbers: Readonly<Record<string, number>>) => Promise<void>
}
