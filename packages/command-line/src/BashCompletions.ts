/**
 * Writes a completion script for bash. The one of @effect/cli 0.77.2 completes no subcommand with a hyphen in its name, and
 * no subcommand of a subcommand.
 */
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import { namedIn, type Node, optionsOf } from "./CommandTree.ts"

/** The options of a command that take a value, each with the library's description of the value. */
const choicesOf = ({ command }: Node): ReadonlyArray<readonly [string, string]> =>
  namedIn(CommandDescriptor.getUsage(command.descriptor)).flatMap(({ acceptedValues, names }) =>
    acceptedValues._tag === "None"
      ? []
      : names.filter((name) => name.startsWith("-")).map((name) => [name, acceptedValues.value] as const)
  )

export const bashCompletions = (root: Node): string => {
  const places: Array<{
    readonly at: string
    readonly words: ReadonlyArray<string>
    readonly values: ReadonlyArray<readonly [string, string]>
  }> = []
  const walk = (node: Node, at: string): void => {
    const own = node.children.length > 0 ? node.children.map(({ name }) => name) : [...optionsOf(node).keys()]
    places.push({
      at,
      words: [...own, "--help", ...(at === "" ? ["--version"] : [])],
      values: choicesOf(node)
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
