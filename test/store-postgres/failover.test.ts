/**
 * A standby takes over while a node takes observations, erases and delivers. A commit was on both servers before it was answered, so nothing
 * that was answered is lost. Between the loss of the first server and the promotion the node reads from the standby.
 *
 * @slow five failovers in thorough runs
 */
import { Prng } from "@lead-signals/simulation-kernel"
import { expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { runCommand } from "../harness/CommandRun.ts"
import { isWithoutPostgres, startPostgres } from "../harness/Postgres.ts"
import { startPostgresProxy } from "../harness/PostgresProxy.ts"
import { callJson, endServersAfterTests, operatorToken, startServer } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { beginWork } from "./AnsweredWork.ts"

endServersAfterTests()
const rounds = 5

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

it.skipIf(isWithoutPostgres || !isThorough)(
  `loses nothing that was answered over ${rounds} failovers, and reads from a standby meanwhile [STORE-2, DELIV-2, EVT-2, PII-3, HEALTH-3, RATE-6]`,
  async () => {
    const prng = Prng.of(17, "failover")
    let primary = await startPostgres({ synced: true })
    const proxy = await startPostgresProxy(primary.url())
    const server = await startServer(
      {
        LEAD_SIGNALS_DATABASE: proxy.url,
        LEAD_SIGNALS_DEMO: "false",
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
        LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
        LEAD_SIGNALS_WEBHOOK_RETRY: "1,1,1,1,1,1,1,1,1"
      },
      bundledServer
    )
    const work = await beginWork(() => server.url, prng)
    const ready = () => callJson(`${server.url}/health/ready`, "")
    const readLeads = () => callJson(`${server.url}/signals/leads?pageSize=5`, work.key)
    let reads = 0
    for (let round = 0; round < rounds; round++) {
      const standby = await primary.addStandby()
      await work.progress(200)
      await sleep(prng.below(300))
      await primary.kill("SIGKILL")
      proxy.lead(standby.url())

      while ((await ready()).body?.reason !== "the database is read-only") await sleep(20)
      const refusedBefore = work.counts.refused
      for (let n = 0; n < 20; n++) {
        const { body, status } = await readLeads()
        expect([status, body.error]).toEqual([200, undefined])
        expect(body.data.length).toBe(5)
        reads++
      }
      while (work.counts.refused < refusedBefore + 3) await sleep(5)

      await standby.promote()
      await work.progress(60)
      while ((await ready()).body?.status !== "ok") await sleep(20)
      await primary.remove()
      primary = standby
    }
    const lost = await work.settle(primary.url())
    const checked = await runCommand(["check", "--database", primary.url(), "--json"])
    expect(JSON.parse(checked.out)).toMatchObject({ sound: true, problems: [] })
    const { acknowledged, erased, refused } = work.counts
    process.stdout.write(
      `failovers: ${rounds}, ${acknowledged} answered observations, ${lost} lost, ${erased} erasures answered, ${refused} requests refused and repeated, ${reads} reads from standbys, ${work.posts()} posts, 0 ids with two bodies\n`
    )
    expect(await server.end("SIGTERM")).toBe(0)
    await proxy.close()
    await primary.remove()
  }
)
