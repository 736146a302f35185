/**
 * Reads the server's settings from environment variables. An empty variable means its default. The message of
 * a bad value names the variable and says what it takes. [RUN-1, RUN-2]
 */
import { AuditRetention, RateLimit, Retention, Retries } from "@lead-signals/domain"
import { Addresses } from "@lead-signals/webhook"
import { Either } from "effect"
import { type BackupSettings, readBackups } from "./BackupSettings.ts"
import { readDatabase } from "./DatabaseLocation.ts"
import { type Encryption, readEncryption } from "./EncryptionSettings.ts"
import { readJournalFolder } from "./JournalSettings.ts"
import { isHttpUrl } from "./HttpUrl.ts"
import { type PoolerMode, readPooler } from "./PostgresSettings.ts"
import { readRetention } from "./RetentionSettings.ts"
import { type Environment, valueOf } from "./Variables.ts"

/** Everything that a server is started with. */
export interface Settings {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** A path, `memory`, or the URL of a Postgres database. */
  readonly database: string
  /** How a pooler between this node and Postgres hands connections on; `session` is right without one, too. */
  readonly pooler: PoolerMode
  /** Null: the database is not encrypted. [PII-4] */
  readonly encryption: Encryption | null
  readonly demo: boolean
  /** Null: the server makes a token at start and prints it. */
  readonly operatorToken: string | null
  readonly requestsPerMinute: number
  /** How many connections may be open at once; null: as many as the limits of the process suggest. [ERR-13] */
  readonly maxConnections: number | null
  /** Addresses and ranges of proxies whose `X-Forwarded-For` counts. [AUTH-11] */
  readonly trustedProxies: ReadonlyArray<string>
  /** Ranges that webhooks may reach although they are not public, and over plain http. */
  readonly webhookAllow: ReadonlyArray<Addresses.Cidr>
  /** The absolute URL of the API as its clients know it; null: it is not known. [FMT-2] */
  readonly publicUrl: string | null
  /** Milliseconds from each failed attempt to the next. */
  readonly webhookRetryMillis: ReadonlyArray<number>
  /** How long what is over is kept. */
  readonly retention: Retention.Retention
  /** Milliseconds for which entries of the audit log are kept; null keeps them for ever. [AUD-5] */
  readonly auditRetentionMillis: number | null
  /** Null: the server makes no backups. */
  readonly backups: BackupSettings | null
  /** The folder of the journal of removals; null: beside a SQLite file, and none on Postgres. [REST-9] */
  readonly journalFolder: string | null
  /** How many leads, each of some 200 bytes, a SQLite store keeps in memory for searches at most; 0 keeps none there. */
  readonly searchMemoryBytes: number
  /** Milliseconds between reporting unready and closing the port. */
  readonly drainPauseMillis: number
  /** Null: pretty on a terminal, JSON elsewhere. */
  readonly log: "pretty" | "json" | null
}

type Read<A> = (value: string) => Either.Either<A, string>

const integer =
  (from: number, to: number): Read<number> =>
  (value) =>
    /^[0-9]{1,9}$/.test(value) && Number(value) >= from && Number(value) <= to
      ? Either.right(Number(value))
      : Either.left(`takes an integer from ${from} to ${to}`)

const text =
  (what: string): Read<string> =>
  (value) =>
    value.trim() === "" ? Either.left(`takes ${what}`) : Either.right(value)

/** The file of a server that is given no database. */
export const defaultDatabase = ".data/lead-signals.sqlite"

const boolean: Read<boolean> = (value) =>
  value === "true"
    ? Either.right(true)
    : value === "false"
      ? Either.right(false)
      : Either.left("takes true or false")

const format: Read<"pretty" | "json"> = (value) =>
  value === "pretty" || value === "json" ? Either.right(value) : Either.left("takes pretty or json")

const minTokenLength = 16

const token: Read<string> = (value) =>
  value.length >= minTokenLength && /^[\x21-\x7e]+$/.test(value)
    ? Either.right(value)
    : Either.left(`takes at least ${minTokenLength} characters of printable ASCII without spaces`)

const entries = (value: string): ReadonlyArray<string> => value.split(",").map((entry) => entry.trim())

const cidrs: Read<ReadonlyArray<Addresses.Cidr>> = (value) =>
  Either.mapLeft(
    Either.all(entries(value).map(Addresses.parseCidr)),
    (problem) => `takes CIDRs separated by commas, like 127.0.0.0/8,::1/128; ${problem}`
  )

/** Kept as texts, once they are found good. */
const proxies: Read<ReadonlyArray<string>> = (value) => Either.map(cidrs(value), () => entries(value))

