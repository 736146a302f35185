/** The file as the source or the target of a copy between stores, in the neutral form of the domain's `StoreCopy`. */
import {
  copySequences,
  type CopyProgress,
  type CopyRow,
  type CopySource,
  type CopyTable,
  type CopyTarget,
  Folding,
  StoreUnavailable
} from "@lead-signals/domain"
import type BetterSqlite3 from "better-sqlite3"
import { Effect, type Scope } from "effect"
import { existsSync, renameSync, rmSync } from "node:fs"
import type { Param } from "../connection/Connection.ts"
import { DriverConnection } from "../connection/DriverConnection.ts"
import { openDatabase, refuseOtherKey } from "../connection/Driver.ts"
import type { FileKey } from "../connection/FileKey.ts"
import { encryptionOf, type EncryptionOptions, type StoreEncryption } from "../connection/StoreEncryption.ts"
import { mustWrap, Secrets } from "../rows/Secrets.ts"
import { unavailable } from "../connection/BusyRetry.ts"
import { syncFolderOf } from "../connection/FolderSync.ts"
import { newestMigration } from "../schema/Migrations.ts"
import { rebuildDerivedTables } from "../rank-index/DerivedTables.ts"
import { changeSearch } from "../search/SearchIndex.ts"
import { beginChangeEpoch } from "./ChangeEpoch.ts"
import { readVersion } from "./FileVersion.ts"
import { logsLeftAt } from "./LeftLogs.ts"

const rowsAtOnce = 4000

/** Tables without a column for the brand, or without an index that begins with it: a narrow query sorts the keys of their rows. */
const keysOf: Readonly<Record<string, readonly [keys: string, join: string]>> = {
  reading: [
    "SELECT c.brand_id, r.campaign_id, r.post_id, r.day FROM reading r JOIN campaign c ON c.id = r.campaign_id",
    "t.campaign_id = k.campaign_id AND t.post_id = k.post_id AND t.day = k.day"
  ],
  lead: ["SELECT brand_id, id FROM lead", "t.id = k.id"],
  event: ["SELECT brand_id, position FROM event", "t.position = k.position"],
  delivery: [
    "SELECT w.brand_id, d.seq FROM delivery d JOIN webhook w ON w.id = d.webhook_id",
    "t.seq = k.seq"
  ],
  delivery_body: [
    "SELECT w.brand_id, b.seq FROM delivery_body b JOIN delivery d ON d.seq = b.seq JOIN webhook w ON w.id = d.webhook_id",
    "t.seq = k.seq"
  ],
  attempt: [
    `SELECT w.brand_id, a.delivery_seq, a.number FROM attempt a JOIN delivery d ON d.seq = a.delivery_seq
     JOIN webhook w ON w.id = d.webhook_id`,
    "t.delivery_seq = k.delivery_seq AND t.number = k.number"
  ]
}

const orderedRows = ({ columns, key, name }: CopyTable, isFirst: boolean): string => {
  const places = key.map(() => "?").join(", ")
  const after = isFirst ? "" : ` WHERE (${key.join(", ")}) > (${places})`
  const order = ` ORDER BY ${key.join(", ")}`
  const narrow = keysOf[name]
  if (narrow === undefined) return `SELECT ${columns.join(", ")} FROM ${name}${after}${order}`
  const [keys, join] = narrow
  const from = (column: string): string => (key.includes(column) ? `k.${column}` : `t.${column}`)
  // The order of the keys is that of the rows: the outer loop of a CROSS JOIN is its left side, and a query with a limit keeps its order.
  return `SELECT ${columns.map(from).join(", ")} FROM (SELECT * FROM (${keys})${after}${order} LIMIT -1) k CROSS JOIN ${name} t ON ${join}`
}

const neutral = ({ booleans, columns }: CopyTable) => {
  const at = columns.flatMap((column, i) => (booleans.includes(column) ? [i] : []))
  return at.length === 0
    ? (row: Array<CopyRow[number]>): CopyRow => row
    : (row: Array<CopyRow[number]>): CopyRow => {
        for (const i of at) row[i] = row[i] === 1
        return row
      }
}

