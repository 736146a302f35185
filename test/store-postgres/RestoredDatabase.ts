/** A store with a journal on a database of its own, a look at its tables, and restores of it. */
import { type Entropy, type StorePorts } from "@lead-signals/domain"
import type { EncryptionKey } from "@lead-signals/encryption"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer } from "effect"
import { cpSync, readdirSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { copyOfDatabase } from "../harness/Postgres.ts"
import { before, removeAfter } from "../harness/RemovedHistory.ts"
import { foldersIn, temporaryFolder } from "../harness/TemporaryFolder.ts"

export interface Node {
  readonly url: string
  /** The folder of its journal; undefined without one. */
  readonly folder?: string | undefined
  readonly key?: EncryptionKey | undefined
}

export const storeOf = ({ folder, key, url }: Node) =>
  Layer.merge(
    PostgresStore.layer({
      url,
      notifications: false,
      maxConnections: 3,
      journalFolder: folder,
      ...(key === undefined ? {} : { encryptionKey: key })
    }),
    webCrypto
  )

/** Runs the work over the node's store, and closes it. */
export const on = <A, E>(node: Node, work: Effect.Effect<A, E, StorePorts | Entropy>): Promise<A> =>
  Effect.runPromise(Effect.provide(work, storeOf(node)))

/** The failure with which the store refuses to open the database. */
export const refusalOf = (node: Node): Promise<string> =>
  on(node, Effect.void).then(
    () => "opened",
    (failure: unknown) => String((failure as { message?: string }).message ?? failure)
  )

/** The rows of a query. */
export const rowsOf = async (
  url: string,
  text: string,
  values: ReadonlyArray<unknown> = []
): Promise<ReadonlyArray<any>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (values.length === 0 ? await client.query(text) : await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}

/** The only journal in the folder. */
export const journalIn = (folder: string): string => {
  const names = readdirSync(folder)
  if (names.length !== 1) throw new Error(`${folder} has ${names.join(", ")}`)
  return join(folder, names[0]!)
}

/** What an entry names, without its number. */
export const namedBy = (entry: string): string => entry.slice(entry.indexOf(" ") + 1)

/** Restores with what most cases want. */
export const restore = (
  url: string,
  journals: ReadonlyArray<string>,
  options: Partial<PostgresStore.RestoreOptions> = {}
) => PostgresStore.restore({ url, journals, acceptIncomplete: false, dryRun: false, ...options })

/** Why a restore was refused. */
export const whyNot = (
  url: string,
  journals: ReadonlyArray<string>,
  options: Partial<PostgresStore.RestoreOptions> = {}
): Promise<string> =>
  Effect.runPromise(Effect.map(Effect.flip(restore(url, journals, options)), ({ reason }) => reason))

/** Call once in a file: databases with what was removed and without, and folders of journals, as many as tests want. */
export const restoreScenes = () => {
  const root = temporaryFolder()
  const newFolder = foldersIn(root)
  /** A database, a dump of it from before the removals, and the folder of its journal. */
  const filled = async (key?: EncryptionKey) => {
    const [url, folder] = [await migratedDatabase(), newFolder()]
    const node = { url, folder, key }
    const known = await on(node, before)
    const dump = await copyOfDatabase(url)
    await on(node, removeAfter(known))
    return { url, folder, dump, known }
  }
  let made: ReturnType<typeof filled> | undefined
  const template = () => (made ??= filled())
  /** The database and its journal. */
  const scene = async () => {
    const { folder: of, known, url } = await template()
    const folder = newFolder()
    cpSync(of, folder, { recursive: true })
    return { url: await copyOfDatabase(url), folder, known }
  }
  /** The dump in a database of its own, and the journal. */
  const restored = async () => {
    const { folder, known } = await scene()
    return { url: await copyOfDatabase((await template()).dump), folder, known }
  }
  return { root, newFolder, filled, template, scene, restored }
}
