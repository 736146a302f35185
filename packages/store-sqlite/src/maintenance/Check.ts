/** Checks a file: its pages, its references, its search indexes and its derived tables. [STORE-9] */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import { encryptionOf, type EncryptionOptions } from "../connection/StoreEncryption.ts"
import { openToRead } from "../connection/Driver.ts"
import { unavailable } from "../connection/BusyRetry.ts"
import { orderings } from "../filter/Ordering.ts"
import { newestMigration } from "../schema/Migrations.ts"
import {
  activityCounts,
  dayCounts,
  deliveryCounts,
  finishedCounts,
  leadCounts
} from "../rank-index/DerivedTables.ts"
import { wrongBuckets } from "../rank-index/WrongBuckets.ts"
import { isUnindexed, maxUnindexed } from "../search/SearchTail.ts"
import { readVersion } from "./FileVersion.ts"

/** The result of `check`. */
export interface Checked {
  /** The version of the file: the number of its newest migration. */
  readonly version: number
  /** The version that this store migrates files to. */
  readonly newest: number
  /** Rows by kind, such as `leads` and `pendingDeliveries`; a kind that an older file lacks is left out. */
  readonly counts: Readonly<Record<string, number>>
  /** One line for each problem; none in an intact file. */
  readonly problems: ReadonlyArray<string>
}

/** The tables in which a file of this version can have deleted rows; an older one has none. */
const deletable = new Set(["brands", "signals", "campaigns"])

const counted: Readonly<Record<string, string>> = {
  brands: "SELECT count(*) FROM brand",
  keys: "SELECT count(*) FROM api_key WHERE revoked_at IS NULL",
  signals: "SELECT count(*) FROM signal",
  campaigns: "SELECT count(*) FROM campaign",
  leads: "SELECT count(*) FROM lead",
  engagements: "SELECT count(*) FROM engagement",
  events: "SELECT count(*) FROM event",
  erased: "SELECT count(*) FROM suppression",
  webhooks: "SELECT count(*) FROM webhook",
  pendingDeliveries: "SELECT count(*) FROM delivery WHERE state = 'pending'",
  deadDeliveries: "SELECT count(*) FROM delivery WHERE state = 'dead'"
}

/** Counts the rows that only one of the two queries returns. */
const different = (kept: string, recounted: ReadonlyArray<string>): string =>
  `WITH kept AS (${kept}), recounted AS (${recounted.join(" UNION ALL ")})
   SELECT (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM recounted))
        + (SELECT count(*) FROM (SELECT * FROM recounted EXCEPT SELECT * FROM kept))`

/** Leads whose texts the search indexes hold. */
const indexedLeads = `SELECT id FROM lead WHERE NOT (${isUnindexed})`

/** Queries that compare each derived table with the leads. `isThere` says whether the file has an index. */
const agreementsOf = (
  isThere: (index: string) => boolean
): ReadonlyArray<readonly [what: string, sql: string]> => [
  [
    "the counts of leads by flags and signal",
    different("SELECT brand_id, signal_id, flags, n FROM lead_count WHERE n <> 0", leadCounts)
  ],
  [
    "the counts of leads by day",
    different("SELECT brand_id, field, day, flags, n FROM lead_day_count WHERE n <> 0", dayCounts)
  ],
  [
    "the counts of leads and engagements by the hour",
    different(
      "SELECT brand_id, kind, hour, signal_id, type, n FROM activity_hour WHERE n <> 0",
      activityCounts
    )
  ],
  [
    "the counts of deliveries by state",
    different("SELECT webhook_id, state, n FROM delivery_count WHERE n <> 0", [deliveryCounts])
  ],
  [
    "the counts of deliveries by the hour",
    different("SELECT webhook_id, hour, state, n FROM delivery_hour WHERE n <> 0", [finishedCounts])
  ],
  ["the rank buckets of the orders", wrongBuckets(isThere)],
  [
    "the leads of the signals",
    `SELECT count(*) FROM lead_signal g LEFT JOIN lead l ON l.id = g.lead_id
     WHERE g.flags IS NOT l.flags OR g.created_at IS NOT l.created_at`
  ],
  ["the entries of the search", different("SELECT rowid FROM lead_text", [indexedLeads])],
  [
    "the entries of the search for one or two characters",
    different("SELECT rowid FROM lead_gram", [indexedLeads])
  ],
  [
    "the leads that wait for the search",
    `SELECT max(0, count(*) - ${maxUnindexed}) FROM lead WHERE ${isUnindexed}`
  ]
]

/**
 * Reads the whole file and reports what is wrong with its pages, references, search indexes and derived tables. It
 * takes seconds a gigabyte; others may read and write meanwhile. `onProgress` gets the fraction done, from 0
 * to 1, and the step. `encryption` is that of the file. Fails with `StoreUnavailable` when the file can't be opened, is not a database
 * of Lead Signals, or is of a newer version. [STORE-9]
 */
export const check = (
  filename: string,
  onProgress: (fraction: number, what: string) => void = () => {},
  encryption?: EncryptionOptions
): Effect.Effect<Checked, StoreUnavailable> =>
  Effect.try({
    try: () => {
      const db = openToRead(filename, encryptionOf(encryption).fileKey)
      try {
        const one = (sql: string): number => db.prepare(sql).pluck().get() as number
        const version = readVersion(db, filename)
        const names = new Set(db.prepare("SELECT name FROM sqlite_schema").pluck().all())
        const problems: Array<string> = []
        const isThere = (index: string): boolean => names.has(index)
        const agreements = agreementsOf(isThere)
        const steps = 2 + agreements.length
        onProgress(0, "reading every page")
        for (const line of db.pragma("integrity_check(20)", { simple: false }) as Array<{
          integrity_check: string
        }>) {
          if (line.integrity_check !== "ok") problems.push(line.integrity_check)
        }
        onProgress(1 / steps, "following references")
        const lost = db.pragma("foreign_key_check") as Array<{ table: string; parent: string }>
        if (lost.length > 0) {
          const [{ parent, table }] = lost as [{ table: string; parent: string }]
          problems.push(
            `foreign keys refer to missing rows in ${lost.length} places; the first from ${table} to ${parent}`
          )
        }
        if (version === newestMigration) {
          for (const { index } of Object.values(orderings)) {
            if (!isThere(index)) problems.push(`the index ${index} is missing`)
          }
        }
        agreements.forEach(([what, sql], i) => {
          onProgress((2 + i) / steps, `counting ${what}`)
          if (version < newestMigration) return
          const wrong = one(sql)
          if (wrong > 0) problems.push(`${what} are wrong in ${wrong} places`)
        })
        const present = Object.entries(counted).filter(([, sql]) => names.has(/FROM (\w+)/.exec(sql)![1]!))
        const counts = Object.fromEntries(
          present.map(([name, sql]) => {
            const isDeletable = version === newestMigration && deletable.has(name)
            return [name, one(isDeletable ? `${sql} WHERE deleted_at IS NULL` : sql)]
          })
        )
        return { version, newest: newestMigration, counts, problems }
      } finally {
        db.close()
      }
    },
    catch: unavailable
  })
