/**
 * Leads by the million in a Postgres database, made by the server itself: the texts of fifty thousand persons are repeated, and all else is
 * a function of the lead's number. Brand one has all but every 101st lead.
 */
import { type Lead, RenderedLeads } from "@lead-signals/domain"
import { Folding } from "@lead-signals/domain/pure"
import { defaults, gramsOf, rebuildDerivedTables } from "@lead-signals/store-postgres/internal"
import pg from "pg"
import { connectionOver } from "../store-postgres/QueryPlans.ts"
import { brandIds, companies, endsAt, personOf, signalsOfBrand, startsAt } from "./Data.ts"

/** How the data is made, and how fast. */
export interface LoadOptions {
  readonly leads: number
  /** Different texts; 50,000 unless given. */
  readonly persons?: number
  /** Leads of a rank bucket at most; the store's own number unless given. */
  readonly maxBucketLeads?: number
  /** Whether the server gathers statistics; `true` unless given. */
  readonly analyzes?: boolean
  /** Connections that write rows and build indexes side by side; one unless given. */
  readonly connections?: number
  /** Whether the rows stay out of the server's log, so that a crash of the server would empty the tables; `false` unless given. */
  readonly unlogged?: boolean
  readonly say?: (line: string) => void
}

/** The leads whose texts have `rareWord`. */
const rareIds = (leads: number): ReadonlyArray<number> =>
  [0.1, 0.3, 0.5, 0.7, 0.9].map((part) => 101 * Math.floor((part * leads) / 101) + 1)

/** What lists render of a person, from the name to the company. */
const renderedPerson = (person: ReturnType<typeof personOf>): string => {
  const company = companies[person.company]!
  const rendered = RenderedLeads.renderLead({
    id: 0,
    brandId: "1",
    extId: "",
    profile: { ...person, company } as unknown as Lead["profile"],
    profileTimes: {},
    signalId: "1",
    signalIds: [],
    qualified: false,
    exported: false,
    isEmployee: false,
    score1: null,
    createdAt: 0,
    updatedAt: 0
  })
  return rendered.slice(rendered.indexOf('"name":'), rendered.indexOf(',"signalId":'))
}

/** The persons' texts, for every brand, whose grams differ. */
const loadPersons = async (db: pg.Client, persons: number): Promise<void> => {
  await db.query(`CREATE UNLOGGED TABLE person (n integer, brand_id bigint, name text, name_key text, headline text, headline_key text,
    username text, title1 text, li_profile_url text, profile_img_url text, company text, rendered text, grams integer[])`)
  const chunk = 2000
  for (let from = 0; from <= persons; from += chunk) {
    const rows = Array.from({ length: Math.min(chunk, persons + 1 - from) }, (_, i) => {
      const person = personOf(from + i + 1, from + i === persons)
      const [name, headline] = [Folding.fold(person.name), Folding.fold(person.headline)]
      return brandIds.map((brand) => ({
        n: from + i,
        brand_id: brand,
        name: person.name,
        name_key: name,
        headline: person.headline,
        headline_key: headline,
        username: person.username,
        title1: person.title1,
        li_profile_url: person.liProfileUrl,
        profile_img_url: person.profileImgUrl,
        company: JSON.stringify(companies[person.company]),
        rendered: renderedPerson(person),
        grams: gramsOf(brand, [name, headline])
      }))
    }).flat()
    await db.query(
      `INSERT INTO person SELECT n, brand_id, name, name_key, headline, headline_key, username, title1, li_profile_url,
         profile_img_url, company, rendered, ARRAY(SELECT json_array_elements_text(grams)::integer)
       FROM json_to_recordset($1) AS p(n integer, brand_id bigint, name text, name_key text, headline text, headline_key text,
         username text, title1 text, li_profile_url text, profile_img_url text, company text, rendered text, grams json)`,
      [JSON.stringify(rows)]
    )
  }
  await db.query("CREATE UNIQUE INDEX ON person (n, brand_id)")
  await db.query("ANALYZE person")
}

