/** `lead-signals` as people type it: help, mistakes, the calls of a server, copies and checks of a file. */
import { help, type Node } from "@lead-signals/command-line"
import Database from "better-sqlite3"
import { execFile, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fileURLToPath } from "node:url"
import { program as commandLine } from "../../packages/server/src/cli/CommandLine.ts"
import { exitCodes, exitCodeTable } from "../../packages/server/src/cli/ExitCodes.ts"
import { progress } from "../../packages/server/src/Progress.ts"
import { knownVariables } from "../../packages/server/src/Variables.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { freePort } from "../harness/FreePort.ts"
import { program } from "../harness/ListenerProcess.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  root,
  type ServerProcess,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"

const folder = temporaryFolder()
const database = join(folder, "commands.sqlite")
let server: ServerProcess

endServersAfterTests()

beforeAll(async () => {
  server = await startServer(
    {
      LEAD_SIGNALS_DATABASE: database,
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8"
    },
    program
  )
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

const ran = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken, ...environment }
    execFile(process.execPath, [program, ...args], { cwd: folder, env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    )
  })

/** Of a command that calls the server. */
const called = async (...args: ReadonlyArray<string>): Promise<any> => {
  const { code, err, out } = await ran([...args, "--json", "--url", server.url])
  if (code !== 0) throw new Error(`${args.join(" ")}: ${code} ${err}`)
  return JSON.parse(out)
}

