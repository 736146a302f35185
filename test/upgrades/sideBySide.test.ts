/** Nodes of an earlier version, run by its own code, go on while nodes of this version migrate their database and serve it beside them. */
import * as PostgresStore from "@lead-signals/store-postgres"
import { newestMigration } from "@lead-signals/store-postgres/internal"
import { Effect } from "effect"
import { join } from "node:path"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { callJson, endServersAfterTests, startServer } from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { checkOut, hasCommit, operatorToken, type RunningRelease, startRelease } from "./EarlierRelease.ts"
import { commits, fixtureVersions, readFixture } from "./ReleasedVersions.ts"

endServersAfterTests()
const versions = fixtureVersions("postgres").filter((version) => version < newestMigration)
const hasHistory = versions.every((version) => hasCommit(commits.postgres[version - 1]!))
if (isThorough && !hasHistory) {
  console.warn("SKIPPED: nodes of earlier versions run from their commits, which a shallow clone lacks.")
}

const observationsOf = (signalId: string, from: number, node: string) =>
  Array.from({ length: 20 }, (_, n) => ({
    signalId,
    // Both nodes see the same persons, each by engagements of its own.
    person: { extId: `beside-${from + n}`, name: `Beside ${from + n}` },
    engagement: { id: `beside-${node}-${from + n}`, type: "comment", commentText: node }
  }))

describe.skipIf(!isThorough || !hasHistory || isWithoutPostgres)(
  "a node of an earlier version on Postgres",
  () => {
    const running = new Set<RunningRelease>()
    afterAll(() => Promise.all([...running].map(({ child }) => child.kill("SIGKILL"))))

    it.each(versions)(
      "%i goes on beside nodes of this version, and starts again on their schema [UPG-4]",
      async (version) => {
        const folder = temporaryFolder()
        const sources = join(folder, "sources")
        checkOut(commits.postgres[version - 1]!, sources)
        const url = await newDatabase()
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        await client.query(readFixture("postgres", version).content.toString())
        const { keys } = readFixture("postgres", version).answers
        const [brandId, key] = Object.entries(keys)[0]!
        const path = `/operator/brands/${brandId}`

        let old = await startRelease(sources, url)
        running.add(old)
        const signals = (await callJson(`${old.url}${path}/signals`, operatorToken)).body.data
        const signalId: string = signals[0].id
        const send = async (to: string, from: number, node: string) => {
          const observations = observationsOf(signalId, from, node)
          const { body, status } = await callJson(`${to}${path}/observations`, operatorToken, "POST", {
            observations
          })
          expect([status, new Set(body.data?.map((each: { outcome: string }) => each.outcome))]).toEqual([
            200,
            new Set(["recorded"])
          ])
        }

        // The old node takes observations all the time while the new one migrates.
        let sent = 0
        const migration = { isOver: false }
        const sending = (async () => {
          for (; !migration.isOver; sent += 20) await send(old.url, sent, "old")
        })()
        const node = await startServer(
          {
            LEAD_SIGNALS_DATABASE: url,
            LEAD_SIGNALS_DEMO: "false",
            LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
          },
          bundledServer
        )
        migration.isOver = true
        await sending
        expect(sent).toBeGreaterThan(0)

        for (const round of ["beside", "restarted"]) {
          const from = sent
          for (let i = 0; i < 5; i++, sent += 20) {
            await Promise.all([send(old.url, sent, "old"), send(node.url, sent, "new")])
          }
          const list = "/signals/leads?pageSize=100&sort=createdAt:asc"
          const [ofOld, ofNew] = await Promise.all(
            [old, node].map((each) => callJson(`${each.url}${list}`, key))
          )
          expect(ofOld!.status).toBe(200)
          expect(ofNew!.body).toMatchObject(ofOld!.body)
          const search = await callJson(
            `${node.url}/signals/leads?search=beside%20${from + 7}&sort=createdAt:asc`,
            key
          )
          expect(search.body.data.map(({ name }: { name: string }) => name)).toContain(`Beside ${from + 7}`)
          const made = (await callJson(`${node.url}${path}/keys`, operatorToken, "POST", { label: round }))
            .body.data
          expect((await callJson(`${old.url}/signals/leads`, made.key)).status).toBe(200)
          const byOld = (await callJson(`${old.url}${path}/keys`, operatorToken, "POST", { label: round }))
            .body.data
          expect((await callJson(`${node.url}/signals/leads`, byOld.key)).status).toBe(200)
          await callJson(`${node.url}${path}/keys/${byOld.id}`, operatorToken, "DELETE")
          expect((await callJson(`${old.url}/signals/leads`, byOld.key)).status).toBe(401)
          const [lead] = ofNew!.body.data
          for (const [to, score1] of [
            [old, 1],
            [node, 2]
          ] as const)
            expect(
              (await callJson(`${to.url}${path}/leads/${lead.id}`, operatorToken, "PATCH", { score1 })).body
                .data.score1
            ).toBe(score1)
          if (round === "beside") {
            // As a supervisor starts it again in the middle of the replacement.
            await old.stop()
            old = await startRelease(sources, url)
            running.add(old)
          }
        }
        await old.stop()
        expect(await node.end("SIGTERM")).toBe(0)
        const counted = await client.query(
          "SELECT count(*)::int AS n FROM lead_signals.lead WHERE brand_id = $1 AND name LIKE 'Beside %'",
          [brandId]
        )
        expect(counted.rows).toEqual([{ n: sent }])
        await client.end()
        expect((await Effect.runPromise(PostgresStore.check(url))).problems).toEqual([])
      }
    )
  }
)
