/** Rows of leads and engagements, and what they stand for. */
import type { Engagement, EngagementRead, LeadId, Observations, Signal } from "@lead-signals/domain"
import { Folding, RenderedLeads } from "@lead-signals/domain/pure"
import * as Rows from "@lead-signals/sql-rows"
import { idOf } from "@lead-signals/sql-rows"
import type { ElementType } from "../connection/BinaryArrays.ts"
import type { Scalar } from "../connection/Connection.ts"
import type { PersonKey } from "../sealing/SealedValue.ts"
import { engagementContext, leadContext, postContext, type SealedColumn, sealFields } from "./SealedRows.ts"

/** A number that is no safe integer is no lead's id. */
export const leadIdOf = (id: LeadId): number => (Number.isSafeInteger(id) && id > 0 ? id : 0)

/** A lead's row as `leadColumns` reads it. */
export interface LeadRow extends Rows.LeadRow {
  /** The fields of the person, unless the database is not encrypted. */
  readonly sealed: SealedColumn
}

/** The JSON array of the signals of a lead, whose table has the name, also where its column has no room for it. */
export const signalIdsOf = (lead: string): string => `CASE ${lead}.signal_ids WHEN '[]' THEN (
  SELECT coalesce(json_agg(g.signal_id::text ORDER BY g.signal_id)::text, '[]') FROM lead_signals.lead_signal g
  WHERE g.brand_id = ${lead}.brand_id AND g.lead_id = ${lead}.id) ELSE ${lead}.signal_ids END`

/** The columns that a read computes. A lead whose sealed fields don't open, because its key is gone, has its folded name. */
const computedColumns: Readonly<Record<string, string>> = {
  name: "CASE WHEN l.sealed IS NULL THEN l.name ELSE l.name_key END",
  signal_ids: signalIdsOf("l")
}

/** The columns of a `LeadRow` in a query over `lead l`. */
export const leadColumns: string = [
  ...Rows.leadRowColumns.map((column) => {
    const computed = computedColumns[column]
    return computed === undefined ? `l.${column}` : `${computed} AS ${column}`
  }),
  "l.sealed"
].join(", ")

/** Bytes of a folded name and a list of signals at most, which stand in one entry of an index: Postgres takes no entry of more than 2,704. */
const maxIndexedBytes = 2000

/** The column of a lead's signals: empty where they and the folded name would be too long, so that `lead_signal` alone has them. */
const signalIdsColumn = (nameKey: string, signalIds: ReadonlyArray<string>): string => {
  const list = JSON.stringify(signalIds)
  return list.length + Buffer.byteLength(nameKey) > maxIndexedBytes ? "[]" : list
}

/** The columns that a write sets, with their types, in the order of `leadValues`. */
export const writtenLeadColumns = [
  ["brand_id", "bigint"],
  ["id", "bigint"],
  ["ext_id", "text"],
  ["name", "text"],
  ["name_key", "text"],
  ...Rows.profileColumns.map((column) => [column, "text"] as const),
  ["company", "text"],
  ["profile_times", "text"],
  ["signal_id", "bigint"],
  ["signal_ids", "text"],
  ["flags", "smallint"],
  ["score1", "double precision"],
  ["created_at", "bigint"],
  ["updated_at", "bigint"],
  ["shown", "text"],
  ["sealed", "bytea"]
] as const

type WrittenLead = Observations.LeadDraft & { readonly id: LeadId }

const columnValues = (
  lead: WrittenLead,
  rendered: string | null,
  nameKey = Folding.fold(lead.profile.name)
) => [
  idOf(lead.brandId),
  lead.id,
  lead.extId,
  lead.profile.name,
  nameKey,
  ...Rows.profileValues(lead.profile),
  Rows.companyColumn(lead.profile.company),
  JSON.stringify(lead.profileTimes),
  idOf(lead.signalId),
  signalIdsColumn(nameKey, lead.signalIds),
  Rows.flagsOf(lead),
  lead.score1,
  lead.createdAt,
  lead.updatedAt,
  rendered,
  null
]

/** A person: the hash that an erasure keeps, and the person's key. */
export interface Person {
  readonly hash: string
  readonly key: PersonKey
}

type Columns = ReadonlyArray<readonly [name: string, type: ElementType]>

/** The columns of a lead in a database that is not encrypted. */
export const leadValues = (lead: WrittenLead) =>
  columnValues(lead, RenderedLeads.keep(RenderedLeads.renderLead(lead)))

/** Takes the named columns out of the values, and answers them by name. */
const takeOut = (
  columns: Columns,
  values: Array<Scalar>,
  names: ReadonlySet<string>
): Record<string, Scalar> => {
  const taken: Record<string, Scalar> = {}
  for (const [i, [name]] of columns.entries()) {
    if (!names.has(name)) continue
    taken[name] = values[i]!
    values[i] = null
  }
  return taken
}

