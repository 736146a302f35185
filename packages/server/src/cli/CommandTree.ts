/** One command with subcommands: short help, one line for an error, exit codes; over @effect/cli. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Usage from "@effect/cli/Usage"
import * as UsageOf from "@effect/cli/Usage"
import * as Span from "@effect/cli/HelpDoc/Span"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Data, Effect, Layer, Logger } from "effect"
import { stripVTControlCharacters, styleText } from "node:util"

/** What a command ends with that can't do what it was asked to; `code` is 1 unless said otherwise. */
export class Failed extends Data.TaggedError("Failed")<{
  readonly message: string
  readonly code?: number
}> {}
/** Wrong usage that only the command itself sees, like two options that don't go together. */
export const usage = (message: string): Failed => new Failed({ message, code: exitCodes.usage })
export const exitCodes = { done: 0, failed: 1, usage: 2 }

const realConsole = Effect.runSync(Console.consoleWith(Effect.succeed))

type AnyCommand = Command.Command<string, NodeContext.NodeContext, Failed, any>
export interface Node {
  readonly name: string
  readonly summary: string
  readonly command: AnyCommand
  readonly details: ReadonlyArray<string>
  readonly examples: ReadonlyArray<readonly [line: string, what: string]>
  readonly children: ReadonlyArray<Node>
}
interface About {
  readonly summary: string
  readonly details?: ReadonlyArray<string>
  readonly examples?: ReadonlyArray<readonly [line: string, what: string]>
}

export const leaf = <const Config extends Command.Command.Config>(
  name: string,
  { details = [], examples = [], summary }: About,
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
  command: Command.make(name).pipe(
    Command.withDescription(summary),
    Command.withSubcommands(children.map(({ command }) => command) as unknown as [AnyCommand])
  ) as unknown as AnyCommand
})

/** The options of a command and whether each takes a value. */
const optionsOf = (usage: Usage.Usage, into = new Map<string, boolean>()): Map<string, boolean> => {
  switch (usage._tag) {
    case "Named":
      for (const name of usage.names)
        if (name.startsWith("-")) into.set(name, usage.acceptedValues._tag === "Some")
      return into
    case "Optional":
    case "Repeated":
      return optionsOf(usage.usage, into)
    case "Alternation":
    case "Concat":
      optionsOf(usage.left, into)
      return optionsOf(usage.right, into)
    default:
      return into
  }
}
const builtIns = new Map([
  ["--help", false],
  ["-h", false],
  ["--version", false],
  ["--wizard", false],
  ["--completions", true],
  ["--log-level", true]
])

const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
const meant = (given: string, names: Iterable<string>): string => {
  const near = [...names]
    .filter((name) => distance(given, name) <= 2)
    .sort((a, b) => distance(given, a) - distance(given, b))[0]
  return near === undefined ? "" : ` Did you mean ${near}?`
}

/** The command that the words name, and what is wrong with its options as far as @effect/cli doesn't say so. */
const find = (
  root: Node,
  words: ReadonlyArray<string>
): { readonly path: ReadonlyArray<Node>; readonly wrong: string | null; readonly isHelp: boolean } => {
  const path = [root]
  const ends = words.indexOf("--") === -1 ? words.length : words.indexOf("--")
  const isHelp = words.slice(0, ends).some((word) => word === "--help" || word === "-h")
  let at = 0
  for (let node = root; node.children.length > 0 && at < ends && !words[at]!.startsWith("-"); at++) {
    const child = node.children.find(({ name }) => name === words[at])
    const names = node.children.map(({ name }) => name)
    if (child === undefined)
      return { path, isHelp, wrong: `There is no command ${words[at]}.${meant(words[at]!, names)}` }
    path.push((node = child))
  }
  const last = path.at(-1)!
  const options = new Map([...optionsOf(CommandDescriptor.getUsage(last.command.descriptor)), ...builtIns])
  for (; at < ends; at++) {
    const word = words[at]!
    if (!/^-[^0-9]/.test(word)) continue
    const name = word.replace(/=.*$/s, "")
    const takesValue = options.get(name)
    if (takesValue === undefined)
      return { path, isHelp, wrong: `There is no option ${name}.${meant(name, options.keys())}` }
    if (takesValue && name === word && ++at >= ends) return { path, isHelp, wrong: `${name} takes a value.` }
  }
  return { path, isHelp, wrong: null }
}

