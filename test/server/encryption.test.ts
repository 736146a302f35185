/** Encryption at rest as operators have it: settings, commands, kills, and what a reader of the disk finds. [PII-4] */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Prng } from "@lead-signals/simulation-kernel"
import { describe, expect, it } from "vitest"
import { bundledServer, compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { abort, limitCore, partsOf, withoutCores } from "../harness/CoreDump.ts"
import { runCommand, runProcess } from "../harness/CommandRun.ts"
import { startReceiver } from "../harness/Receiver.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  type ServerProcess,
  spawnBundle,
  startServer
} from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()

const folder = temporaryFolder()
const key = Buffer.alloc(32, 0x5a).toString("base64")
const otherKey = "b7".repeat(32)
let files = 0
const newFolder = (): string => {
  const made = join(folder, `at-rest-${++files}`)
  mkdirSync(made)
  return made
}

const environmentOf = (database: string, encryptionKey: string) => ({
  LEAD_SIGNALS_DATABASE: database,
  LEAD_SIGNALS_DEMO: "false",
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
  LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
  LEAD_SIGNALS_RATE_LIMIT: "1000000",
  LEAD_SIGNALS_ENCRYPTION_KEY: encryptionKey
})

/** The strings of the people and secrets, by what they are. */
type Canaries = Readonly<Record<string, ReadonlyArray<string>>>

const people = isThorough ? 1000 : 100
const erased = people / 50

const operate = async (server: ServerProcess, method: string, path: string, json?: unknown) => {
  const { body, status } = await callJson(`${server.url}/operator${path}`, operatorToken, method, json)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
  return body?.data
}

/** Records the people, delivers their events, erases some, and answers what nobody may find. */
const fill = async (server: ServerProcess, receiverUrl: string): Promise<Canaries> => {
  const source = { type: "posts-with-keywords", value: "canaryword" }
  const brand = await operate(server, "POST", "/brands", { name: "Canarybrand" })
  const signal = await operate(server, "POST", `/brands/${brand.id}/signals`, {
    name: "Canarysignal",
    signalType: "t",
    source
  })
  const events = ["lead2.created", "activity.detected"]
  const secrets: Array<string> = []
  for (const path of ["canaryok", "canaryfails"]) {
    const webhook = await operate(server, "POST", `/brands/${brand.id}/webhooks`, {
      url: `${receiverUrl}/${path}`,
      events
    })
    secrets.push(webhook.secret)
  }
  const leads: Array<number> = []
  for (let from = 0; from < people; from += 100) {
    const observations = Array.from({ length: 100 }, (_, i) => {
      // As long as each other: the beginning of one is none of them.
      const n = String(from + i).padStart(4, "0")
      return {
        signalId: signal.id,
        person: {
          extId: `canaryperson-${n}`,
          name: `Canaria Namely${n}`,
          headline: `Canaryheadline ${n}`,
          liProfileUrl: `https://network.example/in/canaryurl-${n}`
        },
        engagement: {
          id: `canaryengagement-${n}`,
          type: "comment",
          commentText: `Canarycomment number ${n} says much`,
          postUrl: `https://network.example/post/canarypost-${n}`
        }
      }
    })
    const recorded = await operate(server, "POST", `/brands/${brand.id}/observations`, { observations })
    leads.push(...recorded.map(({ leadId }: { leadId: number }) => leadId))
  }
  for (const id of leads.slice(0, erased)) await operate(server, "DELETE", `/brands/${brand.id}/leads/${id}`)
  return {
    names: ["Canaria", "canaria"],
    headlines: ["Canaryheadline"],
    comments: ["Canarycomment"],
    ids: ["canaryperson-", "canaryengagement-"],
    urls: ["canaryurl-", "canarypost-"],
    "words of the brand": ["Canarybrand", "Canarysignal", "canaryword"],
    webhooks: ["canaryok", "canaryfails"],
    "webhook secrets": secrets.flatMap((secret) => [secret, secret.slice("whsec_".length)])
  }
}

