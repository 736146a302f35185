/** The same data in plain tables with the indexes that a careful engineer would give them. */
import { createHash } from "node:crypto"
import { closeLoaded, insertAll, openForLoad, type Progress, type Row, type SmallTable } from "../BulkLoad.ts"
import * as Data from "../Data.ts"
import type * as Facts from "../Facts.ts"
import { firstEngagementColumns, firstEngagementValues, readingTable } from "../SharedTables.ts"

/** Columns of a company, which are fields of `CompanyFact`. */
export const companyFields =
  "id name domain url homepageUrl logoUrl industry staffCountRange staffCount location country city username description".split(
    " "
  ) as ReadonlyArray<keyof Facts.CompanyFact>

/** Created before the rows. */
export const tables = `
  CREATE TABLE brand (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE api_key (id INTEGER PRIMARY KEY, brand_id INTEGER NOT NULL REFERENCES brand, hash TEXT NOT NULL UNIQUE,
    requests_per_minute INTEGER NOT NULL, revoked_at INTEGER);
  CREATE TABLE company (id INTEGER PRIMARY KEY, name TEXT, domain TEXT, url TEXT, homepageUrl TEXT, logoUrl TEXT,
    industry TEXT, staffCountRange TEXT, staffCount INTEGER, location TEXT, country TEXT, city TEXT, username TEXT,
    description TEXT);
  CREATE TABLE signal (id INTEGER PRIMARY KEY, brand_id INTEGER NOT NULL REFERENCES brand, name TEXT NOT NULL,
    signal_type TEXT NOT NULL, source_type TEXT NOT NULL, source_value TEXT NOT NULL, li_company_id TEXT,
    company_id INTEGER REFERENCES company);
  CREATE TABLE campaign (id INTEGER PRIMARY KEY, brand_id INTEGER NOT NULL REFERENCES brand, name TEXT NOT NULL);
  CREATE TABLE reading (campaign_id INTEGER NOT NULL REFERENCES campaign, post_id TEXT NOT NULL, day TEXT NOT NULL,
    impressions INTEGER NOT NULL, reactions INTEGER NOT NULL, comments INTEGER NOT NULL, reposts INTEGER NOT NULL,
    PRIMARY KEY (campaign_id, post_id, day)) WITHOUT ROWID;
  CREATE TABLE lead (id INTEGER PRIMARY KEY, brand_id INTEGER NOT NULL REFERENCES brand, ext_id TEXT NOT NULL,
    name TEXT NOT NULL, name_lower TEXT NOT NULL, headline TEXT, headline_lower TEXT, username TEXT, title1 TEXT,
    li_profile_url TEXT, profile_img_url TEXT, company_id INTEGER REFERENCES company, signal_id INTEGER NOT NULL,
    qualified INTEGER NOT NULL, exported INTEGER NOT NULL, is_employee INTEGER NOT NULL, score1 REAL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
  CREATE TABLE lead_signal (lead_id INTEGER NOT NULL REFERENCES lead, signal_id INTEGER NOT NULL REFERENCES signal,
    PRIMARY KEY (lead_id, signal_id)) WITHOUT ROWID;
  CREATE TABLE engagement (seq INTEGER PRIMARY KEY, brand_id INTEGER NOT NULL REFERENCES brand, id TEXT NOT NULL,
    lead_id INTEGER NOT NULL REFERENCES lead, signal_id INTEGER NOT NULL REFERENCES signal, type TEXT,
    reaction_type TEXT, comment_text TEXT, post_url TEXT, post_content TEXT, post_posted_at INTEGER, post_author TEXT,
    author_ext_id TEXT, author_name TEXT, author_first_name TEXT, author_last_name TEXT, author_headline TEXT,
    author_username TEXT, author_profile_url TEXT, author_image_url TEXT, emitted_at INTEGER, tracked_at INTEGER NOT NULL);
  CREATE TABLE event (position INTEGER PRIMARY KEY, event TEXT NOT NULL, brand_id INTEGER NOT NULL REFERENCES brand,
    lead_id INTEGER NOT NULL, engagement_id TEXT NOT NULL, is_first_activity INTEGER NOT NULL, occurred_at INTEGER NOT NULL);
  CREATE TABLE delivery (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, webhook_id INTEGER NOT NULL,
    position INTEGER NOT NULL REFERENCES event, state TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER,
    created_at INTEGER NOT NULL);
`

/** Created after the rows. */
export const indexes: ReadonlyArray<string> = [
  "CREATE UNIQUE INDEX lead_ext ON lead (brand_id, ext_id)",
  "CREATE INDEX lead_created ON lead (brand_id, created_at DESC, id)",
  "CREATE INDEX lead_updated ON lead (brand_id, updated_at, id)",
  "CREATE INDEX lead_name ON lead (brand_id, name_lower, id)",
  "CREATE INDEX lead_score ON lead (brand_id, score1 DESC, id)",
  "CREATE INDEX lead_qualified ON lead (brand_id, qualified, created_at DESC, id)",
  "CREATE INDEX lead_exported ON lead (brand_id, exported, created_at DESC, id)",
  "CREATE INDEX lead_employee ON lead (brand_id, is_employee, created_at DESC, id)",
  "CREATE INDEX lead_signal_by_signal ON lead_signal (signal_id, lead_id)",
  "CREATE UNIQUE INDEX engagement_id ON engagement (brand_id, id)",
  "CREATE INDEX engagement_lead ON engagement (lead_id, tracked_at DESC, id DESC)",
  "CREATE INDEX event_lead ON event (lead_id)",
  "CREATE INDEX delivery_due ON delivery (webhook_id, due_at, seq) WHERE state = 'pending'"
]