describe("lead-signals", () => {
  it("teaches its use: help of every command, with examples, and plain where there is no terminal", async () => {
    const { code, out } = await ran(["--nothing", "--help"])
    expect(code).toBe(0)
    const commands = Array.from(out.matchAll(/^ {2}([a-z]+) {2,}\S/gm), ([, name]) => name!)
    expect(commands).toEqual([
      "serve",
      "import",
      "brands",
      "keys",
      "signals",
      "campaigns",
      "webhooks",
      "listen",
      "backup",
      "check",
      "simulate"
    ])
    expect(commandLine.root.children.map(({ name }) => name)).toEqual(commands)
    // However help is asked for, it is the same, and commands stand before variables.
    for (const args of [["--help"], ["-h"], ["help"]]) expect((await ran(args)).out).toBe(out)
    expect(out.indexOf("\nCommands\n")).toBeGreaterThan(0)
    expect(out.indexOf("\nVariables")).toBeGreaterThan(out.indexOf("\nCommands\n"))
    for (const variable of ["HOST", "PORT", ...knownVariables])
      expect(out).toMatch(new RegExp(`^ {2}${variable} {2,}\\S`, "m"))
    const all = (node: Node, path: ReadonlyArray<Node>): ReadonlyArray<ReadonlyArray<Node>> => [
      [...path, node],
      ...node.children.flatMap((child) => all(child, [...path, node]))
    ]
    for (const path of all(commandLine.root, [])) {
      const helpText = help(commandLine, path, false)
      expect(helpText).toContain(`  ${path.map(({ name }) => name).join(" ")}`)
      expect(helpText).toContain("Usage")
      // What it takes is described, each.
      for (const [, taken] of helpText.matchAll(/^ {2}(-\S.*|<\S.*)$/gm)) expect(taken).toMatch(/ {2,}\S/)
      // oxlint-disable-next-line no-control-regex -- what colours are made of
      expect(helpText).not.toMatch(/\u001b/)
    }
    const one = await ran(["keys", "create", "--help"])
    expect([one.code, one.err]).toEqual([0, ""])
    expect(one.out).toContain("--requests-per-minute integer")
    for (const args of [
      ["help", "keys", "create"],
      ["keys", "help", "create"]
    ])
      expect(await ran(args)).toEqual(one)
    expect(await ran(["keys", "help"])).toEqual(await ran(["keys", "--help"]))
    expect((await ran(["--version"])).out).toBe("0.1.0\n")
  })

  it("says of a mistake in one line what was meant, with exit code 2 [ERR-3]", async () => {
    const mistakes: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
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
      [["--completions", "tcsh"], "--completions takes bash, zsh or fish."],
      [["serve", "--port", "many"], "PORT takes an integer from 0 to 65535."]
    ]
    for (const [args, message] of mistakes) {
      const { code, err, out } = await ran(args)
      expect([args, code, out]).toEqual([args, 2, ""])
      expect(err).toContain(message)
      expect(err.trim().split("\n")).toHaveLength(1)
    }
    expect(await ran(["brands", "list"], { LEAD_SIGNALS_OPERATOR_TOKEN: "" })).toMatchObject({ code: 2 })
    const unnamed = await ran(["check"], { LEAD_SIGNALS_DATABASE: "" })
    expect(unnamed.err).toContain("There is no file .data/lead-signals.sqlite")
    const bare = await ran(["keys"])
    expect([bare.code, bare.out]).toEqual([2, ""])
    expect(bare.err).toContain("revoke")
  })

  it("has one table of exit codes, in every command's help and in the README [ERR-3]", async () => {
    const codes = exitCodeTable.map(([code]) => code)
    expect(codes).toEqual([0, 1, 2, 3, 130, 143])
    expect([...new Set(Object.values(exitCodes))]).toEqual(codes)
    const table = exitCodeTable.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`).join("\n")
    for (const command of [[], ["serve"], ["import"], ["keys", "create"], ["check"]])
      expect((await ran([...command, "--help"])).out).toContain(`\nExit codes\n${table}\n`)
    const readme = readFileSync(join(root, "README.md"), "utf8")
    const rows = Array.from(readme.matchAll(/^\| *`(\d+)` *\| (.*?) *\|$/gm), ([, code, meaning]) => [
      Number(code),
      meaning
    ])
    expect(rows).toEqual(exitCodeTable)
  })

  it("ends with 3 when a proxy or the server can't answer now [ERR-3]", async () => {
    for (const status of [502, 503, 504]) {
      const busy = createHttpServer((_, response) => response.writeHead(status).end("{}")).listen(
        0,
        "127.0.0.1"
      )
      await once(busy, "listening")
      const { port } = busy.address() as AddressInfo
      expect((await ran(["brands", "list", "--url", `http://127.0.0.1:${port}`])).code).toBe(3)
      busy.close()
    }
  })

  it("hands simulate its own words, and says of the built file that it has no simulator", async () => {
    const built = await ran(["simulate", "list"])
    expect([built.code, built.err]).toEqual([1, "The simulator is run from the sources: pnpm simulate.\n"])
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, ["scripts/lead-signals.mjs", "simulate", "list"], { cwd: root }, (_, out) =>
        resolve(out)
      )
    })
    expect(output).toContain("crash-loop")
  })

  it("completes commands and options in bash", async () => {
    const { out } = await ran(["--completions", "bash"])
    const complete = (...words: ReadonlyArray<string>): Promise<string> =>
      new Promise((resolve) => {
        const script = `${out}\nCOMP_WORDS=(lead-signals ${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length}; _lead_signals; echo "\${COMPREPLY[*]}"`
        execFile("bash", ["-c", script], (_error, output) => resolve(output.trim()))
      })
    expect(await complete("we")).toBe("webhooks")
    expect(await complete("keys", "")).toContain("list create revoke")
    expect(await complete("webhooks", "deliveries", "--st")).toBe("--state")
    expect(await complete("webhooks", "deliveries", "--state", "")).toBe("pending delivered dead")
  })

  it("makes brands, keys and webhooks, lists and ends them [AUTH-4, AUTH-5, DELIV-8]", async () => {
    const made = await called(
      "brands",
      "create",
      "Mine",
      "--key",
      "crm",
      "--watch",
      "https://network.example/c"
    )
    const brand = ["--brand", made.brand.id]
    expect((await callJson(`${server.url}/signals/leads`, made.key.key)).status).toBe(200)
    expect(made.signal.source).toMatchObject({ type: "li-company-url", value: "https://network.example/c" })
    const key = await called("keys", "create", "erp", ...brand, "--requests-per-minute", "7")
    expect(
      (await called("keys", "list", ...brand)).map((each: any) => [each.label, each.requestsPerMinute])
    ).toEqual([
      ["crm", 60],
      ["erp", 7]
    ])
    await called("keys", "revoke", key.id, ...brand)
    expect((await callJson(`${server.url}/signals/leads`, key.key)).status).toBe(401)
    const webhook = await called(
      "webhooks",
      "create",
      "http://127.0.0.1:9/",
      ...brand,
      "--events",
      "lead2.created"
    )
    expect(webhook.secret).toMatch(/^whsec_/)
    await called("webhooks", "test", webhook.id, ...brand)
    const { data } = await called("webhooks", "deliveries", webhook.id, ...brand)
    expect(data).toMatchObject([{ event: "webhook.test" }])
    expect((await called("webhooks", "disable", webhook.id, ...brand)).enabled).toBe(false)
    expect((await called("webhooks", "rotate-secret", webhook.id, ...brand)).secret).not.toBe(webhook.secret)
    await called("webhooks", "delete", webhook.id, ...brand)
    expect(await called("webhooks", "list", ...brand)).toEqual([])
    const plain = await ran(["brands", "list", "--url", server.url])
    expect(plain.out).toMatch(/^id +name +created +being deleted since\n1 +Mine/)
  })

  it("deletes signals, campaigns and, by its name, a brand [DEL-1, DEL-2, DEL-3]", async () => {
    const { brand, signal } = await called(
      "brands",
      "create",
      "Goner",
      "--watch",
      "https://network.example/c"
    )
    const of = ["--brand", brand.id]
    const campaign = await called("campaigns", "create", "C", ...of)
    await called("campaigns", "delete", campaign.id, ...of)
    await called("signals", "delete", signal.id, ...of)
    expect([await called("campaigns", "list", ...of), await called("signals", "list", ...of)]).toEqual([
      [],
      []
    ])
    const unconfirmed = await ran(["brands", "delete", brand.id, "--confirm", "Mine", "--url", server.url])
    expect([unconfirmed.code, unconfirmed.err]).toEqual([
      2,
      expect.stringContaining(`--confirm takes the name of brand ${brand.id}`)
    ])
    expect(await called("brands", "delete", brand.id, "--confirm", "Goner")).toEqual({
      id: brand.id,
      deleted: true
    })
    expect((await called("brands", "list")).map(({ id }: any) => id)).not.toContain(brand.id)
    const again = await ran(["brands", "delete", brand.id, "--confirm", "Goner", "--url", server.url])
    expect([again.code, again.err]).toEqual([1, expect.stringContaining(`There is no brand ${brand.id}.`)])
  })

  it("deletes a brand beside another deletion of it, and says how to go on after a failure [DEL-1]", async () => {
    const error = (message: string) => ({ error: { code: "x", message } })
    const mine = { id: "7", name: "Mine", createdAt: "2026-01-01T00:00:00.000Z", deletionStartedAt: null }
    const ask = async (answers: ReadonlyArray<readonly [status: number, body: unknown]>): Promise<Ran> => {
      const left = [...answers]
      const operator = createHttpServer((_, response) => {
        const [status, body] = left.shift()!
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      }).listen(0, "127.0.0.1")
      await once(operator, "listening")
      const url = `http://127.0.0.1:${(operator.address() as AddressInfo).port}`
      const result = await ran(["brands", "delete", "7", "--confirm", "Mine", "--url", url])
      operator.close()
      expect(left).toEqual([])
      return result
    }
    const listed = [200, { data: [mine] }] as const
    const begun = [200, { data: { deleted: false, leadsLeft: 5 } }] as const
    const gone = [404, error("There is no such brand.")] as const
    const unavailable = [503, error("Try again.")] as const
    expect(await ask([listed, begun, gone, [200, { data: [] }]])).toMatchObject({
      code: 0,
      out: "Brand 7 is deleted with everything of it.\n"
    })
    expect(await ask([listed, begun, unavailable, listed])).toMatchObject({
      code: 3,
      err: expect.stringContaining(
        "Try again. Its deletion has begun, 5 leads are left: the same command goes on."
      )
    })
    expect(await ask([listed, unavailable, unavailable])).toMatchObject({
      code: 3,
      err: expect.stringContaining("Try again. Its deletion may have begun: the same command goes on.")
    })
  })

  it("makes signals and campaigns, and renames them and brands [ENG-8]", async () => {
    const { brand } = await called("brands", "create", "Before")
    const of = ["--brand", brand.id]
    expect((await called("brands", "rename", brand.id, "After")).name).toBe("After")
    expect(await called("brands", "list")).toContainEqual({ ...brand, name: "After" })
    const source = ["--type", "li-profile-url", "--value"]
    const signal = await called("signals", "create", "S", ...source, "https://network.example/in/x", ...of)
    expect(signal).toMatchObject({ signalType: "li-profile-url", source: { type: "li-profile-url" } })
    expect(await called("signals", "rename", signal.id, "T", ...of)).toEqual({ ...signal, name: "T" })
    expect(await called("signals", "list", ...of)).toEqual([{ ...signal, name: "T" }])
    const refused = await ran(["signals", "create", "S", ...source, "x", ...of, "--url", server.url])
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("source.value takes an http or https URL for the source type li-profile-url")
    ])
    const campaign = await called("campaigns", "create", "C", ...of)
    expect((await called("campaigns", "rename", campaign.id, "D", ...of)).name).toBe("D")
    expect(await called("campaigns", "list", ...of)).toEqual([{ ...campaign, name: "D" }])
  })

  it("tells a server's refusal in its words, with exit code 1 [ERR-3]", async () => {
    for (const [args, message] of [
      [["keys", "list", "--brand", "99"], "There is no such brand."],
      [["brands", "create", ""], "name takes"],
      [["brands", "list", "--token", "another-operator-token"], "Give it by --token"]
    ] as const) {
      const { code, err } = await ran([...args, "--url", server.url])
      expect([code, err]).toEqual([1, expect.stringContaining(message)])
    }
    const nobody = await ran(["brands", "list", "--url", `http://127.0.0.1:${await freePort()}`])
    expect([nobody.code, nobody.err]).toEqual([3, expect.stringContaining("is the server running there?")])
    expect(nobody.err).not.toContain(operatorToken)
  })

  it("copies the file as it is at one moment, while it is written to [PII-2, EVT-3]", async () => {
    const { brandId: id, signalId } = await setUpBrand(server.url)
    let isOver = false
    let sent = 0
    const writing = (async () => {
      for (;;) {
        if (isOver) return
        const observations = Array.from({ length: 50 }, () => ({
          signalId,
          person: { extId: `p${++sent}`, name: `Person ${sent}` },
          engagement: { id: `e${sent}`, type: "comment", commentText: "x".repeat(500) }
        }))
        await callJson(`${server.url}/operator/brands/${id}/observations`, operatorToken, "POST", {
          observations
        })
      }
    })()
    const enough = async (): Promise<void> => {
      if (sent >= 1000) return
      await new Promise((resolve) => setTimeout(resolve, 5))
      return enough()
    }
    await enough()
    const target = join(folder, "copy.sqlite")
    const before = sent - 50
    const copied = await ran(["backup", target, "--database", database, "--json"])
    isOver = true
    await writing
    expect(copied.code).toBe(0)
    expect(JSON.parse(copied.out)).toMatchObject({ target, bytes: statSync(target).size })
    expect(statSync(target).mode & 0o077).toBe(0)
    const checked = await ran(["check", "--database", target, "--json"])
    const { counts, problems, sound } = JSON.parse(checked.out)
    expect([checked.code, sound, problems]).toEqual([0, true, []])
    expect(counts.leads).toBeGreaterThanOrEqual(before)
    expect(counts.leads).toBe(counts.engagements)
    expect((await ran(["backup", target, "--database", database])).code).toBe(2)
  })

  it("finds what is wrong with a file, with exit code 1", async () => {
    const sound = join(folder, "sound.sqlite")
    expect((await ran(["backup", sound, "--database", database])).code).toBe(0)
    const damages: ReadonlyArray<readonly [string, RegExp, (file: string) => void]> = [
      [
        "counters",
        /the counts of leads by flags and signal are wrong/,
        (file) => new Database(file).exec("UPDATE lead_count SET n = n + 1")
      ],
      [
        "days",
        /the counts of leads by day are wrong/,
        (file) => new Database(file).exec("DELETE FROM lead_day_count")
      ],
      [
        "lost-stretches",
        /the stretches of the orders are wrong/,
        (file) => new Database(file).exec("DELETE FROM lead_stretch WHERE ordering = 'name'")
      ],
      [
        "stretches",
        /the stretches of the orders are wrong/,
        (file) => new Database(file).exec("UPDATE lead_stretch SET n0 = n0 + 1")
      ],
      [
        "signals",
        /the leads of the signals are wrong/,
        (file) => new Database(file).exec("UPDATE lead_signal SET flags = 7 - flags WHERE lead_id = 1")
      ],
      [
        "references",
        /references lead nowhere/,
        (file) => {
          const db = new Database(file)
          db.pragma("foreign_keys = OFF")
          db.exec("UPDATE engagement SET lead_id = 999999 WHERE seq = (SELECT max(seq) FROM engagement)")
        }
      ],
      [
        "index",
        /never used/,
        (file) => {
          const db = new Database(file)
          db.unsafeMode()
          db.pragma("writable_schema = ON")
          db.exec("DELETE FROM sqlite_schema WHERE name = 'lead_by_name'")
        }
      ]
    ]
    for (const [name, report, damage] of damages) {
      const file = join(folder, `${name}.sqlite`)
      copyFileSync(sound, file)
      damage(file)
      const { code, out } = await ran(["check", "--database", file])
      expect([name, code]).toEqual([name, 1])
      expect(out).toMatch(report)
      expect(out).toContain("The file is damaged")
    }
    const foreign = await ran(["check", "--database", fileURLToPath(import.meta.url)])
    expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining("no SQLite file")])
  })
})

