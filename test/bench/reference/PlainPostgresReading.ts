/**
 * The reading calls over plain tables in Postgres: named statements, `count(*)` for the total, OFFSET for the page, LIKE over trigram
 * indexes for the search. Companies, signals and the windows of a page's leads come by one statement each.
 */
import { createHash } from "node:crypto"
import type pg from "pg"
import { companyFields } from "./PlainDatabase.ts"
import {
  BadRequest,
  type Columns,
  companyView,
  engagementView,
  filters,
  integer,
  leadView,
  metricsView,
  orders,
  type Query,
  type Value,
  window
} from "./PlainReading.ts"

const quotedFields = companyFields.map((field) => `"${field}"`).join(", ")

/** Nulls come last in both orders of the product, and first in a descending index of Postgres. */
const orderOf = (order: string): string => order.replace("score1 DESC", "score1 DESC NULLS LAST")

/** The same calls as `makeReading`, each with a promise. */
export const makePostgresReading = (pool: pg.Pool) => {
  const names = new Map<string, string>()
  const rowsOf = async (text: string, values: ReadonlyArray<unknown>): Promise<ReadonlyArray<Columns>> => {
    let name = names.get(text)
    if (name === undefined) {
      name = createHash("sha1").update(text).digest("hex")
      names.set(text, name)
    }
    return (await pool.query<Columns>({ name, text, values: [...values] })).rows
  }

  const companies = async (
    ids: Iterable<number>,
    fields = quotedFields
  ): Promise<ReadonlyMap<number, Columns>> => {
    const wanted = [...ids]
    if (wanted.length === 0) return new Map()
    const rows = await rowsOf(`SELECT ${fields} FROM company WHERE id = ANY($1)`, [wanted])
    return new Map(rows.map((row) => [row["id"] as number, row]))
  }

  const companyIds = (rows: ReadonlyArray<Columns>, column: string): ReadonlySet<number> =>
    new Set(rows.flatMap((row) => (row[column] === null ? [] : [row[column] as number])))

  const signalIdsOf = async (
    leadIds: ReadonlyArray<number>
  ): Promise<ReadonlyMap<number, ReadonlyArray<string>>> => {
    const byLead = new Map<number, Array<string>>(leadIds.map((id) => [id, []]))
    const rows = await rowsOf(
      "SELECT lead_id, signal_id FROM lead_signal WHERE lead_id = ANY($1) ORDER BY lead_id, signal_id",
      [leadIds]
    )
    for (const row of rows) byLead.get(row["lead_id"])!.push(String(row["signal_id"]))
    return byLead
  }

  const detailed = "e.*, a.id AS author_lead_id, a.company_id AS author_company_id"
  const plain = `e.id, e.lead_id, e.signal_id, e.type, e.reaction_type, e.comment_text, e.post_url, e.post_content, e.post_posted_at,
    e.post_author, e.emitted_at, e.tracked_at`

  const windowsOf = async (brandId: number, leadIds: ReadonlyArray<number>, withDetail: boolean) => {
    const rows = await rowsOf(
      `SELECT ${withDetail ? detailed : plain} FROM unnest($1::bigint[]) l(id) CROSS JOIN LATERAL (
         SELECT * FROM engagement WHERE lead_id = l.id AND brand_id = $2 ORDER BY tracked_at DESC, id DESC LIMIT ${window + 1}) e
       ${withDetail ? "LEFT JOIN lead a ON a.brand_id = e.brand_id AND a.ext_id = e.author_ext_id" : ""}
       ORDER BY e.lead_id, e.tracked_at DESC, e.id DESC`,
      [leadIds, brandId]
    )
    const byLead = new Map<number, Array<Columns>>(leadIds.map((id) => [id, []]))
    for (const row of rows) byLead.get(row["lead_id"])!.push(row)
    const [signalRows, authors] = await Promise.all([
      rowsOf("SELECT * FROM signal WHERE id = ANY($1)", [[...new Set(rows.map((row) => row["signal_id"]))]]),
      withDetail ? companies(companyIds(rows, "author_company_id")) : null
    ])
    const signals = new Map(signalRows.map((row) => [row["id"] as number, row]))
    const sources = withDetail ? await companies(companyIds(signalRows, "company_id")) : new Map()
    return (leadId: number) => {
      const all = byLead.get(leadId)!
      return {
        engagements: all
          .slice(0, window)
          .map((row) => engagementView(row, signals.get(row["signal_id"])!, authors, sources)),
        engagementsMeta: { truncated: all.length > window }
      }
    }
  }

  const list = async (brandId: number, query: Query) => {
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
    const values: Array<Value> = [brandId]
    const conditions = ["brand_id = $1"]
    for (const name of Object.keys(filters)) {
      const value = query[name]
      if (value === undefined || value === "") continue
      const given = filters[name]!.values(value)
      let n = values.length
      conditions.push(filters[name]!.sql.replaceAll("?", () => `$${++n}`))
      values.push(...given)
    }
    const where = conditions.join(" AND ")
    const [counted, rows] = await Promise.all([
      rowsOf(`SELECT count(*) AS n FROM lead WHERE ${where}`, values),
      rowsOf(
        `SELECT id, ext_id, name, headline, username, title1, li_profile_url, profile_img_url, company_id, signal_id,
           qualified, exported, is_employee, score1, created_at, updated_at
         FROM lead WHERE ${where} ORDER BY ${orderOf(order)} LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
        [...values, pageSize, (page - 1) * pageSize]
      )
    ])
    const total = counted[0]!["n"] as number
    const ids = rows.map((row) => row["id"] as number)
    const [employers, signalIds, windowOf] = await Promise.all([
      companies(companyIds(rows, "company_id"), "id, name, domain"),
      signalIdsOf(ids),
      withEngagements ? windowsOf(brandId, ids, withDetail) : null
    ])
    return {
      data: rows.map((row) => ({
        ...leadView(row, employers.get(row["company_id"]), signalIds.get(row["id"])!),
        ...windowOf?.(row["id"])
      })),
      meta: {
        pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total },
        sort,
        engagements: { detailIncluded: withDetail }
      }
    }
  }

  const detail = async (brandId: number, id: number, withDetail: boolean) => {
    const [row] = await rowsOf("SELECT * FROM lead WHERE id = $1 AND brand_id = $2", [id, brandId])
    if (row === undefined) return null
    const [employers, signalIds, windowOf] = await Promise.all([
      companies(companyIds([row], "company_id")),
      signalIdsOf([id]),
      windowsOf(brandId, [id], withDetail)
    ])
    const company = employers.get(row["company_id"])
    return {
      data: { ...leadView(row, company, signalIds.get(id)!), company: companyView(company), ...windowOf(id) }
    }
  }

  /** The latest day in the span that has a reading, and the sums of the posts' last readings until then. */
  const metrics = async (brandId: number, campaignId: number, startDate: string, endDate: string) => {
    const [campaign] = await rowsOf("SELECT id FROM campaign WHERE id = $1 AND brand_id = $2", [
      campaignId,
      brandId
    ])
    if (campaign === undefined) return null
    const [latest] = await rowsOf(
      "SELECT max(day) AS day FROM reading WHERE campaign_id = $1 AND day BETWEEN $2 AND $3",
      [campaignId, startDate, endDate]
    )
    const day = latest!["day"] as string | null
    const [sums] =
      day === null
        ? []
        : await rowsOf(
            `SELECT sum(impressions)::bigint AS impressions, sum(reactions)::bigint AS reactions, sum(comments)::bigint AS comments,
               sum(reposts)::bigint AS reposts
             FROM (SELECT DISTINCT ON (post_id) * FROM reading WHERE campaign_id = $1 AND day <= $2 ORDER BY post_id, day DESC) r`,
            [campaignId, day]
          )
    return metricsView(campaignId, sums, day)
  }

  return { list, detail, metrics }
}
