/** `npm start`: reads the settings, runs the server. `--help` lists the variables. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Either } from "effect"
import { help } from "./Help.ts"
import * as Log from "./Log.ts"
import { run } from "./Server.ts"
import { knownVariables, readSettings, unknownVariables } from "./Settings.ts"

const stop = (message: string): never => {
  process.stderr.write(`${message}\n`)
  return process.exit(2)
}

const [argument] = process.argv.slice(2)
if (argument === "--help" || argument === "-h") {
  process.stdout.write(help)
  process.exit(0)
}
if (argument !== undefined)
  stop(`"${argument}" is not known; the server is set up by variables, --help lists them.`)

for (const name of unknownVariables(process.env)) {
  process.stderr.write(`${name} is not known and was ignored; there are ${knownVariables.join(", ")}.\n`)
}

const settings = Either.getOrElse(readSettings(process.env), stop)

const randomToken = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url")

run(settings, settings.operatorToken ?? randomToken()).pipe(
  Effect.catchTag("StartFailed", ({ message }) => Effect.sync(() => stop(message))),
  Effect.provide(Log.layer(settings.log)),
  NodeRuntime.runMain({ disablePrettyLogger: true })
)
