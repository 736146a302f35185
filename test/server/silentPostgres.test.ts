/**
 * A node whose Postgres falls silent: its connections stay, and nothing answers on them.
 *
 * @slow a stop takes its whole time
 */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { isWithoutPostgres, startPostgres } from "../harness/Postgres.ts"
import type { PostgresServer } from "../harness/PostgresServer.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { observationOf } from "../store-postgres/Canaries.ts"

endServersAfterTests()

/** The process and all that it has started. */
const familyOf = (pid: number): ReadonlyArray<number> => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)
]

describe.skipIf(isWithoutPostgres || !isThorough || process.platform !== "linux")("a silent Postgres", () => {
  let server: PostgresServer
  let stopped: Array<number> = []
  const goOn = (): void => {
    for (const pid of stopped.splice(0)) process.kill(pid, "SIGCONT")
  }
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    goOn()
    await server.remove()
  })

  it("keeps a node from stopping for no longer than the drain and a little more [HEALTH-5]", async () => {
    const node = await startServer(
      {
        LEAD_SIGNALS_DATABASE: server.url(),
        LEAD_SIGNALS_DEMO: "false",
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
        LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8"
      },
      bundledServer
    )
    const { brandId, signalId } = await setUpBrand(node.url)
    const webhook = await callJson(`${node.url}/operator/brands/${brandId}/webhooks`, operatorToken, "POST", {
      // Nobody listens there: its deliveries stay due.
      url: "http://127.0.0.1:9/",
      events: ["lead2.created"]
    })
    expect(webhook.status).toBe(201)
    const observed = await callJson(
      `${node.url}/operator/brands/${brandId}/observations`,
      operatorToken,
      "POST",
      { observations: [observationOf(signalId, 0)] }
    )
    expect(observed.status).toBe(200)
    stopped = [...familyOf(server.pid)]
    for (const pid of stopped) process.kill(pid, "SIGSTOP")
    // A lease that looks for what is due, each second, waits for its answer from now on; so does a request.
    const waiting = callJson(`${node.url}/operator/brands/${brandId}/leads`, operatorToken).catch(() => null)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    const before = performance.now()
    expect(await node.end("SIGTERM")).toBe(0)
    const millis = performance.now() - before
    process.stdout.write(`silent Postgres: a stop took ${Math.round(millis)} ms\n`)
    // It waited for the end of a connection without one, and before that for three tries of 12 s each.
    expect(millis).toBeLessThan(34_000)
    await waiting
    goOn()
  })
})
