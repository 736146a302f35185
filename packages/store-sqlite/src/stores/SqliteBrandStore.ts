/** Brands on SQLite. */
import { type Brand, BrandStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { Effect, Layer } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../database/Database.ts"
import { type BrandRow, idOf } from "@lead-signals/sql-rows"
import type { Secrets } from "../rows/Secrets.ts"
import { removeBrandPiece, startBrandDeletion } from "../writes/BrandRemoval.ts"
import { removeInPieces } from "./PiecewiseRemoval.ts"
import { readAll, readFirst, readOne, rename } from "./Statements.ts"

/** A wrapped secret is bound to the brand's id, so the row comes first. */
const createBrand =
  (secrets: Secrets, brand: Omit<Brand, "id" | "deletionStartedAt">) =>
  (sql: Connection): Brand => {
    const id = sql.insert("INSERT INTO brand (name, suppression_secret, created_at) VALUES (?, '', ?)", [
      brand.name,
      brand.createdAt
    ])
    return readOne<BrandRow, Brand>(
      secrets.brandOf,
      "UPDATE brand SET suppression_secret = ? WHERE id = ? RETURNING *",
      [secrets.suppression(id, brand.suppressionSecret), id]
    )(sql)
  }

const make = Effect.gen(function* () {
  const database = yield* Database
  const { brandOf } = database.secrets
  return BrandStore.of({
    create: (brand) => database.write(createBrand(database.secrets, brand)),
    list: database.read(readAll(brandOf, "SELECT * FROM brand WHERE deleted_at IS NULL ORDER BY id", [])),
    get: (id) =>
      database.read(
        readFirst(brandOf, "SELECT * FROM brand WHERE id = ? AND deleted_at IS NULL", [idOf(id)])
      ),
    rename: (id, name) =>
      database.write(rename<BrandRow, Brand>(brandOf, "brand", name, "id = ?", [idOf(id)])),
    startDeletion: (id, now) =>
      journaled(database, database.write(startBrandDeletion(database.secrets, id, now))),
    finishDeletion: (id) =>
      // The write-ahead log must not keep what the brand's rows held.
      Effect.uninterruptible(
        Effect.tap(removeInPieces(database, removeBrandPiece(id)), () => database.truncateWal)
      )
  })
})

/** The port of brands. Needs the file's `Database`. */
export const layer = Layer.effect(BrandStore, make)
