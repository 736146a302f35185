/** What people are told of what they typed: the option and not the API's field, a file that is not there, and rows for a narrow terminal. */
import {
  inTypedNames,
  program as commandLine,
  typedNames,
  unknownVariables
} from "@lead-signals/server/internal"
import { help, type Node } from "@lead-signals/command-line"
import fc from "fast-check"
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import {
  callServer,
  runCommand,
  runOnTerminal,
  runProcess,
  startOperatedServer
} from "../harness/CommandRun.ts"
import { endServersAfterTests, type ServerProcess } from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const folder = temporaryFolder()
const database = join(folder, "mistypes.sqlite")
let server: ServerProcess
let brand: string
let webhook: string

endServersAfterTests()

beforeAll(async () => {
  server = await startOperatedServer(database)
  const watched = ["--watch", "https://network.example/company/rival"]
  brand = (await callServer(server, ["brands", "create", "Mine", ...watched])).brand.id
  const created = ["webhooks", "create", "http://127.0.0.1:9/", "--enabled", "false", "--brand", brand]
  webhook = (await callServer(server, created)).id
})

type Path = readonly [Node, ...Array<Node>]

/** The ways to all commands that do something. */
const pathsOf = (path: Path): ReadonlyArray<Path> => {
  const { children } = path.at(-1)!
  return children.length === 0 ? [path] : children.flatMap((child) => pathsOf([...path, child]))
}

describe("a refusal of what was typed", () => {
  it("begins with the option or argument, and not with the field of the API [CLI-4, CLI-20]", async () => {
    const mention = ["signals", "create", "M", "--type", "li-company-mention", "--value", "rival"]
    const takesTime =
      "takes a date such as 2026-01-31, or a date and time such as 2026-01-31T09:30:00.000Z or"
    const mistakes: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["keys", "create", ""], "LABEL takes "],
      [
        ["keys", "create", "k", "--requests-per-minute", "0"],
        "--requests-per-minute takes an integer from 1 to 1000000."
      ],
      [["keys", "create", "k", "--scopes", "leads, all"], "--scopes: entry 2 takes one of leads, metrics."],
      [["keys", "create", "k", "--expires", "soon"], `--expires ${takesTime}`],
      [["keys", "create", "k", "--expires", "2026-01-01"], "--expires takes a time in the future, or null;"],
      [
        ["keys", "create", "k", "--allow", "::1,everywhere"],
        "--allow: entry 2 takes an address or a range like"
      ],
      [["keys", "create", "k", "--idempotency-key", "short"], "--idempotency-key takes one key of 16 to"],
      [
        ["signals", "create", "N", "--type", "post-url", "--value", "x"],
        "--value takes an http or https URL"
      ],
      [[...mention, "--company-id", "seven"], "--company-id takes"],
      [
        [...mention, "--company", '{"id":1,"nam":"N"}'],
        "--company: nam is not a field of this request. Did you"
      ],
      [[...mention, "--company", '{"id":"x","name":"N"}'], "--company: id takes an integer"],
      [["signals", "rename", "1", ""], "NAME takes "],
      [["webhooks", "create", "nowhere"], "URL takes an absolute URL, like https://"],
      [["webhooks", "create", "http://127.0.0.1:9/", "--events", "lead2.made"], "--events: entry 1 takes"],
      [["webhooks", "create", "http://127.0.0.1:9/", "--max-batch", "0"], "--max-batch takes an integer"],
      [["webhooks", "edit", webhook, "--to", "nowhere"], "--to takes an absolute URL, like https://"],
      [["webhooks", "edit", webhook, "--max-wait", "-1"], "--max-wait takes"],
      [["webhooks", "recover", webhook, "--since", "soon"], `--since ${takesTime}`],
      [["webhooks", "test", webhook], "WEBHOOK-ID takes an enabled webhook: enable it first.\n"],
      [["webhooks", "deliveries", webhook, "--page-size", "0"], "--page-size takes an integer from 1 to "],
      [
        ["leads", "list", "--page-size", "0"],
        "--page-size takes an integer from 1 to 9007199254740991, such as 25."
      ],
      [["leads", "list", "--page", "-1"], "--page takes an integer from 1 to "],
      [["leads", "list", "--created-after", "2026-02-30"], `--created-after ${takesTime}`],
      [["leads", "list", "--sort", "name"], "--sort takes field:direction, where field is one of createdAt,"],
      [["leads", "list", "--signal", "x"], "--signal takes an integer from 1 to "],
      [["leads", "show", "ada"], "LEAD-ID takes an integer from 1 to "],
      [["leads", "changes", "--cursor", "x"], "--cursor takes the meta.cursor of an earlier answer"],
      [["leads", "export", "--updated-before", "x"], `--updated-before ${takesTime}`],
      [["series", "leads", "--start", "x"], "--start takes a date as YYYY-MM-DD, such as 2026-01-31."],
      [
        ["series", "leads", "--start", "2026-02-01", "--end", "2026-01-01"],
        "--start takes a date that is not after --end."
      ],
      [
        "campaigns record 1 p 2026-02-30 --impressions 1 --reactions 1 --comments 1 --reposts 1".split(" "),
        "DAY takes a date as YYYY-MM-DD, such as 2026-01-31."
      ],
      [
        "campaigns record 1 p 2026-02-28 --impressions -1 --reactions 1 --comments 1 --reposts 1".split(" "),
        "--impressions takes an integer"
      ]
    ]
    for (const [args, begins] of mistakes) {
      const { code, err, out } = await runCommand([...args, "--brand", brand, "--url", server.url])
      expect([args.join(" "), code, out, err.slice(0, begins.length)]).toEqual([
        args.join(" "),
        1,
        "",
        begins
      ])
    }
    const ofNone: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["brands", "create", "With a key", "--key", ""], "--key takes "],
      [["operators", "create", "t", "--scopes", "read", "--brands", "1,x"], "--brands: entry 2 takes "],
      [["operators", "create", "t", "--scopes", "all"], "--scopes: entry 1 takes one of read, ingest"],
      [
        ["operators", "create", "t", "--scopes", "read", "--expires", "2026-01-01"],
        "--expires takes a time in"
      ],
      [["audit", "--since", "soon"], `--since ${takesTime}`]
    ]
    for (const [args, begins] of ofNone) {
      const { code, err } = await runCommand([...args, "--url", server.url])
      expect([args.join(" "), code, err.slice(0, begins.length)]).toEqual([args.join(" "), 1, begins])
    }
  })

  it("names options and arguments that there are, and leaves what nobody types [CLI-20]", () => {
    const usages = pathsOf([commandLine.root]).map((path) => help(commandLine, path, false))
    const typed = new Set(usages.flatMap((usage) => usage.match(/--[a-z-]+|\b[A-Z]+(?:-ID)?\b/g) ?? []))
    for (const name of Object.values(typedNames)) expect([...typed]).toContain(name)
    fc.assert(
      fc.property(fc.constantFrom(...Object.entries(typedNames)), fc.nat(99), ([field, name], i) => {
        expect(inTypedNames(`${field} takes true.`)).toBe(`${name} takes true.`)
        expect(inTypedNames(`${field}[${i}] takes true.`)).toBe(`${name}: entry ${i + 1} takes true.`)
        expect(inTypedNames(`${field}.part takes true.`)).toBe(`${name}: part takes true.`)
        expect(inTypedNames(`${field} takes true.`, { [field]: "--own" })).toBe("--own takes true.")
      })
    )
    for (const message of [
      "There is no such lead.",
      "The body takes JSON; it is empty.",
      "person.name is required."
    ])
      expect(inTypedNames(message)).toBe(message)
  })
})

