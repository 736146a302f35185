/** A line of the log, for a host's logger. */
import { HashMap, type Logger } from "effect"

export interface LogLine {
  readonly message: string
  /** What is known of it, by name: `requestId`, `route`, `status` and the like. Nothing of it is personal data. */
  readonly fields: Readonly<Record<string, unknown>>
}

const isFields = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

/**
 * What Effect hands a logger, as one line. Fields stand beside the message (`Effect.logInfo("request", { status })`), where
 * they cost least, or are annotations, which hold for all that is logged within.
 */
export const logLine = ({
  annotations,
  message
}: Pick<Logger.Logger.Options<unknown>, "annotations" | "message">): LogLine => {
  const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  const fields: Record<string, unknown> = {}
  if (HashMap.size(annotations) > 0) for (const [name, value] of annotations) fields[name] = value
  let text = ""
  for (const part of parts) {
    if (isFields(part)) Object.assign(fields, part)
    else text = text === "" ? String(part) : `${text} ${String(part)}`
  }
  return { message: text, fields }
}
