/** A line of the log, for a host's logger. */
import { HashMap, type Logger } from "effect"

/** One line of the log, without a format. */
export interface LogLine {
  /** The event, in a few constant words such as `request`. */
  readonly message: string
  /**
   * Its details by name: `requestId`, `route`, `status` and the like. None is personal data.
   * [PII-2]
   */
  readonly fields: Readonly<Record<string, unknown>>
}

const isFields = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

/**
 * Makes one line of what Effect hands a logger. Fields stand beside the message (`Effect.logInfo("request", { status
 * })`), where they cost least, or are annotations, which hold for all that is logged within.
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
