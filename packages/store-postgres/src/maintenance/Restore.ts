/** Keeps a database that its operator has restored from bringing back what was erased, revoked and deleted since the dump. [REST-7, REST-8] */
import { type StoreUnavailable } from "@lead-signals/domain"
import type { EncryptionKey } from "@lead-signals/encryption"
import {
  findLacking,
  type LackingRemovals,
  type NamedJournal,
  readJournalFile,
  type Removal,
  type RemovalHistory,
  removalKinds,
  type ReplayedByKind,
  RestoreRefused
} from "@lead-signals/removal-journal"
import { Clock, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Connection } from "../connection/Connection.ts"
import { isJournalName } from "../journal/RemovalJournal.ts"
import { historyOf, lockJournal, numberRemovals, stateOf } from "../journal/RemovalRows.ts"
import { verifyKeys } from "../schema/EncryptionState.ts"
import { newestMigration, removalMigration } from "../schema/Migrations.ts"
import { storeKeys } from "../sealing/StoreKeys.ts"
import { refuseServed } from "./Copy.ts"
import { exclusively } from "./ExclusiveLock.ts"
import { replay } from "./Replay.ts"
import { readVersion } from "./SchemaVersion.ts"
import { attempt, inTransaction, makeTables, session } from "./Session.ts"

/** The database that was restored, and the journals of its nodes. */
export interface RestoreOptions {
  /** That of the database, in which the operator has restored a dump, or an archive up to a moment. */
  readonly url: string
  /** Journals of removals, and folders that hold them; those of other databases are left out. */
  readonly journals: ReadonlyArray<string>
  /** Whether journals count that are damaged or end too early. */
  readonly acceptIncomplete: boolean
  /** Finds what the database lacks, and changes nothing. */
  readonly dryRun: boolean
  /** That of the database, where it is encrypted. */
  readonly encryptionKey?: EncryptionKey | undefined
  /** Gets the fraction done, from 0 to 1, and the step. */
  readonly onProgress?: (fraction: number, what: string) => void
}

/** What a restore did. */
export interface Restored {
  /** The schema version that the database was restored with. */
  readonly fromVersion: number
  /** The schema version of the database now: this program's, but after a dry run. */
  readonly version: number
  /** The journals that were read. */
  readonly journals: ReadonlyArray<string>
  /** Removals that the database lacked, by kind. */
  readonly lacking: Readonly<Record<keyof ReplayedByKind, number>>
  /** What was erased, revoked and deleted again; null after a dry run. */
  readonly replayed: ReplayedByKind | null
  /** Deliveries that wait in the database: those that arrived since the dump are sent again. */
  readonly pendingDeliveries: number
  /** What may be missing, in sentences for the operator. */
  readonly warnings: ReadonlyArray<string>
}

const refuse = (reason: string): RestoreRefused => new RestoreRefused({ reason })

/** A file of a folder that has the name of a journal and is none. */
interface Unreadable {
  readonly file: string
}

const journalsIn = (folder: string): ReadonlyArray<NamedJournal | Unreadable> =>
  readdirSync(folder)
    .filter(isJournalName)
    .sort()
    .map((name) => join(folder, name))
    .map((file) => readJournalFile(file) ?? { file })

/** The journals at the places. Throws a `RestoreRefused` where there is none. */
const journalsAt = (places: ReadonlyArray<string>): ReadonlyArray<NamedJournal | Unreadable> =>
  places.flatMap((place) => {
    if (!existsSync(place)) throw refuse(`there is no file and no folder ${place}`)
    if (statSync(place).isDirectory()) {
      const found = journalsIn(place)
      if (found.length === 0) throw refuse(`there is no journal of removals in ${place}`)
      return found
    }
    const journal = readJournalFile(place)
    if (journal === null) throw refuse(`${place} is not a journal of removals`)
    return [journal]
  })

const isReadable = (journal: NamedJournal | Unreadable): journal is NamedJournal => "header" in journal

/** What the database lacks of the journals. Throws a `RestoreRefused` when removals may be missing. */
const lackingIn = (
  database: RemovalHistory,
  { acceptIncomplete, journals: places }: RestoreOptions
): LackingRemovals => {
  const found = journalsAt(places)
  const unreadable = found.find((journal) => !isReadable(journal))
  if (unreadable !== undefined && !acceptIncomplete) {
    throw refuse(
      `the journal ${unreadable.file} is damaged from its first line on; with --accept-incomplete-journal the others are used, and you repeat by hand what is missing`
    )
  }
  return findLacking({ database, journals: found.filter(isReadable), acceptIncomplete })
}

