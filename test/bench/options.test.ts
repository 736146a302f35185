/** The command line of the benchmark. */
import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { measurements } from "./Measurements.ts"
import { help, readOptions } from "./Options.ts"

describe("npm run bench", () => {
  it.each(measurements)("runs the measurement $name, which its help lists", ({ module, name, usage }) => {
    expect(existsSync(new URL(module, import.meta.url))).toBe(true)
    expect(help).toContain(`  ${name} `)
    expect(help).toContain(usage)
  })

  it("says what it does not have", () => {
    expect(() => readOptions(["nothing"])).toThrow("There is no measurement nothing")
    expect(() => readOptions(["--nothing"])).toThrow("There is no option --nothing")
    expect(() => readOptions(["--against"])).toThrow("--against takes a value")
    expect(() => readOptions(["--against", "main", "--console"])).toThrow("--against takes --quick")
  })

  it("compares with an earlier commit at two sizes, unless it is to be quick or told others", () => {
    expect(readOptions(["--against", "v0.1.0"])).toMatchObject({
      against: "v0.1.0",
      leads: [10_000, 1_000_000]
    })
    expect(readOptions(["--against=v0.1.0", "--quick"])).toMatchObject({ leads: [10_000] })
    expect(readOptions(["--quick"])).toMatchObject({ against: null })
  })
})