const plain = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> =>
  stripVTControlCharacters(HelpDoc.toAnsiText(doc))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** Of `--port integer / A user-defined … / Where to listen / This setting is optional. Defaults to: 4000` two columns. */
const rows = (doc: HelpDoc.HelpDoc): Array<readonly [string, string]> => {
  if (doc._tag === "Sequence") return [...rows(doc.left), ...rows(doc.right)]
  if (doc._tag !== "DescriptionList") return []
  return doc.definitions.map(([name, about]) => {
    const [, ...lines] = plain(about)
    const text = lines.map((line) => line.replace(/^This setting is optional\..*$/, ""))
    return [
      plain(HelpDoc.p(name))[0]!.replace(/^\((.*)\)$/, "$1"),
      text.filter((line) => line !== "").join(" ")
    ] as const
  })
}
const table = (of: ReadonlyArray<readonly [string, string]>): Array<string> => {
  const width = Math.max(...of.map(([name]) => name.length))
  return of.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd())
}

export const help = (path: ReadonlyArray<Node>, isColoured: boolean): string => {
  const title = (text: string) => ["", isColoured ? styleText("bold", text) : text]
  const node = path.at(-1)!
  const names = path.map(({ name }) => name).join(" ")
  const { descriptor } = node.command
  const config = { ...CliConfig.defaultConfig, showBuiltIns: false }
  const spans = UsageOf.enumerate(CommandDescriptor.getUsage(descriptor), config).map(
    (span: Span.Span) => plain(HelpDoc.p(span))[0]!
  )
  const parts: Array<HelpDoc.HelpDoc> = []
  const split = (doc: HelpDoc.HelpDoc): void => {
    if (doc._tag === "Sequence") [doc.left, doc.right].forEach(split)
    else parts.push(doc)
  }
  split(CommandDescriptor.getHelp(descriptor, config))
  const sectionOf = (name: string): Array<readonly [string, string]> => {
    const from = parts.findIndex((part) => part._tag === "Header" && plain(part)[0] === name)
    const next = parts.findIndex((part, i) => i > from && part._tag === "Header")
    return from === -1 ? [] : parts.slice(from + 1, next === -1 ? undefined : next).flatMap(rows)
  }
  const section = (name: string, of: ReadonlyArray<readonly [string, string]>) =>
    of.length === 0 ? [] : [...title(name), ...table(of)]
  return [
    node.summary,
    ...title("Usage"),
    ...(node.children.length > 0
      ? [`  ${names} <command> [options]`]
      : spans.map((span) => `  ${names}${span.slice(node.name.length)}`)),
    ...(node.details.length === 0 ? [] : ["", ...node.details]),
    ...section(
      "Commands",
      node.children.map(({ name, summary }) => [name, summary])
    ),
    ...(node.children.length > 0
      ? []
      : [...section("Arguments", sectionOf("ARGUMENTS")), ...section("Options", sectionOf("OPTIONS"))]),
    ...section("Examples", node.examples),
    ...(path.length > 1
      ? []
      : section("Everywhere", [
          ["-h, --help", "This, of a command"],
          ["--version", "Its version"],
          ["--completions SHELL", "A script for bash, zsh or fish"]
        ])),
    ""
  ].join("\n")
}

