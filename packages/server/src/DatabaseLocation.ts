/** What `LEAD_SIGNALS_DATABASE` and `--database` name: the path of a SQLite file, `memory`, or the URL of a Postgres database. */
import { Either } from "effect"

/** The store that a location stands for. */
export type DatabaseKind = "memory" | "sqlite" | "postgres"

/** Both are names of the scheme. A path never begins so. */
const postgresScheme = /^postgres(?:ql)?:/i

/** The store of a location: `memory`, the URL of a Postgres, or a path. */
export const kindOf = (database: string): DatabaseKind =>
  database === "memory" ? "memory" : postgresScheme.test(database) ? "postgres" : "sqlite"

/** The form of a Postgres URL, for messages. */
export const postgresExample = "postgres://user:password@host:5432/name"

const parsed = (url: string): URL | null => {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

/**
 * The name as people may see it: a URL without its user's password and without its parameters, one of which can be the password.
 */
export const renderedDatabase = (database: string): string => {
  if (kindOf(database) !== "postgres") return database
  const url = parsed(database)
  return url === null
    ? "postgres://…"
    : `postgres://${url.username === "" ? "" : `${url.username}@`}${url.host}${url.pathname}`
}

/** An environment file with Windows line ends leaves a carriage return at the end of each value: a path with it would name another database. */
// oxlint-disable-next-line no-control-regex -- what no path is meant to have
const controls = /[\u0000-\u001f\u007f]/

/** Whether a path has a character that none is meant to have. */
export const hasControls = (path: string): boolean => controls.test(path)

const takes = `takes the path of a SQLite file, memory, or a URL like ${postgresExample}`

/**
 * Reads the name. Left: what it takes; the value is not in it, because it can hold a password. `:memory:` is SQLite's name for a database in
 * memory; it would name a file here. So would a URL that stands in quotes, as some readers of environment files leave them, or behind a space:
 * its password would be in the file's name, and in messages.
 */
export const readDatabase = (value: string): Either.Either<string, string> => {
  if (value === ":memory:") return Either.right("memory")
  if (value.trim() === "") return Either.left(takes)
  if (kindOf(value) !== "postgres") {
    if (value.includes("://")) return Either.left(`${takes}, without quotes or spaces around it`)
    return hasControls(value)
      ? Either.left(`${takes}, without control characters, such as a carriage return at its end`)
      : Either.right(value)
  }
  const url = parsed(value)
  return url !== null && (url.host !== "" || url.searchParams.has("host"))
    ? Either.right(value)
    : Either.left(
        `takes a URL like ${postgresExample}; characters of the password other than letters and digits are written as %40 for @`
      )
}