describe("LEAD_SIGNALS_URL", () => {
  it("names the server of every command that calls one; --url goes before it, and empty it is unset [CLI-21]", async () => {
    const elsewhere = "http://127.0.0.1:9"
    const list = ["brands", "list", "--json"]
    const listed = await runCommand(list, { LEAD_SIGNALS_URL: server.url })
    expect(JSON.parse(listed.out).map(({ name }: any) => name)).toContain("Mine")
    expect((await runCommand(list, { LEAD_SIGNALS_URL: elsewhere })).err).toContain(
      `no answer from ${elsewhere}`
    )
    const given = await runCommand([...list, "--url", server.url], { LEAD_SIGNALS_URL: elsewhere })
    expect([given.code, given.out]).toEqual([0, listed.out])
    const empty = await runCommand([...list, "--url", elsewhere], { LEAD_SIGNALS_URL: "" })
    expect(empty.err).toContain(`no answer from ${elsewhere}`)
    // Whatever answers at the default, an empty variable is not the mistake.
    expect((await runCommand(list, { LEAD_SIGNALS_URL: "" })).err).not.toContain("LEAD_SIGNALS_URL")
    for (const args of [list, ["mcp"]]) {
      const wrong = await runCommand(args, { LEAD_SIGNALS_URL: "127.0.0.1:4000" })
      expect([wrong.code, wrong.err.slice(0, 44)]).toEqual([
        2,
        "LEAD_SIGNALS_URL takes http:// or https:// a"
      ])
    }
    expect(unknownVariables({ LEAD_SIGNALS_URL: elsewhere, LEAD_SIGNALS_URI: elsewhere })).toEqual([
      "LEAD_SIGNALS_URI"
    ])
  })
})