/** @effect/cli 0.77.2 writes a script for bash that knows no subcommand of a name with a hyphen, nor one of a subcommand. */
export const bashCompletions = (root: Node): string => {
  const places: Array<{
    readonly at: string
    readonly words: ReadonlyArray<string>
    readonly values: ReadonlyArray<readonly [string, string]>
  }> = []
  const choices = (usage: Usage.Usage): Array<readonly [string, string]> =>
    usage._tag === "Named"
      ? usage.acceptedValues._tag === "Some"
        ? usage.names.map((name) => [name, (usage.acceptedValues as { value: string }).value] as const)
        : []
      : usage._tag === "Optional" || usage._tag === "Repeated"
        ? choices(usage.usage)
        : usage._tag === "Concat" || usage._tag === "Alternation"
          ? [...choices(usage.left), ...choices(usage.right)]
          : []
  const walk = (node: Node, at: string): void => {
    const usage = CommandDescriptor.getUsage(node.command.descriptor)
    const own =
      node.children.length > 0 ? node.children.map(({ name }) => name) : [...optionsOf(usage).keys()]
    places.push({
      at,
      words: [...own, "--help", ...(at === "" ? ["--version"] : [])],
      values: choices(usage).filter(([name]) => name.startsWith("-"))
    })
    for (const child of node.children) walk(child, `${at}/${child.name}`)
  }
  walk(root, "")
  const name = `_${root.name.replace(/[^a-z0-9]/gi, "_")}`
  return [
    `${name}() {`,
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" at="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    `    case "$at/$word" in ${places
      .slice(1)
      .map(({ at }) => at)
      .join("|")}) at="$at/$word" ;; esac`,
    "  done",
    '  case "$at:$prev" in',
    ...places.flatMap(({ at, values }) =>
      values.map(
        ([option, of]) =>
          `    ${at}:${option}) COMPREPLY=(${of.includes(" | ") ? `$(compgen -W "${of.replaceAll(" | ", " ")}" -- "$cur")` : ""}); return ;;`
      )
    ),
    "  esac",
    '  case "$at" in',
    ...places.map(
      ({ at, words }) => `    "${at}") COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur")) ;;`
    ),
    "  esac",
    "}",
    `complete -o default -F ${name} ${root.name}`,
    ""
  ].join("\n")
}

const isColoured = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && process.env["NO_COLOR"] === undefined

export const run = (root: Node, version: string, argv: ReadonlyArray<string> = process.argv): void => {
  const words = argv.slice(2)
  const { isHelp, path, wrong } = find(root, words)
  const names = path.map(({ name }) => name).join(" ")
  const stop = (message: string, code: number) =>
    Effect.sync(() => {
      process.stderr.write(`${message}\n`)
      process.exitCode = code
    })
  const misused = (message: string) =>
    stop(`${message} ${names} --help tells what there is.`, exitCodes.usage)
  if (isHelp) return void process.stdout.write(help(path, isColoured(process.stdout)))
  if (words.includes("--version")) return void process.stdout.write(`${version}\n`)
  if (words[0] === "--completions" && words[1] === "bash")
    return void process.stdout.write(bashCompletions(root))
  if (words[0] === "--completions" && !["zsh", "fish"].includes(words[1] ?? ""))
    return Effect.runSync(misused("--completions takes bash, zsh or fish."))
  if (wrong !== null) return Effect.runSync(misused(wrong))
  if (path.at(-1)!.children.length > 0 && !words.includes("--completions")) {
    process.stderr.write(help(path, isColoured(process.stderr)))
    process.exitCode = exitCodes.usage
    return
  }
  // It reads a terminal; without one it would wait for ever.
  if (words.includes("--wizard") && process.stdin.isTTY !== true)
    return Effect.runSync(misused("--wizard takes a terminal."))
  Command.run(root.command as Command.Command<string, NodeContext.NodeContext, Failed, unknown>, {
    name: root.name,
    version,
    executable: root.name
  })([...argv]).pipe(
    // The library prints what it says of wrong usage in paragraphs; it is said below in one line. Handlers get the real one back.
    Effect.withConsole({ ...realConsole, error: () => Effect.void }),
    Effect.catchAllCause((cause) => {
      const failure = Cause.failureOption(cause)
      if (failure._tag === "None") {
        return Cause.isInterruptedOnly(cause)
          ? Effect.failCause(cause as Cause.Cause<never>)
          : stop(`This is a bug: ${Cause.pretty(cause)}`, exitCodes.failed)
      }
      const error = failure.value
      if (ValidationError.isValidationError(error))
        return misused(plain(error.error).join(" ").replace(/\.?$/, "."))
      return stop(error.message, error.code ?? exitCodes.failed)
    }),
    Effect.provide(
      Layer.mergeAll(
        NodeContext.layer,
        CliConfig.layer({ isCaseSensitive: true, finalCheckBuiltIn: true }),
        // Logs of a command are no output of it.
        Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))
      )
    ),
    NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
  )
}
