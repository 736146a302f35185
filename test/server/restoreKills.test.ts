/**
 * A server that records and erases, its backups and its restores are killed again and again. Whoever was erased never comes back, and
 * whatever was acknowledged before a backup is in what is restored from it.
 */
import { Prng } from "@lead-signals/simulation-kernel"
import { execFile } from "node:child_process"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { bundledServer, nodeArguments } from "../harness/BundledServer.ts"
import { runCommand } from "../harness/CommandRun.ts"
import { raw } from "../harness/RawFile.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()
const rounds = isThorough ? 50 : 2

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const untilGone = (error: unknown): void => {
  if (!/fetch failed|terminated|JSON/.test(String(error))) throw error
}

/** Runs a command as a process, and kills it after so long; answers its exit code, or null when it was killed. */
const killedAfter = (millis: number, args: ReadonlyArray<string>): Promise<number | null> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [...nodeArguments, bundledServer, ...args], (error) =>
      resolve(error === null ? 0 : typeof error.code === "number" ? error.code : null)
    )
    setTimeout(() => child.kill("SIGKILL"), millis)
  })

it.runIf(isThorough)(
  `brings nobody back and loses nothing over ${rounds} rounds of kills [REST-1, REST-2, REST-3, REST-4]`,
  async () => {
    const prng = Prng.of(26, "restore")
    const folder = temporaryFolder()
    const database = join(folder, "leads.sqlite")
    const environment = {
      LEAD_SIGNALS_DATABASE: database,
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
    }
    let server = await startServer(environment, bundledServer)
    const { brandId, signalId } = await setUpBrand(server.url)
    const operate = (method: string, path: string, json?: unknown) =>
      callJson(`${server.url}/operator/brands/${brandId}${path}`, operatorToken, method, json)

    /** People whose recording was acknowledged, and not lost by a restore; by external id their lead. */
    const acknowledged = new Map<string, number>()
    /** People whose erasure was asked for: acknowledged, or perhaps done. */
    const [erased, doubtful] = [new Set<string>(), new Set<string>()]
    const revoked = new Set<string>()
    let number = 0

    const record = async (): Promise<void> => {
      const extIds = Array.from({ length: 5 }, () => `p${number++}`)
      const observations = extIds.map((extId) => ({
        signalId,
        person: { extId, name: "N" },
        engagement: { id: extId }
      }))
      const { body } = await operate("POST", "/observations", { observations })
      for (const [i, { leadId }] of body.data.entries()) acknowledged.set(extIds[i]!, leadId)
    }
    const erase = async (): Promise<void> => {
      const people = [...acknowledged].filter(([extId]) => !doubtful.has(extId))
      if (people.length === 0) return
      const [extId, leadId] = people[prng.below(people.length)]!
      doubtful.add(extId)
      const { status } = await operate("DELETE", `/leads/${leadId}`)
      expect(status).toBe(204)
      erased.add(extId)
    }
    const revoke = async (): Promise<void> => {
      const { body } = await operate("POST", "/keys", { label: "k" })
      const { status } = await operate("DELETE", `/keys/${body.data.id}`)
      expect(status).toBe(204)
      revoked.add(body.data.key)
    }
    const live = async (): Promise<void> => {
      for (;;) await [record, erase, erase, revoke][prng.below(4)]!()
    }
    /** Lets a client work until the server is killed, which happens after some erasures. */
    const liveAndKill = async (): Promise<void> => {
      const client = live().catch(untilGone)
      const before = erased.size
      while (erased.size < before + 2) await sleep(2)
      await sleep(prng.below(60))
      expect(await server.end("SIGKILL")).toBe("SIGKILL")
      await client
    }
    const keysOf = (): ReadonlyArray<string> =>
      raw(
        database,
        (db) =>
          db.prepare("SELECT start FROM api_key WHERE revoked_at IS NULL").pluck().all() as Array<string>
      )
    const peopleOf = (): ReadonlySet<string> =>
      new Set(raw(database, (db) => db.prepare("SELECT ext_id FROM lead").pluck().all() as Array<string>))
    const expectWhole = async (of: ReadonlyMap<string, number>): Promise<void> => {
      const checked = await runCommand(["check", "--database", database])
      expect([checked.code, checked.out]).toEqual([0, expect.stringContaining("The file is sound.")])
      const people = peopleOf()
      for (const extId of erased) expect(people, `${extId} was erased`).not.toContain(extId)
      for (const extId of of.keys())
        if (!doubtful.has(extId)) expect(people, `${extId} is lost`).toContain(extId)
      for (const start of keysOf()) expect([...revoked].filter((key) => key.startsWith(start))).toEqual([])
    }

    for (let round = 0; round < rounds; round++) {
      await record()
      const backup = join(folder, `backup-${round}.sqlite`)
      // A killed backup leaves no file of its name, or a whole one.
      const code = await killedAfter(150 + prng.below(250), ["backup", backup, "--database", database])
      if (code === null && !readdirSync(folder).includes(`backup-${round}.sqlite`))
        expect((await runCommand(["backup", backup, "--database", database])).code).toBe(0)
      const inBackup = new Map(acknowledged)
      await liveAndKill()
      // Every other time the file is lost, and only the journal knows who was erased.
      const isLost = round % 2 === 1
      if (isLost) for (const ending of ["", "-wal", "-shm"]) rmSync(database + ending, { force: true })
      // A killed restore leaves the database as it was, or restored.
      const restoreArguments = ["restore", backup, "--to", database, "--replace"]
      const restored = await killedAfter(150 + prng.below(400), restoreArguments)
      if (!isLost || existsSync(database)) await expectWhole(inBackup)
      if (restored !== 0) {
        const { code: again, err } = await runCommand(restoreArguments)
        expect([again, err]).toEqual([0, ""])
        await expectWhole(inBackup)
      }
      // A person recorded after the backup is lost, and may be recorded again.
      const people = peopleOf()
      for (const extId of acknowledged.keys()) if (!people.has(extId)) acknowledged.delete(extId)
      server = await startServer(environment, bundledServer)
      expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([])
    }
    expect(erased.size).toBeGreaterThanOrEqual(2 * rounds)
  },
  1_200_000
)