describe("a file that was named", () => {
  it("and is missing or can't be read is wrong usage, whichever command reads or writes it [CLI-1]", async () => {
    const at = (name: string): string => join(folder, name)
    mkdirSync(at("a folder"))
    writeFileSync(at("secret"), "{}")
    chmodSync(at("secret"), 0)
    const isRefused = process.getuid?.() !== 0 && process.platform !== "win32"
    const reading: ReadonlyArray<(file: string) => ReadonlyArray<string>> = [
      (file) => ["import", file, "--brand", brand, "--url", server.url],
      (file) => ["check", "--database", file],
      (file) => ["backup", at("copy"), "--database", file],
      (file) => ["restore", file, "--to", at("restored.sqlite")],
      (file) => ["copy", "--from", file, "--to", at("copied.sqlite")],
      (file) => ["prune", "--dry-run", "--database", file],
      (file) => ["rekey", "--to", "none", "--database", file]
    ]
    for (const command of reading) {
      const names: ReadonlyArray<readonly [string, RegExp]> = [
        [at("nothing"), /^There is no file \S*nothing[;.]/],
        [at("a folder"), /a folder is (?:not a file|a folder, not a file)[;.]/],
        ...(isRefused ? [[at("secret"), /secret can't be read \(EACCES\)/] as const] : [])
      ]
      for (const [file, message] of names) {
        const { code, err } = await runCommand(command(file))
        expect([command(file)[0], code, err]).toEqual([command(file)[0], 2, expect.stringMatching(message)])
      }
    }
    for (const args of [
      ["leads", "export", "--brand", brand, "--url", server.url, "--out", at("none/leads.csv")],
      ["backup", at("none/copy"), "--database", at("mistypes.sqlite")],
      ["restore", at("mistypes.sqlite"), "--to", at("none/restored.sqlite")]
    ]) {
      const { code, err } = await runCommand(args)
      expect([code, err]).toEqual([
        2,
        `There is no folder ${at("none")}: make it, or name a file in another folder.\n`
      ])
    }
    const journal = ["restore", at("mistypes.sqlite"), "--to", at("r.sqlite"), "--journal", at("nowhere")]
    const { code, err } = await runCommand(journal)
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^There is no file or folder \S+nowhere; --journal takes/)
    ])
  })

  it("for the database of a server makes no folder, and a new file is called new [RUN-9]", async () => {
    const missing = join(folder, "tpyo", "leads.sqlite")
    const words = `There is no folder ${join(folder, "tpyo")} for the database: make it, by mkdir -p ${join(folder, "tpyo")}, or correct`
    const byOption = await runProcess(folder, ["serve", "--port", "0", "--database", missing])
    expect([byOption.code, byOption.err]).toEqual([2, `${words} --database.\n`])
    const spaced = join(folder, "my leads")
    if (isThorough) {
      const byVariable = await runProcess(folder, ["serve", "--port", "0"], {
        LEAD_SIGNALS_DATABASE: missing
      })
      expect([byVariable.code, byVariable.err]).toEqual([2, `${words} LEAD_SIGNALS_DATABASE.\n`])
      const quoted = await runProcess(folder, [
        "serve",
        "--port",
        "0",
        "--database",
        join(spaced, "a.sqlite")
      ])
      expect([quoted.code, quoted.err]).toEqual([2, expect.stringContaining(`mkdir -p '${spaced}', or`)])
    }
    expect([existsSync(join(folder, "tpyo")), existsSync(spaced)]).toEqual([false, false])
    const line = `Database        ${database}`
    expect(server.out()).toContain(`${line}   (new)\n`)
    const again = await startOperatedServer(database)
    expect(again.out()).toContain(`${line}\n`)
    expect(await again.end("SIGTERM")).toBe(0)
  })
})

describe("a table", () => {
  it("has no line that is wider than the terminal, and shows every cell of a narrow one [CLI-22]", async () => {
    for (let n = 1; n <= 3; n++)
      await callServer(server, ["keys", "create", `A key with a long label ${n}`, "--brand", brand])
    const commands = [
      ["keys", "list"],
      ["signals", "list"],
      ["webhooks", "list"],
      ["leads", "list"],
      ["leads", "changes"]
    ]
    await callServer(server, ["trigger", "lead2.created", "--brand", brand])
    for (const columns of [40, 50, 60, 80, 120, 200]) {
      for (const command of commands) {
        const { code, out } = await runOnTerminal([...command, "--brand", brand, "--url", server.url], {
          columns
        })
        expect(code).toBe(0)
        const lines = out.split("\n").filter((line) => !line.includes("--cursor"))
        const widest = Math.max(...lines.map((line) => line.length))
        expect([command, columns, widest <= columns]).toEqual([command, columns, true])
      }
    }
    const narrow = await runOnTerminal(["keys", "list", "--brand", brand, "--url", server.url], {
      columns: 44
    })
    expect(narrow.out.split("\n\n")).toHaveLength(3)
    // Also where there is one row, and so no blank line between two.
    const leads = await runOnTerminal(["leads", "list", "--brand", brand, "--url", server.url], {
      columns: 44
    })
    expect(leads.out).toMatch(/^id .*(?:\n.+)+\n\n1 of 1\n$/)
    expect(narrow.out).toMatch(/^id {11}\d+\nlabel {8}A key with a long label 1\nstarts with {2}lsk_/)
    const wide = await runOnTerminal(["keys", "list", "--brand", brand, "--url", server.url], {
      columns: 200
    })
    expect(wide.out).toMatch(/^id +label +starts with +a minute/)
  })
})
