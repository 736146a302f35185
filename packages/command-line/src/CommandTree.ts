/** Commands as a tree: what each is called, is for and takes, over @effect/cli. */
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import type * as Usage from "@effect/cli/Usage"
import type * as NodeContext from "@effect/platform-node/NodeContext"
import { Console, Data, Effect } from "effect"
import { exitCodes } from "./ExitCodes.ts"

/** The failure that a command ends with. `code` is the exit code, 1 by default. */
export class Failed extends Data.TaggedError("Failed")<{
  readonly message: string
  readonly code?: number
}> {}
/** Wrong usage that only the handler can detect, such as two options that exclude each other. */
export const usage = (message: string): Failed => new Failed({ message, code: exitCodes.usage })

/** The console for handlers: the library's own output is muted while it runs. */
export const realConsole = Effect.runSync(Console.consoleWith(Effect.succeed))

/** A command of `@effect/cli` whatever its options are. */
export type AnyCommand = Command.Command<string, NodeContext.NodeContext, Failed, any>

/** A command with its name, its help and the commands below it. */
export interface Node {
  readonly name: string
  readonly summary: string
  readonly command: AnyCommand
  readonly details: ReadonlyArray<string>
  readonly examples: ReadonlyArray<readonly [line: string, what: string]>
  readonly children: ReadonlyArray<Node>
  readonly interrupted: number | null
}

/** A command line: its commands, and what the help says beside them. */
export interface Program {
  readonly root: Node
  /** The words that run it, for help and messages; the root's name by default. */
  readonly calledAs?: string
  /** What a word that names no command was to name; a command by default. */
  readonly commandNoun?: string
  readonly version: string
  readonly exitCodes: ReadonlyArray<readonly [code: number, meaning: string]>
  /** Environment variables. */
  readonly variables: ReadonlyArray<readonly [name: string, takes: string, otherwise: string]>
  /** A line of the help of all commands, as an example of `help`. */
  readonly helpExample: string
}

interface About {
  readonly summary: string
  readonly details?: ReadonlyArray<string>
  readonly examples?: ReadonlyArray<readonly [line: string, what: string]>
  /** The exit code when SIGINT or SIGTERM ends the command; 130 or 143 by default. */
  readonly interrupted?: number
}

/** A command that does something. */
export const leaf = <const Config extends Command.Command.Config>(
  name: string,
  { details = [], examples = [], interrupted, summary }: About,
  config: Config,
  handler: (
    given: Command.Command.ParseConfig<Config>
  ) => Effect.Effect<void, Failed, NodeContext.NodeContext>
): Node => ({
  name,
  summary,
  details,
  examples,
  children: [],
  interrupted: interrupted ?? null,
  command: Command.make(name, config, ((given: never) =>
    Effect.withConsole(handler(given), realConsole)) as never).pipe(
    Command.withDescription(summary)
  ) as AnyCommand
})

/** A command that only has others below it. */
export const group = (
  name: string,
  { details = [], examples = [], summary }: About,
  children: readonly [Node, ...Array<Node>]
): Node => ({
  name,
  summary,
  details,
  examples,
  children,
  interrupted: null,
  command: Command.make(name).pipe(
    Command.withDescription(summary),
    // The library's types list the subcommands' names and options, which a tree of arbitrary commands can't state.
    Command.withSubcommands(children.map(({ command }) => command) as unknown as [AnyCommand])
  ) as unknown as AnyCommand
})

/** The words that run the last command of the path. */
export const callOf = (
  { calledAs, root }: Pick<Program, "calledAs" | "root">,
  path: ReadonlyArray<Node>
): string => [calledAs ?? root.name, ...path.slice(1).map(({ name }) => name)].join(" ")

/** The named arguments in a command's usage. */
const namedIn = (usage: Usage.Usage): ReadonlyArray<Usage.Named> => {
  switch (usage._tag) {
    case "Named":
      return [usage]
    case "Optional":
    case "Repeated":
      return namedIn(usage.usage)
    case "Alternation":
    case "Concat":
      return [...namedIn(usage.left), ...namedIn(usage.right)]
    default:
      return []
  }
}

/** The options that a command can't do without, by all names of each. */
export const requiredOptionsOf = ({ command }: Node): ReadonlyArray<ReadonlyArray<string>> => {
  const named = (usage: Usage.Usage): ReadonlyArray<Usage.Named> => {
    if (usage._tag === "Named") return [usage]
    return usage._tag === "Concat" ? [...named(usage.left), ...named(usage.right)] : []
  }
  return named(CommandDescriptor.getUsage(command.descriptor))
    .map(({ names }) => names)
    .filter((names) => names[0]?.startsWith("-"))
}

/** The options of a command that take a value, each with the library's description of the value: choices with ` | ` between them, or a kind. */
export const valuesOf = ({ command }: Node): ReadonlyArray<readonly [option: string, value: string]> =>
  namedIn(CommandDescriptor.getUsage(command.descriptor)).flatMap(({ acceptedValues, names }) =>
    acceptedValues._tag === "None"
      ? []
      : names.filter((name) => name.startsWith("-")).map((name) => [name, acceptedValues.value] as const)
  )

/** The options of a command, and whether each takes a value. */
export const optionsOf = ({ command }: Node): ReadonlyMap<string, boolean> =>
  new Map(
    namedIn(CommandDescriptor.getUsage(command.descriptor)).flatMap(({ acceptedValues, names }) =>
      names
        .filter((name) => name.startsWith("-"))
        .map((name) => [name, acceptedValues._tag === "Some"] as const)
    )
  )
