/**
 * The ledger on Postgres: its server is killed again and again while a node takes observations, erases and delivers. What was answered is
 * there afterwards, and no delivery's id was ever sent with two bodies.
 */
import { Prng } from "@lead-signals/simulation-kernel"
import { once } from "node:events"
import { expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { runCommand } from "../harness/CommandRun.ts"
import { isWithoutPostgres, startPostgres } from "../harness/Postgres.ts"
import { endServersAfterTests, operatorToken, startServer } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { beginWork } from "./AnsweredWork.ts"

endServersAfterTests()
const rounds = 50
/** `SIGQUIT` is an immediate shutdown; after `SIGKILL` of the postmaster its processes find out by themselves. */
const signals = ["SIGQUIT", "SIGKILL"] as const

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

it.skipIf(isWithoutPostgres || !isThorough)(
  `loses nothing that was answered over ${rounds} kills of Postgres [STORE-2, DELIV-2, EVT-2, EVT-8, PII-3]`,
  async () => {
    const prng = Prng.of(13, "postgres")
    const postgres = await startPostgres({ synced: true })
    const server = await startServer(
      {
        LEAD_SIGNALS_DATABASE: postgres.url(),
        LEAD_SIGNALS_DEMO: "false",
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
        LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
        LEAD_SIGNALS_WEBHOOK_RETRY: "1,1,1,1,1,1,1,1,1"
      },
      bundledServer
    )
    const work = await beginWork(() => server.url, prng)
    let isEnding = false
    const lostServer = once(server.child, "exit").then(([code]) => {
      if (!isEnding) throw new Error(`the server ended with ${code}: ${server.err().slice(-2000)}`)
    })
    for (let round = 0; round < rounds; round++) {
      // However slow the machine is, each life of Postgres takes something in.
      await Promise.race([work.progress(60), lostServer])
      await sleep(prng.below(300))
      await postgres.kill(signals[round % 2]!)
      await sleep(prng.below(200))
      await postgres.start()
    }
    const lost = await Promise.race([work.settle(postgres.url()), lostServer])
    isEnding = true
    const checked = await runCommand(["check", "--database", postgres.url(), "--json"])
    expect(JSON.parse(checked.out)).toMatchObject({ sound: true, problems: [] })
    const { acknowledged, erased, refused } = work.counts
    process.stdout.write(
      `killed Postgres: ${rounds} kills, ${acknowledged} answered observations, ${lost} lost, ${erased} erasures answered, ${refused} requests refused and repeated, ${work.posts()} posts, 0 ids with two bodies\n`
    )
    expect(await server.end("SIGTERM")).toBe(0)
    await postgres.remove()
  }
)
