/** docs/specification.md defines every clause that is cited, and a test's title proves each. */
import { afterEach, describe, expect, it, vi } from "vitest"
import {
  main,
  problemsOf,
  regenerated,
  repositorySources,
  type Source,
  specificationPath,
  titlesOf
} from "../../scripts/specification.mjs"

const sources = repositorySources()

const altered = (path: string, alter: (text: string) => string): ReadonlyArray<Source> =>
  sources.map((source) => (source.path === path ? { path, text: alter(source.text) } : source))

const specification = (alter: (text: string) => string) => altered(specificationPath, alter)

const added = (path: string, text: string): ReadonlyArray<Source> => [...sources, { path, text }]

/** Put together here, so that this file itself cites no clause that there is not. */
const id = (area: string, number: number): string => `${area}-${number}`

const newClause = (text: string): string =>
  `## SORT: order of leads\n\n### ${id("SORT", 99)}\n\n${text}\n\nTests: none\n`

const withClause = (text: string) =>
  specification((whole) => whole.replace("## SORT: order of leads\n", newClause(text)))

const planned = "**Not implemented.** Leads sort themselves."

const module = "packages/domain/src/New.ts"

describe("the specification", () => {
  it("defines what is cited, is proved by titles of tests, and links to them", () => {
    expect(problemsOf(sources)).toEqual([])
  })

  it("has no clause that is not implemented", () => {
    const { text } = sources.find(({ path }) => path === specificationPath)!
    const clauses = text.split(/^### /m).filter((clause) => clause.includes("\n**Not implemented.**"))
    expect(clauses.map((clause) => clause.split("\n")[0])).toEqual([])
  })

  const faults: ReadonlyArray<readonly [string, ReadonlyArray<Source>, ReadonlyArray<string>]> = [
    [
      "an unknown id in a comment",
      added(module, `/** Sorts. [SORT-1, ${id("SORT", 98)}] */`),
      [`${module}:1: ${id("SORT", 98)} is not defined`]
    ],
    [
      "an unknown id in prose",
      added("docs/new.md", `# New\n\nSee ${id("LIST", 98)}.`),
      [`docs/new.md:3: ${id("LIST", 98)} is not defined`]
    ],
    [
      "an unknown area",
      added("docs/new.md", `[${id("LISTS", 4)}](specification.md#list-4)`),
      [expect.stringContaining(`docs/new.md:1: ${id("LISTS", 4)}: LISTS is not an area`)]
    ],
    [
      "an anchor that there is not",
      added("README.md", "[a clause](docs/specification.md#list-98)"),
      ["README.md links to #list-98, which the specification does not have"]
    ],
    [
      "a clause that no test proves",
      withClause("Leads sort themselves."),
      ["Areas: out of date; npm run specification updates it", `${id("SORT", 99)} is in no test's title`]
    ],
    [
      "a clause that is proved by a test that never runs",
      [
        ...withClause("Leads sort themselves."),
        { path: "test/new.test.ts", text: `it.skip("sorts [${id("SORT", 99)}]", () => {})` }
      ],
      ["Areas: out of date; npm run specification updates it", `${id("SORT", 99)} is in no test's title`]
    ],
    [
      "a clause that is defined twice",
      specification((text) => text.replace(/^### SORT-2$/m, "### SORT-1")),
      expect.arrayContaining(["SORT-1 is defined twice", expect.stringContaining("SORT-2 is not defined")])
    ],
    [
      "a clause in the section of another area",
      specification((text) => text.replace("## SORT: order of leads", "## TIMES: order of leads")),
      expect.arrayContaining(["SORT-1 stands in the area TIMES"])
    ],
    [
      "a test that proves what is not implemented",
      [
        ...withClause(planned),
        { path: "test/new.test.ts", text: `it("sorts [${id("SORT", 99)}]", () => {})` }
      ],
      [
        "Areas: out of date; npm run specification updates it",
        `${id("SORT", 99)} is not implemented, and a test in test/new.test.ts proves it`,
        `test/new.test.ts:1: ${id("SORT", 99)} is cited, and not implemented`,
        `${id("SORT", 99)}: out of date; npm run specification updates it`
      ]
    ],
    [
      "a comment that cites what is not implemented",
      [...withClause(planned), { path: module, text: `/** Sorts. [${id("SORT", 99)}] */` }],
      [
        "Areas: out of date; npm run specification updates it",
        `${module}:1: ${id("SORT", 99)} is cited, and not implemented`
      ]
    ],
    [
      "a line of tests without a test that there is",
      added("test/new.test.ts", 'it("sorts [SORT-1]", () => {})'),
      ["SORT-1: out of date; npm run specification updates it"]
    ],
    [
      "an empty line of tests before the one with the tests",
      specification((text) => text.replace(/^(### SORT-1\n[\s\S]*?)(?=^Tests: )/m, "$1Tests:\n\n")),
      ["SORT-1: out of date; npm run specification updates it"]
    ],
    [
      "a line of tests with a test that is gone",
      altered("test/http/reading.test.ts", (text) => text.replace("[LIST-9]", "[LIST-1]")),
      ["LIST-9: out of date; npm run specification updates it"]
    ]
  ]

  it.each(faults)("is found to be wrong by %s", (_, wrong, problems) => {
    expect([...problemsOf(wrong)].sort()).toEqual(Array.isArray(problems) ? [...problems].sort() : problems)
  })

  it("gets one line of tests for a clause that has an empty one, or several", () => {
    const { text } = sources.find(({ path }) => path === specificationPath)!
    for (const lines of ["Tests:\n\n", "Tests: \n\n", "Tests:\n\nTests: none\n\n"]) {
      const wrong = specification((whole) => whole.replace(/^(?=Tests: )/gm, lines))
      expect(regenerated(wrong)).toBe(text)
    }
  })

  it("takes names of standards for what they are", () => {
    const text = [id("UTF", 8), id("SHA", 256), id("RFC", 2119), id("ISO", 8601)].join(", ")
    expect(problemsOf(added(module, `/** [${text}] */`))).toEqual([])
  })

  it("is written anew from the titles alone", () => {
    const without = specification((text) =>
      text.replace(/^Tests: .*\n/gm, "").replace(/^\| \[[A-Z]+\].*\n/gm, "")
    )
    const { text } = sources.find(({ path }) => path === specificationPath)!
    expect(regenerated(without)).toBe(text)
  })

  it("reads the titles of every kind of test", () => {
    const text = `
      describe("a group [SORT-1]", () => {
        it("plain [SORT-2]", () => {})
        it.each([["a", "b"]])("of rows %s", (a) => {})
        it.skipIf(isSlow)("where it can", () => {})
        test(\`\${count} times\`, () => {})
        it.todo("later")
        expect("it").toBe("no title")
      })`
    expect(titlesOf({ path: "test/new.test.ts", text })).toEqual([
      "plain [SORT-2]",
      "of rows %s",
      "where it can",
      "… times"
    ])
  })
})

describe("npm run specification", () => {
  afterEach(() => void vi.restoreAllMocks())

  /** The exit code, and what was written to each stream. */
  const ran = (...words: ReadonlyArray<string>) => {
    const out = vi.spyOn(process.stdout, "write").mockReturnValue(true)
    const err = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const code = main(words, sources)
    const written = { code, out: out.mock.calls.join(""), err: err.mock.calls.join("") }
    vi.restoreAllMocks()
    return written
  }

  it("prints what proves a clause, and says that there is none of a name", () => {
    expect(ran("--tests", id("SORT", 1))).toMatchObject({
      code: 0,
      out: expect.stringContaining("SORT-1"),
      err: ""
    })
    expect(ran("--tests", id("SRT", 1))).toEqual({
      code: 1,
      out: "",
      err: `There is no clause ${id("SRT", 1)}. docs/specification.md has all of them.\n`
    })
  })

  it("says that nothing is wrong, and how many clauses it has looked at", () => {
    expect(ran("--check")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d{3} clauses, nothing wrong\.\n$/)
    })
  })
})