/** How many of the strings a place has, by what they are. As `strings` would find them: in the bytes, in either encoding of text. */
const foundIn = (bytes: ReadonlyArray<Buffer>, canaries: Canaries): ReadonlyArray<number> =>
  Object.values(canaries).map(
    (texts) =>
      texts.filter((text) =>
        bytes.some((each) => each.includes(text) || each.includes(Buffer.from(text, "utf16le")))
      ).length
  )

const filesIn = (place: string, pattern: RegExp): ReadonlyArray<Buffer> =>
  readdirSync(place)
    .filter((name) => pattern.test(name))
    .map((name) => readFileSync(join(place, name)))

/** One server's life with a kill in it: what each place holds of the people. */
const places = async (encryptionKey: string) => {
  const place = newFolder()
  const database = join(place, "canary.sqlite")
  const receiver = await startReceiver(({ path }, response) => {
    response.writeHead(path === "/canaryok" ? 204 : 500).end()
  })
  const environment = environmentOf(database, encryptionKey)
  const server = await startServer(environment, bundledServer)
  const canaries = await fill(server, receiver.url)
  const backup = join(place, "backup.sqlite")
  const settings = { LEAD_SIGNALS_ENCRYPTION_KEY: encryptionKey }
  const copied = await runProcess(place, ["backup", backup, "--database", database], settings)
  expect(copied.code, copied.err).toBe(0)
  const running = filesIn(place, /^canary/)
  expect(await server.end("SIGKILL")).toBe("SIGKILL")
  const at = (pattern: RegExp) => foundIn(filesIn(place, pattern), canaries)
  const table: Record<string, ReadonlyArray<number>> = {
    "while it runs: all files": foundIn(running, canaries),
    "after kill -9: file": at(/^canary\.sqlite$/),
    "after kill -9: log (-wal)": at(/^canary\.sqlite-wal$/),
    "after kill -9: -shm": at(/^canary\.sqlite-shm$/),
    "after kill -9: rate windows": at(/^canary\.sqlite-limits/),
    backup: at(/^backup/),
    "log of the server": foundIn([Buffer.from(server.out() + server.err())], canaries)
  }
  expect(readdirSync(place)).toEqual(expect.arrayContaining(["canary.sqlite-wal", "canary.sqlite-limits"]))
  const checked = await runProcess(place, ["check", "--database", database, "--json"], settings)
  expect(JSON.parse(checked.out)).toMatchObject({ sound: true, counts: { leads: people - erased, erased } })
  const again = await startServer(environment, bundledServer)
  expect((await operate(again, "GET", "/brands")).map(({ name }: { name: string }) => name)).toEqual([
    "Canarybrand"
  ])
  await again.end("SIGTERM")
  table["after a clean stop: all files"] = at(/^canary/)
  return { canaries, table }
}

const rowsOf = (
  title: string,
  { canaries, table }: { canaries: Canaries; table: Readonly<Record<string, ReadonlyArray<number>>> }
): string =>
  [
    `| ${title} | ${Object.keys(canaries).join(" | ")} |`,
    ...Object.entries(table).map(([place, found]) => `| ${place} | ${found.join(" | ")} |`)
  ].join("\n")

describe("encryption at rest", () => {
  it("leaves nothing of the people and no secret in any file, log or backup [PII-4]", async () => {
    const encrypted = await places(key)
    if (isThorough) console.log(rowsOf("encrypted", encrypted))
    for (const [place, found] of Object.entries(encrypted.table))
      expect([place, found]).toEqual([place, found.map(() => 0)])
  })

  it.runIf(isThorough)(
    "is what hides them: the same search finds all of them in a plain file [PII-4]",
    async () => {
      const plain = await places("")
      console.log(rowsOf("plain", plain))
      // The same search finds them all where nothing is encrypted, and none in what the server logs.
      const nothing = Object.keys(plain.canaries).map(() => 0)
      const everything = Object.values(plain.canaries).map((texts) => texts.length)
      expect(plain.table["log of the server"]).toEqual(nothing)
      for (const place of ["while it runs: all files", "backup", "after a clean stop: all files"])
        expect([place, plain.table[place]]).toEqual([place, everything])
    }
  )
})