/** Replaces the secret of a row by what `change` makes of it. The neutral form has secrets in clear text. */
const withSecret = (secrets: Secrets, table: CopyTable, stored: boolean): ((row: CopyRow) => CopyRow) => {
  const columns: Readonly<Record<string, string>> = { brand: "suppression_secret", webhook: "secrets" }
  const at = table.columns.indexOf(columns[table.name] ?? "")
  if (at < 0) return (row) => row
  const id = (row: CopyRow): string => String(value(row, table, "id"))
  const change = (row: CopyRow): string => {
    const text = String(row[at])
    if (table.name === "brand") {
      return stored ? secrets.suppression(id(row), text) : secrets.suppressionOf(id(row), text)
    }
    const brandId = String(value(row, table, "brand_id"))
    return stored ? secrets.webhook(brandId, id(row), text) : secrets.webhookSecretsOf(brandId, id(row), text)
  }
  return (row) => row.with(at, change(row))
}

async function* rowsOf(
  db: BetterSqlite3.Database,
  secrets: Secrets,
  table: CopyTable,
  after: CopyRow | null
): AsyncGenerator<ReadonlyArray<CopyRow>> {
  const convert = neutral(table)
  const inClear = withSecret(secrets, table, false)
  let part: Array<CopyRow> = []
  try {
    const statement = db.prepare<Array<Param>>(orderedRows(table, after === null)).raw()
    for (const row of statement.iterate(...((after ?? []) as ReadonlyArray<Param>))) {
      part.push(inClear(convert(row as Array<CopyRow[number]>)))
      if (part.length === rowsAtOnce) {
        yield part
        part = []
      }
    }
  } catch (failure) {
    throw unavailable(failure)
  }
  if (part.length > 0) yield part
}

const attempt = async <A>(work: () => A): Promise<A> => {
  try {
    return work()
  } catch (failure) {
    throw unavailable(failure)
  }
}

const checkVersion = (db: BetterSqlite3.Database, filename: string): void => {
  const version = readVersion(db, filename)
  if (version !== newestMigration) {
    throw new StoreUnavailable({
      reason: `${filename} has schema version ${version} and this program has ${newestMigration}; start a server of this version on it once`
    })
  }
}

/** Throws where the secrets are wrapped under another key than the one that is set. */
const refuseOtherWrapping = (
  db: BetterSqlite3.Database,
  filename: string,
  encryption: EncryptionOptions | undefined
): void =>
  void mustWrap(
    { value: <Value>(text: string) => db.prepare(text).pluck().get() as Value | undefined },
    filename,
    encryptionOf(encryption).secrets
  )

/**
 * Opens an existing file of this version to be copied; `encryption` is that of the file. Until the scope ends no other
 * process can write the file; reads go on. Fails with `StoreUnavailable`. [STORE-10]
 */
export const copySource = (
  filename: string,
  encryption?: EncryptionOptions
): Effect.Effect<CopySource, StoreUnavailable, Scope.Scope> => {
  const { fileKey, secrets } = encryptionOf(encryption)
  return Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          refuseOtherKey(filename, fileKey)
          const db = openDatabase(filename, { fileMustExist: true, timeout: 10_000 }, fileKey)
          try {
            checkVersion(db, filename)
            refuseOtherWrapping(db, filename, encryption)
            db.exec("BEGIN IMMEDIATE")
            return db
          } catch (failure) {
            db.close()
            throw failure
          }
        },
        catch: unavailable
      }),
      (db) =>
        Effect.sync(() => {
          db.exec("ROLLBACK")
          db.close()
        })
    ),
    (db) => ({
      rows: (table, after) => rowsOf(db, new Secrets(secrets), table, after),
      lastNumbers: () =>
        attempt(() => {
          const given = new Map(
            db.prepare("SELECT name, seq FROM sqlite_sequence").raw().all() as Array<[string, number]>
          )
          return Object.fromEntries(Object.keys(copySequences).map((name) => [name, given.get(name) ?? 0]))
        }),
      count: ({ name }) => attempt(() => db.prepare(`SELECT count(*) FROM ${name}`).pluck().get() as number)
    })
  )
}

