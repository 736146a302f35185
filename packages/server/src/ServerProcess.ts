/** Runs the server with this process's environment until a signal ends it. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Either } from "effect"
import { exitCodes } from "./cli/ExitCodes.ts"
import * as Log from "./Log.ts"
import { run } from "./Server.ts"
import { readSettings } from "./Settings.ts"
import { folderProblem } from "./StartFailures.ts"
import { telemetry } from "./telemetry/Telemetry.ts"
import { unknownVariableMessage, unknownVariables } from "./Variables.ts"

const stop = (message: string): never => {
  process.stderr.write(`${message}\n`)
  return process.exit(exitCodes.usage)
}

/** Milliseconds that a stop may take in all after the pause, when the store or a receiver of telemetry is silent: some more than the drain. */
const stopMillis = 14_000

/** Ends the process when a signal has not ended it in time. What was left under way is repeated by another process or the next start. */
const endInTime = (pauseMillis: number): void => {
  const end = (): void => {
    setTimeout(() => process.exit(0), pauseMillis + stopMillis).unref()
  }
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, end)
}

const randomToken = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url")

/** `given` overrides variables of the environment; `optionNames` has the option that gave each. */
export const serve = (
  given: Readonly<Record<string, string>> = {},
  optionNames: Readonly<Record<string, string>> = {}
): void => {
  Log.outliveOutput()
  const environment = { ...process.env, ...given }
  for (const name of unknownVariables(environment)) {
    process.stderr.write(`${unknownVariableMessage(name)}\n`)
  }
  const settings = Either.getOrElse(readSettings(environment, optionNames), stop)
  const database = "LEAD_SIGNALS_DATABASE"
  const problem = folderProblem(settings.database, optionNames[database] ?? database)
  if (problem !== null) stop(problem)
  endInTime(settings.drainPauseMillis)
  const exporting = Either.getOrElse(telemetry(environment), stop)
  run(settings, settings.operatorToken ?? randomToken(), exporting).pipe(
    Effect.catchTag("StartFailed", ({ message }) => Effect.sync(() => stop(message))),
    Effect.provide(Log.layer(settings.log)),
    NodeRuntime.runMain({ disablePrettyLogger: true })
  )
}
