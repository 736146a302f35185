/** Opens and seals whole rows of the tables, for copies and for the encryption of a database that has rows. */
import type { CopyRow, CopyTable } from "@lead-signals/domain"
import { Suppression } from "@lead-signals/domain"
import { secretContexts } from "@lead-signals/encryption"
import type { Connection } from "../connection/Connection.ts"
import {
  type EngagementRow,
  engagementOf,
  type Person,
  sealedEngagementValues,
  signalIdsOf
} from "../rows/LeadRows.ts"
import { attemptContext, bodyContext, openEngagements, openLeads, openValues } from "../rows/SealedRows.ts"
import { readEncryption } from "../schema/EncryptionState.ts"
import { sealFor } from "../sealing/SealedValue.ts"
import { unwrapSecret } from "../sealing/StoreKeys.ts"
import { type PersonKeys, personKeysOf, type PersonOf, personsOfEvents } from "../writes/PersonKeys.ts"

/** A row by its columns. */
export type Fields = Record<string, any>

/** The columns of a table as a copy reads them, with those that are sealed. */
export const copiedColumns = (sql: Connection, { columns, name }: CopyTable): string => {
  const plain = columns
    .map((column) =>
      name === "lead" && column === "signal_ids" ? `${signalIdsOf("lead")} AS signal_ids` : column
    )
    .join(", ")
  if (sql.keys === null) return plain
  switch (name) {
    case "lead":
      return `${plain.replace(" name,", " CASE WHEN sealed IS NULL THEN name ELSE name_key END AS name,")}, sealed`
    case "engagement":
      return `${plain}, sealed, post_sealed`
    case "delivery_body":
    case "attempt":
      return `${plain}, sealed`
    default:
      return plain
  }
}

const openColumn = async (
  sql: Connection,
  rows: ReadonlyArray<Fields>,
  column: string,
  contextOf: (row: Fields) => string
): Promise<void> => {
  const texts = await openValues(
    sql,
    rows.map((row) => ({ brandId: row["brand_id"], value: row["sealed"], context: contextOf(row) }))
  )
  for (const [i, row] of rows.entries()) row[column] = texts[i] ?? row[column]
}

/** The external id of a post's author, which a sealed row has in the author's detail alone. */
const authorOf = ({ author_ext_id, post_author_detail, post_sealed }: Fields): string | null =>
  post_sealed === null
    ? author_ext_id
    : post_author_detail === null
      ? null
      : (JSON.parse(post_author_detail).extId ?? null)

/** Puts what is sealed or wrapped in the rows of one table in their places. */
export const openCopied = async (
  sql: Connection,
  table: string,
  rows: ReadonlyArray<Fields>
): Promise<void> => {
  if (sql.keys === null) return
  switch (table) {
    case "brand":
      for (const row of rows) {
        const context = secretContexts.suppression(row["id"])
        row["suppression_secret"] = unwrapSecret(sql.keys, row["suppression_secret"], context)
      }
      return
    case "webhook":
      for (const row of rows) {
        const context = secretContexts.webhook(row["brand_id"], row["id"])
        row["secrets"] = unwrapSecret(sql.keys, row["secrets"], context)
      }
      return
    case "lead":
      return void (await openLeads(sql, rows as ReadonlyArray<any>))
    case "engagement":
      for (const row of rows) await openEngagements(sql, row["brand_id"], [row as EngagementRow])
      for (const row of rows) row["author_ext_id"] = authorOf(row)
      return
    case "delivery_body":
      return openColumn(sql, rows, "body", (row) => bodyContext(row["brand_id"], row["seq"]))
    case "attempt":
      return openColumn(sql, rows, "response", (row) =>
        attemptContext(row["brand_id"], row["delivery_seq"], row["number"])
      )
  }
}

/** Makes the hashes of persons of any brand. */
export class PersonHashes {
  private readonly byBrand = new Map<number, (extId: string) => string>()

