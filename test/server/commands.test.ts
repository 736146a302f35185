/** `lead-signals` as people type it: help, wrong usage, the calls of a server, copies and checks of a file. */
import { help, helpTree, type Node } from "@lead-signals/command-line"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  exitCodes,
  exitCodeTable,
  knownVariables,
  program as commandLine,
  progress
} from "@lead-signals/server/internal"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { runCommand, runProcess } from "../harness/CommandRun.ts"
import { root } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const folder = temporaryFolder()
const page = readFileSync(join(root, "docs/command-line.md"), "utf8")

/** The paths of a command and of all below it. */
const pathsBelow = (node: Node, path: ReadonlyArray<Node>): ReadonlyArray<ReadonlyArray<Node>> => [
  [...path, node],
  ...node.children.flatMap((child) => pathsBelow(child, [...path, node]))
]

describe("lead-signals", () => {
  it("teaches its use: help of every command, with examples, and plain where there is no terminal [CLI-3]", async () => {
    const { code, out } = await runProcess(folder, ["--nothing", "--help"])
    expect(code).toBe(0)
    const commands = Array.from(out.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm), ([, name]) => name!)
    expect(commands).toEqual([
      "serve",
      "import",
      "brands",
      "keys",
      "operators",
      "audit",
      "leads",
      "signals",
      "campaigns",
      "series",
      "attention",
      "events",
      "metrics",
      "webhooks",
      "trigger",
      "listen",
      "mcp",
      "backup",
      "restore",
      "check",
      "copy",
      "prune",
      "encryption-key",
      "rekey",
      "completions",
      "simulate"
    ])
    expect(commandLine.root.children.map(({ name }) => name)).toEqual(commands)
    // However help is requested, it is the same, and commands stand before variables.
    for (const args of [["--help"], ["-h"], ["help"]]) expect((await runCommand(args)).out).toBe(out)
    expect(out.indexOf("\nCommands\n")).toBeGreaterThan(0)
    expect(out.indexOf("\nEnvironment variables")).toBeGreaterThan(out.indexOf("\nCommands\n"))
    for (const variable of ["HOST", "PORT", ...knownVariables])
      expect(out).toMatch(new RegExp(`^ {2}${variable} {2,}\\S`, "m"))
    for (const path of pathsBelow(commandLine.root, [])) {
      const helpText = help(commandLine, path, false)
      expect(helpText).toContain(`  ${path.map(({ name }) => name).join(" ")}`)
      expect(helpText).toContain("Usage")
      // What it takes is described, each.
      for (const [, taken] of helpText.matchAll(/^ {2}(-\S.*|<\S.*)$/gm)) expect(taken).toMatch(/ {2,}\S/)
      // oxlint-disable-next-line no-control-regex -- what colours are made of
      expect(helpText).not.toMatch(/\u001b/)
    }
    const one = await runCommand(["keys", "create", "--help"])
    expect([one.code, one.err]).toEqual([0, ""])
    expect(one.out).toContain("--requests-per-minute integer")
    for (const args of [
      ["help", "keys", "create"],
      ["keys", "help", "create"]
    ])
      expect(await runCommand(args)).toEqual(one)
    expect(await runCommand(["keys", "help"])).toEqual(await runCommand(["keys", "--help"]))
    expect((await runCommand(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it("says of a mistake in one line what was meant, with exit code 2 [CLI-2]", async () => {
    // A process: `serve` reads its settings as it starts, and ends the process itself.
    const serve = (args: ReadonlyArray<string>) => runProcess(folder, args)
    const mistakes: ReadonlyArray<readonly [ReadonlyArray<string>, string, run?: typeof serve]> = [
      [["serv"], "There is no command serv. Did you mean serve?"],
      [["help", "serv"], "There is no command serv. Did you mean serve?"],
      [["keys", "lst"], "There is no command lst. Did you mean list?"],
      [["serve", "--prot", "5"], "There is no option --prot. Did you mean --port?"],
      [["serve", "--PORT", "5"], "There is no option --PORT."],
      [["keys", "create", "--dash"], "There is no option --dash."],
      [["backup", "x", "--database"], "--database takes a value."],
      [["backup", "x", "--database", "nowhere.sqlite"], "There is no file nowhere.sqlite"],
      [["listen", "--port", "70000"], "--port takes an integer from 0 to 65535."],
      [
        ["brands", "create", "X", "--watch", "not a url"],
        "--watch takes an http or https URL, like https://"
      ],
      [["brands", "create", "X", "--watch", ""], "--watch takes a"],
      [
        ["leads", "list", "--brand", "2", "--output", "jso"],
        "--output takes table, json, jsonl or csv. Did you mean json?"
      ],
      [["leads", "list", "--brand", "2", "--qualified=maybe"], "--qualified takes true or false. Run"],
      [
        ["leads", "list", "--brand", "2", "--page", "1.5"],
        "--page takes an integer: which page, from 1 [1]. Run"
      ],
      [
        ["leads", "list", "--brand", "2", "--page", ""],
        "--page takes an integer: which page, from 1 [1]. Run"
      ],
      [
        ["leads", "list", "--brand", "2", "--interval=often"],
        "--interval takes a number: seconds from one time to the next with --watch, 0.1 to 86400 [2]. Run"
      ],
      [["brands", "create", "My", "brand"], "The argument brand is one too many; a text with spaces takes"],
      [
        ["trigger", "lead.created"],
        "The argument takes lead2.created, activity.detected or webhook.test. Did you mean lead2.created?"
      ],
      [["import", "nowhere.jsonl", "--brand", "2"], "There is no file nowhere.jsonl."],
      [["import", "/", "--brand", "2"], "/ is not a file."],
      [["trigger", "nothing"], "The argument takes lead2.created, activity.detected or webhook.test. Run"],
      [["audit", "--limit", "0"], "--limit takes an integer of at least 1."],
      [["audit", "--limit", "-1"], "--limit takes an integer of at least 1."],
      [["leads", "list", "--brand", "2", "--interval", "0"], "--interval takes a number of seconds from"],
      ...["ftp://x", "http://ada:secret@127.0.0.1/", "http://127.0.0.1/?x=1", "nowhere"].map(
        (url) =>
          [["brands", "list", "--url", url], "--url takes http:// or https:// and a host, like"] as const
      ),
      [["--completions", "tcsh"], "--completions takes bash, zsh or fish."],
      [["serve", "--port", "many"], "--port takes an integer from 0 to 65535.", serve],
      [
        ["keys", "list"],
        "--brand is required: id of the brand; `brands list` shows it. Run lead-signals keys list --help"
      ],
      [
        ["signals", "create", "X", "--brand=2"],
        "--type is required: kind of the source. --value is required: the source: a URL for"
      ],
      [
        ["keys", "list", "--brand", "two"],
        "--brand takes the id of a brand, in digits; `brands list` shows it. Run lead-signals"
      ],
      [
        ["listen", "--brand", "two"],
        "--brand takes the id of a brand, in digits; `brands list` shows it. Run lead-signals"
      ],
      [
        ["backup", "nowhere/x.sqlite", "--database", join(root, "package.json")],
        "There is no folder nowhere: make it, or name a file in another folder."
      ]
    ]
    for (const [args, message, run = runCommand] of mistakes) {
      const { code, err, out } = await run(args)
      expect([args, code, out]).toEqual([args, 2, ""])
      expect(err).toContain(message)
      expect(err).not.toContain("secret@")
      expect(err.trim().split("\n")).toHaveLength(1)
    }
    expect(await runCommand(["brands", "list"], { LEAD_SIGNALS_OPERATOR_TOKEN: "" })).toMatchObject({
      code: 2
    })
    const unnamed = await runProcess(folder, ["check"], { LEAD_SIGNALS_DATABASE: "" })
    expect(unnamed.err).toContain("There is no file .data/lead-signals.sqlite")
    const bare = await runCommand(["keys"])
    expect([bare.code, bare.out]).toEqual([2, ""])
    expect(bare.err).toContain("revoke")
  })

  it("has one table of exit codes, in every command's help and in the documentation [CLI-1]", async () => {
    const codes = exitCodeTable.map(([code]) => code)
    expect(codes).toEqual([0, 1, 2, 3, 130, 143])
    expect([...new Set(Object.values(exitCodes))]).toEqual(codes)
    const table = exitCodeTable.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`).join("\n")
    const commands = pathsBelow(commandLine.root, []).filter((path) => path.at(-1)!.children.length === 0)
    expect(commands.length).toBeGreaterThan(20)
    for (const path of [[commandLine.root], ...commands])
      expect(help(commandLine, path, false)).toContain(`\nExit codes\n${table}\n`)
    const rows = Array.from(page.matchAll(/^\| *`(\d+)` *\| (.*?) *\|$/gm), ([, code, meaning]) => [
      Number(code),
      meaning
    ])
    expect(rows).toEqual(exitCodeTable)
  })

  it("has each command and each of its options in the documentation", () => {
    const leaves = pathsBelow(commandLine.root, []).filter((path) => path.at(-1)!.children.length === 0)
    const undocumented = leaves.flatMap((path) => {
      const names = path.slice(1).map(({ name }) => name)
      const options = Array.from(
        help(commandLine, path, false).matchAll(/^ {2}(--[a-z-]+)/gm),
        ([, name]) => name!
      )
      return [
        ...(new RegExp(`\`${names.join(" ")}[ \`]`).test(page) ? [] : [names.join(" ")]),
        ...options.filter((option) => !page.includes(option))
      ]
    })
    expect(undocumented).toEqual([])
  })

  it("has all commands as a tree in its help and in the documentation [CLI-15]", async () => {
    const [, rendered] = /^```text tree\n([\s\S]*?)^```$/m.exec(page)!
    expect(rendered).toBe(helpTree(commandLine))
    expect((await runCommand(["--help", "--tree"])).out).toBe(rendered)
  })

  it("ends with 3 when a proxy or the server can't answer now [CLI-1]", async () => {
    for (const status of [502, 503, 504]) {
      const busy = createHttpServer((_, response) => response.writeHead(status).end("{}")).listen(
        0,
        "127.0.0.1"
      )
      await once(busy, "listening")
      const { port } = busy.address() as AddressInfo
      expect((await runCommand(["brands", "list", "--url", `http://127.0.0.1:${port}`])).code).toBe(3)
      busy.close()
    }
  })

  it.runIf(isThorough)(
    "hands simulate its own words, and says of the built file that it has no simulator",
    async () => {
      const built = await runProcess(folder, ["simulate", "list"])
      expect([built.code, built.err]).toEqual([
        1,
        "The built file has no simulator; run ./lead-signals simulate in a clone.\n"
      ])
      const output = await new Promise<string>((resolve) => {
        execFile(
          process.execPath,
          ["scripts/lead-signals.mjs", "simulate", "list"],
          { cwd: root },
          (_, out) => resolve(out)
        )
      })
      expect(output).toContain("crash-loop")
    }
  )

  it("completes commands and options in bash", async () => {
    const { out } = await runProcess(folder, ["--completions", "bash"])
    const complete = (...words: ReadonlyArray<string>): Promise<string> =>
      new Promise((resolve) => {
        const script = `${out}\nCOMP_WORDS=(lead-signals ${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length}; _lead_signals; echo "\${COMPREPLY[*]}"`
        execFile("bash", ["-c", script], (_error, output) => resolve(output.trim()))
      })
    expect(await complete("we")).toBe("webhooks")
    expect(await complete("keys", "")).toContain("list create revoke")
    expect(await complete("webhooks", "deliveries", "--st")).toBe("--state")
    expect(await complete("webhooks", "deliveries", "--state", "")).toBe("pending held delivered dead")
  })
})

describe("the progress of long work", () => {
  const written = (columns: number | undefined): ReadonlyArray<string> => {
    const lines: Array<string> = []
    let now = 0
    const line = progress({ isTTY: true, columns, write: (text) => lines.push(text) }, () => now)
    for (const fraction of [0.25, 0.5]) {
      now += 10_000
      line.update({ fraction, text: "sending ".repeat(20) })
    }
    line.clear()
    return lines
  }

  it("is a bar within the terminal's width, and plain lines where the width is not known", () => {
    // oxlint-disable-next-line no-control-regex -- what clears the line
    const bars = written(80).map((text) => text.replace(/\r\u001b\[2K/, ""))
    expect(bars.map((bar) => bar.length)).toEqual([79, 79, 0])
    for (const unknown of [undefined, 0]) {
      expect(written(unknown)).toEqual([
        `25 %  ${"sending ".repeat(20)}\n`,
        `50 %  ${"sending ".repeat(20)}\n`
      ])
    }
  })
})
