/**
 * A server on a SQLite file is killed at random instants, also while it starts and while it or a command makes a backup, under clients that
 * record and erase and webhooks that receive. After each kill `check` finds nothing and nothing that was answered is lost; in the end
 * backups that were made along the way are restored, with the removals since.
 *
 * @slow fifty kills
 */
import { Prng } from "@lead-signals/simulation-kernel"
import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { bundledServer, nodeArguments } from "../harness/BundledServer.ts"
import { runCommand } from "../harness/CommandRun.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  spawnBundle,
  startServer
} from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { type Acknowledged, beginWork } from "../store-postgres/AnsweredWork.ts"

endServersAfterTests()
const kills = 50
/** How many of the backups are restored, beside the newest. */
const restored = 6

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

it.runIf(isThorough)(
  `check finds nothing after each of ${kills} kills, and a restore brings nobody back [STORE-2, DELIV-2, PII-3, REST-1, REST-3, REST-4, REST-6]`,
  async () => {
    const prng = Prng.of(26, "check after kills")
    const folder = temporaryFolder()
    const database = join(folder, "leads.sqlite")
    const scheduled = join(folder, "scheduled")
    mkdirSync(scheduled)
    const environment = {
      LEAD_SIGNALS_DATABASE: database,
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
      LEAD_SIGNALS_WEBHOOK_RETRY: "1,1,1,1,1,1,1,1,1",
      LEAD_SIGNALS_BACKUP_FOLDER: scheduled
    }
    let server = await startServer(environment, bundledServer)
    const work = await beginWork(() => server.url, prng)
    const counts = { inStart: 0, commandsKilled: 0 }

    const expectSound = async (filename: string): Promise<void> => {
      const checked = await runCommand(["check", "--database", filename, "--json"])
      expect([filename, checked.err, JSON.parse(checked.out)]).toMatchObject([
        filename,
        "",
        { sound: true, problems: [] }
      ])
    }
    /** Backups that became whole, with what had been answered before each was begun. */
    const backups = new Map<string, Acknowledged>()
    /** Takes the whole backups of the schedule aside, so that the next start makes one at once. */
    const takeScheduled = (answered: Acknowledged): void => {
      for (const name of readdirSync(scheduled).filter((each) => each.endsWith("Z.sqlite"))) {
        const aside = join(folder, `scheduled-${backups.size}.sqlite`)
        renameSync(join(scheduled, name), aside)
        backups.set(aside, answered)
      }
    }
    /** A command that makes a backup while the server works and is killed; at times it is killed itself. */
    const beginBackup = (kill: number, mayBeKilled: boolean): Promise<void> => {
      const target = join(folder, `command-${kill}.sqlite`)
      const answered = work.acknowledged()
      return new Promise((resolve) => {
        const child = execFile(
          process.execPath,
          [...nodeArguments, bundledServer, "backup", target, "--database", database],
          () => {
            // Its name is there when it is whole, whether the command was killed afterwards or not.
            if (readdirSync(folder).includes(`command-${kill}.sqlite`)) backups.set(target, answered)
            resolve()
          }
        )
        if (mayBeKilled && prng.chance(0.4))
          setTimeout(
            () => {
              if (child.kill("SIGKILL")) counts.commandsKilled++
            },
            100 + prng.below(400)
          )
      })
    }

    let answeredBefore = work.acknowledged()
    for (let kill = 1; kill <= kills; kill++) {
      const command = kill % 5 === 2 ? beginBackup(kill, true) : Promise.resolve()
      // However slow the machine is, each life takes something in.
      await work.progress(30)
      if (kill === 1) {
        // Somebody is erased whom a backup has.
        const people = new Set(Array.from(work.acknowledged().values(), ({ person }) => person))
        await beginBackup(kill, false)
        const before = new Set(work.erased())
        const isErasedSince = (person: string) => people.has(person) && !before.has(person)
        while (![...work.erased()].some(isErasedSince)) await sleep(5)
      }
      await sleep(prng.below(400))
      expect(await server.end("SIGKILL")).toBe("SIGKILL")
      await command
      await expectSound(database)
      await work.compare(database)
      takeScheduled(answeredBefore)
      answeredBefore = work.acknowledged()
      if (prng.chance(0.2)) {
        kill++
        counts.inStart++
        const starting = spawnBundle(bundledServer, environment)
        await sleep(prng.below(600))
        starting.child.kill("SIGKILL")
        await starting.exit
        await expectSound(database)
        await work.compare(database)
      }
      server = await startServer(environment, bundledServer)
    }
    await work.settle(database)
    await server.end("SIGKILL")
    await expectSound(database)
    await work.compare(database)
    takeScheduled(answeredBefore)

    expect(backups.size).toBeGreaterThan(0)
    const all = [...backups]
    const chosen = all.filter((_, i) => i === all.length - 1 || i % Math.ceil(all.length / restored) === 0)
    for (const [backup, answered] of chosen) {
      const replaced = await runCommand(["restore", backup, "--to", database, "--replace"])
      expect([replaced.code, replaced.err]).toEqual([0, ""])
      await expectSound(database)
      await work.compare(database, answered)
    }
    // A server on the last of them refuses whoever was erased since.
    server = await startServer(environment, bundledServer)
    const people = [...work.erased()]
    const { body } = await callJson(
      `${server.url}/operator/brands/${work.brandId}/observations`,
      operatorToken,
      "POST",
      {
        observations: people.slice(0, 100).map((extId) => ({
          signalId: work.signalId,
          person: { extId, name: "N" },
          engagement: { id: `again-${extId}` }
        }))
      }
    )
    const outcomes = new Set(body.data.map(({ outcome }: { readonly outcome: string }) => outcome))
    expect([people.length > 0, [...outcomes]]).toEqual([true, ["suppressed"]])
    await server.end("SIGKILL")
    process.stdout.write(
      `check after kills: ${kills} kills, ${counts.inStart} of them in a start, ${counts.commandsKilled} commands killed; ${work.counts.acknowledged} answered observations, 0 lost; ${people.length} erasures answered; ${work.posts()} posts; ${chosen.length} of ${all.length} backups restored\n`
    )
  },
  3_600_000
)
