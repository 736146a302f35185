/** Encryption at rest as operators have it: settings, commands, kills, and what a reader of the disk finds. [PII-4] */
import { randomBytes } from "node:crypto"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { abort, limitCore, partsOf, withoutCores } from "../harness/CoreDump.ts"
import { runCommand } from "../harness/CommandRun.ts"
import { startReceiver } from "../harness/Receiver.ts"
import { endServersAfterTests, type ServerProcess, startServer } from "../harness/ServerProcess.ts"
import { foldersIn, temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  type Canaries,
  environmentOf,
  erased,
  fill,
  filesIn,
  foundIn,
  key,
  operate,
  people
} from "./EncryptedFiles.ts"

endServersAfterTests()

const folder = temporaryFolder()
const newFolder = foldersIn(folder)

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
  const copied = await runCommand(["backup", backup, "--database", database], settings)
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
  const checked = await runCommand(["check", "--database", database, "--json"], settings)
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
