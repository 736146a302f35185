/** A small tree of commands: what is said of mistakes, and how a command ends. */
import { CommandProcess, completionsFor, group, leaf, type Program } from "@lead-signals/command-line"
import { Effect } from "effect"
import type { EventEmitter } from "node:events"
import { describe, expect, it } from "vitest"
import { startInProcess } from "../harness/CommandInProcess.ts"

const failingOutput = (code: string | undefined) =>
  Effect.flatMap(CommandProcess, ({ stdout }) => {
    // As a stream does: later than the write.
    setImmediate(() => (stdout as unknown as EventEmitter).emit("error", { code }))
    return Effect.never
  })

const root = group("tool", { summary: "Tries things" }, [
  leaf("keys", { summary: "Has C:\\keys and 'quotes'" }, {}, () => Effect.void),
  leaf("rekey", { summary: "Changes" }, {}, () => Effect.void),
  leaf("full", { summary: "Has no room" }, {}, () => failingOutput("ENOSPC")),
  leaf("gone", { summary: "Has no reader" }, {}, () => failingOutput("EPIPE"))
])

const program: Program = {
  root,
  version: "1.2.3",
  exitCodes: [[0, "done"]],
  variables: [],
  helpExample: "help keys"
}

const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}, isTerminal = false) =>
  startInProcess(program, args, env, undefined, isTerminal ? { columns: 80 } : undefined).ended

describe("a command line", () => {
  it("suggests the nearest name, and says of a mistake what it is in a sentence [CLI-2]", async () => {
    const mistakes: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      // Both are near, and the farther one comes first in the tree.
      [["rekeys"], "There is no command rekeys. Did you mean rekey? Run tool --help for usage.\n"],
      [
        ["keys", "extra"],
        "The argument extra is one too many; a text with spaces takes quotes around it. Run tool keys --help for usage.\n"
      ],
      [["keys", "-1"], "There is no option -1. Run tool keys --help for usage.\n"],
      [["keys", "--wizard"], "--wizard works on a terminal only. Run tool keys --help for usage.\n"]
    ]
    for (const [args, err] of mistakes)
      expect([args, await run(args)]).toEqual([args, { code: 2, out: "", err }])
  })

  it("takes what follows -- for no option, and help before it for help [CLI-3]", async () => {
    const taken = await run(["keys", "--", "--help"])
    expect([taken.code, taken.out]).toEqual([2, ""])
    expect((await run(["keys", "--help", "--"])).out).toContain("tool keys")
    for (const option of ["--version", "--tree", "--wizard"]) {
      const refused = await run(["keys", "--", option])
      expect([refused.code, refused.out, refused.err]).toEqual([
        2,
        "",
        `The argument ${option} is one too many; a text with spaces takes quotes around it. Run tool keys --help for usage.\n`
      ])
    }
  })

  it("ends with 0 when its reader goes, and fails when its output can't be written [CLI-12]", async () => {
    expect(await run(["gone"])).toEqual({ code: 0, out: "", err: "" })
    expect(await run(["full"])).toEqual({
      code: 1,
      out: "",
      err: "Standard output can't be written: ENOSPC.\n"
    })
  })

  it("has colours in its help on a terminal, unless NO_COLOR forbids them [CLI-3]", async () => {
    expect((await run(["--help"], {}, true)).out).toContain("\u001b[1mUsage")
    for (const plain of [await run(["--help"], { NO_COLOR: "1" }, true), await run(["--help"])])
      expect(plain.out).not.toContain("\u001b")
  })

  it("quotes what commands are for in the script for fish [CLI-19]", () => {
    expect(completionsFor("fish", root)).toContain(String.raw`-d 'Has C:\\keys and \'quotes\''`)
  })
})
