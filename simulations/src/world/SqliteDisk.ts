/** A disk of SQLite files, for hosts that have files: `NoSqliteDisk` stands for it in a browser. */
import { parseEncryptionKey } from "@lead-signals/encryption"
import type { Prng } from "@lead-signals/simulation-kernel"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { hostClient, rateWindowsIn, residueOf } from "@lead-signals/store-sqlite/simulation"
import { Effect, Either, Layer } from "effect"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, type Disk, type Opened } from "./Disk.ts"
import { damageOf } from "./SqliteDamage.ts"
import { UnsyncedWrites } from "./UnsyncedWrites.ts"

/** A new file for all of a kind, made once: migrating an empty file takes longer than a short run. By the endings of its files. */
const templates = new Map<FileKind, ReadonlyMap<string, Buffer>>()

const encryption: SqliteStore.EncryptionOptions = {
  key: Either.getOrThrow(parseEncryptionKey("5e".repeat(32)))
}

const databaseEndings = ["", "-wal"]
const limitsEndings = ["-limits", "-limits-wal"]
const endings = [...databaseEndings, ...limitsEndings]

const copy = (from: string, to: string): void => {
  for (const ending of endings) if (existsSync(from + ending)) copyFileSync(from + ending, to + ending)
}

const folderOfRuns = (): string =>
  mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "lead-signals-run-"))

type BeforeCommit = NonNullable<SqliteStore.SqliteStoreOptions["beforeCommit"]>

type Bounds = Pick<SqliteStore.SqliteStoreOptions, "maxEffort" | "rankIndex" | "searchTexts">

/** Nothing is read as a thread would, which lists of a simulation's few leads never need. */
const ofProduction: Bounds = { maxEffort: Infinity }

const smallBuckets = { findingEffort: 2, maxBucketLeads: 5 }
const smallParts = { partLeads: 4, joinedParts: 2, scannedLeads: 2 }

/**
 * Bounds from which on a store finds leads in other ways. Production has them where there are thousands of leads; a run has a few, and
 * answers must be the same whatever they are. The processes of a run have them in turn.
 */
const boundsInTurn: ReadonlyArray<Bounds> = [
  { maxEffort: Infinity, rankIndex: smallBuckets },
  {
    maxEffort: 6,
    searchTexts: { minLeads: 2, pauseMillis: 0, pieceLeads: 3, parts: smallParts },
    rankIndex: smallBuckets
  },
  ofProduction,
  { maxEffort: 12, searchTexts: { minLeads: Infinity } },
  { maxEffort: 3, searchTexts: { minLeads: 1, maxBytes: 1_400_000, pauseMillis: 0, pieceLeads: 2 } }
]

/** Few leads come into the search indexes, and few wait for them. */
const maxUnindexed = 2

const layerOf = (
  filename: string,
  { encrypted, synced }: Pick<SqliteDiskOptions, "encrypted" | "synced">,
  beforeCommit: BeforeCommit = () => {},
  bounds: Bounds = ofProduction
) =>
  SqliteStore.layer({
    ...bounds,
    filename,
    synced,
    ...(encrypted ? { encryption } : {}),
    beforeCommit,
    ticks: SqliteStore.TickScheduler.withoutThreads,
    groupMillis: Number.POSITIVE_INFINITY,
    maxUnindexed
  })

/** One of this many runs has the store over a host's client. */
const hostsTurn = 8

/** Whose file it is: the store's own, plain or encrypted, or a host's, which has other tables. */
type FileKind = "plain" | "encrypted" | "host's"

const kindOf = ({ bounds, encrypted, synced }: SqliteDiskOptions): FileKind => {
  if (encrypted) return "encrypted"
  return !synced && bounds !== null && bounds % hostsTurn === hostsTurn - 1 ? "host's" : "plain"
}

/**
 * The store over a host's own client, with a prefix before its tables, as a program has it that embeds the service. Rate windows have a file,
 * so that they outlive a process as everywhere.
 */
const hostsLayerOf = (filename: string, beforeCommit: () => void) =>
  Layer.flatMap(rateWindowsIn(`${filename}-limits`), (windows) =>
    Layer.merge(
      Layer.unwrapScoped(
        Effect.map(hostClient(filename, beforeCommit), (client) =>
          SqliteStore.layerOver(client, { tablePrefix: "of_host_", rankIndex: smallBuckets, maxUnindexed })
        )
      ),
      Layer.succeedContext(windows)
    )
  )

