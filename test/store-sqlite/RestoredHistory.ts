/** A store on a file, and restores of its backups. */
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Layer } from "effect"

type Services =
  | Layer.Layer.Success<ReturnType<typeof SqliteStore.layer>>
  | Layer.Layer.Success<typeof webCrypto>

/** Runs the work over the store on the file, and closes it. */
export const on = <A, E>(
  filename: string,
  work: Effect.Effect<A, E, Services>,
  encryption?: SqliteStore.EncryptionOptions
): Promise<A> => {
  const options = { filename, synced: false, ...(encryption === undefined ? {} : { encryption }) }
  return Effect.runPromise(work.pipe(Effect.provide(Layer.merge(SqliteStore.layer(options), webCrypto))))
}

/** The failure with which the store refuses to open the file. */
export const refusalOf = (filename: string): Promise<string> =>
  on(filename, Effect.void).then(
    () => "opened",
    (failure: unknown) => String((failure as { message?: string }).message ?? failure)
  )

/** Restores with what most cases want. */
export const restore = (file: string, target: string, options: Partial<SqliteStore.RestoreOptions> = {}) =>
  SqliteStore.restore({
    file,
    target,
    journal: "beside",
    acceptIncomplete: false,
    replace: true,
    dryRun: false,
    ...options
  })

/** Why a restore was refused. */
export const whyNot = (
  file: string,
  target: string,
  options: Partial<SqliteStore.RestoreOptions> = {}
): Promise<string> =>
  Effect.runPromise(Effect.map(Effect.flip(restore(file, target, options)), ({ reason }) => reason))
