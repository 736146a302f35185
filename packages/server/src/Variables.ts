/** The environment variables of the server: what each takes, and its default, as `--help` lists them. */

import { meant } from "@lead-signals/command-line"

/** Variables by name. An empty value means the default. */
export type Environment = Readonly<Record<string, string | undefined>>

interface Variable {
  readonly name: string
  /** What it takes, in the words of `--help`. */
  readonly takes: string
  /** The default, in the words of `--help`. */
  readonly otherwise: string
}

/** All environment variables of the server, in the order of the help. */
export const variables: ReadonlyArray<Variable> = [
  { name: "HOST", takes: "address to listen on", otherwise: "127.0.0.1" },
  { name: "PORT", takes: "port to listen on, 0 picks a free one", otherwise: "4000" },
  {
    name: "LEAD_SIGNALS_DATABASE",
    takes: "path of the SQLite file, memory, or postgres://…",
    otherwise: ".data/lead-signals.sqlite"
  },
  {
    name: "LEAD_SIGNALS_ENCRYPTION_KEY",
    takes: "32 bytes in base64 or hex that encrypt the database",
    otherwise: "not encrypted"
  },
  { name: "LEAD_SIGNALS_ENCRYPTION_KEY_FILE", takes: "a file with the key instead", otherwise: "none" },
  {
    name: "LEAD_SIGNALS_ENCRYPTION_KEY_COMMAND",
    takes: "a command that prints it instead",
    otherwise: "none"
  },
  {
    name: "LEAD_SIGNALS_ENCRYPTION_SCOPE",
    takes: "file, or secrets to encrypt only those in a SQLite file",
    otherwise: "file"
  },
  {
    name: "LEAD_SIGNALS_ENCRYPTION_NEXT_KEY",
    takes: "file:PATH, env:NAME or command:COMMAND with the next key, on Postgres",
    otherwise: "none"
  },
  {
    name: "LEAD_SIGNALS_POSTGRES_POOLER",
    takes: "session, transaction, or transaction-prepared: the mode of a pooler before Postgres",
    otherwise: "session"
  },
  { name: "LEAD_SIGNALS_DEMO", takes: "true fills an empty database with a demo", otherwise: "true" },
  {
    name: "LEAD_SIGNALS_OPERATOR_TOKEN",
    takes: "the operator token, at least 16 characters",
    otherwise: "generated, and printed"
  },
  { name: "LEAD_SIGNALS_RATE_LIMIT", takes: "default requests a minute per key", otherwise: "60" },
  {
    name: "LEAD_SIGNALS_MAX_CONNECTIONS",
    takes: "connections that may be open at once",
    otherwise: "10000, or half of the open files"
  },
  {
    name: "LEAD_SIGNALS_TRUSTED_PROXIES",
    takes: "CIDRs of proxies whose X-Forwarded-For counts",
    otherwise: "none"
  },
  {
    name: "LEAD_SIGNALS_WEBHOOK_ALLOW",
    takes: "CIDRs that webhooks may reach though private",
    otherwise: "none"
  },
  {
    name: "LEAD_SIGNALS_PUBLIC_URL",
    takes: "the URL of the API as clients know it, by which CloudEvents name the schema of their data",
    otherwise: "none"
  },
  {
    name: "LEAD_SIGNALS_WEBHOOK_RETRY",
    takes: "seconds from each failed attempt to the next",
    otherwise: "5,300,1800,7200,…"
  },
  {
    name: "LEAD_SIGNALS_RETENTION_DELIVERIES",
    takes: "how long delivered deliveries are kept, like 30d",
    otherwise: "30d"
  },
  { name: "LEAD_SIGNALS_RETENTION_DEAD_LETTERS", takes: "how long dead letters are", otherwise: "90d" },
  { name: "LEAD_SIGNALS_RETENTION_EVENTS", takes: "how long events are", otherwise: "30d" },
  { name: "LEAD_SIGNALS_RETENTION_ENGAGEMENTS", takes: "how long engagements are", otherwise: "keep" },
  { name: "LEAD_SIGNALS_RETENTION_LEADS", takes: "how long unchanged leads are", otherwise: "keep" },
  { name: "LEAD_SIGNALS_RETENTION_AUDIT", takes: "how long entries of the audit log are", otherwise: "365d" },
  {
    name: "LEAD_SIGNALS_RETENTION_SUPPRESSIONS",
    takes: "how long erasures are remembered",
    otherwise: "keep"
  },
  { name: "LEAD_SIGNALS_BACKUP_FOLDER", takes: "where the server makes backups", otherwise: "none are made" },
  { name: "LEAD_SIGNALS_BACKUP_INTERVAL", takes: "time between backups, like 6h", otherwise: "1d" },
  { name: "LEAD_SIGNALS_BACKUP_COPIES", takes: "backups that are kept", otherwise: "7" },
  {
    name: "LEAD_SIGNALS_REMOVAL_JOURNAL",
    takes: "folder of the journal of removals",
    otherwise: "beside a SQLite file; none on Postgres"
  },
  {
    name: "LEAD_SIGNALS_SEARCH_MEMORY",
    takes: "MiB of leads in memory for searches of SQLite",
    otherwise: "768"
  },
  {
    name: "LEAD_SIGNALS_DRAIN_PAUSE",
    takes: "seconds between reporting unready and closing the port",
    otherwise: "0.5"
  },
  { name: "LEAD_SIGNALS_LOG", takes: "pretty or json", otherwise: "pretty on a terminal, else json" }
]