/** How many of the people a core shows by name or comment, of those that are there and of those that were erased, and whether it shows the key. */
const contentsOf = (core: string, ownKey: string) => {
  const numbers = new Set<number>()
  let hasKey = false
  for (const part of partsOf(core)) {
    hasKey ||= [ownKey, Buffer.from(ownKey, "base64")].some((text) => part.includes(text))
    for (const [, name, comment] of part
      .toString("latin1")
      .matchAll(/canaria namely(\d{4})|canarycomment number (\d{4})/gi))
      numbers.add(Number(name ?? comment))
  }
  const found = [...numbers].filter((n) => n < people)
  return {
    people: found.filter((n) => n >= erased).length,
    erased: found.filter((n) => n < erased).length,
    key: hasKey
  }
}

describe.skipIf(withoutCores !== null)("a core of a server with a key", () => {
  it.runIf(isThorough)(
    "shows whom it has in memory and the key, nobody whom it did not erase itself, and is not written under a limit of 0 [PII-4]",
    async () => {
      const place = newFolder()
      const ownKey = randomBytes(32).toString("base64")
      const environment = environmentOf(join(place, "core.sqlite"), ownKey)
      const receiver = await startReceiver()
      /** What the core of a server shows after the work; null where it left none. */
      const coreAfter = async (
        work: (server: ServerProcess) => Promise<unknown>,
        limit: 0 | "unlimited" = "unlimited"
      ) => {
        const server = await startServer(environment, bundledServer, place)
        await work(server)
        limitCore(server.child.pid!, limit)
        const core = await abort(server.child.pid!, place, () => server.end("SIGABRT"))
        if (core === null) return null
        const contents = contentsOf(core, ownKey)
        rmSync(core)
        return contents
      }
      const nothing = () => Promise.resolve()
      const first = await coreAfter((server) => fill(server, receiver.url))
      const idle = await coreAfter(nothing)
      const listed = await coreAfter((server) =>
        operate(server, "GET", "/brands/1/leads?search=canaria&pageSize=100")
      )
      console.table({
        "recorded and erased": first,
        "started again": idle,
        "started again, listed 100 leads": listed
      })
      // A core hides nothing: what is said of it is no more than that.
      expect([first!.key, idle!.key, listed!.key]).toEqual([true, true, true])
      expect(first!.people).toBeGreaterThan(0.9 * (people - erased))
      expect(listed!.people).toBeGreaterThanOrEqual(100)
      // The file has none of the erased any more, so no process that begins with it does.
      expect([idle!.erased, listed!.erased]).toEqual([0, 0])
      expect(await coreAfter(nothing, 0)).toBeNull()
    }
  )
})

