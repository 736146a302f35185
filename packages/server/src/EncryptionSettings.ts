/** Reads the encryption key from the one of three variables that is set: the key itself, a file with it, or a command that prints it. [PII-4] */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { type EncryptionKey, parseEncryptionKey } from "@lead-signals/encryption"
import { Either } from "effect"
import { type Environment, valueOf } from "./Variables.ts"

/** The key of the database, and what of a SQLite file it encrypts. */
export interface Encryption {
  readonly key: EncryptionKey
  readonly scope: "file" | "secrets"
  /** The key that a rotation of a database on Postgres is about to bring, while its nodes run. */
  readonly next?: EncryptionKey
}

const keyVariable = "LEAD_SIGNALS_ENCRYPTION_KEY"
const fileVariable = "LEAD_SIGNALS_ENCRYPTION_KEY_FILE"
const commandVariable = "LEAD_SIGNALS_ENCRYPTION_KEY_COMMAND"
const scopeVariable = "LEAD_SIGNALS_ENCRYPTION_SCOPE"
const nextVariable = "LEAD_SIGNALS_ENCRYPTION_NEXT_KEY"

/** The variables of which exactly one gives the key. */
export const keyVariables: ReadonlyArray<string> = [keyVariable, fileVariable, commandVariable]

const commandTimeoutMillis = 30_000

type Read = Either.Either<string, string>

/** The content of the file; left says why not, after the variable's name. */
const ofFile = (path: string): Read =>
  Either.try({
    try: () => readFileSync(path, "utf8"),
    catch: (failure) =>
      `names a file that can't be read (${(failure as NodeJS.ErrnoException).code ?? "unknown"})`
  })

/** What the command prints on standard output. Its standard error goes to that of this process; neither is shown in a message. */
const ofCommand = (command: string): Read => {
  const { error, signal, status, stdout } = spawnSync(command, {
    shell: true,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: commandTimeoutMillis,
    maxBuffer: 64 * 1024
  })
  if (status === 0) return Either.right(stdout)
  const why =
    (error as NodeJS.ErrnoException | undefined)?.code ?? (signal === null ? `exit code ${status}` : signal)
  return Either.left(`names a command that failed (${why})`)
}

/** Where a key is: the words of `rekey --to`, and the variables. */
type Source = "key" | "file" | "command"

/** Reads the key of a source. Left: what is wrong, after the name of what gave the source, without any part of the key. */
const readKey = (source: Source, value: string): Either.Either<EncryptionKey, string> => {
  const text = source === "key" ? Either.right(value) : source === "file" ? ofFile(value) : ofCommand(value)
  return Either.flatMap(text, (found) =>
    Either.mapLeft(parseEncryptionKey(found), ({ message }) => `gives no encryption key: ${message}`)
  )
}

const ends = (message: string): string => (message.endsWith(".") ? message : `${message}.`)

/** Reads what of a SQLite file a key encrypts; the whole file unless it is set. Left: what the variable takes. */
export const readScope = (environment: Environment): Either.Either<Encryption["scope"], string> => {
  const value = valueOf(environment, scopeVariable) ?? "file"
  return value === "file" || value === "secrets"
    ? Either.right(value)
    : Either.left(`${scopeVariable} takes file or secrets.`)
}

const sources: Readonly<Record<string, Source>> = {
  [keyVariable]: "key",
  [fileVariable]: "file",
  [commandVariable]: "command"
}

/** What `--to` of `rekey` takes. */
export const targetForms = "env:NAME, file:PATH, command:COMMAND or none"

const nextForms = "env:NAME, file:PATH or command:COMMAND"

/** Reads a key of one of the forms. Left: what `name` takes, or what is wrong, without any part of a key. */
const readNamed = (
  name: string,
  forms: string,
  given: string,
  environment: Environment
): Either.Either<EncryptionKey, string> => {
  const [, form, value] = /^(env|file|command):([\s\S]+)$/.exec(given) ?? []
  if (value === undefined) return Either.left(`${name} takes ${forms}; a key itself does not belong there.`)
  if (form !== "env") {
    return Either.mapLeft(readKey(form as Source, value), (problem) => ends(`${name} ${problem}`))
  }
  const text = valueOf(environment, value)
  return text === undefined
    ? Either.left(`${name} names a variable that is not set.`)
    : Either.mapLeft(readKey("key", text), (problem) => ends(`${name} ${problem}`))
}

/** Reads `--to` of `rekey`. Null for `none`. Left: what it takes, or what is wrong, without any part of a key. */
export const readTarget = (
  given: string,
  environment: Environment
): Either.Either<EncryptionKey | null, string> =>
  given === "none" ? Either.right(null) : readNamed("--to", targetForms, given, environment)

/** Left: the message of the first bad value, which names the variable and never shows a key. Null without a key. */
export const readEncryption = (environment: Environment): Either.Either<Encryption | null, string> =>
  Either.gen(function* () {
    const scope = yield* readScope(environment)
    const next = valueOf(environment, nextVariable)
    const given = keyVariables.filter((name) => valueOf(environment, name) !== undefined)
    const [name, second] = given
    if (name === undefined) {
      return next === undefined
        ? null
        : yield* Either.left(`${nextVariable} is set, and none of ${keyVariables.join(", ")}.`)
    }
    if (second !== undefined) {
      return yield* Either.left(
        `${given.join(" and ")} are set; set one of them, and leave the others empty.`
      )
    }
    const key = yield* Either.mapLeft(readKey(sources[name]!, valueOf(environment, name)!), (problem) =>
      ends(`${name} ${problem}`)
    )
    if (next === undefined) return { key, scope }
    return { key, scope, next: yield* readNamed(nextVariable, nextForms, next, environment) }
  })
