/** `lead-signals COMMAND`: all commands, and what each is for. */
import { group, leaf, type Node, type Program, run } from "@lead-signals/command-line"
import { Effect } from "effect"
import { clientVariables, variables } from "../Variables.ts"
import { brandsCommand, keysCommand } from "./BrandCommands.ts"
import { completionsCommand } from "./CompletionsCommand.ts"
import { copyCommand } from "./CopyCommand.ts"
import { encryptionKeyCommand, rekeyCommand } from "./EncryptionCommands.ts"
import { exitCodes, exitCodeTable } from "./ExitCodes.ts"
import { backupCommand, checkCommand } from "./FileCommands.ts"
import { eventsCommand } from "./EventsCommand.ts"
import { importCommand } from "./ImportCommand.ts"
import { leadsCommand } from "./LeadCommands.ts"
import { metricsCommand } from "./MetricsCommand.ts"
import { auditCommand, operatorsCommand } from "./OperatorsCommands.ts"
import { listenCommand } from "./ListenCommand.ts"
import { mcpCommand } from "./McpCommand.ts"
import { pruneCommand } from "./PruneCommand.ts"
import { restoreCommand } from "./RestoreCommand.ts"
import { serveCommand } from "./ServeCommand.ts"
import { attentionCommand, seriesCommand } from "./SeriesCommands.ts"
import { campaignsCommand, signalsCommand } from "./SignalCommands.ts"
import { triggerCommand } from "./TriggerCommand.ts"
import { webhooksCommand } from "./WebhookCommands.ts"

/** The help lists it; its commands are a program of their own. */
const simulateCommand = leaf(
  "simulate",
  {
    summary:
      "Runs the whole service under virtual time and faults, in a clone only; has exit codes of its own"
  },
  {},
  () => Effect.void
)

const commands: Node = group(
  "lead-signals",
  {
    summary: "Leads from social signals: runs the server, and calls it as its operator.",
    details: [
      "Without a command it runs the server, as `serve` does. Commands that call a running server take its URL from LEAD_SIGNALS_URL and the",
      "operator token from LEAD_SIGNALS_OPERATOR_TOKEN."
    ],
    examples: [
      ["lead-signals serve --webhook-allow 127.0.0.0/8", "starts the server"],
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
    operatorsCommand,
    auditCommand,
    leadsCommand,
    signalsCommand,
    campaignsCommand,
    seriesCommand,
    attentionCommand,
    eventsCommand,
    metricsCommand,
    webhooksCommand,
    triggerCommand,
    listenCommand,
    mcpCommand,
    backupCommand,
    restoreCommand,
    checkCommand,
    copyCommand,
    pruneCommand,
    encryptionKeyCommand,
    rekeyCommand,
    completionsCommand(() => commands),
    simulateCommand
  ]
)

/** What `run` needs of the command line. `version` is that of the packages; `npm run release` writes it. */
export const program: Program = {
  root: commands,
  version: "0.2.0",
  exitCodes: exitCodeTable,
  variables: [...variables, ...clientVariables].map(({ name, otherwise, takes }) => [name, takes, otherwise]),
  helpExample: "help keys create"
}

/** The simulator has a command line of its own, and is not in the built file. */
const withoutSimulator = (): void => {
  process.stderr.write("The built file has no simulator; run ./lead-signals simulate in a clone.\n")
  process.exitCode = exitCodes.failed
}

/** Runs the command of `process.argv`, and sets the exit code. `simulate` runs only from a clone: the built file says so and fails. */
export const runCommandLine = (): void => {
  if (process.argv[2] === "simulate") withoutSimulator()
  else run(program)
}
