/** The benchmark's data in the product's own schema, which the product itself makes. */
import { emptyProfile, KeyFormat, Folding, type Lead, RenderedLeads } from "@lead-signals/domain"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Layer } from "effect"
import type Database from "better-sqlite3"
import { existsSync } from "node:fs"
import { SearchIndex } from "@lead-signals/store-sqlite/internal"
import {
  closeLoaded,
  dropIndexes,
  insertAll,
  openForLoad,
  type Progress,
  type Row,
  type SmallTable
} from "./BulkLoad.ts"
import * as Data from "./Data.ts"
import type * as Facts from "./Facts.ts"
import { firstEngagementColumns, firstEngagementValues, readingTable } from "./SharedTables.ts"

const storeFolder = new URL("../../packages/store-sqlite/src/", import.meta.url)

/** Where this version of the store exports its statements, and where earlier ones did. */
const rebuilds = [
  ["rank-index/DerivedTables.ts", "rebuildDerivedTables"],
  ["DerivedTables.ts", "rebuildDerivedTables"],
  ["Summaries.ts", "rebuildSummaries"]
] as const

const countsOfLeads = [
  "DELETE FROM lead_count",
  "INSERT INTO lead_count SELECT brand_id, 0, flags, count(*) FROM lead GROUP BY brand_id, flags",
  `INSERT INTO lead_count SELECT l.brand_id, g.signal_id, l.flags, count(*)
   FROM lead_signal g CROSS JOIN lead l ON l.id = g.lead_id GROUP BY l.brand_id, g.signal_id, l.flags`,
  "DELETE FROM lead_day_count",
  ...["created", "updated"].map(
    (field) =>
      `INSERT INTO lead_day_count SELECT brand_id, '${field}', ${field}_at / 86400000, flags, count(*)
       FROM lead GROUP BY brand_id, ${field}_at / 86400000, flags`
  )
]

/** The statements that the store exports; of a version that exports none, what the first schema derives. */
const rebuildDerivedTables = async (): Promise<ReadonlyArray<string>> => {
  for (const [file, name] of rebuilds) {
    const url = new URL(file, storeFolder)
    if (!existsSync(url)) continue
    const module = (await import(url.href)) as Readonly<Record<string, ReadonlyArray<string> | undefined>>
    return module[name] ?? countsOfLeads
  }
  return countsOfLeads
}

/** The brand's API key: the same in every file. */
export const keyOf = (brandId: number): string => KeyFormat.fromRandom(Data.keyBytes(brandId))

/** More than any run makes in a minute. */
export const requestsPerMinute = 1_000_000_000

const companyTexts = Data.companies.map((company) => JSON.stringify(company))

const profileTimes = (at: number): string =>
  JSON.stringify({
    name: at,
    headline: at,
    username: at,
    title1: at,
    liProfileUrl: at,
    profileImgUrl: at,
    company: at
  })

const leadOf = ({ brandId, person, ...lead }: Facts.LeadFact): Lead => ({
  ...lead,
  brandId: String(brandId),
  extId: person.extId,
  profile: { ...emptyProfile, ...person, company: Data.companies[person.company]! },
  profileTimes: {} as Lead["profileTimes"],
  signalId: String(lead.signalId),
  signalIds: lead.signalIds.map(String)
})

/** By the names of their columns; of those that came with later migrations as far as the file has them. */
export const leadValues: ReadonlyArray<
  readonly [column: string, value: (lead: Facts.LeadFact) => Row[number]]
> = [
  ["id", ({ id }) => id],
  ["brand_id", ({ brandId }) => brandId],
  ["ext_id", ({ person }) => person.extId],
  ["name", ({ person }) => person.name],
  ["name_key", ({ person }) => Folding.fold(person.name)],
  ["headline", ({ person }) => person.headline],
  ["username", ({ person }) => person.username],
  ["title1", ({ person }) => person.title1],
  ["li_profile_url", ({ person }) => person.liProfileUrl],
  ["profile_img_url", ({ person }) => person.profileImgUrl],
  ["company", ({ person }) => companyTexts[person.company]!],
  ["profile_times", ({ createdAt }) => profileTimes(createdAt)],
  ["signal_id", ({ signalId }) => signalId],
  ["signal_ids", ({ signalIds }) => JSON.stringify(signalIds.map(String))],
  [
    "flags",
    ({ exported, isEmployee, qualified }) => Number(qualified) + 2 * Number(exported) + 4 * Number(isEmployee)
  ],
  ["score1", ({ score1 }) => score1],
  ["score_missing", ({ score1 }) => Number(score1 === null)],
  ["score_rank", ({ score1 }) => score1 ?? Infinity],
  ["score_rank_desc", ({ score1 }) => (score1 === null ? Infinity : -score1)],
  ["created_at", ({ createdAt }) => createdAt],
  ["updated_at", ({ updatedAt }) => updatedAt],
  ["shown", (lead) => RenderedLeads.keep(RenderedLeads.renderLead(leadOf(lead)))]
]

function* leadRows(timeline: Data.Timeline, columns: ReadonlyArray<string>): Generator<Row> {
  const values = leadValues.filter(([column]) => columns.includes(column)).map(([, value]) => value)
  for (const lead of Data.leadFacts(timeline)) yield values.map((value) => value(lead))
}

/** Which signals caught which lead. */
export function* caughtRows(timeline: Data.Timeline): Generator<Row> {
  const { signalBits } = timeline
  for (const { brandId, id } of Data.signals) {
    const bit = 1 << ((id - 1) % Data.signalsOfBrand)
    for (let lead = 1; lead < signalBits.length; lead++) {
      if (Data.brandOf(lead) === brandId && (signalBits[lead]! & bit) !== 0) yield [id, lead]
    }
  }
}

