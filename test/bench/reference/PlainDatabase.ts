/** The same data in plain tables with the indexes that a careful engineer would give them. */
import type Database from "better-sqlite3"
import { createHash } from "node:crypto"
import { closeLoaded, insertAll, openForLoad, type Progress, type Row } from "../BulkLoad.ts"
import * as Data from "../Data.ts"
import type * as Facts from "../Facts.ts"

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

/** The schema alone. */
export const makePlainSchema = (db: Database.Database): void => {
  db.exec(tables)
  for (const index of indexes) db.exec(index)
}

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
export const engagementColumns =
  "seq brand_id id lead_id signal_id type reaction_type comment_text post_url post_content post_posted_at post_author author_ext_id author_name author_first_name author_last_name author_headline author_username author_profile_url author_image_url emitted_at tracked_at".split(
    " "
  )

/** In the order of time. */
export function* engagementRows(timeline: Data.Timeline): Generator<Row> {
  for (const engagement of Data.engagementFacts(timeline)) {
    const { post } = engagement
    const { author } = post
    yield [
      engagement.seq,
      engagement.brandId,
      engagement.id,
      engagement.leadId,
      engagement.signalId,
      engagement.type,
      engagement.reactionType,
      engagement.commentText,
      post.url,
      post.content,
      post.postedAt,
      post.authorName,
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
  const into = (table: string, columns: string, rows: Iterable<Row>): void =>
    insertAll(db, table, columns.split(" "), rows, progress)
  into(
    "brand",
    "id name",
    Data.brandIds.map((id) => [id, `Brand ${id}`])
  )
  into(
    "api_key",
    "brand_id hash requests_per_minute",
    Array.from(keys, ([brandId, key]) => [brandId, keyHash(key), 1_000_000_000])
  )
  insertAll(
    db,
    "company",
    companyFields,
    Data.companies.map((company) => companyFields.map((field) => company[field])),
    progress
  )
  into(
    "signal",
    "id brand_id name signal_type source_type source_value li_company_id company_id",
    Data.signals.map(({ brandId, id, name, signalType, source }) => [
      id,
      brandId,
      name,
      signalType,
      source.type,
      source.value,
      source.liCompanyId,
      source.company?.id ?? null
    ])
  )
  into(
    "campaign",
    "id brand_id name",
    Data.campaignIds.map((id) => [id, 1, `Campaign ${id}`])
  )
  into(
    "reading",
    "campaign_id post_id day impressions reactions comments reposts",
    Array.from(Data.readings(), (reading) => [
      reading.campaignId,
      reading.postId,
      reading.day,
      reading.impressions,
      reading.reactions,
      reading.comments,
      reading.reposts
    ])
  )
  insertAll(db, "lead", leadColumns, leadRows(timeline), progress)
  into("lead_signal", "lead_id signal_id", caughtRows(timeline))
  insertAll(db, "engagement", engagementColumns, engagementRows(timeline), progress)
  for (const index of indexes) {
    progress.say(index.slice(0, 40))
    db.exec(index)
  }
  db.exec("ANALYZE")
  closeLoaded(db)
}
