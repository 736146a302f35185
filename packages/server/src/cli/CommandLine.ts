/** `lead-signals COMMAND`: all commands, and what each is for. */
import { Effect } from "effect"
import { brandsCommand, keysCommand } from "./BrandCommands.ts"
import { exitCodes, group, leaf } from "./CommandTree.ts"
import { backupCommand, checkCommand } from "./FileCommands.ts"
import { importCommand } from "./ImportCommand.ts"
import { listenCommand } from "./ListenCommand.ts"
import { run } from "./RunCommand.ts"
import { serveCommand } from "./ServeCommand.ts"
import { webhooksCommand } from "./WebhookCommands.ts"

/** Told of in the help; what it takes is its own, and read by it. */
const simulateCommand = leaf(
  "simulate",
  {
    summary:
      "Runs the whole service under virtual time and faults; `lead-signals simulate --help` has the rest"
  },
  {},
  () => Effect.void
)

export const commands = group(
  "lead-signals",
  {
    summary: "Leads from social signals: the server, and what is done with it.",
    details: [
      "Commands that call a running server take the operator token from LEAD_SIGNALS_OPERATOR_TOKEN.",
      "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 ended by SIGINT, 143 by SIGTERM; a command's help names its own."
    ],
    examples: [
      ["lead-signals serve --webhook-allow 127.0.0.0/8", "starts it"],
      ["lead-signals brands create Mine --key crm --watch https://network.example/company/rival", ""],
      ["lead-signals listen --brand 2", "prints its events, verified"],
      ["lead-signals import observations.jsonl --brand 2", ""]
    ]
  },
  [
    serveCommand,
    importCommand,
    brandsCommand,
    keysCommand,
    webhooksCommand,
    listenCommand,
    backupCommand,
    checkCommand,
    simulateCommand
  ]
)

/** The simulator has a command line of its own, and is not in the built file. */
const withoutSimulator = (): void => {
  process.stderr.write("The simulator is run from the sources: pnpm simulate.\n")
  process.exitCode = exitCodes.failed
}

export const runCommandLine = (): void => {
  if (process.argv[2] === "simulate") withoutSimulator()
  else run(commands, "0.1.0")
}