/** In the order of `engagementRows`. */
export const engagementColumns: ReadonlyArray<string> = [
  ...firstEngagementColumns,
  "post_author_detail",
  "author_ext_id",
  "emitted_at",
  "tracked_at"
]

/** In the order of time; details of a post are made once. */
export function* engagementRows(timeline: Data.Timeline): Generator<Row> {
  const details = new WeakMap<Facts.PostFact, string>()
  for (const engagement of Data.engagementFacts(timeline)) {
    const { post } = engagement
    let detail = details.get(post)
    if (detail === undefined && post.author !== null) {
      detail = JSON.stringify(post.author)
      details.set(post, detail)
    }
    yield [
      ...firstEngagementValues(engagement),
      detail ?? null,
      post.author?.extId ?? null,
      engagement.emittedAt,
      engagement.trackedAt
    ]
  }
}

function* textRows(timeline: Data.Timeline): Generator<readonly [text: Row, gram: Row]> {
  for (const { brandId, id, person } of Data.leadFacts(timeline)) {
    const { grams, headline, name } = SearchIndex.searchTexts(brandId, person.name, person.headline)
    yield [
      [id, name, headline],
      [id, grams]
    ]
  }
}

const columnsOf = (db: Database.Database, table: string): ReadonlyArray<string> =>
  db.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table) as Array<string>

/** A column that a new migration brought and nobody fills here would make a file that the product never writes. */
const checkColumns = (db: Database.Database): void => {
  const filled = { lead: leadValues.map(([column]) => column), engagement: engagementColumns }
  for (const [table, known] of Object.entries(filled)) {
    const unknown = columnsOf(db, table).filter((column) => !known.includes(column))
    if (unknown.length > 0)
      throw new Error(`test/bench/SubjectDatabase.ts does not fill ${table}.${unknown.join(", ")} yet`)
  }
}

/** The product's tables but those of leads and engagements. The store in Postgres has a column more in `reading`. */
export const smallTables = (): ReadonlyArray<SmallTable> => {
  const { startsAt } = Data
  return [
    {
      table: "brand",
      columns: ["id", "name", "suppression_secret", "created_at"],
      rows: Data.brandIds.map((id) => [id, `Brand ${id}`, String(id).padStart(64, "0"), startsAt])
    },
    {
      table: "api_key",
      columns: ["id", "brand_id", "label", "start", "hash", "requests_per_minute", "created_at"],
      rows: Data.brandIds.map((id) => [
        id,
        id,
        "bench",
        keyOf(id).slice(0, KeyFormat.startLength),
        KeyFormat.hash(keyOf(id)),
        requestsPerMinute,
        startsAt
      ])
    },
    {
      table: "signal",
      columns: ["id", "brand_id", "name", "signal_type", "source", "created_at"],
      rows: Data.signals.map(({ brandId, id, name, signalType, source }) => [
        id,
        brandId,
        name,
        signalType,
        JSON.stringify(source),
        startsAt
      ])
    },
    {
      table: "campaign",
      columns: ["id", "brand_id", "name", "created_at"],
      rows: Data.campaignIds.map((id) => [id, 1, `Campaign ${id}`, startsAt])
    },
    readingTable()
  ]
}

/** Makes the file, which must not be there yet. */
export const makeSubjectDatabase = async (
  filename: string,
  leads: number,
  progress: Progress
): Promise<void> => {
  // The schema as the product makes it, and nothing running on it when the rows come.
  await Effect.runPromise(
    Effect.scoped(Effect.asVoid(Layer.build(SqliteStore.layer({ filename, synced: false }))))
  )
  const timeline = Data.timeline(leads)
  const db = openForLoad(filename)
  checkColumns(db)
  const putBack = dropIndexes(db, progress)
  const into = (table: string, columns: string, rows: Iterable<Row>): void =>
    insertAll(db, table, columns.split(" "), rows, progress)
  for (const { columns, rows, table } of smallTables()) insertAll(db, table, columns, rows, progress)
  const there = columnsOf(db, "lead")
  const known = leadValues.map(([column]) => column)
  insertAll(
    db,
    "lead",
    known.filter((column) => there.includes(column)),
    leadRows(timeline, there),
    progress
  )
  db.exec("CREATE TEMP TABLE caught (signal_id INTEGER, lead_id INTEGER)")
  into("caught", "signal_id lead_id", caughtRows(timeline))
  db.exec(`INSERT INTO lead_signal (signal_id, created_at, lead_id, flags)
    SELECT c.signal_id, l.created_at, l.id, l.flags FROM caught c CROSS JOIN lead l ON l.id = c.lead_id
    ORDER BY c.signal_id, l.created_at, l.id`)
  insertAll(db, "engagement", engagementColumns, engagementRows(timeline), progress)
  const texts = db.prepare("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)")
  const grams = db.prepare("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)")
  progress.say("search indexes")
  db.exec("BEGIN")
  for (const [text, gram] of textRows(timeline)) {
    texts.run(...text)
    grams.run(...gram)
  }
  db.exec("COMMIT")
  // As a migration leaves them that makes the entries of many leads.
  for (const index of ["lead_text", "lead_gram"])
    db.exec(`INSERT INTO ${index} (${index}) VALUES ('optimize')`)
  putBack()
  progress.say("derived tables")
  db.exec("BEGIN")
  for (const statement of await rebuildDerivedTables()) db.exec(statement)
  db.exec("COMMIT")
  closeLoaded(db)
}
