/**
 * The reading calls over plain tables: statements prepared once a shape, `count(*)` for the total, OFFSET for the page,
 * LIKE for the search. Companies, signals and the windows of a page's leads come by one statement each.
 */
import type Database from "better-sqlite3"
import { companyFields, lower } from "./PlainDatabase.ts"

/** What a statement is given. */
export type Value = string | number

/** A row by the names of its columns. */
export type Columns = Record<string, any>

/** A parameter that the reference refuses with 400. */
export class BadRequest extends Error {}

/** Engagements of a lead in a list at most, as the API has it. */
export const window = 20

const iso = (millis: number): string => new Date(millis).toISOString()
const isoOrNull = (millis: number | null): string | null => (millis === null ? null : iso(millis))

/** The sorts of the API, as SQL. */
export const orders: { readonly [sort: string]: string } = {
  "createdAt:desc": "created_at DESC, id",
  "createdAt:asc": "created_at, id",
  "updatedAt:desc": "updated_at DESC, id",
  "updatedAt:asc": "updated_at, id",
  "name:desc": "name_lower DESC, id",
  "name:asc": "name_lower, id",
  "score1:desc": "score1 DESC, id",
  "score1:asc": "score1 ASC NULLS LAST, id"
}

/** A company as the API shows it; null where there is none. */
export const companyView = (row: Columns | undefined) => {
  if (row === undefined) return null
  const { domain: _domain, id, ...rest } = row
  return { id: String(id), ...rest }
}

/** A lead as the API shows it. */
export const leadView = (row: Columns, company: Columns | undefined, signalIds: ReadonlyArray<string>) => ({
  id: row["id"] as number,
  extId: row["ext_id"],
  name: row["name"],
  headline: row["headline"],
  username: row["username"],
  title1: row["title1"],
  liProfileUrl: row["li_profile_url"],
  profileImgUrl: row["profile_img_url"],
  leadCompany:
    company === undefined ? null : { id: company["id"], name: company["name"], domain: company["domain"] },
  signalId: String(row["signal_id"]),
  signalIds,
  qualified: row["qualified"] === 1,
  exported: row["exported"] === 1,
  isEmployee: row["is_employee"] === 1,
  score1: row["score1"],
  createdAt: iso(row["created_at"]),
  updatedAt: iso(row["updated_at"])
})

/** An engagement as the API shows it; `authors` is null without the details. */
export const engagementView = (
  row: Columns,
  signal: Columns,
  authors: ReadonlyMap<number, Columns> | null,
  sources: ReadonlyMap<number, Columns>
) => ({
  id: row["id"],
  type: row["type"],
  reactionType: row["reaction_type"],
  commentText: row["comment_text"],
  postUrl: row["post_url"],
  postContent: row["post_content"],
  postPostedAt: isoOrNull(row["post_posted_at"]),
  postAuthor: row["post_author"],
  ...(authors === null
    ? {}
    : {
        postAuthorDetail:
          row["author_ext_id"] === null
            ? null
            : {
                name: row["author_name"],
                firstName: row["author_first_name"],
                lastName: row["author_last_name"],
                headline: row["author_headline"],
                username: row["author_username"],
                linkedinProfileUrl: row["author_profile_url"],
                profileImageUrl: row["author_image_url"],
                company: companyView(authors.get(row["author_company_id"])),
                leadId: row["author_lead_id"] === null ? null : String(row["author_lead_id"])
              },
        source: {
          id: String(signal["id"]),
          type: signal["source_type"],
          value: signal["source_value"],
          liCompanyId: signal["li_company_id"],
          company: companyView(sources.get(signal["company_id"]))
        }
      }),
  signal: { id: String(signal["id"]), name: signal["name"], signalType: signal["signal_type"] },
  emittedAt: isoOrNull(row["emitted_at"]),
  trackedAt: iso(row["tracked_at"])
})

const flag = (name: string, value: string): number => {
  if (value === "true") return 1
  if (value === "false") return 0
  throw new BadRequest(`${name} takes true or false`)
}

/** A parameter that counts from 1. Throws `BadRequest`. */
export const integer = (name: string, value: string): number => {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 1) throw new BadRequest(`${name} takes an integer from 1`)
  return number
}

const instant = (name: string, value: string): number => {
  const millis = Date.parse(value)
  if (Number.isNaN(millis)) throw new BadRequest(`${name} takes a timestamp`)
  return millis
}

const escaped = (text: string): string => text.replace(/[\\%_]/g, (character) => `\\${character}`)