describe("a signal", () => {
  /** Starts a command, sends the signal when it has come so far, and gives the exit code, or the signal that ended it. */
  const interrupted = async (
    signal: NodeJS.Signals,
    args: ReadonlyArray<string>,
    reached: (child: ChildProcess) => Promise<unknown>
  ): Promise<number | string> => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken }
    })
    const exit = once(child, "exit")
    const hangs = setTimeout(() => child.kill("SIGKILL"), 60_000)
    await Promise.race([reached(child), exit])
    child.kill(signal)
    const [code, by] = await exit
    clearTimeout(hangs)
    return code ?? by
  }

  it("ends a command with exit code 130 or 143", async () => {
    const silent = createServer().listen(0, "127.0.0.1")
    await once(silent, "listening")
    const url = `http://127.0.0.1:${(silent.address() as { port: number }).port}`
    const connected = () => once(silent, "connection")
    const observations = join(folder, "unanswered.jsonl")
    writeFileSync(observations, "{}\n")
    const importing = ["import", observations, "--brand", "1", "--url", url]
    for (const [signal, args, code] of [
      ["SIGINT", ["brands", "list", "--url", url], 130],
      ["SIGTERM", ["brands", "list", "--url", url], 143],
      ["SIGINT", importing, 130],
      ["SIGTERM", importing, 143]
    ] as const) {
      expect([signal, args[0], await interrupted(signal, args, connected)]).toEqual([signal, args[0], code])
    }
    silent.close()
  })

  it("ends a backup and leaves no copy [PII-2]", async () => {
    const large = join(folder, "large.sqlite")
    const db = new Database(large)
    // Small pages take long to copy.
    db.exec("PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE t (b)")
    db.prepare("INSERT INTO t VALUES (zeroblob(?))").run(200_000_000)
    db.close()
    const target = join(folder, "interrupted.sqlite")
    const partials = (): ReadonlyArray<string> =>
      readdirSync(folder)
        .filter((name) => name.includes("partial"))
        .map((name) => join(folder, name))
    const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
    const begun = async (): Promise<void> => {
      if (partials().some((file) => sizeOf(file) > 0)) return
      await new Promise((resolve) => setTimeout(resolve, 1))
      return begun()
    }
    let code: number | string = 0
    // A machine that is held up may see the whole copy made before it sends the signal.
    for (let i = 0; i < 5 && code === 0; i++) {
      rmSync(target, { force: true })
      code = await interrupted("SIGTERM", ["backup", target, "--database", large], begun)
    }
    expect(code).toBe(143)
    expect([existsSync(target), partials()]).toEqual([false, []])

    // One that is killed can't: what it leaves is its owner's alone, and the next one removes it.
    for (let i = 0; i < 5 && partials().length === 0; i++) {
      rmSync(target, { force: true })
      code = await interrupted("SIGKILL", ["backup", target, "--database", large], begun)
    }
    expect(code).toBe("SIGKILL")
    for (const file of partials()) expect(statSync(file).mode & 0o077).toBe(0)
    const other = join(folder, "afterwards.sqlite")
    expect((await ran(["backup", other, "--database", database])).code).toBe(0)
    expect(partials()).toEqual([])
  })

  it("stops serve and listen cleanly, with exit code 0", async () => {
    const listening = async ({ stderr, stdout }: ChildProcess): Promise<unknown> =>
      new Promise<void>((resolve) => {
        for (const stream of [stdout!, stderr!])
          stream.on("data", (chunk) => String(chunk).includes("Listening on") && resolve())
      })
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const serving = ["serve", "--database", "memory", "--no-demo", "--port", "0"]
      expect(await interrupted(signal, serving, listening)).toBe(0)
      expect(await interrupted(signal, ["listen", "--port", "0"], listening)).toBe(0)
    }
  })
})

