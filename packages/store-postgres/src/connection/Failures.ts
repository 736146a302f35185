/** What a failed statement means: a reason in words, and whether its transaction can run again. */
import { StoreUnavailable } from "@lead-signals/domain"

/** A statement or a connection that failed. Nothing but the modules of `connection/` looks at it. */
export class QueryFailure extends Error {
  /** The SQLSTATE that the server answered; null when the connection was lost, or none was made. */
  readonly sqlState: string | null

  constructor(cause: unknown) {
    super("a statement failed", { cause })
    this.sqlState = sqlStateOf(cause)
  }
}

const sqlStateOf = (cause: unknown): string | null => {
  const { code, severity } = (cause ?? {}) as { readonly code?: unknown; readonly severity?: unknown }
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && severity !== undefined ? code : null
}

/** The reason given while the server is a standby, or set to read-only. */
export const isReadOnly = "the database is read-only"
const diskIsFull = "the disk of the database is full"
const tooManyConnections = "the database has too many connections"

/** By the beginning of the SQLSTATE. Each is for any client. */
const reasons: ReadonlyArray<readonly [beginning: string, reason: string]> = [
  ["25006", isReadOnly],
  ["53100", diskIsFull],
  ["53300", tooManyConnections],
  ["53", "the database lacks memory or another resource"],
  ["57014", "the database took too long"],
  ["57P03", "the database is starting or stopping"],
  ["57P", "the database was shut down"],
  ["08", "the connection to the database was lost"],
  ["25P", "a transaction in the database took too long"],
  ["28", "the database refused the user or the password"],
  ["3D000", "the database does not exist"],
  ["3F000", "the schema does not exist in the database"],
  ["42501", "the database's user lacks a permission"],
  ["42P01", "a table is missing in the database"],
  ["55P03", "another write was in the way for too long"],
  ["40", "other writes were in the way too often"],
  ["23505", "other writes were in the way too often"],
  ["58", "the disk of the database can't be read or written"],
  ["XX", "the database reports damaged data or a failure of its own"]
]

/** Failures of every write, which readiness tells as a reason why nothing can be written. */
const preventsWriting = new Set(["25006", "53100"])

const lost = "the database can't be reached"

const networkReasons: ReadonlyArray<readonly [pattern: RegExp, reason: string]> = [
  [/timeout exceeded when trying to connect/, "no connection to the database could be had in time"],
  [/client password must be a string/, "the database asks for a password, and its URL has none"],
  [/Query read timeout/, "the database did not answer in time"],
  [
    /does not support SSL|self.signed|certificate/i,
    "the connection to the database could not be encrypted as required"
  ]
]

const networkReason = (cause: unknown): string => {
  const text = cause instanceof Error ? cause.message : ""
  return networkReasons.find(([pattern]) => pattern.test(text))?.[1] ?? lost
}

/** The failure as a port's failure. Its reason holds no data, SQL or secret; `cause` is for the operator's log. */
export const unavailable = (failure: QueryFailure): StoreUnavailable => {
  const { cause, sqlState } = failure
  if (sqlState === null) return new StoreUnavailable({ reason: networkReason(cause), cause: failure })
  const known = reasons.find(([beginning]) => sqlState.startsWith(beginning))?.[1]
  return new StoreUnavailable({
    reason: `${known ?? "the database refused a statement"} (${sqlState})`,
    cause: failure,
    ...(preventsWriting.has(sqlState) ? { publicReason: known } : {})
  })
}

/** A commit whose connection was lost, and that the server can't be asked about. */
export const unknownCommit = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable({
    reason: "the connection to the database was lost during a commit: it is not known whether it took effect",
    cause
  })

/** Another transaction was in the way; the same work can succeed when it runs again. */
export const isConflict = ({ sqlState }: QueryFailure): boolean =>
  sqlState === "40001" || sqlState === "40P01" || sqlState === "23505"

/** Ends a transaction that must begin anew, since another one wrote what it had to lock beforehand. */
export const conflict = (): QueryFailure =>
  new QueryFailure(
    Object.assign(new Error("another transaction was in the way"), { code: "40001", severity: "ERROR" })
  )

/** Every connection is of no more use: the server is gone or shuts down. */
export const breaksAllConnections = ({ sqlState }: QueryFailure): boolean =>
  sqlState === null || sqlState.startsWith("57P") || sqlState.startsWith("08")

/** The server is, or has become, a standby or read-only: another one may have taken over, which new connections reach. */
export const refusesWrites = ({ sqlState }: QueryFailure): boolean => sqlState === "25006"

/** The connection is of no more use, or keeps statements that were prepared for an older schema. */
export const breaksConnection = (failure: QueryFailure): boolean =>
  breaksAllConnections(failure) || ["0A000", "26000", "25P03", "25P04"].includes(failure.sqlState!)

/** Whether the failure comes from what one call wrote, so that other calls in its transaction can succeed without it. */
export const concernsOneCall = ({ cause }: StoreUnavailable): boolean =>
  cause instanceof QueryFailure && /^(?:22|23|54)/.test(cause.sqlState ?? "")
