/** `lead-signals serve`: runs the server, with its most common settings as options. */
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { leaf } from "@lead-signals/command-line"

const text = (name: string, description: string) =>
  Options.text(name).pipe(Options.withDescription(description), Options.optional)

/** `lead-signals serve`, which runs also without a command. An option takes the place of its variable. */
export const serveCommand = leaf(
  "serve",
  {
    summary: "Runs the server until SIGTERM or SIGINT",
    details: [
      "docs/operations.md lists every setting, each an environment variable. The operator token has no option of its own: set",
      "LEAD_SIGNALS_OPERATOR_TOKEN.",
      "SIGTERM and SIGINT stop the server cleanly: requests and deliveries in flight have 10 s to finish."
    ],
    examples: [
      ["lead-signals serve", "runs on .data/lead-signals.sqlite, with a demo brand"],
      ["lead-signals serve --database leads.sqlite --no-demo --port 8080", ""],
      ["lead-signals serve --webhook-allow 127.0.0.0/8", "lets webhooks reach this machine, for trials"]
    ]
  },
  {
    host: text("host", "Host name or address to listen on [HOST, or 127.0.0.1]"),
    port: text("port", "Port to listen on; 0 picks a free one [PORT, or 4000]"),
    database: text(
      "database",
      "Path of the SQLite file, memory, or postgres://… [LEAD_SIGNALS_DATABASE, or .data/lead-signals.sqlite]"
    ),
    noDemo: Options.boolean("no-demo").pipe(
      Options.withDescription("Does not fill an empty database with a demo brand [LEAD_SIGNALS_DEMO]")
    ),
    webhookAllow: text(
      "webhook-allow",
      "CIDRs that webhooks may reach although they are not public [LEAD_SIGNALS_WEBHOOK_ALLOW]"
    )
  },
  (given) => {
    const options = [
      ["HOST", "--host", given.host],
      ["PORT", "--port", given.port],
      ["LEAD_SIGNALS_DATABASE", "--database", given.database],
      ["LEAD_SIGNALS_WEBHOOK_ALLOW", "--webhook-allow", given.webhookAllow],
      ["LEAD_SIGNALS_DEMO", "--no-demo", given.noDemo ? Option.some("false") : Option.none<string>()]
    ] as const
    const named = options.flatMap(([variable, option, value]) =>
      // `--port "$PORT"` with an unset PORT is empty, and leaves the variable in force.
      Option.isNone(value) || value.value === "" ? [] : [{ variable, option, value: value.value }]
    )
    // The server installs its own signal handling: this command ends when the server has started.
    return Effect.promise(async () => {
      const { serve } = await import("../ServerProcess.ts")
      serve(
        Object.fromEntries(named.map(({ value, variable }) => [variable, value])),
        Object.fromEntries(named.map(({ option, variable }) => [variable, option]))
      )
    })
  }
)