describe("an answer that is not ours, or half of what was asked", () => {
  it("becomes one line, and never quoted [ERR-3, PII-2]", async () => {
    const other = createHttpServer((_, response) => response.end("{}"))
    other.listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    for (const args of [
      ["brands", "list"],
      ["keys", "create", "x", "--brand", "1"]
    ]) {
      const { code, err } = await ran([...args, "--url", `http://127.0.0.1:${port}`])
      expect([code, err.trim().split("\n").length]).toEqual([1, 1])
      expect(err).toContain("not one of Lead Signals")
    }
    other.close()
  })

  it("loses no key: it is made last, and the command says what was made [AUTH-4]", async () => {
    const { code, err } = await ran([
      "brands",
      "create",
      "Half",
      "--key",
      "",
      "--watch",
      "https://network.example/c",
      "--url",
      server.url
    ])
    expect(code).toBe(1)
    const [, id] = /Brand (\d+) was made/.exec(err)!
    expect(await called("keys", "list", "--brand", id!)).toEqual([])
  })

  it("that nobody reads ends listen, and its webhook with it", async () => {
    const { brandId, signalId } = await setUpBrand(server.url)
    const env = { PATH: process.env["PATH"], LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken }
    const line = `"${process.execPath}" "${program}" listen --brand ${brandId} --url ${server.url} | head -n 1`
    const child = spawn("bash", ["-c", line], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
    await new Promise<void>((resolve) => {
      child.stderr.on("data", (chunk) => String(chunk).includes("Listening on") && resolve())
    })
    const url = `${server.url}/operator/brands/${brandId}/observations`
    for (let i = 0; child.exitCode === null; i++) {
      const seen = { signalId, person: { extId: `p${i}`, name: "N" }, engagement: { id: `e${i}` } }
      await callJson(url, operatorToken, "POST", { observations: [seen] })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(await called("webhooks", "list", "--brand", brandId)).toEqual([])
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

describe("a newcomer", () => {
  const started: Array<ChildProcess> = []
  afterAll(() => {
    for (const child of started) child.kill("SIGKILL")
  })

  it("comes from nothing to a verified webhook in the README's five commands [DELIV-1, LIST-1]", async () => {
    const readme = readFileSync(join(root, "README.md"), "utf8")
    const [, block] = /^```sh newcomer\n([\s\S]*?)^```/m.exec(readme)!
    const [token, ...commands] = block!.trim().split("\n")
    expect(commands).toHaveLength(5)
    const startedAt = performance.now()
    const port = String(await freePort())
    const words = (command: string): Array<string> =>
      Array.from(command.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? bare!)
    const begin = (command: string, environment: Record<string, string> = {}) => {
      const [pnpm, name, ...args] = words(command)
      expect([pnpm, name]).toEqual(["pnpm", "lead-signals"])
      const child = spawn(process.execPath, [program, ...args], {
        cwd: root,
        env: {
          PATH: process.env["PATH"],
          LEAD_SIGNALS_OPERATOR_TOKEN: token!.replace("export LEAD_SIGNALS_OPERATOR_TOKEN=", ""),
          LEAD_SIGNALS_DATABASE: join(folder, "newcomer.sqlite"),
          PORT: port,
          ...environment
        }
      })
      started.push(child)
      let output = ""
      child.stdout.on("data", (chunk) => (output += chunk))
      child.stderr.on("data", (chunk) => (output += chunk))
      const until = async (what: RegExp): Promise<RegExpExecArray> => {
        for (;;) {
          const found = what.exec(output)
          if (found !== null) return found
          if (child.exitCode !== null && child.exitCode !== 0) throw new Error(output)
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      }
      return { child, until }
    }
    const url = ["--url", `http://127.0.0.1:${port}`].join(" ")
    const [serve, create, listen, imports, list] = commands as [string, string, string, string, string]
    await begin(serve).until(/Listening on/)
    const [, key] = await begin(`${create} ${url}`).until(/Key \d+: (\S+)/)
    const listening = begin(`${listen} ${url}`)
    await listening.until(/Listening on/)
    await begin(`${imports} ${url}`).until(/3 recorded/)
    await listening.until(
      /✓ verified {2}activity\.detected +Ada Example, Buyer commented “Where can I get it\?”/
    )
    const script = list.replace("4000", port)
    const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
      execFile("bash", ["-c", script], { env: { ...process.env, KEY: key! } }, (_error, out) =>
        resolve({ stdout: out })
      )
    })
    expect(JSON.parse(stdout).data.map(({ name }: any) => name)).toEqual([
      "Ada Example",
      "Bo Example",
      "Cy Example"
    ])
    console.log(
      `from the first command to the verified webhook and the list: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`
    )
    listening.child.kill("SIGINT")
    await once(listening.child, "exit")
  })
})