/** How far the database is; a version without removals has no history. */
const positionOf = async (sql: Connection, version: number): Promise<RemovalHistory> =>
  version < removalMigration ? { header: null, newest: 0, removals: [] } : historyOf(sql)

const countByKind = (removals: ReadonlyArray<Removal>): Restored["lacking"] => {
  const counts = Object.fromEntries(removalKinds.map((kind) => [kind, 0])) as Record<
    keyof ReplayedByKind,
    number
  >
  for (const { kind } of removals) counts[kind]++
  return counts
}

/** Makes what was replayed a part of the database's own history, behind what it had. */
const continueHistory = async (
  sql: Connection,
  { beganAt, databaseId, removals }: LackingRemovals,
  now: number
): Promise<void> => {
  await lockJournal(sql)
  await sql.run(
    "UPDATE lead_signals.removal_journal SET database_id = $1, began_at = $2 WHERE id = 1 AND database_id = ''",
    [databaseId, beganAt]
  )
  const { newest } = await stateOf(sql)
  const rows = [
    removals.map(({ at }) => at),
    removals.map(({ kind }) => kind),
    removals.map(({ brandId }) => brandId),
    removals.map(({ subject }) => subject)
  ]
  await sql.run(
    `INSERT INTO lead_signals.removal (position, at, kind, brand_id, subject)
     SELECT $5 + given.n, given.at, given.kind, given.brand_id, given.subject
     FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS given(at, kind, brand_id, subject, n)`,
    [...rows, newest]
  )
  await numberRemovals(sql, now, null)
}

/**
 * Finds what the database lacks before it changes anything, so that a refused or incomplete journal leaves it as it was; then does it,
 * unless it is a dry run.
 */
const restoreAll = async (sql: Connection, options: RestoreOptions, now: number): Promise<Restored> => {
  const { dryRun, onProgress = () => {}, url } = options
  const fromVersion = await readVersion(sql)
  if (fromVersion > newestMigration) {
    throw refuse(
      `the database has schema version ${fromVersion} and this program has ${newestMigration}: restore it with the version that wrote it, or a newer one`
    )
  }
  await refuseServed(sql)
  await verifyKeys(sql)
  // Before anything is changed.
  const found = lackingIn(await positionOf(sql, fromVersion), options)
  const { files: journals, removals, warnings } = found
  const replayed = dryRun ? null : await replayAll()
  const pending = (await sql.get<{ readonly n: number }>(
    "SELECT count(*) AS n FROM lead_signals.delivery WHERE state = 'pending'"
  ))!
  return {
    fromVersion,
    version: dryRun ? fromVersion : newestMigration,
    journals,
    lacking: countByKind(removals),
    replayed,
    pendingDeliveries: pending.n,
    warnings
  }

  async function replayAll(): Promise<ReplayedByKind> {
    if (fromVersion < newestMigration) {
      onProgress(0, "bringing the database to this version")
      await makeTables(url, "lead_signals")
    }
    onProgress(0.1, "replaying what was removed")
    // A removal that a trigger recorded here would be known to the next call, also where a kill had cut it off.
    await sql.run("SET lead_signals_restore.replays = 'on'")
    const done = await replay(sql, removals, now, (count) =>
      onProgress(0.1 + (0.9 * count) / removals.length, "replaying what was removed")
    )
    await inTransaction(sql, async () => {
      await continueHistory(sql, found, now)
      // Readers of changes may know more than the dump has: they begin anew. [CHG-5]
      await sql.run("UPDATE lead_signals.brand SET change_epoch = $1", [randomBytes(8).toString("hex")])
    })
    return done
  }
}

/**
 * Erases, revokes and deletes again, in a database that its operator has restored, what its nodes have removed since the dump or the moment of
 * the archive. It brings an older schema to this version. No server may run. A call that was killed is repeated, and one that
 * is repeated finds nothing more to do. Fails with `RestoreRefused` where removals may be missing, and with `StoreUnavailable`, also
 * for a newer schema. [REST-7, REST-8]
 */
export const restore = (
  options: RestoreOptions
): Effect.Effect<Restored, RestoreRefused | StoreUnavailable> =>
  exclusively(
    options.url,
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* session(options.url, "lead_signals", storeKeys(options.encryptionKey))
        const now = yield* Clock.currentTimeMillis
        return yield* attempt(() =>
          restoreAll(sql, options, now).catch((failure: unknown) => {
            if (failure instanceof RestoreRefused) return failure
            throw failure
          })
        )
      })
    )
  ).pipe(
    Effect.flatMap((result) =>
      result instanceof RestoreRefused ? Effect.fail(result) : Effect.succeed(result)
    )
  )
