/** The first and the last step of a brand's deletion: hiding the brand, and removing the rest after its leads and webhooks. [DEL-1] */
import type { Brand } from "@lead-signals/domain"
import { type BrandRow, idOf } from "@lead-signals/sql-rows"
import { Option } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { writeDerivedChanges } from "../rank-index/DerivedChanges.ts"
import type { Secrets } from "../rows/Secrets.ts"
import { maxRowsPerPiece, type Piece } from "./RemovalPiece.ts"

/** Revokes the brand's keys, deletes its signals, and marks the brand; a repeated call keeps the first instants. */
export const startBrandDeletion =
  (secrets: Secrets, id: string, now: number) =>
  (sql: Connection): Option.Option<Brand> => {
    sql.run("UPDATE api_key SET revoked_at = coalesce(revoked_at, ?) WHERE brand_id = ?", [now, idOf(id)])
    sql.run("UPDATE signal SET deleted_at = coalesce(deleted_at, ?) WHERE brand_id = ?", [now, idOf(id)])
    const row = sql.get<BrandRow>(
      `UPDATE brand SET deletion_started_at = coalesce(deletion_started_at, ?)
       WHERE id = ? AND deleted_at IS NULL RETURNING *`,
      [now, idOf(id)]
    )
    return Option.map(Option.fromNullable(row), secrets.brandOf)
  }

/** Statements that remove a brand's rows. Its own row and those of its signals remain, without names. */
const brandRemovals = [
  "DELETE FROM api_key WHERE brand_id = ?",
  "DELETE FROM reading WHERE campaign_id IN (SELECT id FROM campaign WHERE brand_id = ?)",
  "DELETE FROM campaign WHERE brand_id = ?",
  "DELETE FROM lead_count WHERE brand_id = ?",
  "DELETE FROM lead_day_count WHERE brand_id = ?",
  "DELETE FROM activity_hour WHERE brand_id = ?",
  "DELETE FROM changed_lead WHERE brand_id = ?",
  "UPDATE signal SET name = '', signal_type = '', source = '{}' WHERE brand_id = ?"
]

/** Removes some hashes of erased persons; with the last of them, removes the brand once its leads and webhooks are gone. */
export const removeBrandPiece =
  (brandId: string) =>
  (sql: Connection, now: number): Piece => {
    const id = idOf(brandId)
    const brand = sql.get(
      `SELECT 1 FROM brand b WHERE id = ? AND deletion_started_at IS NOT NULL AND deleted_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.brand_id = b.id)
         AND NOT EXISTS (SELECT 1 FROM webhook w WHERE w.brand_id = b.id)`,
      [id]
    )
    if (brand === undefined) return "missing"
    sql.run(
      `DELETE FROM suppression WHERE (brand_id, hash) IN (
         SELECT brand_id, hash FROM suppression WHERE brand_id = ? LIMIT ?)`,
      [id, maxRowsPerPiece]
    )
    if (sql.get("SELECT 1 FROM suppression WHERE brand_id = ?", [id]) !== undefined) return "some"
    writeDerivedChanges(sql)
    for (const statement of brandRemovals) sql.run(statement, [id])
    sql.run("UPDATE brand SET name = '', suppression_secret = '', deleted_at = ? WHERE id = ?", [now, id])
    return "gone"
  }
