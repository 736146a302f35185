/** Commands as a tree: what each is called, is for and takes, over @effect/cli. */
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import type * as Usage from "@effect/cli/Usage"
import type * as NodeContext from "@effect/platform-node/NodeContext"
import { Console, Data, Effect } from "effect"
import { exitCodes } from "./ExitCodes.ts"

/** What a command ends with that can't do what it was asked to; `code` is 1 unless said otherwise. */
export class Failed extends Data.TaggedError("Failed")<{
  readonly message: string
  readonly code?: number
}> {}
/** Wrong usage that only the command itself sees, like two options that don't go together. */
export const usage = (message: string): Failed => new Failed({ message, code: exitCodes.usage })

/** While the library runs, its own words go nowhere; handlers get the real console back. */
export const realConsole = Effect.runSync(Console.consoleWith(Effect.succeed))

export type AnyCommand = Command.Command<string, NodeContext.NodeContext, Failed, any>
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
  /** The exit code when SIGINT or SIGTERM ends it; 130 or 143 unless said otherwise. */
  readonly interrupted?: number
}

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
    // The library's types hold each subcommand's name and options, which a tree of any commands does not have.
    Command.withSubcommands(children.map(({ command }) => command) as unknown as [AnyCommand])
  ) as unknown as AnyCommand
})

/** What a command takes by name, in the usage that @effect/cli tells of it. */
export const namedIn = (usage: Usage.Usage): ReadonlyArray<Usage.Named> => {
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

/** The options of a command and whether each takes a value. */
export const optionsOf = ({ command }: Node): ReadonlyMap<string, boolean> =>
  new Map(
    namedIn(CommandDescriptor.getUsage(command.descriptor)).flatMap(({ acceptedValues, names }) =>
      names
        .filter((name) => name.startsWith("-"))
        .map((name) => [name, acceptedValues._tag === "Some"] as const)
    )
  )
