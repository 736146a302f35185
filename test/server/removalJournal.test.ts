/** Where servers keep the journal of removals, and the command that restores a database on Postgres with it. */
import { readSettings } from "@lead-signals/server/internal"
import { Prng } from "@lead-signals/simulation-kernel"
import { Either } from "effect"
import { execFile, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bundledServer, nodeArguments } from "../harness/BundledServer.ts"
import { program, runCommand } from "../harness/CommandRun.ts"
import { isRequired, isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { findPostgres } from "../harness/PostgresBinaries.ts"
import {
  callJson,
  endServersAfterTests,
  errorsOfRefusedStart,
  operatorToken,
  type ServerProcess,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()

const environment = (database: string, folder: string) => ({
  LEAD_SIGNALS_DATABASE: database,
  LEAD_SIGNALS_DEMO: "false",
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
  LEAD_SIGNALS_REMOVAL_JOURNAL: folder
})

/** Calls of an operator on one brand. */
const operatorOf =
  (server: ServerProcess, brandId: string | number) => (method: string, path: string, json?: unknown) =>
    callJson(`${server.url}/operator/brands/${brandId}${path}`, operatorToken, method, json)

const observed = (signalId: string | number, extIds: ReadonlyArray<string>) => ({
  observations: extIds.map((extId) => ({
    signalId,
    person: { extId, name: `Name of ${extId}` },
    engagement: { id: `of-${extId}` }
  }))
})

describe("the setting of the journal", () => {
  it("takes a folder, and none for a store in memory [REST-9, RUN-1]", () => {
    const read = (folder: string, database = "leads.sqlite") =>
      readSettings({ LEAD_SIGNALS_REMOVAL_JOURNAL: folder, LEAD_SIGNALS_DATABASE: database })
    expect(Either.getOrThrow(read("/removals")).journalFolder).toBe("/removals")
    expect(Either.getOrThrow(read("/removals", "postgres://db/leads")).journalFolder).toBe("/removals")
    expect(Either.getOrThrow(readSettings({})).journalFolder).toBeNull()
    expect(Either.getLeft(read(" "))).toMatchObject({
      value: expect.stringMatching(/REMOVAL_JOURNAL takes a folder/)
    })
    expect(Either.getLeft(read("/removals\r"))).toMatchObject({
      value: expect.stringMatching(/REMOVAL_JOURNAL takes a folder without control characters/)
    })
    expect(Either.getLeft(read("/removals", "memory"))).toMatchObject({
      value: expect.stringMatching(/a store in memory keeps none/)
    })
  })

  it.runIf(isThorough)(
    "keeps the journal of a SQLite file there, and a restore finds it; a missing folder refuses removals alone [REST-2, REST-3, REST-9]",
    async () => {
      const [folder, removals] = [temporaryFolder(), temporaryFolder()]
      const database = join(folder, "leads.sqlite")
      const of = environment(database, removals)
      const server = await startServer(of, program)
      const { brandId, signalId } = await setUpBrand(server.url)
      const operate = operatorOf(server, brandId)
      const { body } = await operate("POST", "/observations", observed(signalId, ["a", "b"]))
      const backup = join(folder, "backup.sqlite")
      expect((await runCommand(["backup", backup, "--database", database])).code).toBe(0)
      expect((await operate("DELETE", `/leads/${body.data[0].leadId}`)).status).toBe(204)
      await server.end("SIGTERM")
      expect(readFileSync(join(removals, "leads.sqlite-removals"), "utf8").split("\n").length).toBe(3)
      expect(readdirSync(folder).filter((name) => name.includes("removals"))).toEqual([])
      // The disk of the file is lost.
      for (const ending of ["", "-wal", "-shm"]) rmSync(database + ending, { force: true })
      const elsewhere = await runCommand(["restore", backup], { LEAD_SIGNALS_DATABASE: database })
      expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining("no journal of removals")])
      for (const [args, more] of [
        [["--dry-run", "--journal", removals], {}],
        [["--dry-run", "--journal", join(removals, "leads.sqlite-removals")], {}],
        [[], { LEAD_SIGNALS_REMOVAL_JOURNAL: removals }]
      ] as const) {
        const { code, out } = await runCommand(["restore", backup, ...args], {
          LEAD_SIGNALS_DATABASE: database,
          ...more
        })
        expect([code, out]).toEqual([0, expect.stringMatching(/persons erased +1 +0/)])
      }
      const missing = await startServer(environment(database, join(removals, "missing")), program)
      const refused = operatorOf(missing, brandId)
      const { status } = await refused("DELETE", `/leads/${body.data[1].leadId}`)
      expect(status).toBe(503)
      expect((await refused("POST", "/observations", observed(signalId, ["c"]))).status).toBe(200)
      expect(existsSync(join(removals, "missing"))).toBe(false)
      mkdirSync(join(removals, "missing"))
      for (;;) {
        const ready = await fetch(`${missing.url}/health/ready`)
        if (((await ready.json()) as { readonly status: string }).status === "ok") break
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await missing.end("SIGTERM")
      expect(
        readFileSync(join(removals, "missing", "leads.sqlite-removals"), "utf8").split("\n").length
      ).toBe(4)
    }
  )
})

describe("restore on Postgres", () => {
  it("says what to type instead, and connects to nothing [REST-8, CLI-1]", async () => {
    const url = "postgres://leads:secret-7@127.0.0.1:1/leads"
    const [x, y] = [import.meta.dirname, tmpdir()]
    const said = async (...args: ReadonlyArray<string>) => {
      const { code, err } = await runCommand(["restore", ...args], { LEAD_SIGNALS_DATABASE: url })
      expect(err).not.toContain("secret-7")
      return [code, err]
    }
    for (const [args, message] of [
      [
        ["leads.dump"],
        /First: pg_restore --clean --if-exists --dbname=URL leads\.dump[^]*restore --journal FOLDER, without FILE/
      ],
      [[], /--journal is missing: give the folder[^]*or set LEAD_SIGNALS_REMOVAL_JOURNAL/],
      [["--replace", "--journal", x], /--replace is for SQLite files/],
      [["--without-journal"], /--without-journal is for SQLite files/],
      [["--without-journal", "--journal", x], /exclude each other/],
      [["--to", "leads.sqlite"], /FILE is missing: give the backup/],
      [[import.meta.filename, "--to", "leads.sqlite", "--journal", x, "--journal", y], /give --journal once/]
    ] as const)
      expect(await said(...args)).toEqual([2, expect.stringMatching(message)])
    expect(await said("--journal", x)).toEqual([1, expect.stringMatching(/Not restored: .*can't be reached/)])
  })

  const binaries = findPostgres()?.folder ?? ""
  const canDump = existsSync(join(binaries, "pg_dump")) && existsSync(join(binaries, "pg_restore"))
  const run = (tool: string, ...args: ReadonlyArray<string>): void => {
    const { status, stderr } = spawnSync(join(binaries, tool), args, { encoding: "utf8" })
    expect([status, stderr]).toEqual([0, ""])
  }

  /** The commands of docs/operations.md, which restore a dump. */
  const documented = (): ReadonlyArray<string> => {
    const page = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8")
    const section = page.slice(page.indexOf("### Restore on Postgres"))
    return /```sh\n([^]*?)```/
      .exec(section)![1]!
      .split("\n")
      .filter((line) => /^[a-z]/.test(line))
  }

  /** Runs a command as a process, and kills it after so long; answers its exit code, or null when it was killed. */
  const killedAfter = (
    millis: number,
    args: ReadonlyArray<string>,
    env: Readonly<Record<string, string>>
  ): Promise<number | null> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [...nodeArguments, bundledServer, ...args],
        { env: { PATH: process.env["PATH"], ...env } },
        (error) => resolve(error === null ? 0 : typeof error.code === "number" ? error.code : null)
      )
      setTimeout(() => child.kill("SIGKILL"), millis)
    })

  it.runIf(isThorough && !isWithoutPostgres && (canDump || isRequired))(
    "keeps erased persons and revoked keys gone after pg_dump and pg_restore, over kills of nodes and of itself [REST-1, REST-7, REST-8, PII-3]",
    async () => {
      const prng = Prng.of(26, "restore on Postgres")
      const database = await newDatabase()
      const [first, second] = [temporaryFolder(), temporaryFolder()]
      const dumps = temporaryFolder()
      const start = () =>
        Promise.all(
          [first, second].map((folder) => startServer(environment(database, folder), bundledServer))
        )
      let nodes = await start()
      const { brandId, signalId } = await setUpBrand(nodes[0]!.url)
      const [erased, revoked] = [new Set<string>(), new Set<string>()]
      let number = 0
      for (let round = 0; round < 6; round++) {
        const operators = nodes.map((node) => operatorOf(node, brandId))
        const extIds = Array.from({ length: 60 }, () => `p${number++}`)
        const { body } = await operators[0]!("POST", "/observations", observed(signalId, extIds))
        const leads = new Map(extIds.map((extId, i) => [extId, body.data[i].leadId as number]))
        const keys = await Promise.all(
          Array.from(
            { length: 6 },
            async () => (await operators[1]!("POST", "/keys", { label: "k" })).body.data
          )
        )
        const dump = join(dumps, `${round}.dump`)
        run("pg_dump", "--format=custom", "--schema=lead_signals", `--file=${dump}`, database)
        // Each node erases and revokes; one is killed within a call, of which nobody knows whether it was done.
        const doubtful = new Set<string>()
        const remove = async (node: 0 | 1): Promise<void> => {
          for (const [i, extId] of extIds.entries()) {
            if (i % 4 !== node) continue
            doubtful.add(extId)
            const { status } = await operators[node]!("DELETE", `/leads/${leads.get(extId)}`)
            expect(status).toBe(204)
            erased.add(extId)
          }
        }
        const revoke = async (node: 0 | 1): Promise<void> => {
          for (const key of keys.slice(node * 3, node * 3 + 2)) {
            expect((await operators[node]!("DELETE", `/keys/${key.id}`)).status).toBe(204)
            revoked.add(key.key)
          }
        }
        const goes = (error: unknown): void => {
          if (!/fetch failed|terminated|JSON/.test(String(error))) throw error
        }
        const killed = remove(1).catch(goes)
        await Promise.all([revoke(0), revoke(1)].map((work) => work.catch(goes)))
        const working = remove(0)
        while (erased.size < round * 20 + 6) await new Promise((resolve) => setTimeout(resolve, 2))
        await nodes[1]!.end("SIGKILL")
        await Promise.all([killed, working])
        await nodes[0]!.end(round % 2 === 0 ? "SIGTERM" : "SIGKILL")
        // The database is lost, and restored as the dump has it.
        run("pg_restore", "--clean", "--if-exists", `--dbname=${database}`, dump)
        const refusal = await errorsOfRefusedStart(environment(database, first), bundledServer)
        expect(refusal).toMatch(/older than its journal of removals[^]*lead-signals restore --journal/)
        if (round === 0) {
          // As the page has it, with the journal of the node that goes on to the end.
          const shell = join(dumps, "lead-signals")
          writeFileSync(shell, `#!/bin/sh\nexec '${process.execPath}' '${bundledServer}' "$@"\n`, {
            mode: 0o755
          })
          const commands = documented()
          expect(commands.length).toBe(4)
          for (const command of commands) {
            const ran = spawnSync(
              "sh",
              [
                "-c",
                command
                  .replace("leads-2026-01-31.dump", dump)
                  .replace("/var/lib/lead-signals/removals", first)
              ],
              {
                encoding: "utf8",
                env: { PATH: `${dumps}:${binaries}:${process.env["PATH"]}`, LEAD_SIGNALS_DATABASE: database }
              }
            )
            // On a slow machine it says how far it is.
            const complaints = ran.stderr.split("\n").filter((line) => !/^(?:\d+ % .*)?$/.test(line))
            expect([command, ran.status, complaints]).toEqual([command, 0, []])
          }
          run("pg_restore", "--clean", "--if-exists", `--dbname=${database}`, dump)
        }
        const args = ["restore", "--journal", first, "--journal", second]
        const env = { LEAD_SIGNALS_DATABASE: database }
        const dry = JSON.parse((await runCommand([...args, "--dry-run", "--json"], env)).out)
        expect(dry.replayed).toBeNull()
        expect(dry.lacking.person).toBeGreaterThanOrEqual(6)
        // Killed at random points, until it is done.
        for (let i = 0; i < 6; i++) if ((await killedAfter(250 + prng.below(500), args, env)) === 0) break
        const done = await runCommand(args, env)
        expect(done.code, done.err).toBe(0)
        const again = JSON.parse((await runCommand([...args, "--json"], env)).out)
        expect(again.lacking).toMatchObject({ person: 0, key: 0 })
        const checked = await runCommand(["check"], env)
        expect([checked.code, checked.out]).toEqual([0, expect.stringContaining("The database is sound.")])
        nodes = await start()
        const after = operatorOf(nodes[round % 2]!, brandId)
        const people = new Set<string>()
        for (let page = 1; ; page++) {
          const { body: found } = await after("GET", `/leads?page=${page}&pageSize=100`)
          for (const { name } of found.data) people.add(String(name).replace("Name of ", ""))
          if (found.data.length < 100) break
        }
        for (const extId of erased) expect(people, `${extId} was erased`).not.toContain(extId)
        for (const extId of extIds)
          if (!doubtful.has(extId)) expect(people, `${extId} is lost`).toContain(extId)
        for (const key of revoked)
          expect((await callJson(`${nodes[0]!.url}/signals/leads`, key)).status).toBe(401)
        const { body: back } = await after("POST", "/observations", {
          observations: [...erased].slice(-5).map((extId) => ({
            signalId,
            person: { extId, name: "back" },
            engagement: { id: `back-${round}-${extId}` }
          }))
        })
        expect(back.data.map(({ outcome }: { readonly outcome: string }) => outcome)).toEqual(
          Array.from({ length: 5 }, () => "suppressed")
        )
      }
      expect([erased.size > 60, revoked.size]).toEqual([true, 24])
      for (const node of nodes) await node.end("SIGTERM")
    },
    600_000
  )
})
