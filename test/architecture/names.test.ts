/** The check of names finds home-made words, modules named by gerunds, and comments without a subject, and says what to write. */
import { describe, expect, it } from "vitest"
import { wrongNames } from "../../scripts/names.mjs"

const path = "packages/domain/src/model/Lead.ts"

describe("the check of names", () => {
  it.each([
    ["const shownColumns = []", `${path}:1 shownColumns: write rendered, or visible on a page for shown`],
    ["\nconst f = (leastSeconds: number) => leastSeconds", `${path}:2 leastSeconds: write min for least`],
    ["interface A { readonly greatestId: number }", `${path}:1 greatestId: write max for greatest`],
    ["class A { #asked = 1 }", `${path}:1 #asked: write requested for asked`]
  ])("finds a home-made word, and says what to write: %j", (text, finding) => {
    expect(wrongNames(path, text)).toEqual([finding])
  })

  it.each([
    "/** Of all leads. */\nconst a = 1",
    "// Whoever asks.\nconst a = 1",
    "/**\n * Of a lead.\n */\nconst a = 1"
  ])("finds a comment without a subject: %j", (text) => {
    expect(wrongNames(path, text)).toEqual([expect.stringContaining(`${path}:1 a comment begins with `)])
  })

  it("finds a module that says what goes on, and leaves terms of the field", () => {
    expect(wrongNames("packages/domain/src/usecases/Retaining.ts", "")).toHaveLength(1)
    expect(wrongNames("packages/domain/src/ports/Pruning.ts", "")).toEqual([])
  })

  it("leaves what only uses a name, standard words, and columns of a schema", () => {
    expect(wrongNames(path, "use(row.shown, atLeast)\nconst maxSteps = 1 // Offset of a row")).toEqual([])
    expect(wrongNames("packages/store-sqlite/src/schema/Migrations.ts", "const shown = 1")).toEqual([])
  })
})
