/** The help of a command: two columns, with examples, coloured where it is wanted; of what @effect/cli knows of it. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Usage from "@effect/cli/Usage"
import { stripVTControlCharacters, styleText } from "node:util"
import { callOf, type Node, type Program } from "./CommandTree.ts"

const config = { ...CliConfig.defaultConfig, showBuiltIns: false }

/** The lines of a document without the library's colours. */
export const plain = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> =>
  stripVTControlCharacters(HelpDoc.toAnsiText(doc))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** Turns `--port integer / A user-defined … / Where to listen / This setting is optional. Defaults to: 4000` into two columns. */
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

/** The rows of a command's help under a title such as `OPTIONS`: what each is called, and what it is for. */
const sectionOf = ({ command }: Node, title: string): Array<readonly [string, string]> => {
  const parts: Array<HelpDoc.HelpDoc> = []
  const split = (doc: HelpDoc.HelpDoc): void => {
    if (doc._tag === "Sequence") [doc.left, doc.right].forEach(split)
    else parts.push(doc)
  }
  split(CommandDescriptor.getHelp(command.descriptor, config))
  const from = parts.findIndex((part) => part._tag === "Header" && plain(part)[0] === title)
  const next = parts.findIndex((part, i) => i > from && part._tag === "Header")
  return from === -1 ? [] : parts.slice(from + 1, next === -1 ? undefined : next).flatMap(rows)
}

/** What each option of a command is for, in the words of its help. */
export const descriptionsOf = (node: Node): ReadonlyMap<string, string> =>
  new Map(
    sectionOf(node, "OPTIONS").flatMap(([names, text]) =>
      names.split(/[ ,]+/).map((name) => [name, text] as const)
    )
  )

/** What an option of a command is for; empty where the help has none. */
export const descriptionOf = (node: Node, option: string): string => descriptionsOf(node).get(option) ?? ""

const table = (of: ReadonlyArray<readonly [string, string]>): Array<string> => {
  const width = Math.max(...of.map(([name]) => name.length))
  return of.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd())
}

const variableRows = (variables: Program["variables"]): Array<string> => {
  const width = Math.max(...variables.map(([, takes]) => takes.length))
  return table(variables.map(([name, takes, otherwise]) => [name, `${takes.padEnd(width)}  ${otherwise}`]))
}

/** The help of the command at the end of `path`; of the program when that is empty. */
export const help = (program: Program, path: ReadonlyArray<Node>, isColoured: boolean): string => {
  const title = (text: string) => ["", isColoured ? styleText("bold", text, { validateStream: false }) : text]
  const { exitCodes, helpExample, root, variables } = program
  const node = path.at(-1)!
  const call = callOf(program, path)
  const examples = node.examples.map(
    ([line, what]) => [line.replace(new RegExp(`^${root.name}(?= )`), callOf(program, [root])), what] as const
  )
  const { descriptor } = node.command
  const spans = Usage.enumerate(CommandDescriptor.getUsage(descriptor), config).map(
    (span) => plain(HelpDoc.p(span))[0]!
  )
  const section = (name: string, of: ReadonlyArray<readonly [string, string]>) =>
    of.length === 0 ? [] : [...title(name), ...table(of)]
  return [
    node.summary,
    ...title("Usage"),
    ...(node.children.length > 0
      ? [`  ${call} <command> [options]`]
      : spans.map((span) => `  ${call}${span.slice(node.name.length)}`)),
    ...(node.details.length === 0 ? [] : ["", ...node.details]),
    ...section(
      "Commands",
      node.children.map(({ name, summary }) => [name, summary])
    ),
    ...(node.children.length > 0
      ? []
      : [
          ...section("Arguments", sectionOf(node, "ARGUMENTS")),
          ...section("Options", sectionOf(node, "OPTIONS"))
        ]),
    ...section("Examples", examples),
    ...(path.length > 1
      ? []
      : section("Everywhere", [
          ["-h, --help, help", `Prints this help, or that of a command: \`${helpExample}\``],
          ["--help --tree", "Prints all commands as a tree"],
          ["--version", "Prints the version"],
          ["--completions SHELL", "Prints a completion script for bash, zsh or fish"]
        ])),
    ...(path.length > 1 || variables.length === 0
      ? []
      : [...title("Environment variables; an empty one has its default"), ...variableRows(variables)]),
    ...(path.length > 1 && node.children.length > 0
      ? []
      : section(
          "Exit codes",
          exitCodes.map(([code, meaning]) => [String(code), meaning])
        )),
    ""
  ].join("\n")
}

/** All commands below the root, each under its group, with what it is for. [CLI-15] */
export const helpTree = ({ root }: Pick<Program, "root">): string => {
  const rows = (node: Node, depth: number): ReadonlyArray<readonly [string, string]> => [
    [`${"  ".repeat(depth)}${node.name}`, node.summary],
    ...node.children.flatMap((child) => rows(child, depth + 1))
  ]
  const all = rows(root, 0)
  const width = Math.max(...all.map(([name]) => name.length))
  return all.map(([name, summary]) => `${name.padEnd(width)}  ${summary}\n`).join("")
}