describe("the encryption key", () => {
  const keyFile = join(folder, "key")
  writeFileSync(keyFile, `${key}\n`)

  it("comes from a variable, a file or a command, and `encryption-key` prints a fresh one [PII-4, RUN-1]", async () => {
    const made = [await runCommand(["encryption-key"]), await runCommand(["encryption-key"])]
    for (const { code, out } of made) expect([code, /^[\w+/]{43}=\n$/.test(out)]).toEqual([0, true])
    expect(made[0]!.out).not.toBe(made[1]!.out)
    const database = join(newFolder(), "keys.sqlite")
    const server = await startServer(environmentOf(database, key), bundledServer)
    expect(server.out()).toMatch(/^Database +\S+keys\.sqlite {3}\(encrypted\)$/m)
    await server.end("SIGTERM")
    for (const settings of [
      { LEAD_SIGNALS_ENCRYPTION_KEY: key, LEAD_SIGNALS_ENCRYPTION_KEY_FILE: "" },
      { LEAD_SIGNALS_ENCRYPTION_KEY_FILE: keyFile },
      { LEAD_SIGNALS_ENCRYPTION_KEY_COMMAND: `cat '${keyFile}'` }
    ]) {
      const checked = await runCommand(["check", "--database", database], settings as Record<string, string>)
      expect([settings, checked.code, checked.err]).toEqual([settings, 0, ""])
    }
  })

  it("is refused with one line that names the variable and shows no key [PII-4, RUN-1, RUN-4]", async () => {
    const refused: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
      [{ LEAD_SIGNALS_ENCRYPTION_KEY: "sEcReT" }, /^LEAD_SIGNALS_ENCRYPTION_KEY gives no encryption key: An/],
      [
        { LEAD_SIGNALS_ENCRYPTION_KEY: key, LEAD_SIGNALS_ENCRYPTION_KEY_FILE: keyFile },
        /^LEAD_SIGNALS_ENCRYPTION_KEY and LEAD_SIGNALS_ENCRYPTION_KEY_FILE are set; set one of them/
      ],
      [
        { LEAD_SIGNALS_ENCRYPTION_KEY_FILE: join(folder, "none") },
        /^LEAD_SIGNALS_ENCRYPTION_KEY_FILE names a file that can't be read \(ENOENT\)\.\n$/
      ],
      [
        { LEAD_SIGNALS_ENCRYPTION_KEY_COMMAND: "echo sEcReT; exit 3" },
        /^LEAD_SIGNALS_ENCRYPTION_KEY_COMMAND names a command that failed \(exit code 3\)\.\n$/
      ],
      [
        { LEAD_SIGNALS_ENCRYPTION_KEY_COMMAND: "echo sEcReT" },
        /^LEAD_SIGNALS_ENCRYPTION_KEY_COMMAND gives no encryption key: An/
      ],
      [{ LEAD_SIGNALS_ENCRYPTION_SCOPE: "all" }, /^LEAD_SIGNALS_ENCRYPTION_SCOPE takes file or secrets\.\n$/]
    ]
    const place = newFolder()
    const database = join(place, "refused.sqlite")
    writeFileSync(database, "")
    for (const [settings, line] of refused) {
      const { code, err, out } = await runCommand(["check", "--database", database], settings)
      expect([code, out, err.trimEnd().split("\n").length, err]).toEqual([
        2,
        "",
        1,
        expect.stringMatching(line)
      ])
      expect(err).not.toMatch(/sEcReT|Wlpa/)
    }
  })

  it.runIf(isThorough)(
    "that is missing, wrong or set for a plain file stops the server and every command with one line and exit code 2 [PII-4, RUN-4, CLI-1]",
    async () => {
      const [encrypted, plain] = [join(newFolder(), "encrypted.sqlite"), join(newFolder(), "plain.sqlite")]
      const wanted = [
        [encrypted, key],
        [plain, ""]
      ] as const
      for (const [database, set] of wanted) {
        const server = await startServer(environmentOf(database, set), bundledServer)
        await operate(server, "POST", "/brands", { name: "B" })
        await server.end("SIGKILL")
      }
      const bytes = () => [encrypted, plain].map((file) => [readFileSync(file), readFileSync(`${file}-wal`)])
      const before = bytes()
      const starts = [
        [
          encrypted,
          "",
          /is encrypted under the key with the id [0-9a-f]{16}, and no encryption key is set\. Check LEAD/
        ],
        [
          encrypted,
          otherKey,
          /, and the encryption key that is set has the id [0-9a-f]{16}\. Check LEAD_SIGNALS_ENC/
        ],
        [
          plain,
          key,
          /is not encrypted, and an encryption key is set: encrypt the file with lead-signals rekey/
        ]
      ] as const
      for (const [database, set, line] of starts) {
        const { err, exit } = spawnBundle(bundledServer, environmentOf(database, set))
        expect([await exit, err().trimEnd().split("\n").length]).toEqual([2, 1])
        expect(err()).toMatch(line)
        expect(err()).not.toContain(otherKey)
        for (const args of [
          ["check", "--database", database],
          ["backup", join(folder, "never.sqlite"), "--database", database],
          ["prune", "--database", database],
          ["prune", "--dry-run", "--database", database],
          ["copy", "--from", database, "--to", join(folder, "never.sqlite")]
        ]) {
          const refused = await runCommand(args, { LEAD_SIGNALS_ENCRYPTION_KEY: set })
          expect([args, refused.code, refused.out]).toEqual([args, 2, ""])
          expect(refused.err).toMatch(line)
          expect(refused.err).not.toContain("goes on")
        }
        expect(existsSync(join(folder, "never.sqlite"))).toBe(false)
      }
      expect(bytes()).toEqual(before)
    }
  )
})

