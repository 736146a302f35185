/** The count of docstrings finds what it is there to find, in a made-up repository of one package. */
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const program = fileURLToPath(new URL("../../scripts/docstrings.mjs", import.meta.url))
const parent = temporaryFolder()
let made = 0

/** Counts over a published package of these modules, one of which is `index.ts`. */
const count = (
  modules: Readonly<Record<string, string>>
): Promise<{ readonly code: number; readonly lines: ReadonlyArray<string> }> => {
  const root = join(parent, String(++made))
  const folder = join(root, "packages", "made")
  mkdirSync(join(folder, "src"), { recursive: true })
  const exports = { ".": "./src/index.ts", "./internal": "./src/internal.ts" }
  const publishConfig = { exports: { ".": "./dist/index.js" } }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "@made/up", exports, publishConfig }))
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, "src", name), text)
  return new Promise((resolve) => {
    execFile(process.execPath, [program, root], (failure, stdout) => {
      const lines = stdout.trim().split("\n")
      resolve({ code: failure === null ? 0 : Number(failure.code), lines })
    })
  })
}

const header = "/** What is made up for a test. */\n\n"

it.runIf(isThorough)("passes a package whose public names and members all have a docstring", async () => {
  const counted = await count({
    "index.ts": `${header}export * as Sizes from "./Sizes.ts"\nexport { twice as again } from "./Sizes.ts"\n`,
    "Sizes.ts": `${header}/** Doubles a number. */\nexport const twice = (n: number): number => 2 * n\n`,
    "internal.ts": 'export { twice } from "./Sizes.ts"\n'
  })
  // The two modules and the function, which is exported twice.
  expect(counted).toEqual({
    code: 0,
    lines: [
      "3 of 3 public names and members have a docstring",
      "packages/made: 0 of 1 exported names have none"
    ]
  })
})

it("names each that has none with its file and line, and fails", async () => {
  const counted = await count({
    "index.ts": `${header}export const size = 1

/** The options of a call. */
export interface Options {
  readonly limit: number
}

class Hidden {
  private kept = 0
  /** Adds to what is kept. */
  add(n: number): void {
    this.kept += n
  }
  sum(): number {
    return this.kept
  }
}

/** A sum of numbers. */
export type Sum = Hidden

/** How it ended. */
export type Ended =
  /** As it should. */
  | { readonly ended: "well" }
  | { readonly ended: "badly" }
`
  })
  expect(counted).toEqual({
    code: 1,
    lines: [
      "packages/made/src/index.ts:3 @made/up.size has no docstring",
      "packages/made/src/index.ts:7 @made/up.Options.limit has no docstring",
      "packages/made/src/index.ts:16 @made/up.Sum.sum has no docstring",
      "packages/made/src/index.ts:28 @made/up.Ended.ended has no docstring",
      "6 of 10 public names and members have a docstring",
      "packages/made: 1 of 4 exported names have none"
    ]
  })
})

it.runIf(isThorough)("takes a docstring that only repeats the name for none", async () => {
  const counted = await count({
    "index.ts": `${header}/** The page size. */\nexport const pageSize = 1\n\n/** Leads on a page, at most 100. */\nexport const leadsOnPage = 2\n`
  })
  expect(counted).toEqual({
    code: 1,
    lines: [
      "packages/made/src/index.ts:4 @made/up.pageSize has a docstring that only repeats its name",
      "2 of 3 public names and members have a docstring",
      "packages/made: 1 of 2 exported names have none"
    ]
  })
})

it.runIf(isThorough)(
  "names what a module exports for its neighbours alone, and has no docstring of its own",
  async () => {
    const module = `/** The docstring of the module is none of its first name. */

export const { far, near: close } = { far: 1, near: 2 }

/** Doubles a number. */
const twice = (n: number): number => 2 * n

function half(n: number): number {
  return n / 2
}

export { half, twice as double }
`
    const counted = await count({ "index.ts": `${header}export {}\n`, "Sizes.ts": module })
    expect(counted).toEqual({
      code: 1,
      lines: [
        "packages/made/src/Sizes.ts:3 far has no docstring of its own",
        "packages/made/src/Sizes.ts:3 close has no docstring of its own",
        "packages/made/src/Sizes.ts:8 half has no docstring of its own",
        "1 of 1 public names and members have a docstring",
        "packages/made: 3 of 4 exported names have none"
      ]
    })
  }
)
