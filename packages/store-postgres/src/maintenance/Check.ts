/** Checks a database: its references, its derived tables, and the texts that searches and lists use. [STORE-9] */
import { RenderedLeads, type StoreUnavailable } from "@lead-signals/domain"
import type { EncryptionKey } from "@lead-signals/encryption"
import { leadOf } from "@lead-signals/sql-rows"
import { Effect } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { gramsOf, searchTextsOf } from "../query/Grams.ts"
import { leadColumns, type LeadRow, signalIdsOf } from "../rows/LeadRows.ts"
import { openLeads } from "../rows/SealedRows.ts"
import { verifyKeys } from "../schema/EncryptionState.ts"
import { newestMigration } from "../schema/Migrations.ts"
import { storeKeys } from "../sealing/StoreKeys.ts"
import { readVersion } from "./SchemaVersion.ts"
import { attempt, session } from "./Session.ts"
import { countWrongBuckets } from "./WrongBuckets.ts"

/** The result of `check`. */
export interface Checked {
  /** The version of the schema: the number of its newest migration. */
  readonly version: number
  /** The version that this store migrates databases to. */
  readonly newest: number
  /** Rows by kind, such as `leads` and `pendingDeliveries`. */
  readonly counts: Readonly<Record<string, number>>
  /** One line for each problem; none in an intact database. */
  readonly problems: ReadonlyArray<string>
}

const counted: Readonly<Record<string, string>> = {
  brands: "lead_signals.brand WHERE deleted_at IS NULL",
  keys: "lead_signals.api_key WHERE revoked_at IS NULL",
  signals: "lead_signals.signal WHERE deleted_at IS NULL",
  campaigns: "lead_signals.campaign WHERE deleted_at IS NULL",
  leads: "lead_signals.lead",
  engagements: "lead_signals.engagement",
  events: "lead_signals.event",
  erased: "lead_signals.suppression",
  webhooks: "lead_signals.webhook",
  pendingDeliveries: "lead_signals.delivery WHERE state = 'pending'",
  deadDeliveries: "lead_signals.delivery WHERE state = 'dead'"
}

/** Counts the rows that only one of the two queries returns. */
const different = (kept: string, recounted: string): string =>
  `WITH kept AS (${kept}), recounted AS (${recounted})
   SELECT (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM recounted) a)
        + (SELECT count(*) FROM (SELECT * FROM recounted EXCEPT SELECT * FROM kept) b) AS n`

/** Counts the rows of a table whose reference finds no row. */
const dangling = (table: string, target: string, on: string): string =>
  `SELECT count(*) AS n FROM lead_signals.${table} t WHERE NOT EXISTS (SELECT 1 FROM lead_signals.${target} r WHERE ${on})`

/** Queries that compare the tables with each other; each counts wrong rows. */
const agreements: ReadonlyArray<readonly [what: string, sql: string]> = [
  [
    "the leads of engagements",
    dangling("engagement", "lead", "r.brand_id = t.brand_id AND r.id = t.lead_id")
  ],
  [
    "the signals of engagements",
    dangling("engagement", "signal", "r.brand_id = t.brand_id AND r.id = t.signal_id")
  ],
  [
    "the events of deliveries",
    `${dangling("delivery", "event", "r.brand_id = t.brand_id AND r.position = t.position")} AND t.position IS NOT NULL`
  ],
  [
    "the webhooks of deliveries",
    dangling("delivery", "webhook", "r.brand_id = t.brand_id AND r.id = t.webhook_id")
  ],
  [
    "the deliveries of bodies",
    dangling("delivery_body", "delivery", "r.brand_id = t.brand_id AND r.seq = t.seq AND r.state = 'pending'")
  ],
  [
    "the deliveries of attempts",
    dangling("attempt", "delivery", "r.brand_id = t.brand_id AND r.seq = t.delivery_seq")
  ],
  [
    "the counts of leads by flags and signal",
    different(
      "SELECT brand_id, signal_id, flags::integer, sum(n)::bigint AS n FROM lead_signals.lead_count GROUP BY 1, 2, 3 HAVING sum(n) <> 0",
      `SELECT brand_id, 0::bigint, flags::integer, count(*) FROM lead_signals.lead GROUP BY brand_id, flags
       UNION ALL
       SELECT l.brand_id, g.signal_id, l.flags::integer, count(*)
       FROM lead_signals.lead_signal g JOIN lead_signals.lead l ON l.brand_id = g.brand_id AND l.id = g.lead_id
       GROUP BY l.brand_id, g.signal_id, l.flags`
    )
  ],
  [
    "the counts of deliveries",
    different(
      "SELECT brand_id, webhook_id, state, sum(n)::bigint AS n FROM lead_signals.delivery_count GROUP BY 1, 2, 3 HAVING sum(n) <> 0",
      "SELECT brand_id, webhook_id, state, count(*) FROM lead_signals.delivery GROUP BY brand_id, webhook_id, state"
    )
  ],
  [
    "the leads of the signals",
    different(
      "SELECT brand_id, signal_id, created_at, lead_id, flags FROM lead_signals.lead_signal",
      `SELECT l.brand_id, s.id::bigint, l.created_at, l.id, l.flags
       FROM lead_signals.lead l CROSS JOIN LATERAL jsonb_array_elements_text((${signalIdsOf("l")})::jsonb) s(id)`
    )
  ],
  [
    "the entries of the search",
    different(
      "SELECT brand_id, lead_id FROM lead_signals.lead_text",
      "SELECT brand_id, id FROM lead_signals.lead"
    )
  ]
]