const maxRetryWaitSeconds = 30 * 24 * 3600

const retryWaits: Read<ReadonlyArray<number>> = (value) =>
  entries(value).every((entry) => /^[0-9]{1,7}$/.test(entry) && Number(entry) <= maxRetryWaitSeconds)
    ? Either.right(entries(value).map((entry) => Number(entry) * 1000))
    : Either.left(`takes seconds separated by commas, each at most ${maxRetryWaitSeconds}, like 5,300,1800`)

/** Every receiver of webhooks gets the URL, as the source of events. */
const publicUrl: Read<string> = (value) =>
  isHttpUrl(value) && !/[?#\s]/.test(value)
    ? Either.right(value)
    : Either.left(
        "takes an absolute http or https URL without user, query and fragment, like https://leads.example.com"
      )

const bytesPerMebibyte = 1024 * 1024
const defaultSearchMemoryBytes = 768 * bytesPerMebibyte
const maxSearchMemoryMebibytes = 65_536

const mebibytes =
  (max: number): Read<number> =>
  (value) =>
    Either.map(integer(0, max)(value), (count) => count * bytesPerMebibyte)

const defaultDrainPauseMillis = 500
const maxDrainPauseSeconds = 600

const pauseMillis: Read<number> = (value) =>
  /^[0-9]{1,3}(?:\.[0-9]{1,3})?$/.test(value) && Number(value) <= maxDrainPauseSeconds
    ? Either.right(Math.round(Number(value) * 1000))
    : Either.left(`takes seconds from 0 to ${maxDrainPauseSeconds}, like 0.5`)

/**
 * Left: the message of the first bad value, such as `PORT takes an integer from 0 to 65535.` `optionNames` has the options, such as
 * `--port`, that gave variables their values, and by which messages then call them.
 */
export const readSettings = (
  environment: Environment,
  optionNames: Environment = {}
): Either.Either<Settings, string> => {
  const variable = <A, B>(name: string, read: Read<A>, otherwise: B): Either.Either<A | B, string> => {
    const value = valueOf(environment, name)
    return value === undefined
      ? Either.right(otherwise)
      : Either.mapLeft(read(value), (takes) => `${optionNames[name] ?? name} ${takes}.`)
  }
  return Either.gen(function* () {
    const database = yield* variable("LEAD_SIGNALS_DATABASE", readDatabase, defaultDatabase)
    return {
      host: yield* variable("HOST", text("a host name or an address to listen on"), "127.0.0.1"),
      port: yield* variable("PORT", integer(0, 65535), 4000),
      database,
      pooler: yield* readPooler(environment),
      encryption: yield* readEncryption(environment),
      demo: yield* variable("LEAD_SIGNALS_DEMO", boolean, true),
      operatorToken: yield* variable("LEAD_SIGNALS_OPERATOR_TOKEN", token, null),
      requestsPerMinute: yield* variable(
        "LEAD_SIGNALS_RATE_LIMIT",
        integer(1, 1_000_000),
        RateLimit.defaultRequestsPerMinute
      ),
      maxConnections: yield* variable("LEAD_SIGNALS_MAX_CONNECTIONS", integer(1, 1_000_000), null),
      trustedProxies: yield* variable("LEAD_SIGNALS_TRUSTED_PROXIES", proxies, []),
      webhookAllow: yield* variable("LEAD_SIGNALS_WEBHOOK_ALLOW", cidrs, []),
      publicUrl: yield* variable("LEAD_SIGNALS_PUBLIC_URL", publicUrl, null),
      webhookRetryMillis: yield* variable(
        "LEAD_SIGNALS_WEBHOOK_RETRY",
        retryWaits,
        Retries.defaultScheduleMillis
      ),
      retention: yield* readRetention(environment),
      auditRetentionMillis: yield* variable(
        "LEAD_SIGNALS_RETENTION_AUDIT",
        Retention.parse,
        AuditRetention.defaultMillis
      ),
      backups: yield* readBackups(environment, database),
      journalFolder: yield* readJournalFolder(environment, database),
      searchMemoryBytes: yield* variable(
        "LEAD_SIGNALS_SEARCH_MEMORY",
        mebibytes(maxSearchMemoryMebibytes),
        defaultSearchMemoryBytes
      ),
      drainPauseMillis: yield* variable("LEAD_SIGNALS_DRAIN_PAUSE", pauseMillis, defaultDrainPauseMillis),
      log: yield* variable("LEAD_SIGNALS_LOG", format, null)
    }
  })
}