/** The columns that the file has and the neutral form lacks are derived; those that the file lacks follow from references. */
const withoutBrand = new Set(["reading", "delivery", "delivery_body", "attempt"])

const value = (row: CopyRow, table: CopyTable, column: string): CopyRow[number] =>
  row[table.columns.indexOf(column)]!

/** Inserts a row of the neutral form with the columns that this store derives, as its writes would have: copying skips their functions. */
const insertRow = (sql: DriverConnection, secrets: Secrets, table: CopyTable, inClear: CopyRow): void => {
  const row = withSecret(secrets, table, true)(inClear)
  const own = table.columns.flatMap((column, i) =>
    column === "brand_id" && withoutBrand.has(table.name) ? [] : [{ column, value: row[i]! }]
  )
  const derived: Array<{ column: string; value: CopyRow[number] }> = []
  if (table.name === "lead") {
    const score = value(row, table, "score1") as number | null
    derived.push(
      { column: "name_key", value: Folding.fold(value(row, table, "name") as string) },
      { column: "score_missing", value: Number(score === null) },
      { column: "score_rank", value: score ?? Number.POSITIVE_INFINITY },
      { column: "score_rank_desc", value: score === null ? Number.POSITIVE_INFINITY : -score }
    )
  }
  const all = [...own, ...derived]
  sql.run(
    `INSERT INTO ${table.name} (${all.map(({ column }) => column).join(", ")}) VALUES (${all.map(() => "?").join(", ")})`,
    all.map(({ value }) => (typeof value === "boolean" ? Number(value) : value))
  )
  if (table.name !== "lead") return
  const [id, brandId] = [value(row, table, "id") as number, value(row, table, "brand_id") as number]
  for (const signalId of JSON.parse(value(row, table, "signal_ids") as string) as ReadonlyArray<string>) {
    sql.run("INSERT INTO lead_signal (signal_id, created_at, lead_id, flags) VALUES (?, ?, ?, ?)", [
      Number(signalId),
      value(row, table, "created_at") as number,
      id,
      value(row, table, "flags") as number
    ])
  }
  changeSearch(sql, null, {
    id,
    brandId: String(brandId),
    profile: {
      name: value(row, table, "name") as string,
      headline: value(row, table, "headline") as string | null
    }
  })
}

/** The name of a file while it is filled; a server that is started on the target does not find it. */
const unfinishedOf = (target: string): string => `${target}.lead-signals-copy`

const endings = ["", "-wal", "-shm", "-journal", "-removals", "-limits", "-limits-wal", "-limits-shm"]

/** Removes an unfinished copy into the target. */
export const removeUnfinishedCopy = (target: string): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const ending of endings) rmSync(`${unfinishedOf(target)}${ending}`, { force: true })
  })

/** Throws for a file under another key. */
const openUnfinished = (unfinished: string, { fileKey, secrets }: StoreEncryption): DriverConnection => {
  refuseOtherKey(unfinished, fileKey)
  const connection = new DriverConnection(unfinished, {
    readonly: false,
    busyMillis: 3000,
    key: fileKey
  })
  mustWrap(connection, unfinished, secrets)
  connection.pragma("synchronous = FULL")
  connection.pragma("cache_size = -65536")
  connection.transaction(() =>
    connection.run(
      "CREATE TABLE IF NOT EXISTS copy_progress (id INTEGER PRIMARY KEY, progress TEXT NOT NULL) STRICT"
    )
  )
  return connection
}