describe("rekey", () => {
  const settingsOf = (set: string, next = "") => ({
    LEAD_SIGNALS_ENCRYPTION_KEY: set,
    NEXT: next
  })

  it.runIf(isThorough)("refuses while a server has the file open, and bad targets [PII-4]", async () => {
    const place = newFolder()
    const database = join(place, "open.sqlite")
    const server = await startServer(environmentOf(database, ""), bundledServer)
    const args = ["rekey", "--database", database]
    const refused = await runProcess(place, args, settingsOf(key))
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(
        /^The key was not changed: another process has .* open: stop the servers on it\.$/m
      )
    ])
    await operate(server, "POST", "/brands", { name: "Still served" })
    await server.end("SIGTERM")
    for (const [given, line] of [
      [["--to", otherKey], /^--to takes env:NAME, file:PATH, command:COMMAND or none/],
      [["--to", "env:NEXT"], /^--to names a variable that is not set/],
      [[], /^No encryption key is set, and --to is missing/]
    ] as const) {
      const { code, err } = await runCommand([...args, ...given], settingsOf(""))
      expect([code, err]).toEqual([2, expect.stringMatching(line)])
      expect(err).not.toContain(otherKey)
    }
  })

  it.runIf(isThorough)(
    "encrypts a plain file, changes its key and decrypts it, over kill -9 at any moment, and loses nothing [PII-4]",
    async () => {
      const place = newFolder()
      const database = join(place, "rekeyed.sqlite")
      const receiver = await startReceiver()
      const server = await startServer(environmentOf(database, ""), bundledServer)
      const canaries = await fill(server, receiver.url)
      await server.end("SIGKILL")
      const contents = async (set: string): Promise<unknown> => {
        const target = join(place, `${++files}.sqlite`)
        // In clear and in a neutral form, of which `copy` prints a digest for each table.
        for (const ending of ["", "-wal"])
          if (existsSync(database + ending)) copyFileSync(database + ending, target + ending)
        const copied = await runProcess(
          place,
          ["copy", "--from", target, "--to", `${target}.copy`, "--json"],
          settingsOf(set)
        )
        expect(copied.code, copied.err).toBe(0)
        return JSON.parse(copied.out).tables
      }
      const expected = await contents("")
      const prng = Prng.of(7, "rekey")
      /** Kills the command after so long; answers whether it had ended before. */
      const killedAfter = async (millis: number, set: string, to: string, next: string): Promise<boolean> => {
        const child = spawn(
          process.execPath,
          [
            ...nodeArguments,
            bundledServer,
            "rekey",
            "--database",
            database,
            ...(to === "" ? [] : ["--to", to])
          ],
          {
            stdio: "ignore",
            env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...settingsOf(set, next) }
          }
        )
        const exit = once(child, "exit")
        await new Promise((resolve) => setTimeout(resolve, millis))
        child.kill("SIGKILL")
        const [code] = await exit
        return code === 0
      }
      let kills = 0
      for (const [set, to, next, now] of [
        [key, "", "", key],
        [key, "env:NEXT", otherKey, otherKey],
        [otherKey, "none", "", ""]
      ] as const) {
        for (let i = 0; i < 16; i++) {
          // Reaches from before the first step to behind the last, however fast the machine is.
          if (await killedAfter(150 + prng.below(350), set, to, next)) break
          kills++
        }
        const { code, err, out } = await runProcess(
          place,
          ["rekey", "--database", database, ...(to === "" ? [] : ["--to", to])],
          settingsOf(set, next)
        )
        expect([code, err]).toEqual([0, ""])
        expect(out).toMatch(/Set the servers' key|nothing was changed/)
        expect(await contents(now)).toEqual(expected)
        const texts = Object.values(canaries).map((each) => (now === "" ? each.length : 0))
        expect(foundIn(filesIn(place, /^rekeyed/), canaries)).toEqual(texts)
        expect(readdirSync(place).filter((name) => name.includes("lead-signals-rekey"))).toEqual([])
        const checked = await runProcess(place, ["check", "--database", database], settingsOf(now))
        expect([checked.code, checked.err]).toEqual([0, ""])
      }
      expect(kills).toBeGreaterThan(0)
    }
  )
})
