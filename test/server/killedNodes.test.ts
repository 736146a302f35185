/**
 * The ledger over three nodes on one Postgres, whose clocks are ten minutes apart: each is killed at random moments and started again, while
 * clients record and erase by whichever node is there, and webhooks receive.
 *
 * @slow thirty kills in thorough runs
 */
import { fileURLToPath } from "node:url"
import { Prng } from "@lead-signals/simulation-kernel"
import { expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { runCommand } from "../harness/CommandRun.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import {
  endServersAfterTests,
  operatorToken,
  type ServerProcess,
  startServer
} from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { beginWork } from "../store-postgres/AnsweredWork.ts"

endServersAfterTests()
const kills = 30
const shiftedClock = fileURLToPath(new URL("../harness/ShiftedClock.mjs", import.meta.url))

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

it.skipIf(isWithoutPostgres || !isThorough)(
  `three nodes lose nothing that was answered over ${kills} kills of one or two of them [STORE-2, DELIV-2, EVT-2, EVT-8, PII-3]`,
  async () => {
    const prng = Prng.of(19, "killed nodes")
    const database = await newDatabase()
    const startNode = (index: number): Promise<ServerProcess> =>
      startServer(
        {
          LEAD_SIGNALS_DATABASE: database,
          LEAD_SIGNALS_DEMO: "false",
          LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
          LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
          LEAD_SIGNALS_WEBHOOK_RETRY: "1,1,1,1,1,1,1,1,1",
          NODE_OPTIONS: `--import ${shiftedClock}`,
          SHIFTED_BY: String((index - 1) * 600_000)
        },
        bundledServer
      )
    const nodes = await Promise.all([startNode(0), startNode(1), startNode(2)])
    const work = await beginWork(() => nodes[prng.below(3)]!.url, prng)
    for (let done = 0; done < kills;) {
      await work.progress(60)
      await sleep(prng.below(300))
      const first = prng.below(3)
      const killed = prng.chance(0.3) ? [first, (first + 1) % 3] : [first]
      await Promise.all(killed.map((index) => nodes[index]!.end("SIGKILL")))
      // Those that are left go on.
      await work.progress(40)
      await Promise.all(
        killed.map(async (index) => {
          nodes[index] = await startNode(index)
        })
      )
      done += killed.length
    }
    const lost = await work.settle(database)
    const checked = await runCommand(["check", "--database", database, "--json"])
    expect(JSON.parse(checked.out)).toMatchObject({ sound: true, problems: [] })
    const { acknowledged, erased, refused } = work.counts
    process.stdout.write(
      `killed nodes: ${kills} kills, ${acknowledged} answered observations, ${lost} lost, ${erased} erasures answered, ${refused} requests refused and repeated, ${work.posts()} posts, 0 ids with two bodies\n`
    )
    expect(await Promise.all(nodes.map((node) => node.end("SIGTERM")))).toEqual([0, 0, 0])
  }
)
