/** Does to a restored database what was removed after its dump was made. [REST-7] */
import { DeliveryIds, Suppression } from "@lead-signals/domain"
import { secretContexts } from "@lead-signals/encryption"
import {
  type Removal,
  type RemovalKind,
  removalKinds,
  type ReplayedByKind
} from "@lead-signals/removal-journal"
import { randomBytes } from "node:crypto"
import type { Connection } from "../connection/Connection.ts"
import { defaults } from "../query/LeadPages.ts"
import { unwrapSecret } from "../sealing/StoreKeys.ts"
import type { Piece } from "../stores/PiecewiseRemoval.ts"
import { removeBrandPiece, startBrandDeletion } from "../stores/PostgresBrandStore.ts"
import { removeCampaignPiece } from "../stores/PostgresCampaignStore.ts"
import { removeWebhookPiece } from "../stores/PostgresWebhookStore.ts"
import * as Erasure from "../writes/Erasure.ts"
import { inTransaction } from "./Session.ts"

const rowsAtOnce = 5000
const { maxBucketLeads } = defaults

/** The external ids of a query in order, some at a time. */
async function* pages(
  sql: Connection,
  column: string,
  from: string,
  brandId: number
): AsyncGenerator<ReadonlyArray<string>> {
  for (let after = ""; ;) {
    const rows = await sql.all<{ readonly id: string }>(
      `SELECT DISTINCT ${column} AS id FROM ${from} WHERE brand_id = $1 AND ${column} > $2 ORDER BY 1 LIMIT ${rowsAtOnce}`,
      [brandId, after]
    )
    if (rows.length > 0) yield rows.map(({ id }) => id)
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)!.id
  }
}

/** How the brand's rows name persons: by the hash in an encrypted database, else by the external id. Null where the brand is gone. */
const hasherOf = async (sql: Connection, brandId: number): Promise<((extId: string) => string) | null> => {
  const brand = await sql.get<{ readonly secret: string }>(
    "SELECT suppression_secret AS secret FROM lead_signals.brand WHERE id = $1 AND deleted_at IS NULL",
    [brandId]
  )
  if (brand === undefined) return null
  if (sql.keys !== null) return (hash) => hash
  return Suppression.hasher(unwrapSecret(null, brand.secret, secretContexts.suppression(brandId)))
}

/** Keeps observations of the persons from being recorded. */
const suppress = async (
  sql: Connection,
  brandId: number,
  erasedAt: ReadonlyArray<readonly [hash: string, at: number]>
): Promise<void> => {
  for (let i = 0; i < erasedAt.length; i += rowsAtOnce) {
    const some = erasedAt.slice(i, i + rowsAtOnce)
    await sql.run(
      `INSERT INTO lead_signals.suppression (brand_id, hash, erased_at)
       SELECT $1, given.hash, given.at FROM unnest($2::text[], $3::bigint[]) AS given(hash, at) ON CONFLICT DO NOTHING`,
      [brandId, some.map(([hash]) => hash), some.map(([, at]) => at)]
    )
  }
}

/** Erases the persons from the brand, as leads and as authors of posts. Returns the hashes that the brand's rows have matched. */
const erasePersons = async (
  sql: Connection,
  brandId: number,
  erasedAt: ReadonlyMap<string, number>,
  now: number
): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  const hash = await hasherOf(sql, brandId)
  if (hash === null) return found
  const nextId = DeliveryIds.sequence(randomBytes(DeliveryIds.seedBytes))
  const optionsOf = (personHash: string): Erasure.ErasureOptions => ({
    personHash,
    nextId,
    now,
    maxBucketLeads
  })
  await suppress(sql, brandId, [...erasedAt])
  const isErased = (personHash: string): boolean => {
    if (!erasedAt.has(personHash)) return false
    found.add(personHash)
    return true
  }
  for await (const extIds of pages(sql, "ext_id", "lead_signals.lead", brandId)) {
    for (const extId of extIds) {
      const personHash = hash(extId)
      if (!isErased(personHash)) continue
      const { id } = (await sql.get<{ readonly id: number }>(
        "SELECT id FROM lead_signals.lead WHERE brand_id = $1 AND ext_id = $2",
        [brandId, extId]
      ))!
      await inTransaction(sql, () =>
        Erasure.erase(sql, { brandId: String(brandId), id }, optionsOf(personHash))
      )
    }
  }
  for await (const extIds of pages(sql, "author_ext_id", "lead_signals.engagement", brandId)) {
    for (const author of extIds) {
      const personHash = hash(author)
      if (isErased(personHash))
        await inTransaction(sql, () => Erasure.eraseAuthor(sql, { brandId, author }, optionsOf(personHash)))
    }
  }
  return found
}