const placeOf = (columns: Columns, name: string): number => columns.findIndex((each) => each[0] === name)

/** The columns of a lead that are sealed. */
const sealedOfLead = new Set(["ext_id", "name", ...Rows.profileColumns, "company"])
const leadExtId = placeOf(writtenLeadColumns, "ext_id")
const leadName = placeOf(writtenLeadColumns, "name")
const leadSealed = placeOf(writtenLeadColumns, "sealed")

/** The columns of a lead whose person's fields are sealed. The folded name stays for order and search. [PII-4] */
export const sealedLeadValues = (lead: WrittenLead, { hash, key }: Person): ReadonlyArray<Scalar> => {
  const values: Array<Scalar> = columnValues(lead, null)
  const fields = takeOut(writtenLeadColumns, values, sealedOfLead)
  values[leadExtId] = hash
  values[leadName] = ""
  values[leadSealed] = sealFields([key], fields, leadContext(idOf(lead.brandId), lead.id))
  return values
}

/** The columns of an engagement that hold numbers; the others hold texts. */
const engagementNumbers: ReadonlySet<string> = new Set([
  "brand_id",
  "lead_id",
  "signal_id",
  "post_posted_at",
  "emitted_at",
  "tracked_at"
])

/** The columns that a write of engagements sets, with their types, in the order of `engagementValues`. */
export const engagementColumns: Columns = [
  ...Rows.engagementColumns.map((name) => [name, engagementNumbers.has(name) ? "bigint" : "text"] as const),
  ["sealed", "bytea"],
  ["post_sealed", "bytea"]
]

/** The columns of an engagement in a database that is not encrypted. */
export const engagementValues = (brandId: number, engagement: Engagement): ReadonlyArray<Scalar> => [
  ...Rows.engagementValues(brandId, engagement),
  null,
  null
]

const sealedOfPost = new Set(["post_url", "post_content", "post_author", "post_author_detail"])
const sealedOfEngagement = new Set(["comment_text"])
const engagementAuthor = placeOf(engagementColumns, "author_ext_id")
const engagementSealed = placeOf(engagementColumns, "sealed")
const engagementPost = placeOf(engagementColumns, "post_sealed")

/** The columns of an engagement whose texts are sealed: those of the post for its author, where the author's id is known. [PII-4] */
export const sealedEngagementValues = (
  brandId: number,
  engagement: Engagement,
  person: Person,
  author: Person | null
): ReadonlyArray<Scalar> => {
  const { id } = engagement
  const values = [...engagementValues(brandId, engagement)]
  const post = takeOut(engagementColumns, values, sealedOfPost)
  const own = takeOut(engagementColumns, values, sealedOfEngagement)
  const all = author === null ? { ...own, ...post } : own
  values[engagementAuthor] = author?.hash ?? null
  values[engagementSealed] = sealFields([person.key], all, engagementContext(brandId, id))
  if (author !== null) values[engagementPost] = sealFields([author.key], post, postContext(brandId, id))
  return values
}

/** An engagement's row with its signal, and with the author's lead where the depth asks for it. */
export interface EngagementRow extends Rows.RowOf<Engagement, "signalId", "postAuthorDetail"> {
  readonly author_lead_id: number | null
  readonly author_company: string | null
  readonly sealed: SealedColumn
  readonly post_sealed: SealedColumn
  /** The sealed fields of the author's lead. */
  readonly author_sealed: SealedColumn
}

/** The engagement of a row whose sealed fields are opened. */
export const engagementOf = (row: EngagementRow): Engagement => ({
  id: row.id,
  leadId: row.lead_id,
  signalId: String(row.signal_id),
  type: row.type,
  reactionType: row.reaction_type,
  commentText: row.comment_text,
  postUrl: row.post_url,
  postContent: row.post_content,
  postPostedAt: row.post_posted_at,
  postAuthor: row.post_author,
  postAuthorDetail: row.post_author_detail === null ? null : JSON.parse(row.post_author_detail),
  emittedAt: row.emitted_at,
  trackedAt: row.tracked_at
})

/** The same with its signal, one of the given by their numbers, and with the author's lead where the row has it. */
export const engagementReadOf =
  (signals: ReadonlyMap<number, Signal>) =>
  (row: EngagementRow): EngagementRead => ({
    engagement: engagementOf(row),
    signal: signals.get(row.signal_id)!,
    authorLead:
      row.author_lead_id === null
        ? null
        : {
            id: row.author_lead_id,
            company: Rows.companyOf(row.author_company)
          }
  })
