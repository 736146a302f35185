/** Why the server could not start, in one line that says what to change. [RUN-4] */
import type { StoreUnavailable } from "@lead-signals/domain"
import { shellQuoted } from "@lead-signals/command-line"
import { keyProblemCode } from "@lead-signals/encryption"
import { Data } from "effect"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { kindOf, postgresExample } from "./DatabaseLocation.ts"
import { keyVariables } from "./EncryptionSettings.ts"
import { defaultDatabase, type Settings } from "./Settings.ts"

/** The server could not start; the message is one line for the operator. */
export class StartFailed extends Data.TaggedError("StartFailed")<{ readonly message: string }> {}

/** The store's failures that another key, or none, would mend have this code. */
export const isAboutKey = (cause: unknown): boolean =>
  (cause as { readonly code?: unknown } | null | undefined)?.code === keyProblemCode

/** What to look at then, without a full stop. */
export const encryptionAdvice = `Check ${keyVariables.join(", ")}; docs/operations.md explains them`

const advice = (database: string, cause: unknown): string => {
  if (isAboutKey(cause)) return encryptionAdvice
  return kindOf(database) === "postgres"
    ? `Check LEAD_SIGNALS_DATABASE, or --database, a URL like ${postgresExample}, and that Postgres answers there`
    : "Set LEAD_SIGNALS_DATABASE, or --database, to another file or to memory"
}

/** The store can't be opened or read. */
export const storeFailed =
  ({ database }: Pick<Settings, "database">) =>
  ({ cause, reason }: StoreUnavailable): StartFailed =>
    new StartFailed({ message: `The database can't be used: ${reason}. ${advice(database, cause)}.` })

/** The text as one word of a shell, in quotes where it needs them. */
const shellWord = (text: string): string => (/^[\w./-]+$/.test(text) ? text : shellQuoted(text))

/**
 * The message for a database whose folder is not there, which a mistyped path looks like; null where the server may open or make the file. The
 * folder of the default file alone is made. `named` is the setting as it was given. [RUN-9]
 */
export const folderProblem = (database: string, named: string): string | null => {
  const folder = dirname(database)
  return kindOf(database) !== "sqlite" || database === defaultDatabase || existsSync(folder)
    ? null
    : `There is no folder ${folder} for the database: make it, by mkdir -p ${shellWord(folder)}, or correct ${named}.`
}

/** The server can't listen at its address; `error` is Node's. */
export const listenFailed =
  ({ host, port }: Pick<Settings, "host" | "port">) =>
  (error: Error): StartFailed => {
    const code = (error as NodeJS.ErrnoException).code
    const unresolved = `${host} can't be resolved; set HOST, or --host, to an address of this machine`
    const why: { readonly [code: string]: string } = {
      EADDRINUSE: `port ${port} is taken; set PORT, or --port, to another, or to 0 for a free one`,
      EACCES: `port ${port} needs more rights; set PORT, or --port, to a port above 1023`,
      EADDRNOTAVAIL: `${host} is not an address of this machine; set HOST, or --host, to one that is`,
      ENOTFOUND: unresolved,
      EAI_AGAIN: unresolved
    }
    return new StartFailed({ message: `The server can't listen: ${why[code ?? ""] ?? code ?? "unknown"}.` })
  }
