/** The lines that requests, failures and defects leave in the log. Nothing in them is personal data. [PII-2, ERR-3] */
import { elapsedMillisOf, type StoreUnavailable } from "@lead-signals/domain"
import { Cause, Effect } from "effect"
import { RequestObserver } from "./RequestObserver.ts"
import { recordWithId, type RequestRecord } from "./RequestRecord.ts"

/** The operator's log says why the store can't answer; the response to the client does not. [ERR-3] */
export const logUnavailable = ({ reason }: StoreUnavailable): Effect.Effect<void> =>
  Effect.logWarning("store unavailable").pipe(Effect.annotateLogs({ reason }))

/** The places of a stack. They begin behind the message, whose lines can look like them; a stack without its message gives none. [PII-2] */
const framesOf = ({ message, stack = "" }: Error): ReadonlyArray<string> => {
  const at = stack.indexOf(message)
  return at < 0
    ? []
    : stack
        .slice(at + message.length)
        .split("\n")
        .filter((line) => /^\s+at /.test(line))
}

/** A defect's message may quote the data that caused it: only its kind and place are logged. [PII-2] */
export const logDefect = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const defect = Cause.squash(cause)
  const frames = defect instanceof Error ? framesOf(defect) : []
  return Effect.logError("internal error").pipe(
    Effect.annotateLogs({
      defect: defect instanceof Error ? defect.name : typeof defect,
      at: frames
        .slice(0, 8)
        .map((line) => line.trim())
        .join(" < ")
    })
  )
}

/** Logs the request and notifies the host's observer. `status` is null when the client left before the response. */
export const logRequest = (
  { begunAt, id, keyId, method, parameters, route }: RequestRecord,
  status: number | null,
  observer: typeof RequestObserver.Service
): Effect.Effect<void> =>
  Effect.clockWith((clock) => {
    const durationMillis = elapsedMillisOf(clock) - begunAt
    const log = (status ?? 499) >= 500 ? Effect.logWarning : Effect.logInfo
    const line = log("request", {
      requestId: id,
      method,
      route: route ?? "none",
      status: status ?? "aborted",
      durationMillis,
      ...(keyId === null ? {} : { keyId })
    })
    return Effect.zipRight(
      line,
      observer.answered({ method, route, status, durationMillis, parameters, requestId: id })
    )
  })

/** Logs a refusal of bytes that never became a request. [ERR-4] */
export const logParseError = (id: string, status: number): Effect.Effect<void> =>
  Effect.flatMap(RequestObserver, (observer) =>
    Effect.flatMap(recordWithId(id, "none"), (record) => logRequest(record, status, observer))
  )

/** Logs that connections were refused since `max` are open and each has a request in flight. [ERR-13] */
export const logNoConnections = (max: number): Effect.Effect<void> =>
  Effect.logWarning("connections refused").pipe(Effect.annotateLogs({ maxConnections: max }))