/** Texts as they are sorted and searched. */
export const lower = (text: string): string => text.normalize("NFKC").toLowerCase()

/** How the reference keeps keys: SHA-256 in hex. */
export const keyHash = (key: string): string => createHash("sha256").update(key).digest("hex")

/** In the order of `leadRows`. */
export const leadColumns =
  "id brand_id ext_id name name_lower headline headline_lower username title1 li_profile_url profile_img_url company_id signal_id qualified exported is_employee score1 created_at updated_at".split(
    " "
  )

/** In the order of ids. */
export function* leadRows(timeline: Data.Timeline): Generator<Row> {
  for (const lead of Data.leadFacts(timeline)) {
    const { person } = lead
    yield [
      lead.id,
      lead.brandId,
      person.extId,
      person.name,
      lower(person.name),
      person.headline,
      lower(person.headline),
      person.username,
      person.title1,
      person.liProfileUrl,
      person.profileImgUrl,
      Data.companies[person.company]!.id,
      lead.signalId,
      Number(lead.qualified),
      Number(lead.exported),
      Number(lead.isEmployee),
      lead.score1,
      lead.createdAt,
      lead.updatedAt
    ]
  }
}

/** Which signals caught which lead. */
export function* caughtRows(timeline: Data.Timeline): Generator<Row> {
  for (const { id, signalIds } of Data.leadFacts(timeline)) {
    for (const signalId of signalIds) yield [id, signalId]
  }
}

/** In the order of `engagementRows`. */
export const engagementColumns: ReadonlyArray<string> = [
  ...firstEngagementColumns,
  ..."author_ext_id author_name author_first_name author_last_name author_headline author_username author_profile_url author_image_url emitted_at tracked_at".split(
    " "
  )
]

/** In the order of time. */
export function* engagementRows(timeline: Data.Timeline): Generator<Row> {
  for (const engagement of Data.engagementFacts(timeline)) {
    const { post } = engagement
    const { author } = post
    yield [
      ...firstEngagementValues(engagement),
      author?.extId ?? null,
      author?.name ?? null,
      author?.firstName ?? null,
      author?.lastName ?? null,
      author?.headline ?? null,
      author?.username ?? null,
      author?.linkedinProfileUrl ?? null,
      author?.profileImageUrl ?? null,
      engagement.emittedAt,
      engagement.trackedAt
    ]
  }
}

/** The plain tables but those of leads and engagements; `keys` by brand. */
export const smallTables = (keys: ReadonlyMap<number, string>): ReadonlyArray<SmallTable> => [
  { table: "brand", columns: ["id", "name"], rows: Data.brandIds.map((id) => [id, `Brand ${id}`]) },
  {
    table: "api_key",
    columns: ["brand_id", "hash", "requests_per_minute"],
    rows: Array.from(keys, ([brandId, key]) => [brandId, keyHash(key), 1_000_000_000])
  },
  {
    table: "company",
    columns: companyFields,
    rows: Data.companies.map((company) => companyFields.map((field) => company[field]))
  },
  {
    table: "signal",
    columns: [
      "id",
      "brand_id",
      "name",
      "signal_type",
      "source_type",
      "source_value",
      "li_company_id",
      "company_id"
    ],
    rows: Data.signals.map(({ brandId, id, name, signalType, source }) => [
      id,
      brandId,
      name,
      signalType,
      source.type,
      source.value,
      source.liCompanyId,
      source.company?.id ?? null
    ])
  },
  {
    table: "campaign",
    columns: ["id", "brand_id", "name"],
    rows: Data.campaignIds.map((id) => [id, 1, `Campaign ${id}`])
  },
  readingTable()
]

/** Makes the file, which must not be there yet; `keys` by brand. */
export const makePlainDatabase = (
  filename: string,
  leads: number,
  keys: ReadonlyMap<number, string>,
  progress: Progress
): void => {
  const timeline = Data.timeline(leads)
  const db = openForLoad(filename)
  db.exec(tables)
  for (const { columns, rows, table } of smallTables(keys)) insertAll(db, table, columns, rows, progress)
  insertAll(db, "lead", leadColumns, leadRows(timeline), progress)
  insertAll(db, "lead_signal", ["lead_id", "signal_id"], caughtRows(timeline), progress)
  insertAll(db, "engagement", engagementColumns, engagementRows(timeline), progress)
  for (const index of indexes) {
    progress.say(index.slice(0, 40))
    db.exec(index)
  }
  db.exec("ANALYZE")
  closeLoaded(db)
}