/** Filters by the parameter that requests them. */
export const filters: {
  readonly [name: string]: {
    readonly sql: string
    readonly values: (text: string) => ReadonlyArray<Value>
  }
} = {
  qualified: { sql: "qualified = ?", values: (text) => [flag("qualified", text)] },
  exported: { sql: "exported = ?", values: (text) => [flag("exported", text)] },
  isEmployee: { sql: "is_employee = ?", values: (text) => [flag("isEmployee", text)] },
  signalId: {
    sql: "id IN (SELECT lead_id FROM lead_signal WHERE signal_id = ?)",
    values: (text) => [integer("signalId", text)]
  },
  createdAfter: { sql: "created_at >= ?", values: (text) => [instant("createdAfter", text)] },
  createdBefore: { sql: "created_at <= ?", values: (text) => [instant("createdBefore", text)] },
  updatedAfter: { sql: "updated_at >= ?", values: (text) => [instant("updatedAfter", text)] },
  updatedBefore: { sql: "updated_at <= ?", values: (text) => [instant("updatedBefore", text)] },
  search: {
    sql: "(name_lower LIKE ? ESCAPE '\\' OR headline_lower LIKE ? ESCAPE '\\')",
    values: (text) => {
      const pattern = `%${escaped(lower(text))}%`
      return [pattern, pattern]
    }
  }
}

/** The parameters of a request, as texts. */
export type Query = { readonly [name: string]: string | undefined }

/** The metrics of a campaign as the API shows them; `sums` of the last readings up to the day, undefined where there is none. */
export const metricsView = (campaignId: number, sums: Columns | undefined, day: string | null) => {
  const { comments = null, impressions = null, reactions = null, reposts = null } = sums ?? {}
  return {
    data: {
      campaignId: String(campaignId),
      impressions,
      reactions,
      comments,
      reposts,
      engagementRate:
        sums === undefined ? null : impressions === 0 ? 0 : (reactions + comments + reposts) / impressions,
      snapshotDate: day
    }
  }
}

