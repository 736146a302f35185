/**
 * Writes a completion script for bash. The one of @effect/cli 0.77.2 completes no subcommand with a hyphen in its name, and
 * no subcommand of a subcommand.
 */
import { type Node, optionsOf, valuesOf } from "./CommandTree.ts"

/** A place in the tree of commands, and what completes there. */
export interface CompletedPlace {
  /** The command. */
  readonly node: Node
  /** The names on the way to it, each after a slash; empty at the root. */
  readonly at: string
  /** Commands below, or options; and `--help`. */
  readonly words: ReadonlyArray<string>
  /** Options that take a value, each with the library's description of the value: choices with ` | ` between them, or a kind. */
  readonly values: ReadonlyArray<readonly [option: string, value: string]>
}

/** Every command with what completes after it, the root first. */
export const completedPlaces = (root: Node): ReadonlyArray<CompletedPlace> => {
  const places: Array<CompletedPlace> = []
  const walk = (node: Node, at: string): void => {
    const own = node.children.length > 0 ? node.children.map(({ name }) => name) : [...optionsOf(node).keys()]
    places.push({
      node,
      at,
      words: [...own, "--help", ...(at === "" ? ["--version"] : [])],
      values: valuesOf(node)
    })
    for (const child of node.children) walk(child, `${at}/${child.name}`)
  }
  walk(root, "")
  return places
}

/** A script for bash. */
export const bashCompletions = (root: Node): string => {
  const places = completedPlaces(root)
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