  async of(sql: Connection, brandId: number): Promise<(extId: string) => string> {
    const known = this.byBrand.get(brandId)
    if (known !== undefined) return known
    const row = await sql.get<{ readonly suppression_secret: string }>(
      "SELECT suppression_secret FROM lead_signals.brand WHERE id = $1",
      [brandId]
    )
    const secret = unwrapSecret(sql.keys, row!.suppression_secret, secretContexts.suppression(brandId))
    const hash = Suppression.hasher(secret)
    this.byBrand.set(brandId, hash)
    return hash
  }
}

/** The persons of engagements' rows that are not sealed: who engaged, and the author. Their leads are sealed. */
const personsOfEngagements = async (
  sql: Connection,
  hashes: PersonHashes,
  rows: ReadonlyArray<Fields>
): Promise<ReadonlyArray<{ readonly person: PersonOf; readonly author: PersonOf | null }>> => {
  const leads = await sql.all<{ readonly brand_id: number; readonly id: number; readonly ext_id: string }>(
    `SELECT l.brand_id, l.id, l.ext_id FROM unnest($1::bigint[], $2::bigint[]) AS given(brand_id, id)
       JOIN lead_signals.lead l ON l.brand_id = given.brand_id AND l.id = given.id`,
    [rows.map((row) => row["brand_id"]), rows.map((row) => row["lead_id"])]
  )
  const byLead = new Map(leads.map(({ brand_id, ext_id, id }) => [`${brand_id} ${id}`, ext_id]))
  const persons = []
  for (const row of rows) {
    const brandId: number = row["brand_id"]
    const author: string | null = row["author_ext_id"]
    const hash = await hashes.of(sql, brandId)
    persons.push({
      person: { brandId, hash: byLead.get(`${brandId} ${row["lead_id"]}`)! },
      author: author === null ? null : { brandId, hash: hash(author) }
    })
  }
  return persons
}

const personOf = (keys: PersonKeys, person: PersonOf | null): Person | null =>
  person === null ? null : keys.of(person)

/** The columns of `engagementColumns` of rows that are not sealed, sealed. */
export const sealEngagements = async (
  sql: Connection,
  hashes: PersonHashes,
  rows: ReadonlyArray<Fields>
): Promise<ReadonlyArray<ReturnType<typeof sealedEngagementValues>>> => {
  const persons = await personsOfEngagements(sql, hashes, rows)
  const keys = (await personKeysOf(
    sql,
    persons.flatMap(({ author, person }) => (author === null ? [person] : [person, author]))
  ))!
  return rows.map((row, i) => {
    const { author, person } = persons[i]!
    return sealedEngagementValues(
      row["brand_id"],
      engagementOf(row as EngagementRow),
      keys.of(person),
      personOf(keys, author)
    )
  })
}

/** Seals texts about deliveries for the persons of their events; null where a delivery has none. Leads and engagements are sealed. */
export const sealOfDeliveries = async (
  sql: Connection,
  texts: ReadonlyArray<{
    readonly brandId: number
    readonly seq: number
    readonly text: string
    readonly context: string
  }>
): Promise<ReadonlyArray<Buffer | null>> => {
  const bySeq = await personsOfEvents(sql, texts)
  const keys = (await personKeysOf(sql, [...bySeq.values()].flat()))!
  return texts.map(({ context, seq, text }) => {
    const persons = bySeq.get(seq)
    if (persons === undefined) return null
    return sealFor(
      persons.map((person) => keys.of(person).key),
      text,
      context
    )
  })
}

/** The text of a body or of a response, with what it is sealed for. */
export const textOfDelivery = (table: "delivery_body" | "attempt", row: Fields, text: string) => {
  const brandId: number = row["brand_id"]
  const seq: number = table === "attempt" ? row["delivery_seq"] : row["seq"]
  const context =
    table === "attempt" ? attemptContext(brandId, seq, row["number"]) : bodyContext(brandId, seq)
  return { brandId, seq, text, context }
}

/** Wraps the secret of a row under the key that wraps what is new. */
export const wrapStored = async (sql: Connection, secret: string, context: string): Promise<string> =>
  secret === "" ? "" : sql.keys!.wrapSecret((await readEncryption(sql))!.key_id, secret, context)

/** The values of a copied row, in the order of the table's columns. */
export const valuesOf = (table: CopyTable, row: Fields): CopyRow =>
  table.columns.map((column) => row[column]!)
