/** Logs on standard error: a line a person can read on a terminal, a line of JSON elsewhere. */
import { logLine } from "@lead-signals/http"
import { Cause, Logger } from "effect"

let waiting = ""

const flush = (): void => {
  if (waiting === "") return
  const lines = waiting
  waiting = ""
  process.stderr.write(lines)
}

process.on("exit", flush)

/** What is logged in one turn of the event loop is written at its end, at once. */
const write = (line: string): void => {
  if (waiting === "") setImmediate(flush)
  waiting += `${line}\n`
}

const colours: { readonly [level: string]: string } = { WARN: "33", ERROR: "31", FATAL: "31", DEBUG: "2" }

const coloured = (text: string, colour: string | undefined): string =>
  colour === undefined ? text : `\u001b[${colour}m${text}\u001b[0m`

/** `12:03:01 request method=GET route=/signals/leads status=200 durationMillis=3` */
const pretty = (colours_: boolean) =>
  Logger.make(({ annotations, cause, date, logLevel, message }) => {
    const said = logLine({ annotations, message })
    const fields = Object.entries(said.fields).map(([key, value]) => `${key}=${String(value)}`)
    const failure = Cause.isEmpty(cause) ? [] : [Cause.pretty(cause)]
    const line = [date.toISOString().slice(11, 19), said.message, ...fields.sort(), ...failure].join(" ")
    write(colours_ ? coloured(line, colours[logLevel.label]) : line)
  })

const json = Logger.make(({ annotations, cause, date, logLevel, message }) => {
  const said = logLine({ annotations, message })
  const line: Record<string, unknown> = {
    time: date.toISOString(),
    level: logLevel.label.toLowerCase(),
    message: said.message
  }
  Object.assign(line, said.fields)
  if (!Cause.isEmpty(cause)) line["cause"] = Cause.pretty(cause)
  write(JSON.stringify(line))
})

export const layer = (format: "pretty" | "json" | null) => {
  const isTerminal = process.stderr.isTTY === true
  const logger = (format ?? (isTerminal ? "pretty" : "json")) === "pretty" ? pretty(isTerminal) : json
  return Logger.replace(Logger.defaultLogger, logger)
}