type CheckedLead = LeadRow & {
  readonly name_key: string
  readonly shown: string | null
  readonly text_name: string | null
  readonly text_headline: string | null
  readonly grams: ReadonlyArray<number> | null
}

const isSame = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean => {
  const both = new Set(a)
  return a.length === b.length && b.every((gram) => both.has(gram))
}

/** Whether the texts of the lead are what the store makes of it. What another version rendered is rendered again. */
const hasRightTexts = (row: CheckedLead): boolean => {
  const { headline, name } = searchTextsOf(row.name, row.headline)
  const rendered = RenderedLeads.restore(row.id, row.shown)
  return (
    row.name_key === name &&
    row.text_name === name &&
    row.text_headline === headline &&
    isSame(row.grams ?? [], gramsOf(row.brand_id, [name, headline])) &&
    (rendered === null || rendered === RenderedLeads.renderLead(leadOf(row)))
  )
}

const leadsAtOnce = 2000

/** What was found of the texts of leads. */
interface TextCounts {
  /** Leads whose folded names, search texts or rendered JSON are not what they are made of. */
  readonly wrong: number
  /** Leads whose fields don't open, because the keys of their persons are gone. */
  readonly unopened: number
  /** Leads whose fields are not sealed in an encrypted database. */
  readonly unsealed: number
}

/** The columns of leads, in a schema that may be older. */
const columnsOf = (hasSealed: boolean): string =>
  hasSealed ? leadColumns : leadColumns.replaceAll("l.sealed", "NULL::bytea")

/**
 * Walks all leads by their key, `leadsAtOnce` at a time, and compares folded, searched and rendered texts with the names that they come
 * from. A lead whose key is gone keeps its `ext_id` when it is opened: it counts as unopened, not as wrong.
 */
const countTexts = async (sql: Connection, hasSealed: boolean): Promise<TextCounts> => {
  let [wrong, unopened, unsealed] = [0, 0, 0]
  let last: readonly [brandId: number, id: number] = [0, 0]
  for (;;) {
    const rows = await sql.all<CheckedLead>(
      `SELECT ${columnsOf(hasSealed)}, l.name_key, l.shown, t.name_key AS text_name, t.headline_key AS text_headline, t.grams
       FROM lead_signals.lead l LEFT JOIN lead_signals.lead_text t ON t.brand_id = l.brand_id AND t.lead_id = l.id
       WHERE (l.brand_id, l.id) > ($1, $2) ORDER BY l.brand_id, l.id LIMIT ${leadsAtOnce}`,
      last
    )
    const before = rows.map(({ ext_id }) => ext_id)
    await openLeads(sql, rows)
    for (const [i, row] of rows.entries()) {
      if (sql.keys !== null && row.sealed === null) unsealed++
      if (sql.keys !== null && row.sealed !== null && row.ext_id === before[i]) unopened++
      else if (!hasRightTexts(row)) wrong++
    }
    const end = rows.at(-1)
    if (end === undefined) return { wrong, unopened, unsealed }
    last = [end.brand_id, end.id]
  }
}

/** Runs every comparison, also after one that failed, so that an operator sees all problems of a database at once. */
const checkAll = async (
  sql: Connection,
  onProgress: (fraction: number, what: string) => void
): Promise<Checked> => {
  const version = await readVersion(sql)
  const problems: Array<string> = []
  const kinds = Object.entries(counted)
  const steps = agreements.length + kinds.length + 2
  for (const [i, [what, text]] of agreements.entries()) {
    onProgress(i / steps, `comparing ${what}`)
    const { n } = (await sql.get<{ n: number }>(text))!
    if (Number(n) > 0) problems.push(`${what} are wrong in ${n} places`)
  }
  onProgress(agreements.length / steps, "comparing the rank buckets of the orders")
  const wrongBuckets = await countWrongBuckets(sql)
  if (wrongBuckets > 0) problems.push(`the rank buckets of the orders are wrong in ${wrongBuckets} places`)
  onProgress((agreements.length + 1) / steps, "comparing folded, searched and rendered texts")
  const column = await sql.get(
    `SELECT 1 FROM pg_attribute WHERE attrelid = 'lead_signals.lead'::regclass AND attname = 'sealed'`
  )
  const { unopened, unsealed, wrong } = await countTexts(sql, column !== undefined)
  if (wrong > 0) problems.push(`the texts of ${wrong} leads are not those of their names and headlines`)
  if (unsealed > 0) problems.push(`the fields of ${unsealed} leads are not encrypted`)
  if (unopened > 0)
    problems.push(
      `the keys of ${unopened} leads are gone: their persons were erased; erase these leads again`
    )
  const counts: Record<string, number> = {}
  for (const [i, [kind, from]] of kinds.entries()) {
    onProgress((agreements.length + 2 + i) / steps, "counting rows")
    counts[kind] = Number((await sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${from}`))!.n)
  }
  return { version, newest: newestMigration, counts, problems }
}

/**
 * Reads the whole database, as it is at one moment, and reports which references and derived tables are wrong. Servers may read and write
 * meanwhile. `onProgress` gets the fraction done, from 0 to 1, and the step. Fails with `StoreUnavailable` when the database can't be read
 * or holds no tables of Lead Signals, or is encrypted under another key. [STORE-9, PII-4]
 */
export const check = (
  url: string,
  onProgress: (fraction: number, what: string) => void = () => {},
  encryptionKey?: EncryptionKey
): Effect.Effect<Checked, StoreUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* session(url, "lead_signals", storeKeys(encryptionKey))
      return yield* attempt(async () => {
        await readVersion(sql)
        await verifyKeys(sql)
        await sql.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        const checked = await checkAll(sql, onProgress)
        await sql.run("COMMIT")
        return checked
      })
    })
  )
