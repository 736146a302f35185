/** Does to a copy what was removed after it was made. [REST-3] */
import { DeliveryIds, Suppression } from "@lead-signals/domain"
import {
  type Removal,
  type RemovalKind,
  removalKinds,
  type ReplayedByKind
} from "@lead-signals/removal-journal"
import { randomBytes } from "node:crypto"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import type { Secrets } from "../rows/Secrets.ts"
import * as RankIndex from "../rank-index/RankIndex.ts"
import { removeBrandPiece, startBrandDeletion } from "../writes/BrandRemoval.ts"
import { removeCampaignPiece } from "../writes/CampaignRemoval.ts"
import * as Erasure from "../writes/Erasure.ts"
import type { Piece } from "../writes/RemovalPiece.ts"
import { removeWebhookPiece } from "../writes/WebhookRemoval.ts"

const rowsAtOnce = 5000

/** The values of a column in order, some at a time. */
function* pages(select: (after: string) => ReadonlyArray<string>): Generator<ReadonlyArray<string>> {
  for (let after = ""; ;) {
    const values = select(after)
    if (values.length > 0) yield values
    if (values.length < rowsAtOnce) return
    after = values.at(-1)!
  }
}

/** Erases the persons from the brand, as leads and as authors of posts. Returns the hashes that the brand's rows have matched. */
const erasePersons = (
  sql: DriverConnection,
  secrets: Secrets,
  brandId: number,
  erasedAt: ReadonlyMap<string, number>,
  now: number
): ReadonlySet<string> => {
  const stored = sql.value<string>(
    "SELECT suppression_secret FROM brand WHERE id = ? AND deleted_at IS NULL",
    [brandId]
  )
  const found = new Set<string>()
  if (stored === undefined) return found
  const hash = Suppression.hasher(secrets.suppressionOf(brandId, stored))
  const nextId = DeliveryIds.sequence(randomBytes(DeliveryIds.seedBytes))
  sql.transaction(() => {
    for (const [personHash, at] of erasedAt) {
      sql.run("INSERT OR IGNORE INTO suppression (brand_id, hash, erased_at) VALUES (?, ?, ?)", [
        brandId,
        personHash,
        at
      ])
    }
  })
  const isErased = (extId: string): boolean => {
    const personHash = hash(extId)
    if (!erasedAt.has(personHash)) return false
    found.add(personHash)
    return true
  }
  const leads = (after: string) =>
    sql.column<string>("SELECT ext_id FROM lead WHERE brand_id = ? AND ext_id > ? ORDER BY ext_id LIMIT ?", [
      brandId,
      after,
      rowsAtOnce
    ])
  for (const extIds of pages(leads)) {
    for (const extId of extIds.filter(isErased)) {
      const id = sql.value<number>("SELECT id FROM lead WHERE brand_id = ? AND ext_id = ?", [brandId, extId])!
      const options = {
        personHash: hash(extId),
        nextId,
        now,
        maxBucketLeads: RankIndex.defaults.maxBucketLeads
      }
      sql.transaction(() => Erasure.erase(sql, { brandId: String(brandId), id }, options))
    }
  }
  const authors = (after: string) =>
    sql.column<string>(
      "SELECT DISTINCT author_ext_id FROM engagement WHERE brand_id = ? AND author_ext_id > ? ORDER BY author_ext_id LIMIT ?",
      [brandId, after, rowsAtOnce]
    )
  for (const extIds of pages(authors)) {
    for (const extId of extIds.filter(isErased)) {
      sql.transaction(() => Erasure.eraseAuthor(sql, brandId, extId, { nextId, now }))
    }
  }
  return found
}

const untilGone = (sql: DriverConnection, remove: () => Piece): boolean => {
  for (let wasThere = false; ; wasThere = true) {
    const removed = sql.transaction(remove)
    if (removed !== "some") return wasThere || removed === "gone"
  }
}

/** The number of what the removal names, where the copy has it: with the same creation, so that it is not another of the same number. */
const numberOf = (sql: DriverConnection, table: string, { brandId, subject }: Removal): string | null => {
  const [id, createdAt] = subject.split(":").map(Number)
  const found = sql.value<number>(
    `SELECT id FROM ${table} WHERE id = ? AND created_at = ? AND ${table === "brand" ? "id" : "brand_id"} = ?`,
    [id!, createdAt!, brandId]
  )
  return found === undefined ? null : String(found)
}

const revoke =
  (table: string) =>
  (sql: DriverConnection, { at, subject }: Removal): boolean =>
    sql.transaction(
      () =>
        sql.all(`UPDATE ${table} SET revoked_at = ? WHERE hash = ? AND revoked_at IS NULL RETURNING id`, [
          at,
          subject
        ]).length > 0
    )

const deleteBrand = (sql: DriverConnection, removal: Removal, now: number, secrets: Secrets): boolean => {
  const id = numberOf(sql, "brand", removal)
  if (id === null) return false
  sql.transaction(() => startBrandDeletion(secrets, id, removal.at)(sql))
  while (sql.transaction(() => Erasure.removeSome(sql, id)) > 0);
  for (const webhook of sql.column<number>("SELECT id FROM webhook WHERE brand_id = ?", [Number(id)]))
    untilGone(sql, () => removeWebhookPiece(sql, id, String(webhook)))
  return untilGone(sql, () => removeBrandPiece(id)(sql, now))
}

/** What each kind but a person does. Returns whether the copy had it. */
const replays: Readonly<
  Record<
    Exclude<RemovalKind, "person">,
    (sql: DriverConnection, removal: Removal, now: number, secrets: Secrets) => boolean
  >
> = {
  key: revoke("api_key"),
  token: revoke("access_token"),
  signal: (sql, removal) => {
    const id = numberOf(sql, "signal", removal)
    return (
      sql.transaction(() =>
        sql.all("UPDATE signal SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL RETURNING id", [
          removal.at,
          id === null ? null : Number(id)
        ])
      ).length > 0
    )
  },
  campaign: (sql, removal) => {
    const id = numberOf(sql, "campaign", removal)
    return (
      id !== null && untilGone(sql, () => removeCampaignPiece(String(removal.brandId), id, removal.at)(sql))
    )
  },
  webhook: (sql, removal) => {
    const id = numberOf(sql, "webhook", removal)
    return id !== null && untilGone(sql, () => removeWebhookPiece(sql, String(removal.brandId), id))
  },
  brand: deleteBrand
}

/** Replays the removals on a copy that no other process has open. Each can be replayed any number of times. */
export const replay = (
  sql: DriverConnection,
  secrets: Secrets,
  removals: ReadonlyArray<Removal>,
  now: number
): ReplayedByKind => {
  const counts = Object.fromEntries(removalKinds.map((kind) => [kind, { done: 0, absent: 0 }])) as Record<
    RemovalKind,
    { done: number; absent: number }
  >
  const count = (kind: RemovalKind, isDone: boolean): void => {
    counts[kind][isDone ? "done" : "absent"]++
  }
  const persons = Map.groupBy(
    removals.filter(({ kind }) => kind === "person"),
    ({ brandId }) => brandId!
  )
  for (const [brandId, erased] of persons) {
    const found = erasePersons(
      sql,
      secrets,
      brandId,
      new Map(erased.map(({ at, subject }) => [subject, at])),
      now
    )
    for (const { subject } of erased) count("person", found.has(subject))
  }
  for (const removal of removals) {
    if (removal.kind !== "person") count(removal.kind, replays[removal.kind](sql, removal, now, secrets))
  }
  return counts
}
