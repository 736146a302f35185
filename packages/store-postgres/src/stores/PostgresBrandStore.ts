/** Brands on Postgres. */
import { type Brand, BrandStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { secretContexts } from "@lead-signals/encryption"
import { type BrandRow, idOf } from "@lead-signals/sql-rows"
import { Effect, Layer, type Option } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../connection/Database.ts"
import { brandColumns, brandOf } from "../rows/DirectoryRows.ts"
import { holdEncryption } from "../schema/EncryptionLock.ts"
import { lockBrand } from "../writes/Locks.ts"
import { maxRowsPerPiece, type Piece, removeInPieces } from "./PiecewiseRemoval.ts"
import { nextId, readAll, readFirst, readOne, wrappedSecret } from "./Statements.ts"

/** What writes when keys were last used locks several of them, too. */
const lockKeys = "SELECT 1 FROM lead_signals.api_key WHERE brand_id = $1 ORDER BY id FOR UPDATE"
const lockSignals = "SELECT 1 FROM lead_signals.signal WHERE brand_id = $1 ORDER BY id FOR NO KEY UPDATE"

/**
 * Marks the brand, revokes its keys and deletes its signals; a repeated call keeps the first instants. The brand's row comes first:
 * whoever creates something in the brand holds it.
 */
export const startBrandDeletion =
  (id: string, now: number) =>
  async (sql: Connection): Promise<Option.Option<Brand>> => {
    await lockBrand(sql, idOf(id))
    const brand = await readFirst<BrandRow, Brand>(
      brandOf,
      `UPDATE lead_signals.brand SET deletion_started_at = coalesce(deletion_started_at, $2)
       WHERE id = $1 AND deleted_at IS NULL RETURNING ${brandColumns}`,
      [idOf(id), now]
    )(sql)
    await sql.run(lockKeys, [idOf(id)])
    await sql.run(
      "UPDATE lead_signals.api_key SET revoked_at = $2 WHERE brand_id = $1 AND revoked_at IS NULL",
      [idOf(id), now]
    )
    await sql.run(lockSignals, [idOf(id)])
    await sql.run(
      "UPDATE lead_signals.signal SET deleted_at = $2 WHERE brand_id = $1 AND deleted_at IS NULL",
      [idOf(id), now]
    )
    return brand
  }

/** Remove what a brand has. Its own row and its signals' rows remain, without names. */
const brandRemovals = [
  "DELETE FROM lead_signals.rate_window WHERE key_id IN (SELECT id FROM lead_signals.api_key WHERE brand_id = $1)",
  lockKeys,
  "DELETE FROM lead_signals.api_key WHERE brand_id = $1",
  lockSignals,
  "UPDATE lead_signals.signal SET name = '', signal_type = '', source = '{}' WHERE brand_id = $1",
  // Those that keep a reading or delete a campaign lock the campaign first, too: no reading comes after the next statement.
  "SELECT 1 FROM lead_signals.campaign WHERE brand_id = $1 ORDER BY id FOR UPDATE",
  "DELETE FROM lead_signals.reading WHERE brand_id = $1",
  "DELETE FROM lead_signals.campaign WHERE brand_id = $1",
  "DELETE FROM lead_signals.brand_version WHERE brand_id = $1",
  "DELETE FROM lead_signals.lead_count WHERE brand_id = $1",
  "DELETE FROM lead_signals.lead_bucket WHERE brand_id = $1"
]

/** Tables that can have many rows of a brand without leads, by the column that tells them apart. */
const largeTables = [
  ["suppression", "hash"],
  ["person_key", "person"],
  ["changed_lead", "lead_id"]
] as const

/** Removes some hashes of erased persons, keys of authors and positions of leads in the feed of changes; with the last of them, removes the brand once its leads and webhooks are gone. */
export const removeBrandPiece =
  (brandId: string) =>
  async (sql: Connection, now: number): Promise<Piece> => {
    const id = idOf(brandId)
    const locked = await sql.get(
      `SELECT 1 FROM lead_signals.brand WHERE id = $1 AND deletion_started_at IS NOT NULL AND deleted_at IS NULL
       FOR NO KEY UPDATE`,
      [id]
    )
    if (locked === undefined) return "missing"
    const rest = await sql.get(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM lead_signals.lead WHERE brand_id = $1)
         OR EXISTS (SELECT 1 FROM lead_signals.webhook WHERE brand_id = $1)`,
      [id]
    )
    if (rest !== undefined) return "missing"
    for (const [table, key] of largeTables) {
      const removed = await sql.run(
        `DELETE FROM lead_signals.${table} WHERE brand_id = $1 AND ${key} IN (
           SELECT ${key} FROM lead_signals.${table} WHERE brand_id = $1 ORDER BY ${key} LIMIT $2 FOR UPDATE)`,
        [id, maxRowsPerPiece]
      )
      if (removed === maxRowsPerPiece) return "some"
    }
    for (const statement of brandRemovals) await sql.run(statement, [id])
    await sql.run(
      "UPDATE lead_signals.brand SET name = '', suppression_secret = '', deleted_at = $2 WHERE id = $1",
      [id, now]
    )
    return "gone"
  }

const make = Effect.map(Database, (database) =>
  BrandStore.of({
    create: (brand) =>
      database.write(async (sql) => {
        // A database is encrypted while it has no brand: that waits for this one, or this one finds it.
        await holdEncryption(sql)
        const id = await nextId(sql, "brand")
        const secret = await wrappedSecret(sql, brand.suppressionSecret, secretContexts.suppression(id))
        return readOne<BrandRow, Brand>(
          brandOf,
          `INSERT INTO lead_signals.brand (id, name, suppression_secret, created_at) OVERRIDING SYSTEM VALUE
             VALUES ($1, $2, $3, $4) RETURNING ${brandColumns}`,
          [id, brand.name, secret, brand.createdAt]
        )(sql)
      }),
    list: database.read(
      readAll(
        brandOf,
        `SELECT ${brandColumns} FROM lead_signals.brand WHERE deleted_at IS NULL ORDER BY id`,
        []
      )
    ),
    get: (id) =>
      database.read(
        readFirst(
          brandOf,
          `SELECT ${brandColumns} FROM lead_signals.brand WHERE id = $1 AND deleted_at IS NULL`,
          [idOf(id)]
        )
      ),
    rename: (id, name) =>
      database.write(
        readFirst<BrandRow, Brand>(
          brandOf,
          `UPDATE lead_signals.brand SET name = $2 WHERE id = $1 AND deleted_at IS NULL RETURNING ${brandColumns}`,
          [idOf(id), name]
        )
      ),
    startDeletion: (id, now) => journaled(database, database.write(startBrandDeletion(id, now))),
    finishDeletion: (id) => removeInPieces(database, removeBrandPiece(id))
  })
)

/** The port of brands. Needs the `Database`. */
export const layer = Layer.effect(BrandStore, make)