const makeTemplate = (kind: FileKind): ReadonlyMap<string, Buffer> => {
  const folder = folderOfRuns()
  const file = join(folder, "template.sqlite")
  const layer =
    kind === "host's"
      ? hostsLayerOf(file, () => {})
      : layerOf(file, { encrypted: kind === "encrypted", synced: false })
  build(layer).close()
  const files = endings.filter((ending) => existsSync(file + ending))
  const made = new Map(files.map((ending) => [ending, readFileSync(file + ending)]))
  rmSync(folder, { recursive: true, force: true })
  return made
}

/** How the files of a run are opened. */
export interface SqliteDiskOptions {
  /** Whether a commit is synced when its write succeeds, as in production; needed where power is lost. */
  readonly synced: boolean
  /** Whether the file is encrypted, under a key that all runs share. */
  readonly encrypted: boolean
  /** The number of the bounds that the first process has; null where all have those of production. */
  readonly bounds: number | null
}

/** What a loss of power leaves of the rate windows: no file, or a damaged one. */
const loseLimits = (filename: string, draw: Prng): void => {
  for (const ending of limitsEndings) rmSync(filename + ending, { force: true })
  if (draw.chance(0.5)) writeFileSync(`${filename}-limits`, Buffer.alloc(8192, 0x2a), { mode: 0o600 })
}

/**
 * SQLite files, which several processes have open at once. A kill of the last one leaves them as they are at that moment, log
 * and all, an open transaction in it: the next process opens a copy of them, while those of the dead are closed and thrown
 * away. A loss of power ends all processes, and leaves of what was not synced some or nothing.
 */
export const sqlite = (options: SqliteDiskOptions): Disk => {
  const folder = folderOfRuns()
  let generation = 0
  let starts = 0
  const filename = (): string => join(folder, `${generation}.sqlite`)
  const opened = new Map<number, Opened>()
  let dying: (() => void) | null = null
  let damage: string | null = null
  const unsynced = new UnsyncedWrites(filename)
  const kind = kindOf(options)
  const template = templates.get(kind) ?? makeTemplate(kind)
  templates.set(kind, template)
  for (const [ending, bytes] of template) writeFileSync(filename() + ending, bytes, { mode: 0o600 })
  const beforeCommit: BeforeCommit = (synchronous) => {
    if (options.synced) unsynced.beforeCommit(synchronous())
    if (dying === null) return
    const die = dying
    dying = null
    die()
    throw new Error("The process that would commit is gone.")
  }
  /** Goes on with a copy of the files; `change` makes of it what is on the disk. */
  const moveOn = (change: (left: string, next: string) => void): void => {
    const left = filename()
    generation++
    copy(left, filename())
    change(left, filename())
    for (const each of opened.values()) each.close()
    opened.clear()
    for (const ending of endings) rmSync(left + ending, { force: true })
  }
  return {
    dieWithin: (die) => {
      dying = die
    },
    tearNextCommit: () => {
      unsynced.tearNextCommit()
      return true
    },
    open: (process) => {
      const bounds =
        options.bounds === null
          ? ofProduction
          : boundsInTurn[(options.bounds + starts++) % boundsInTurn.length]
      const next = build(
        kind === "host's"
          ? hostsLayerOf(filename(), () => beforeCommit(() => 0))
          : layerOf(filename(), options, beforeCommit, bounds)
      )
      opened.set(process, next)
      return next.context
    },
    crash: (process) => {
      dying = null
      // What is left of an open transaction is rolled back by whoever writes next.
      if (opened.size > 1) {
        opened.get(process)?.close()
        opened.delete(process)
      } else moveOn(() => {})
    },
    losePower: (draw) => {
      dying = null
      moveOn((left, next) => {
        for (const [ending, bytes] of unsynced.survivors(left, draw)) writeFileSync(next + ending, bytes)
        loseLimits(next, draw)
        damage = damageOf(next, options.encrypted ? encryption : undefined)
      })
    },
    damage: () => damage,
    presentDamage: () => {
      // The check knows no prefix of tables.
      if (kind === "host's") return null
      const copied = join(folder, "copy.sqlite")
      copy(filename(), copied)
      const found = damageOf(copied, options.encrypted ? encryption : undefined)
      for (const ending of endings) rmSync(copied + ending, { force: true })
      return found
    },
    residue: (process) => (opened.size === 1 && opened.has(process) ? residueOf(filename()) : null),
    another: () => sqlite(options),
    discard: () => {
      for (const each of opened.values()) each.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
