/** `lead-signals serve`: runs the server, with its most common settings as options. */
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { leaf } from "@lead-signals/command-line"

const text = (name: string, description: string) =>
  Options.text(name).pipe(Options.withDescription(description), Options.optional)

export const serveCommand = leaf(
  "serve",
  {
    summary: "Runs the server until SIGTERM or SIGINT",
    details: [
      "Every setting is a variable, too, which docs/operations.md lists; the operator token is one only: LEAD_SIGNALS_OPERATOR_TOKEN.",
      "SIGTERM and SIGINT stop it cleanly: requests and deliveries in flight have 10 s to finish."
    ],
    examples: [
      ["lead-signals serve", "on .data/lead-signals.sqlite, with a demo brand in it"],
      ["lead-signals serve --database leads.sqlite --no-demo --port 8080", ""],
      ["lead-signals serve --webhook-allow 127.0.0.0/8", "lets webhooks reach this machine, for trials"]
    ]
  },
  {
    host: text("host", "Where to listen [HOST, or 127.0.0.1]"),
    port: text("port", "On which port; 0 picks a free one [PORT, or 4000]"),
    database: text("database", "A path, or memory [LEAD_SIGNALS_DATABASE, or .data/lead-signals.sqlite]"),
    noDemo: Options.boolean("no-demo").pipe(
      Options.withDescription("Leaves an empty database empty [LEAD_SIGNALS_DEMO]")
    ),
    webhookAllow: text("webhook-allow", "CIDRs that webhooks may reach although they are not public")
  },
  (given) => {
    const named = {
      HOST: given.host,
      PORT: given.port,
      LEAD_SIGNALS_DATABASE: given.database,
      LEAD_SIGNALS_WEBHOOK_ALLOW: given.webhookAllow,
      LEAD_SIGNALS_DEMO: given.noDemo ? Option.some("false") : Option.none<string>()
    }
    const variables = Object.entries(named).flatMap(([name, value]) =>
      // `--port "$PORT"` with an unset PORT is empty, and leaves the variable in force.
      Option.isNone(value) || value.value === "" ? [] : [[name, value.value] as const]
    )
    // The server installs its own signal handling: this command ends when the server has started.
    return Effect.promise(async () => {
      const { serve } = await import("../ServerProcess.ts")
      serve(Object.fromEntries(variables))
    })
  }
)
