/**
 * What a node says of each failure of its Postgres, in readiness, log and metrics, and that it goes on by itself afterwards.
 *
 * @slow a server notices each failure, and its end, after a while
 */
import { execFileSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { dirname } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { isWithoutPostgres, startPostgres } from "../harness/Postgres.ts"
import { type PostgresServer } from "../harness/PostgresServer.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  type ServerProcess,
  setUpBrand,
  spawnBundle,
  startServer
} from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { smallDisk } from "../store-sqlite/SmallDisk.ts"

endServersAfterTests()
const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
const disk = isWithoutPostgres ? null : smallDisk(48)

const environment = (database: string) => ({
  LEAD_SIGNALS_DATABASE: database,
  LEAD_SIGNALS_DEMO: "false",
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
})

describe.skipIf(isWithoutPostgres)("a node whose Postgres", () => {
  let postgres: PostgresServer
  let server: ServerProcess
  let brand: Awaited<ReturnType<typeof setUpBrand>>
  let number = 0

  beforeAll(async () => {
    postgres = await startPostgres({ settings: { max_connections: "24" } })
    if (disk !== null) {
      chmodSync(dirname(disk.folder), 0o755)
      execFileSync("chown", ["postgres", disk.folder])
      chmodSync(dirname(disk.folder), 0o755)
      await admin(`CREATE TABLESPACE small LOCATION '${disk.folder}'`)
      await admin("ALTER DATABASE postgres SET default_tablespace = small")
    }
    server = await startServer(environment(postgres.url()), bundledServer)
    brand = await setUpBrand(server.url)
  })
  afterAll(async () => {
    await server?.end("SIGKILL")
    await postgres?.remove()
  })

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: postgres.url() })
    client.on("error", () => {})
    await client.connect()
    return client
  }
  const admin = async (...statements: ReadonlyArray<string>): Promise<void> => {
    const client = await connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  const ready = () => callJson(`${server.url}/health/ready`, "")
  const write = (size = 10) =>
    callJson(`${server.url}/operator/brands/${brand.brandId}/observations`, operatorToken, "POST", {
      observations: [
        {
          signalId: brand.signalId,
          person: { extId: `p${number}`, name: "N" },
          engagement: { id: `e${number++}`, type: "comment", commentText: "x".repeat(size) }
        }
      ]
    })
  const read = () => callJson(`${server.url}/signals/leads`, brand.key)
  const metrics = async () =>
    (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })).text()
  /** Waits until the node is ready, or is not, as long as it takes. */
  const until = async (isReached: (answer: Awaited<ReturnType<typeof ready>>) => boolean) => {
    for (;;) {
      const answer = await ready()
      if (isReached(answer)) return answer
      await sleep(50)
    }
  }
  const isOk = ({ body }: Awaited<ReturnType<typeof ready>>): boolean => body.status === "ok"
  /** All is as before: ready, and what is written is read. */
  const recovers = async () => {
    await until(isOk)
    expect((await write()).status).toBe(200)
    expect((await read()).status).toBe(200)
  }
  /** Reasons in the log from a place on; a line can come after the answer that it tells of. */
  const reasons = (from: number): ReadonlyArray<string> =>
    server
      .err()
      .slice(from)
      .split("\n")
      .flatMap((line) => (line.includes('"store unavailable') ? [JSON.parse(line).reason as string] : []))

  /** The failed calls are counted under the reason. */
  const isCounted = async (reason: RegExp): Promise<void> => {
    const counted = (await metrics()).matchAll(
      /^lead_signals_store_failures_total\{reason="([^"]*)"\} (\d+)$/gm
    )
    const reasons = Array.from(counted, ([, text, count]) => (Number(count) > 0 ? text! : ""))
    expect(reasons).toContainEqual(expect.stringMatching(reason))
  }

  it("is down answers 503 with its reason in the log, and goes on when it comes back [HEALTH-2]", async () => {
    const from = server.err().length
    await postgres.kill("SIGINT")
    expect((await until(({ status }) => status === 503)).body.error.code).toBe("unavailable")
    expect((await write()).status).toBe(503)
    expect((await callJson(`${server.url}/health`, "")).status).toBe(200)
    await sleep(isThorough ? 60_000 : 500)
    expect((await read()).status).toBe(503)
    await expect.poll(() => reasons(from)).toContain("the database can't be reached")
    await postgres.start()
    await recovers()
    await isCounted(/^the database can't be reached$/)
  })

  it("starts for long answers 503 and says so, and goes on when it has started [HEALTH-2]", async () => {
    const from = server.err().length
    await postgres.kill("SIGINT")
    await postgres.startRecovering()
    await until(({ status }) => status === 503)
    expect((await write()).status).toBe(503)
    await expect.poll(() => reasons(from)).toContain("the database is starting or stopping (57P03)")
    await postgres.kill("SIGQUIT")
    postgres.endRecovery()
    await postgres.start()
    await recovers()
    await isCounted(/^the database is starting or stopping \(57P03\)$/)
  })

  it.each([
    ["refuses its user", "host all all all reject", "the database refused the user or the password (28000)"],
    [
      "asks for a password that its URL has not",
      "host all admin all trust\nhost all all all scram-sha-256",
      "the database asks for a password, and its URL has none"
    ]
  ])("%s says so, and goes on when it is let in again [HEALTH-2]", async (_, rules, reason) => {
    const from = server.err().length
    const admitted = await connect()
    postgres.setAccess(rules)
    for (;;) {
      await admitted.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'lead-signals%'"
      )
      if ((await ready()).status === 503 && (await write()).status === 503) break
    }
    await expect.poll(() => reasons(from)).toContain(reason)
    postgres.setAccess("host all all all trust")
    await admitted.end()
    await recovers()
    await isCounted(new RegExp(`^${reason.replace(/[()]/g, "\\$&")}$`))
  })

  it("turns read-only is degraded: it reads, and says why it can't write [HEALTH-3]", async () => {
    await admin("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
    while ((await write()).status === 200) await sleep(20)
    const refused = await write()
    expect([refused.status, refused.body.error.message]).toEqual([
      503,
      expect.stringContaining("the database is read-only")
    ])
    expect((await until(({ body }) => body.status === "degraded")).body).toMatchObject({
      reads: true,
      writes: false,
      reason: "the database is read-only"
    })
    expect((await read()).status).toBe(200)
    await admin(
      "SET default_transaction_read_only = off",
      "ALTER SYSTEM RESET default_transaction_read_only",
      "SELECT pg_reload_conf()"
    )
    await recovers()
    await isCounted(/^the database is read-only \(25006\)$/)
  })

  it("has no connection left says so, and goes on when it has [HEALTH-2]", async () => {
    const from = server.err().length
    const others: Array<pg.Client> = []
    const admitted = await connect()
    const servers = "pg_stat_activity WHERE application_name LIKE 'lead-signals%'"
    try {
      for (;;) {
        try {
          others.push(await connect())
        } catch {
          const { rows } = await admitted.query(`SELECT pg_terminate_backend(pid) FROM ${servers}`)
          // A connection that the server was just making is seen once it is made.
          if (rows.length === 0 && (await ready()).status === 503) break
        }
      }
      expect((await read()).status).toBe(503)
      await expect.poll(() => reasons(from).join()).toMatch(/the database has too many connections \(53300\)/)
    } finally {
      await Promise.all([admitted, ...others].map((client) => client.end()))
    }
    await recovers()
    await isCounted(/^the database has too many connections \(53300\)$/)
  })

  it.runIf(isThorough)(
    "holds a lock for long answers 503 after a bounded time, and goes on [HEALTH-2]",
    async () => {
      const from = server.err().length
      const client = await connect()
      await client.query("BEGIN")
      await client.query("LOCK TABLE lead_signals.lead IN ACCESS EXCLUSIVE MODE")
      try {
        const startedAt = Date.now()
        expect((await write()).status).toBe(503)
        expect(Date.now() - startedAt).toBeLessThan(60_000)
        await expect.poll(() => reasons(from).join()).toMatch(/took too long|in the way/)
      } finally {
        await client.end()
      }
      await recovers()
      await isCounted(/took too long|in the way/)
    }
  )

  it.skipIf(disk === null)("has a full disk is degraded until there is room [HEALTH-3]", async () => {
    disk!.fill()
    let refused = await write(20_000)
    while (refused.status === 200) refused = await write(20_000)
    expect([refused.status, refused.body.error.message]).toEqual([
      503,
      expect.stringContaining("disk of the database is full")
    ])
    expect((await until(({ body }) => body.status === "degraded")).body.reason).toBe(
      "the disk of the database is full"
    )
    expect((await read()).status).toBe(200)
    disk!.free()
    await recovers()
    await isCounted(/^the disk of the database is full \(53100\)$/)
  })
})

describe.skipIf(isWithoutPostgres)("a start", () => {
  const urls: ReadonlyArray<readonly [string, RegExp]> = [
    ["postgres://leads:secret-7@127.0.0.1:1/leads", /can't be reached.*Check LEAD_SIGNALS_DATABASE/],
    [
      "postgres://leads:secret-7@",
      /LEAD_SIGNALS_DATABASE takes a URL like postgres:\/\/user:password@host:5432\/name/
    ],
    ["postgresql://leads:secret-7@:x/leads", /LEAD_SIGNALS_DATABASE takes a URL like/]
  ]
  it.each(urls.slice(0, isThorough ? 3 : 1))(
    "on %s ends with one line that names the variable, and without the password [RUN-4]",
    async (url, message) => {
      const { err, exit, out } = spawnBundle(bundledServer, environment(url))
      expect(await exit).toBe(2)
      expect(err().trim().split("\n")).toEqual([expect.stringMatching(message)])
      expect(out() + err()).not.toContain("secret-7")
    }
  )
})
