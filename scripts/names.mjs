/**
 * Names and comments in standard words: identifiers without home-made ones, modules that are nouns, comments with a subject that acts. Each
 * finding says what to write instead.
 *
 *   node scripts/names.mjs
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import ts from "typescript"

/** What to write instead of a word of an identifier. */
const instead = {
  asked: "requested",
  deed: "action",
  greatest: "max",
  noted: "recorded or pending",
  remembered: "cached or kept",
  road: "path",
  shown: "rendered, or visible on a page",
  sift: "filter",
  stretch: "range or bucket",
  told: "reported or announced",
  trouble: "problem or fault",
  troubles: "problems or faults",
  untold: "unsent",
  whoever: "the noun"
}

/** Gerunds that are the field's own terms. */
const terms = [
  "Drawing",
  "Folding",
  "Forwarding",
  "Landing",
  "Listing",
  "Mapping",
  "Ordering",
  "Pruning",
  "Reading",
  "Sealing",
  "Sending",
  "Writing"
]

/** Names that are not ours to choose: columns, formats of files, and names of scenarios. */
const given = [
  { path: /^scripts\/names\.mjs$/, names: /./ },
  { path: /^packages\/store-\w+\/src\/schema\//, names: /./ },
  {
    path: /^(?:packages\/store-postgres\/src|test\/store-postgres|test\/bench\/reference)\//,
    names: /^shown$/
  },
  { path: /^simulations\/src\/Scenarios\.ts$/, names: /^clockTrouble$/ },
  {
    path: /^(?:simulations\/src\/(?:Scenario|plan\/PlannedProcesses)|test\/simulations\/\w+\.test)\.ts$/,
    names: /^least$/
  }
]

const isGiven = (path, name) => given.some((each) => each.path.test(path) && each.names.test(name))

const wordsOf = (name) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)

/** Why an identifier is no standard name, and what to write; null where it is one. */
const wrongIdentifier = (name) => {
  if (/^least(?=[A-Z]|$)/.test(name)) return `${name}: write min for least`
  const word = wordsOf(name).find((each) => Object.hasOwn(instead, each))
  return word === undefined ? null : `${name}: write ${instead[word]} for ${word}`
}

/** Why the name of a module is none; null where it is one. */
const wrongModule = (path) => {
  const name = basename(path).replace(/(?:\.test|\.d)?\.\w+$/, "")
  if (!/^[A-Z]\w*ing$/.test(name) || terms.some((term) => name.endsWith(term))) return null
  return `${name}: name what the module has, by a noun, not what goes on in it`
}

/** Why the beginning of a comment is none; null where it is one. */
const wrongComment = (text) => {
  const [, word] = /^\/[/*]+\s*(?:\*\s*)?(Of|Whoever)\b/.exec(text) ?? []
  return word === undefined
    ? null
    : `a comment begins with ${word}: begin with the noun, or with the subject that acts`
}

/** A word of an identifier that `wrongIdentifier` finds, or a part of another word. */
const wordAnywhere = new RegExp(
  `(?:${Object.keys(instead)
    .map((word) => word.replaceAll(/./g, (letter) => `[${letter}${letter.toUpperCase()}]`))
    .join("|")})(?![a-z])|\\bleast(?![a-z0-9_$])`
)

/** A comment that `wrongComment` finds, wherever it stands. */
const commentAnywhere = /\/[/*]+\s*(?:\*\s*)?(?:Of|Whoever)\b/

/** Lines of comments with no code behind them. */
const commentLines = /^[ \t]*(?:\/\/.*|\* .*|\/\*(?:(?!\*\/).)*(?:\*\/)?)[ \t]*$/gm

/** Whether there may be something wrong in the text of a file: nine of ten have none of the words, and need not be parsed. */
const mayBeWrong = (text) =>
  wordAnywhere.test(text.replaceAll(commentLines, "")) || commentAnywhere.test(text)

/** What is wrong in the text of a file, each with its line. */
export const wrongNames = (path, text) => {
  const ofModule = wrongModule(path)
  if (!mayBeWrong(text)) return ofModule === null ? [] : [`${path}:1 ${ofModule}`]
  const kind = path.endsWith("x")
    ? ts.ScriptKind.TSX
    : path.endsWith(".mjs")
      ? ts.ScriptKind.JS
      : ts.ScriptKind.TS
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const found = []
  const add = (at, problem) =>
    problem !== null && found.push(`${path}:${source.getLineAndCharacterOfPosition(at).line + 1} ${problem}`)
  const visit = (node) => {
    const isDeclared = (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && node.parent?.name === node
    if (isDeclared && !ts.isPropertyAccessExpression(node.parent) && !isGiven(path, node.text))
      add(node.getStart(), wrongIdentifier(node.text))
    for (const { pos } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      if (seen.has(pos)) continue
      seen.add(pos)
      add(pos, wrongComment(text.slice(pos, pos + 80)))
    }
    ts.forEachChild(node, visit)
  }
  const seen = new Set()
  add(0, ofModule)
  visit(source)
  return found
}

const main = () => {
  const root = fileURLToPath(new URL("..", import.meta.url))
  const paths = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx", "*.mjs"],
    {
      cwd: root,
      encoding: "utf8"
    }
  )
  const sources = paths
    .trim()
    .split("\n")
    .filter((path) => !path.endsWith("contract.ts"))
  const found = sources.flatMap((path) => wrongNames(path, readFileSync(join(root, path), "utf8")))
  for (const each of found) console.log(each)
  console.log(
    found.length === 0 ? `${sources.length} files have standard names` : `${found.length} names are none`
  )
  return found.length === 0 ? 0 : 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = main()
