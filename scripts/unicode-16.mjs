/**
 * `npm run unicode-table`: makes the domain's table of the characters of Unicode 16, from the runtime's data. Node 22.14 has that
 * version; another Node runs this again under that one. The table never changes: a folding by a later version of Unicode needs
 * a migration of what is folded.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { format } from "oxfmt"
import { pinnedNode, runUnder } from "./pinnedNode.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

const style = JSON.parse(readFileSync(new URL("../.oxfmtrc.json", import.meta.url), "utf8"))

const file = fileURLToPath(new URL("../packages/domain/src/text/Unicode16Table.ts", import.meta.url))

/** The version of Unicode of the table, as `process.versions` has it. */
export const unicodeVersion = "16.0"

/** The code points at which the class begins and ends in turn, each as its distance from the one before, in base 36. */
const bounds = (characterClass) => {
  const found = []
  let last = 0
  let isWithin = false
  for (let code = 0; code <= 0x10ffff; code++) {
    if (characterClass.test(String.fromCodePoint(code)) === isWithin) continue
    isWithin = !isWithin
    found.push((code - last).toString(36))
    last = code
  }
  return found.join(" ")
}

/** The source of the table, as it is to be committed. The runtime must have `unicodeVersion`. */
export const unicode16Source = async () => {
  const source = `/** Characters of Unicode 16, made by \`npm run unicode-table\`: not to be edited. */

/**
 * Code points that are not assigned (\`\\p{Cn}\`): where such a range begins and ends in turn, each as the distance from the one
 * before, in base 36.
 */
export const unassignedBounds = "${bounds(/\p{Cn}/u)}"

/** Combining marks (\`\\p{M}\`), in the same form. */
export const markBounds = "${bounds(/\p{M}/u)}"
`
  const { code, errors } = await format(file, source, style)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"))
  return code
}

/** Node 22.14, in which the script runs itself where the running Node has another version of Unicode. */
const nodeOfTable = async () => {
  const node = await pinnedNode(root, "22")
  if (node.version === process.versions.node) {
    throw new Error(`Node ${node.version} has Unicode ${process.versions.unicode}, not ${unicodeVersion}.`)
  }
  return node
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.versions.unicode === unicodeVersion) writeFileSync(file, await unicode16Source())
  else process.exitCode = await runUnder(await nodeOfTable(), [fileURLToPath(import.meta.url)])
}