const untilGone = async (
  sql: Connection,
  now: number,
  remove: (sql: Connection, now: number) => Promise<Piece>
): Promise<boolean> => {
  for (let wasThere = false; ; wasThere = true) {
    const removed = await inTransaction(sql, () => remove(sql, now))
    if (removed !== "some") return wasThere || removed === "gone"
  }
}

/** The number of what the removal names, where it is there: with the same creation, so that it is not another of the same number. */
const numberOf = async (
  sql: Connection,
  table: "brand" | "campaign" | "signal" | "webhook",
  { brandId, subject }: Removal
): Promise<string | null> => {
  const [id, createdAt] = subject.split(":").map(Number)
  const found = await sql.get(
    `SELECT 1 FROM lead_signals.${table} WHERE id = $1 AND created_at = $2 AND ${table === "brand" ? "id" : "brand_id"} = $3`,
    [id!, createdAt!, brandId]
  )
  return found === undefined ? null : String(id)
}

type Replay = (sql: Connection, removal: Removal, now: number) => Promise<boolean>

const revoke =
  (table: "access_token" | "api_key"): Replay =>
  async (sql, { at, subject }) =>
    (await sql.run(
      `UPDATE lead_signals.${table} SET revoked_at = $1 WHERE hash = $2 AND revoked_at IS NULL`,
      [at, subject]
    )) > 0

const deleteBrand: Replay = async (sql, removal, now) => {
  const id = await numberOf(sql, "brand", removal)
  if (id === null) return false
  await inTransaction(sql, () => startBrandDeletion(id, removal.at)(sql))
  while ((await inTransaction(sql, () => Erasure.removeSome(sql, id, maxBucketLeads))) > 0);
  const webhooks = await sql.all<{ readonly id: number }>(
    "SELECT id FROM lead_signals.webhook WHERE brand_id = $1",
    [Number(id)]
  )
  for (const webhook of webhooks)
    await untilGone(sql, now, () => removeWebhookPiece(sql, id, String(webhook.id)))
  return untilGone(sql, now, removeBrandPiece(id))
}

/** What each kind but a person does. Returns whether the database had it. */
const replays: Readonly<Record<Exclude<RemovalKind, "person">, Replay>> = {
  key: revoke("api_key"),
  token: revoke("access_token"),
  signal: async (sql, removal) => {
    const id = await numberOf(sql, "signal", removal)
    if (id === null) return false
    const deleted = await sql.run(
      "UPDATE lead_signals.signal SET deleted_at = $1 WHERE brand_id = $2 AND id = $3 AND deleted_at IS NULL",
      [removal.at, removal.brandId, Number(id)]
    )
    return deleted > 0
  },
  campaign: async (sql, removal, now) => {
    const id = await numberOf(sql, "campaign", removal)
    return id !== null && untilGone(sql, now, removeCampaignPiece(String(removal.brandId), id, removal.at))
  },
  webhook: async (sql, removal, now) => {
    const id = await numberOf(sql, "webhook", removal)
    return id !== null && untilGone(sql, now, () => removeWebhookPiece(sql, String(removal.brandId), id))
  },
  brand: deleteBrand
}

type NamedRemoval = Removal & { readonly kind: keyof typeof replays }

const isBrand = (removal: Removal): removal is NamedRemoval => removal.kind === "brand"

const isOther = (removal: Removal): removal is NamedRemoval =>
  removal.kind !== "person" && removal.kind !== "brand"

/**
 * Replays the removals on a database that no server uses. Each can be replayed any number of times; one that a kill has cut off is done by the
 * next call.
 */
export const replay = async (
  sql: Connection,
  removals: ReadonlyArray<Removal>,
  now: number,
  onDone: (done: number) => void
): Promise<ReplayedByKind> => {
  const counts = Object.fromEntries(removalKinds.map((kind) => [kind, { done: 0, absent: 0 }])) as Record<
    RemovalKind,
    { done: number; absent: number }
  >
  let done = 0
  const count = (kind: RemovalKind, isDone: boolean): void => {
    counts[kind][isDone ? "done" : "absent"]++
    onDone(++done)
  }
  const persons = Map.groupBy(
    removals.filter(({ kind }) => kind === "person"),
    ({ brandId }) => brandId!
  )
  for (const [brandId, erased] of persons) {
    const erasedAt = new Map(erased.map(({ at, subject }) => [subject, at]))
    const found = await erasePersons(sql, brandId, erasedAt, now)
    for (const { subject } of erased) count("person", found.has(subject))
  }
  // The deletion of a brand takes the brand's keys and signals with it, of which there are entries, too.
  const [brands, others] = [removals.filter(isBrand), removals.filter(isOther)]
  for (const removal of [...others, ...brands])
    count(removal.kind, await replays[removal.kind](sql, removal, now))
  return counts
}