/** The calls of the reference over one file, whose statements are prepared once. */
export const makeReading = (db: Database.Database) => {
  const prepared = new Map<string, Database.Statement<Array<Value>, Columns>>()
  const statement = (sql: string): Database.Statement<Array<Value>, Columns> => {
    let known = prepared.get(sql)
    if (known === undefined) {
      known = db.prepare<Array<Value>, Columns>(sql)
      prepared.set(sql, known)
    }
    return known
  }

  const companies = (
    ids: Iterable<number>,
    fields = companyFields.join(", ")
  ): ReadonlyMap<number, Columns> => {
    const rows = statement(`SELECT ${fields} FROM company WHERE id IN (SELECT value FROM json_each(?))`).all(
      JSON.stringify([...ids])
    )
    return new Map(rows.map((row) => [row["id"] as number, row]))
  }

  const companyIds = (rows: ReadonlyArray<Columns>, column: string): ReadonlySet<number> =>
    new Set(rows.flatMap((row) => (row[column] === null ? [] : [row[column] as number])))

  const signalIdsOf = (ids: string): ReadonlyMap<number, Array<string>> => {
    const byLead = new Map<number, Array<string>>()
    const rows = statement(
      "SELECT lead_id, signal_id FROM lead_signal WHERE lead_id IN (SELECT value FROM json_each(?)) ORDER BY lead_id, signal_id"
    ).all(ids)
    for (const row of rows) {
      const known = byLead.get(row["lead_id"])
      if (known === undefined) byLead.set(row["lead_id"], [String(row["signal_id"])])
      else known.push(String(row["signal_id"]))
    }
    return byLead
  }

  const windowOf = (brandId: number, leadId: number, withDetail: boolean) => {
    const rows = withDetail
      ? statement(
          `SELECT e.*, a.id AS author_lead_id, a.company_id AS author_company_id
           FROM engagement e LEFT JOIN lead a ON a.brand_id = e.brand_id AND a.ext_id = e.author_ext_id
           WHERE e.lead_id = ? AND e.brand_id = ? ORDER BY e.tracked_at DESC, e.id DESC LIMIT ${window + 1}`
        ).all(leadId, brandId)
      : statement(
          `SELECT id, signal_id, type, reaction_type, comment_text, post_url, post_content, post_posted_at, post_author,
             emitted_at, tracked_at
           FROM engagement WHERE lead_id = ? AND brand_id = ? ORDER BY tracked_at DESC, id DESC LIMIT ${window + 1}`
        ).all(leadId, brandId)
    const windowRows = rows.slice(0, window)
    const signals = new Map<number, Columns>()
    for (const { signal_id: id } of windowRows) {
      if (!signals.has(id)) signals.set(id, statement("SELECT * FROM signal WHERE id = ?").get(id)!)
    }
    const authors = withDetail ? companies(companyIds(windowRows, "author_company_id")) : null
    const sources = withDetail
      ? companies(companyIds([...signals.values()], "company_id"))
      : new Map<number, Columns>()
    return {
      engagements: windowRows.map((row) =>
        engagementView(row, signals.get(row["signal_id"])!, authors, sources)
      ),
      engagementsMeta: { truncated: rows.length > window }
    }
  }

  const list = (brandId: number, query: Query) => {
    const withEngagements = query["includeEngagements"] === "true"
    const withDetail = withEngagements && query["includeEngagementDetail"] === "true"
    const page = query["page"] === undefined ? 1 : integer("page", query["page"])
    const pageSize = Math.min(
      query["pageSize"] === undefined ? 25 : integer("pageSize", query["pageSize"]),
      withEngagements ? 25 : 100
    )
    const [field, direction] = (query["sort"] || "createdAt:desc").split(":")
    const sort = `${field}:${direction?.toLowerCase()}`
    const order = orders[sort]
    if (order === undefined) throw new BadRequest(`sort takes one of ${Object.keys(orders).join(", ")}`)
    const conditions = ["brand_id = ?"]
    const values: Array<Value> = [brandId]
    for (const name of Object.keys(filters)) {
      const value = query[name]
      if (value === undefined || value === "") continue
      conditions.push(filters[name]!.sql)
      values.push(...filters[name]!.values(value))
    }
    const where = conditions.join(" AND ")
    const total = statement(`SELECT count(*) AS n FROM lead WHERE ${where}`).get(...values)!["n"] as number
    const rows = statement(
      `SELECT id, ext_id, name, headline, username, title1, li_profile_url, profile_img_url, company_id, signal_id,
         qualified, exported, is_employee, score1, created_at, updated_at
       FROM lead WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`
    ).all(...values, pageSize, (page - 1) * pageSize)
    const employers = companies(companyIds(rows, "company_id"), "id, name, domain")
    const signalIds = signalIdsOf(JSON.stringify(rows.map((row) => row["id"])))
    return {
      data: rows.map((row) => ({
        ...leadView(row, employers.get(row["company_id"]), signalIds.get(row["id"])!),
        ...(withEngagements ? windowOf(brandId, row["id"], withDetail) : {})
      })),
      meta: {
        pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total },
        sort,
        engagements: { detailIncluded: withDetail }
      }
    }
  }

  const detail = (brandId: number, id: number, withDetail: boolean) => {
    const row = statement("SELECT * FROM lead WHERE id = ? AND brand_id = ?").get(id, brandId)
    if (row === undefined) return null
    const company =
      row["company_id"] === null
        ? undefined
        : statement(`SELECT ${companyFields.join(", ")} FROM company WHERE id = ?`).get(row["company_id"])
    const signalIds = statement("SELECT signal_id FROM lead_signal WHERE lead_id = ? ORDER BY signal_id").all(
      id
    )
    return {
      data: {
        ...leadView(
          row,
          company,
          signalIds.map((each) => String(each["signal_id"]))
        ),
        company: companyView(company),
        ...windowOf(brandId, id, withDetail)
      }
    }
  }

  /** The latest day in the span that has a reading, and the sums of the posts' last readings until then. */
  const metrics = (brandId: number, campaignId: number, startDate: string, endDate: string) => {
    const campaign = statement("SELECT id FROM campaign WHERE id = ? AND brand_id = ?").get(
      campaignId,
      brandId
    )
    if (campaign === undefined) return null
    const day = statement(
      "SELECT max(day) AS day FROM reading WHERE campaign_id = ? AND day BETWEEN ? AND ?"
    ).get(campaignId, startDate, endDate)!["day"] as string | null
    const sums =
      day === null
        ? undefined
        : statement(
            `SELECT sum(r.impressions) AS impressions, sum(r.reactions) AS reactions, sum(r.comments) AS comments,
               sum(r.reposts) AS reposts
             FROM (SELECT post_id, max(day) AS day FROM reading WHERE campaign_id = ? AND day <= ? GROUP BY post_id) m
             JOIN reading r ON r.campaign_id = ? AND r.post_id = m.post_id AND r.day = m.day`
          ).get(campaignId, day!, campaignId)
    return metricsView(campaignId, sums, day)
  }

  return { list, detail, metrics }
}
