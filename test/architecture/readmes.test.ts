/** Every package says what it is, with an example that runs. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { blocksOf, isCommand, isProgram } from "../harness/PageBlocks.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folders = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "simulations"]
const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
    readonly name: string
    readonly license?: string
  }

describe.each(folders)("the README of %s", (folder) => {
  const path = join(root, folder, "README.md")
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  const blocks = blocksOf(text)

  it("says what the package is, shortly, with an example that a test runs", () => {
    expect(text).toMatch(new RegExp(`^# ${manifestOf(folder).name}\\n\\n[A-Z]`))
    expect(text.split("\n").length).toBeLessThan(200)
    const examples = blocks.filter(
      (block) => isProgram(block) || isCommand(block) || block.words[0] === "example"
    )
    expect(examples.length).toBeGreaterThan(0)
  })

  it.skipIf(!blocks.some(({ words }) => words[0] === "example"))("prints what it shows", () => {
    blocks.forEach(({ code, words }, i) => {
      if (words[0] !== "example") return
      const printed = execFileSync(
        process.execPath,
        ["--experimental-strip-types", "--input-type=module-typescript", "-e", code],
        {
          cwd: join(root, folder),
          encoding: "utf8",
          stdio: "pipe"
        }
      )
      expect(printed).toBe(blocks[i + 1]!.code)
    })
  })
})

describe("the license", () => {
  it("is left to the owner in every package, and said once in the README", () => {
    for (const folder of ["", ...folders])
      expect([folder, manifestOf(folder).license]).toEqual([folder, "UNLICENSED"])
    expect(readFileSync(join(root, "README.md"), "utf8").match(/UNLICENSED/g)).toHaveLength(1)
  })
})