const instant = (millis: string): string =>
  `to_char(to_timestamp(${millis} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Facts of the leads `from` to `to`, as a query. `u` is a number between 0 and 1 that differs from lead to lead. */
const factsSql = ({ leads, persons }: Required<LoadOptions>, from: number, to: number): string => `
  SELECT f.*, p.*, 'person-' || lpad(f.id::text, 9, '0') AS ext_id,
    CASE f.second WHEN f.first THEN json_build_array(f.first::text) ELSE json_build_array(least(f.first, f.second)::text, greatest(f.first, f.second)::text) END AS signal_ids
  FROM (
    SELECT g.i AS id, g.brand, CASE WHEN g.i IN (${rareIds(leads).join(", ")}) THEN ${persons} ELSE (g.i * 7919 % ${persons})::integer END AS person,
      (CASE WHEN h % 5 = 0 THEN 1 ELSE 0 END + CASE WHEN h / 5 % 10 = 0 THEN 2 ELSE 0 END + CASE WHEN h / 50 % 33 = 0 THEN 4 ELSE 0 END)::smallint AS flags,
      CASE WHEN h / 7 % 3 > 0 THEN (h / 11 % 1001) / 10.0 END AS score1,
      ${startsAt} + (g.i::float8 / ${leads + 1} * ${endsAt - startsAt})::bigint AS created_at,
      ${startsAt} + ((g.i + (h % 1000 / 1000.0) ^ 3 * (${leads} - g.i)) / ${leads + 1} * ${endsAt - startsAt})::bigint AS updated_at,
      (g.brand - 1) * ${signalsOfBrand} + 1 + floor(${signalsOfBrand} * (h / 13 % 10000 / 10000.0) ^ 3)::bigint AS first,
      (g.brand - 1) * ${signalsOfBrand} + 1 + CASE WHEN h / 17 % 4 = 0 THEN floor(${signalsOfBrand} * (h / 19 % 10000 / 10000.0) ^ 3)::bigint
        ELSE floor(${signalsOfBrand} * (h / 13 % 10000 / 10000.0) ^ 3)::bigint END AS second, h
    FROM (SELECT i, CASE WHEN i % 101 = 0 THEN 2 ELSE 1 END AS brand, (i * 2654435761 % 4294967296)::bigint AS h
      FROM generate_series(${from}::bigint, ${to}::bigint) i) g) f
  JOIN person p ON p.n = f.person AND p.brand_id = f.brand`

const insertSql = (options: Required<LoadOptions>, from: number, to: number): string => `
  WITH f AS MATERIALIZED (${factsSql(options, from, to)}),
  leads AS (
    INSERT INTO lead_signals.lead (brand_id, id, ext_id, name, name_key, headline, username, title1, li_profile_url, profile_img_url, company,
      profile_times, signal_id, signal_ids, flags, score1, created_at, updated_at, shown)
    SELECT brand, id, ext_id, name, name_key, headline, username, title1, li_profile_url, profile_img_url, company,
      json_build_object('name', updated_at, 'headline', updated_at)::text, first, signal_ids::text, flags, score1, created_at, updated_at,
      '"extId":"' || ext_id || '",' || rendered || ',"signalId":"' || first || '","signalIds":' || replace(signal_ids::text, ' ', '')
        || ',"qualified":' || (flags & 1 <> 0)::text || ',"exported":' || (flags & 2 <> 0)::text || ',"isEmployee":' || (flags & 4 <> 0)::text
        || ',"score1":' || coalesce(score1::float8::text, 'null') || ',"createdAt":"' || ${instant("created_at")}
        || '","updatedAt":"' || ${instant("updated_at")} || '"}' FROM f),
  texts AS (INSERT INTO lead_signals.lead_text (brand_id, lead_id, name_key, headline_key, grams)
    SELECT brand, id, name_key, headline_key, grams FROM f),
  signals AS (INSERT INTO lead_signals.lead_signal (brand_id, signal_id, created_at, lead_id, flags)
    SELECT brand, first, created_at, id, flags FROM f UNION SELECT brand, second, created_at, id, flags FROM f)
  INSERT INTO lead_signals.engagement (brand_id, id, lead_id, signal_id, type, reaction_type, post_url, post_content, post_posted_at,
    post_author, post_author_detail, author_ext_id, emitted_at, tracked_at)
  SELECT f.brand, 'engagement-' || f.id || '-' || k, f.id, CASE k WHEN 1 THEN f.first ELSE f.second END, 'reaction', 'LIKE',
    'https://network.example/posts/' || (f.id / 50), 'About ' || f.title1 || ', and what it means.', f.created_at - 3600000,
    'Author ' || (f.h % 2000), '{"extId":"author-' || (f.h % 2000) || '","name":"Author"}', 'author-' || (f.h % 2000),
    f.created_at, CASE k WHEN 1 THEN f.created_at ELSE f.updated_at - k END
  FROM f CROSS JOIN LATERAL generate_series(1, CASE WHEN f.h % 100 = 0 THEN 25 WHEN f.first <> f.second OR f.h % 3 = 0 THEN 2 ELSE 1 END) k`

/** Runs the works on the connections, each as soon as one is free, in their order. */
const onEach = async <A>(
  clients: ReadonlyArray<pg.Client>,
  works: ReadonlyArray<A>,
  run: (client: pg.Client, work: A) => Promise<unknown>
): Promise<void> => {
  const left = [...works]
  await Promise.all(
    clients.map(async (client) => {
      for (let work = left.shift(); work !== undefined; work = left.shift()) await run(client, work)
    })
  )
}

/** The tables that have rows for each lead. */
const tables = ["lead", "lead_text", "lead_signal", "engagement"]

/** Fills a database whose schema is there and empty. Indexes are made when the rows are there. */
export const loadLeads = async (url: string, given: LoadOptions): Promise<void> => {
  const options = {
    persons: 50_000,
    maxBucketLeads: defaults.maxBucketLeads,
    analyzes: true,
    connections: 1,
    unlogged: false,
    say: () => {},
    ...given
  }
  const { analyzes, connections, leads, maxBucketLeads, persons, say, unlogged } = options
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }))
  const [db] = clients as [pg.Client]
  for (const client of clients) await client.connect()
  try {
    for (const client of clients) {
      await client.query(
        "SET synchronous_commit = off; SET maintenance_work_mem = '3GB'; SET work_mem = '64MB'"
      )
    }
    for (const brand of brandIds) {
      await db.query(
        "INSERT INTO lead_signals.brand (id, name, suppression_secret, created_at) OVERRIDING SYSTEM VALUE VALUES ($1, $2, '00', 0)",
        [brand, `Brand ${brand}`]
      )
      await db.query(
        `INSERT INTO lead_signals.signal (brand_id, id, name, signal_type, source, created_at) OVERRIDING SYSTEM VALUE
           SELECT $1::bigint, ($1::bigint - 1) * ${signalsOfBrand} + i, 'Signal ' || i, 'keywords', '{"type":"posts-with-keywords","value":"a","liCompanyId":null,"company":null}', 0
           FROM generate_series(1, ${signalsOfBrand}) i`,
        [brand]
      )
    }
    await loadPersons(db, persons)
    say("persons")
    const { rows: indexes } = await db.query<{ name: string; text: string }>(
      `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS text FROM pg_index
         WHERE NOT indisprimary AND indrelid = ANY (ARRAY(SELECT ('lead_signals.' || t)::regclass FROM unnest($1::text[]) t))
       ORDER BY indexrelid <> 'lead_signals.lead_text_by_gram'::regclass`,
      [tables]
    )
    for (const { name } of indexes) await db.query(`DROP INDEX ${name}`)
    if (unlogged) for (const table of tables) await db.query(`ALTER TABLE lead_signals.${table} SET UNLOGGED`)
    const chunk = 100_000
    const froms = Array.from({ length: Math.ceil(leads / chunk) }, (_, i) => 1 + i * chunk)
    await onEach(clients, froms, async (client, from) => {
      const last = Math.min(leads, from + chunk - 1)
      await client.query(insertSql(options, from, last))
      say(`leads to ${last}`)
    })
    await onEach(clients, indexes, async (client, { name, text }) => {
      await client.query(text)
      say(name)
    })
    await db.query("DROP TABLE person")
    for (const [sequence, table, column] of [
      ["lead_id_seq", "lead", "id"],
      ["brand_id_seq", "brand", "id"],
      ["signal_id_seq", "signal", "id"]
    ] as const) {
      await db.query(
        `SELECT setval('lead_signals.${sequence}', (SELECT max(${column}) FROM lead_signals.${table}))`
      )
    }
    // What is visible to all is counted from indexes alone.
    if (connections > 1) await db.query("VACUUM")
    await rebuildDerivedTables(connectionOver(db), maxBucketLeads)
    await db.query("INSERT INTO lead_signals.brand_version SELECT id, 1 FROM lead_signals.brand")
    say("counters and rank buckets")
    await db.query(analyzes ? "VACUUM (ANALYZE)" : "VACUUM")
  } finally {
    for (const client of clients) await client.end()
  }
}
