/** Logs to standard error: readable lines on a terminal, JSON lines elsewhere. */
import { logLine } from "@lead-signals/http"
import { Cause, Logger } from "effect"

/**
 * Lets the process outlive its standard output and standard error: a full disk, or a reader that has gone, makes them emit an error, which ends a
 * process without a listener. What can't be written is lost. [RUN-8]
 */
export const outliveOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

let pendingLines = ""

const flush = (): void => {
  if (pendingLines === "") return
  const lines = pendingLines
  pendingLines = ""
  process.stderr.write(lines)
}

process.on("exit", flush)

/** Buffers the lines of one event loop iteration, and writes them together at its end. */
const write = (line: string): void => {
  if (pendingLines === "") setImmediate(flush)
  pendingLines += `${line}\n`
}

const colours: { readonly [level: string]: string } = { WARN: "33", ERROR: "31", FATAL: "31", DEBUG: "2" }

const coloured = (text: string, colour: string | undefined): string =>
  colour === undefined ? text : `\u001b[${colour}m${text}\u001b[0m`

/** `12:03:01 request method=GET route=/signals/leads status=200 durationMillis=3` */
const pretty = (isColoured: boolean) =>
  Logger.make(({ annotations, cause, date, logLevel, message }) => {
    const entry = logLine({ annotations, message })
    const fields = Object.entries(entry.fields).map(([key, value]) => `${key}=${String(value)}`)
    const failure = Cause.isEmpty(cause) ? [] : [Cause.pretty(cause)]
    const line = [date.toISOString().slice(11, 19), entry.message, ...fields.sort(), ...failure].join(" ")
    write(isColoured ? coloured(line, colours[logLevel.label]) : line)
  })

const instant = { millis: 0, text: "" }

/** Lines of one millisecond share their time's text, which takes as long to make as the rest of the line. */
const textOf = (date: Date): string => {
  const millis = date.getTime()
  if (millis !== instant.millis) {
    instant.text = date.toISOString()
    instant.millis = millis
  }
  return instant.text
}

const json = Logger.make(({ annotations, cause, date, logLevel, message }) => {
  const entry = logLine({ annotations, message })
  const line: Record<string, unknown> = {
    time: textOf(date),
    level: logLevel.label.toLowerCase(),
    message: entry.message
  }
  Object.assign(line, entry.fields)
  if (!Cause.isEmpty(cause)) line["cause"] = Cause.pretty(cause)
  write(JSON.stringify(line))
})

/** The log on standard error: lines for people on a terminal, JSON elsewhere, unless the setting says which. Null: it is not set. */
export const layer = (format: "pretty" | "json" | null) => {
  const isTerminal = process.stderr.isTTY === true
  const logger = (format ?? (isTerminal ? "pretty" : "json")) === "pretty" ? pretty(isTerminal) : json
  return Logger.replace(Logger.defaultLogger, logger)
}
