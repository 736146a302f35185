/**
 * Writes completion scripts for zsh and fish: commands and options with what each is for, and the values of options that have some. Those of
 * @effect/cli 0.77.2 complete no subcommand of a subcommand.
 */
import { type CompletedPlace, completedPlaces } from "./BashCompletions.ts"
import { descriptionsOf } from "./CommandHelp.ts"
import type { Node } from "./CommandTree.ts"

const identifierOf = ({ name }: Node): string => `_${name.replace(/[^a-z0-9]/gi, "_")}`

/** The text in single quotes, as one word of POSIX shells and zsh, which take a quote within it as `'\''`. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** What completes at a place, each with what it is for: commands below, or options. */
const wordsOf = ({ node, words }: CompletedPlace): ReadonlyArray<readonly [word: string, about: string]> => {
  const descriptions = descriptionsOf(node)
  return words.map((word) => {
    const child = node.children.find(({ name }) => name === word)
    if (child !== undefined) return [word, child.summary] as const
    if (word === "--help") return [word, "Explains the command"] as const
    if (word === "--version") return [word, "Prints the version"] as const
    return [word, descriptions.get(word) ?? ""] as const
  })
}

const choicesIn = (of: string): ReadonlyArray<string> => (of.includes(" | ") ? of.split(" | ") : [])

/** A script for zsh, as the file `_NAME` of a folder in `fpath`, or to be sourced after `compinit`. */
export const zshCompletions = (root: Node): string => {
  const places = completedPlaces(root)
  const name = identifierOf(root)
  const described = (pairs: ReadonlyArray<readonly [string, string]>): string =>
    pairs.map(([word, about]) => shellQuoted(`${word.replaceAll(":", "\\:")}:${about}`)).join(" ")
  return [
    `#compdef ${root.name}`,
    `${name}() {`,
    '  local at="" word previous="${words[CURRENT - 1]}"',
    "  local -a found",
    '  for word in "${(@)words[2,CURRENT - 1]}"; do',
    `    case "$at/$word" in ${places
      .slice(1)
      .map(({ at }) => at)
      .join("|")}) at="$at/$word" ;; esac`,
    "  done",
    '  case "$at:$previous" in',
    ...places.flatMap(({ at, values }) =>
      values.map(([option, of]) => {
        const choices = choicesIn(of)
        return `    ${at}:${option}) ${choices.length === 0 ? "_files" : `compadd -- ${choices.map(shellQuoted).join(" ")}`}; return ;;`
      })
    ),
    "  esac",
    '  case "$at" in',
    ...places.map((place) => `    "${place.at}") found=(${described(wordsOf(place))}) ;;`),
    "  esac",
    `  _describe -o ${shellQuoted(root.name)} found || _files`,
    "}",
    `if [ "$funcstack[1]" = "_${root.name}" ]; then ${name} "$@"; else compdef ${name} ${root.name}; fi`,
    ""
  ].join("\n")
}

/** Fish takes a quote within quotes by a backslash. */
const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

/** A script for fish, as the file `NAME.fish` of a folder of its completions. */
export const fishCompletions = (root: Node): string => {
  const places = completedPlaces(root)
  const name = `_${identifierOf(root)}_at`
  const line = (at: string, rest: string): string =>
    `complete -c ${root.name} -n ${fishQuoted(`${name} '${at}'`)} ${rest}`
  return [
    `function ${name}`,
    "  set -l at ''",
    "  for word in (commandline -opc)[2..-1]",
    "    switch $at/$word",
    `      case ${places
      .slice(1)
      .map(({ at }) => fishQuoted(at))
      .join(" ")}`,
    "        set at $at/$word",
    "    end",
    "  end",
    '  test "$at" = "$argv[1]"',
    "end",
    ...places.flatMap((place) =>
      wordsOf(place).map(([word, about]) => {
        const description = about === "" ? "" : ` -d ${fishQuoted(about)}`
        if (!word.startsWith("-")) return line(place.at, `-f -a ${fishQuoted(word)}${description}`)
        const value = place.values.find(([option]) => option === word)?.[1]
        const choices = value === undefined ? [] : choicesIn(value)
        const takes =
          value === undefined ? "" : choices.length === 0 ? " -r" : ` -x -a ${fishQuoted(choices.join(" "))}`
        const option = word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`
        return line(place.at, `${option}${takes}${description}`)
      })
    ),
    ""
  ].join("\n")
}