/** `listen` reads it. */
export const listenSecretVariable = "LEAD_SIGNALS_WEBHOOK_SECRET"

/** `mcp` reads it. */
export const apiKeyVariable = "LEAD_SIGNALS_API_KEY"

/** Commands that call a server read it. */
export const urlVariable = "LEAD_SIGNALS_URL"

/** Variables of commands that call a server, which may run in the server's shell. `LEAD_SIGNALS_OPERATOR_TOKEN` is theirs and the server's. */
export const clientVariables: ReadonlyArray<Variable> = [
  {
    name: urlVariable,
    takes: "URL of the server that commands call, instead of --url",
    otherwise: "http://127.0.0.1:4000"
  },
  { name: apiKeyVariable, takes: "the brand's key with which `mcp` reads", otherwise: "none" },
  { name: listenSecretVariable, takes: "the secret with which `listen` verifies", otherwise: "none" }
]

/** The names of the server's own variables, without `HOST` and `PORT`. */
export const knownVariables: ReadonlyArray<string> = variables
  .map(({ name }) => name)
  .filter((name) => name.startsWith("LEAD_SIGNALS_"))

/** Names that begin as the server's and are none, such as misspelt ones. */
export const unknownVariables = (environment: Environment): ReadonlyArray<string> =>
  Object.keys(environment).filter(
    (name) =>
      name.startsWith("LEAD_SIGNALS_") &&
      !knownVariables.includes(name) &&
      !clientVariables.some((variable) => variable.name === name)
  )

/** The warning about a variable that is not a setting, with the setting that it probably meant, such as `PORT` for `LEAD_SIGNALS_PORT`. [RUN-3] */
export const unknownVariableMessage = (name: string): string => {
  const names = [...variables, ...clientVariables].map((variable) => variable.name)
  const bare = name.replace(/^LEAD_SIGNALS_/, "")
  const offer = names.includes(bare) ? ` Did you mean ${bare}?` : meant(name, names)
  return `${name} is not a setting and was ignored.${offer} lead-signals --help lists all settings.`
}

/** The variable's value; undefined when it is unset or empty, because compose files pass missing values as empty. */
export const valueOf = (environment: Environment, name: string): string | undefined => {
  const value = environment[name]
  return value === "" ? undefined : value
}
