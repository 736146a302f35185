/** Which command the words name, and what is wrong with them that @effect/cli takes without a word. */
import { similarName } from "@lead-signals/suggestions"
import { descriptionOf } from "./CommandHelp.ts"
import { type Node, optionsOf, requiredOptionsOf, valuesOf } from "./CommandTree.ts"

const builtIns = new Map([
  ["--help", false],
  ["-h", false],
  ["--version", false],
  ["--wizard", false],
  ["--completions", true],
  ["--log-level", true]
])

/** ` Did you mean NAME?` of the name that is nearest to the given one, with a space before; empty where none is near. */
export const meant = (given: string, names: Iterable<string>): string => {
  const near = similarName(given, names)
  return near === undefined ? "" : ` Did you mean ${near}?`
}

/** A sentence for each required option that was not given; null when none is missing. */
const missingOptions = (node: Node, given: ReadonlySet<string>): string | null => {
  const sentences = requiredOptionsOf(node)
    .filter((names) => !names.some((name) => given.has(name)))
    .map(([name]) => {
      const description = descriptionOf(node, name!)
      return description === "" ? `${name} is required.` : `${name} is required: ${lowerFirst(description)}.`
    })
  return sentences.length === 0 ? null : sentences.join(" ")
}

/**
 * What is wrong with the value of an option, by the library's description of what it takes; null where nothing is that can be said here. The
 * library says it without the option's name.
 */
const wrongValue = (node: Node, name: string, takes: string | undefined, given: string): string | null => {
  const described = (kind: string): string => {
    const description = descriptionOf(node, name)
    return `${name} takes ${kind}${description === "" ? "" : `: ${lowerFirst(description)}`}.`
  }
  if (takes?.includes(" | ") === true) {
    const choices = takes.split(" | ")
    return choices.includes(given)
      ? null
      : `${name} takes ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}.${meant(given, choices)}`
  }
  const isNumber = given.trim() !== "" && !Number.isNaN(Number(given))
  if (takes === "integer" && !(isNumber && Number.isInteger(Number(given)))) return described("an integer")
  return takes === "float" && !isNumber ? described("a number") : null
}

/** The sentence for a wrong argument of `words`, in place of the library's, which says neither what to type nor which name is near. [CLI-2] */
export const argumentMistake = (sentence: string, words: ReadonlyArray<string>): string => {
  const choices = /^Expected one of the following cases: (.*)\.$/.exec(sentence)?.[1]?.split(", ")
  if (choices !== undefined) {
    const near = words.map((word) => meant(word, choices)).find((offer) => offer !== "")
    return `The argument takes ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}.${near ?? ""}`
  }
  return sentence
    .replace(
      /^Received unknown argument: '(.*)'\.$/,
      "The argument $1 is one too many; a text with spaces takes quotes around it."
    )
    .replace(/^Path '(.*)' must exist\.$/, "There is no file $1.")
    .replace(/^Expected path '(.*)' to be a regular file\.$/, "$1 is not a file.")
}

/** An abbreviation, such as URL, stays as it is. */
const lowerFirst = (text: string): string => text.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())

/**
 * The command that the words name, and what is wrong with its options as far as @effect/cli doesn't say so. `help` before a
 * command, or instead of one, is `--help` after it.
 */
export const find = (
  root: Node,
  words: ReadonlyArray<string>,
  commandNoun = "command"
): { readonly path: ReadonlyArray<Node>; readonly wrong: string | null; readonly isHelp: boolean } => {
  const path = [root]
  const ends = words.indexOf("--") === -1 ? words.length : words.indexOf("--")
  const isHelp = words.slice(0, ends).some((word) => word === "--help" || word === "-h")
  let at = 0
  let isHelpWord = false
  for (let node = root; node.children.length > 0 && at < ends && !words[at]!.startsWith("-"); at++) {
    if (words[at] === "help") {
      isHelpWord = true
      continue
    }
    const child = node.children.find(({ name }) => name === words[at])
    const names = node.children.map(({ name }) => name)
    if (child === undefined)
      return { path, isHelp, wrong: `There is no ${commandNoun} ${words[at]}.${meant(words[at]!, names)}` }
    path.push((node = child))
  }
  if (isHelpWord) return { path, isHelp: true, wrong: null }
  const last = path.at(-1)!
  const options = new Map([...optionsOf(last), ...builtIns])
  const values = new Map(valuesOf(last))
  const given = new Set<string>()
  for (; at < ends; at++) {
    const word = words[at]!
    if (!/^-./.test(word)) continue
    const name = word.replace(/=.*$/s, "")
    given.add(name)
    const takesValue = options.get(name)
    if (takesValue === undefined)
      return { path, isHelp, wrong: `There is no option ${name}.${meant(name, options.keys())}` }
    if (!takesValue) continue
    if (name === word && ++at >= ends) return { path, isHelp, wrong: `${name} takes a value.` }
    const value = name === word ? words[at]! : word.slice(name.length + 1)
    const wrong = wrongValue(last, name, values.get(name), value)
    if (wrong !== null) return { path, isHelp, wrong }
  }
  // The wizard asks for them.
  return { path, isHelp, wrong: given.has("--wizard") ? null : missingOptions(last, given) }
}