/** Derives tables from the copied rows, and begins the copy's own change epoch and journal. A copy that was killed after this repeats it. */
const completeRows = (sql: DriverConnection, lastNumbers: Readonly<Record<string, number>>): void => {
  sql.transaction(() => {
    sql.runAll(rebuildDerivedTables)
    for (const [name, last] of Object.entries(lastNumbers)) {
      if (last === 0) continue
      sql.run("DELETE FROM sqlite_sequence WHERE name = ?", [name])
      sql.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [name, last])
    }
    // What the source had pruned is not known: nobody goes on after an event of before the copy.
    sql.run("UPDATE pruning SET newest_event = ? WHERE id = 1", [lastNumbers["event"] ?? 0])
    // Nothing is known of removals before the copy: readers of changes begin anew. [CHG-5]
    beginChangeEpoch(sql)
    // The copy is another database than the source: it has a journal of its own, which begins here.
    sql.run("UPDATE removal_journal SET dropped = coalesce((SELECT max(position) FROM removal), dropped)")
    sql.run("DELETE FROM removal")
  })
}

/** Drops `copy_progress` once the file has its final name: an unfinished file without the table would be copied anew. A table that stays does no harm. */
const dropProgress = (target: string, key: FileKey | undefined): void => {
  try {
    const sql = new DriverConnection(target, { readonly: false, busyMillis: 3000, key })
    try {
      sql.run("DROP TABLE copy_progress")
    } finally {
      sql.close()
    }
  } catch {
    // The copy is complete, and a server may have opened it.
  }
}

/**
 * Opens a new file, or an unfinished copy, to be filled. `make` makes an empty file of this version, or brings an unfinished copy to this
 * version. Only this process may fill it. Fails with `StoreUnavailable`, also when the target exists, or has beside it the log of a database
 * that is gone. [STORE-10]
 */
export const copyTarget = (
  target: string,
  { fileKey, secrets }: StoreEncryption,
  make: (filename: string) => Effect.Effect<void, StoreUnavailable>
): Effect.Effect<CopyTarget, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    if (existsSync(target)) {
      return yield* new StoreUnavailable({
        reason: `${target} exists already; name a file that does not exist`
      })
    }
    const [log] = yield* Effect.try({ try: () => logsLeftAt(target), catch: unavailable })
    if (log !== undefined) {
      return yield* new StoreUnavailable({
        reason: `${log} is the log of a database that is gone, and would damage the copy; move it to its database, or remove it`
      })
    }
    const unfinished = unfinishedOf(target)
    // A copy that was killed, or met a full disk, may have left a file without its tables, or one of an earlier version.
    yield* make(unfinished)
    for (const ending of ["-removals", "-limits", "-limits-wal", "-limits-shm"]) {
      rmSync(`${unfinished}${ending}`, { force: true })
    }
    const sql = yield* Effect.acquireRelease(
      Effect.try({
        try: () => openUnfinished(unfinished, { fileKey, secrets }),
        catch: unavailable
      }),
      (connection) => Effect.sync(() => connection.close())
    )
    const progressText = () => sql.value<string>("SELECT progress FROM copy_progress WHERE id = 1")
    let known = progressText()
    const copied: CopyTarget = {
      progress: () => Promise.resolve(known === undefined ? null : (JSON.parse(known) as CopyProgress)),
      write: (table, rows, progress) =>
        attempt(() => {
          const text = JSON.stringify(progress)
          sql.transaction(() => {
            if (progressText() !== known) {
              throw new StoreUnavailable({ reason: `another process copies into ${target}` })
            }
            for (const row of rows) insertRow(sql, new Secrets(secrets), table, row)
            sql.run("INSERT OR REPLACE INTO copy_progress VALUES (1, ?)", [text])
          })
          known = text
        }),
      rows: async function* (table, after) {
        const db = openDatabase(unfinished, { readonly: true }, fileKey)
        try {
          yield* rowsOf(db, new Secrets(secrets), table, after)
        } finally {
          db.close()
        }
      },
      finish: (lastNumbers) =>
        attempt(() => {
          completeRows(sql, lastNumbers)
          sql.run("PRAGMA wal_checkpoint(TRUNCATE)")
          sql.close()
          renameSync(unfinished, target)
          syncFolderOf(target)
          dropProgress(target, fileKey)
        })
    }
    return copied
  })
