/** The key of an encrypted file as operators have it: its settings, its change over kills, and what another key is told. [PII-4] */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Prng } from "@lead-signals/simulation-kernel"
import { describe, expect, it } from "vitest"
import { bundledServer, compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { runCommand, runProcess } from "../harness/CommandRun.ts"
import { makeFile } from "../harness/MadeFile.ts"
import { startReceiver } from "../harness/Receiver.ts"
import { endServersAfterTests, spawnBundle, startServer } from "../harness/ServerProcess.ts"
import { foldersIn, temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { environmentOf, fill, filesIn, foundIn, key, operate, otherKey } from "./EncryptedFiles.ts"

endServersAfterTests()

const folder = temporaryFolder()
const newFolder = foldersIn(folder)

describe("the encryption key", () => {
  const keyFile = join(folder, "key")
  writeFileSync(keyFile, `${key}\n`)

  it("comes from a variable, a file or a command, and `encryption-key` prints a fresh one [PII-4, RUN-1]", async () => {
    const made = [await runCommand(["encryption-key"]), await runCommand(["encryption-key"])]
    for (const { code, out } of made) expect([code, /^[\w+/]{43}=\n$/.test(out)]).toEqual([0, true])
    expect(made[0]!.out).not.toBe(made[1]!.out)
    const database = join(newFolder(), "keys.sqlite")
    const server = await startServer(environmentOf(database, key), bundledServer)
    expect(server.out()).toMatch(/^Database +\S+keys\.sqlite {3}\(new, encrypted\)$/m)
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

  it("wraps only the secrets of a plain file where the scope says so, also by --to [PII-4]", async () => {
    const database = join(newFolder(), "scoped.sqlite")
    await makeFile(database, 2)
    const scope = { LEAD_SIGNALS_ENCRYPTION_SCOPE: "secrets" }
    const args = ["rekey", "--to", "env:NEXT", "--database", database]
    const rekeyed = await runCommand(args, { ...settingsOf("", key), ...scope })
    expect([rekeyed.code, rekeyed.err]).toEqual([0, ""])
    expect(readFileSync(database).subarray(0, 15).toString()).toBe("SQLite format 3")
    const checked = await runCommand(["check", "--database", database], { ...settingsOf(key), ...scope })
    expect([checked.code, checked.err]).toEqual([0, ""])
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
        const target = join(place, `${randomUUID()}.sqlite`)
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
