/** Databases of every released version are brought to this one on Postgres, whole and whatever happens meanwhile. */
import { check, layer } from "@lead-signals/store-postgres"
import { newestMigration } from "@lead-signals/store-postgres/internal"
import { parseEncryptionKey } from "@lead-signals/encryption"
import { Effect, Either, Exit, Layer } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundledServer, compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { comparedWith, moveRecords, withApi } from "./Comparison.ts"
import { catalogOf, type Query } from "./PostgresCatalog.ts"
import { countingProxy } from "./PostgresMessages.ts"
import {
  commits,
  fixtureKey,
  fixtureVersions,
  type Kind,
  readFixture,
  releasedVersions
} from "./ReleasedVersions.ts"

const versions = fixtureVersions("postgres")
const older = versions.filter((version) => version < newestMigration)
const chosen = isThorough ? versions : versions.slice(0, 1)
const encryptedVersions = fixtureVersions("postgres-encrypted")

const queryOf =
  (url: string): Query =>
  async (text, values) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (values === undefined ? await client.query(text) : await client.query(text, [...values])).rows
    } finally {
      await client.end()
    }
  }

const key = Either.getOrThrow(parseEncryptionKey(fixtureKey))
const storeOver = (
  url: string,
  onMigrating: (migrating: { readonly doing: string }) => void = () => {},
  isEncrypted = false
) =>
  layer({
    url,
    notifications: false,
    maxConnections: 3,
    onMigrating,
    ...(isEncrypted ? { encryptionKey: key } : {})
  })

const open = (
  url: string,
  onMigrating?: (migrating: { readonly doing: string }) => void,
  isEncrypted?: boolean
) =>
  Effect.runPromiseExit(Effect.scoped(Effect.asVoid(Layer.build(storeOver(url, onMigrating, isEncrypted)))))

/** A database as the version left it, but for what lasts for a day. */
const databaseOf = async (version: number, kind: Kind = "postgres"): Promise<string> => {
  const url = await newDatabase()
  await queryOf(url)(readFixture(kind, version).content.toString())
  const [found] = await queryOf(url)("SELECT to_regclass('lead_signals.idempotency_record') AS name")
  if (found.name !== null)
    await queryOf(url)(moveRecords("lead_signals.idempotency_record", String(Date.now())))
  return url
}

describe.skipIf(isWithoutPostgres)("a Postgres database of a released version", () => {
  let wanted: ReadonlyArray<string>
  beforeAll(async () => {
    const url = await newDatabase()
    expect(Exit.isSuccess(await open(url))).toBe(true)
    wanted = await catalogOf(queryOf(url), "lead_signals")
  })

  /** It is of this version, sound, and answers what it answered before. */
  const expectUpgraded = async (url: string, version: number, isCompared = isThorough): Promise<void> => {
    const { answers } = readFixture("postgres", version)
    expect(Exit.isSuccess(await open(url))).toBe(true)
    if (isCompared)
      expect(await withApi(storeOver(url), (call, token) => comparedWith(answers, call, token))).toEqual([])
    expect(await catalogOf(queryOf(url), "lead_signals")).toEqual(wanted)
    const { newest, problems, version: reached } = await Effect.runPromise(check(url))
    expect([reached, problems]).toEqual([newest, []])
  }

  it("is kept for each version before this one", () => {
    expect(versions).toEqual(releasedVersions("postgres"))
    expect(encryptedVersions).toEqual(releasedVersions("postgres-encrypted"))
    expect(commits.postgres.length, "make it as CONTRIBUTING.md says").toBeGreaterThanOrEqual(
      newestMigration - 1
    )
  })

  it.each(chosen)(
    "%i answers after the upgrade what it answered before, and is sound [UPG-1]",
    async (version) => {
      await expectUpgraded(await databaseOf(version), version, true)
    }
  )

  it("is brought to this version after the connection was cut at any message of the migration [UPG-2]", async () => {
    for (const version of isThorough ? older : [1]) {
      const counting = await countingProxy(await databaseOf(version))
      counting.arm(0, () => {})
      expect(Exit.isSuccess(await open(counting.url))).toBe(true)
      const messages = counting.messages()
      await counting.close()
      expect(messages).toBeGreaterThan(10)
      const url = await databaseOf(version)
      const proxy = await countingProxy(url)
      const step = isThorough ? 1 : Math.ceil(messages / 4)
      // On one database, so that each start goes on where the last one was cut.
      for (let at = 1; at <= messages; at += step) {
        let isCut = false
        proxy.arm(at, (cut) => {
          isCut = true
          cut()
        })
        const exit = await open(proxy.url)
        // A store has several connections, of which one may fail and be replaced.
        if (!isCut) expect(Exit.isSuccess(exit)).toBe(true)
      }
      await proxy.close()
      await expectUpgraded(url, version)
    }
  })

  // By default the file of SQLite that is encrypted, and the plain databases above, are upgraded.
  it.runIf(isThorough).each(encryptedVersions)(
    "%i that is encrypted needs its key, and answers after the upgrade what it answered before, also when it was cut off [PII-4, UPG-1, UPG-2]",
    async (version) => {
      const { answers, content } = readFixture("postgres-encrypted", version)
      expect(content.includes("person-1")).toBe(false)
      const url = await databaseOf(version, "postgres-encrypted")
      expect(Exit.isFailure(await open(url))).toBe(true)
      const proxy = await countingProxy(url)
      for (const at of [2, 5, 8, 9, 10, 11, 12, 13, 14, 16, 20]) {
        proxy.arm(at, (cut) => cut())
        await open(proxy.url, undefined, true)
      }
      await proxy.close()
      expect(Exit.isSuccess(await open(url, undefined, true))).toBe(true)
      const differences = await withApi(storeOver(url, undefined, true), (call, token) =>
        comparedWith(answers, call, token)
      )
      expect(differences).toEqual([])
      const { newest, problems, version: reached } = await Effect.runPromise(check(url, () => {}, key))
      expect([reached, problems]).toEqual([newest, []])
    }
  )

  it.skipIf(!isThorough)(
    "that is encrypted is brought to this version after the node was killed at any message [PII-4, UPG-2]",
    async () => {
      for (const version of encryptedVersions) {
        const { answers } = readFixture("postgres-encrypted", version)
        const url = await databaseOf(version, "postgres-encrypted")
        const proxy = await countingProxy(url)
        for (const at of [4, 8, 10, 11, 12, 13, 14, 16, 20]) {
          const child = openInProcess(proxy.url, fixtureKey)
          proxy.arm(at, () => child.kill("SIGKILL"))
          await once(child, "exit")
        }
        await proxy.close()
        const differences = await withApi(storeOver(url, undefined, true), (call, token) =>
          comparedWith(answers, call, token)
        )
        expect([version, differences]).toEqual([version, []])
        expect((await Effect.runPromise(check(url, () => {}, key))).problems).toEqual([])
      }
    }
  )

  const children = new Set<ChildProcess>()
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL")
  })
  /** A process that opens the database as a server does, and sends no webhook. */
  const openInProcess = (url: string, encryptionKey = ""): ChildProcess => {
    const child = spawn(
      process.execPath,
      [...nodeArguments, bundledServer, "prune", "--dry-run", "--database", url],
      {
        env: {
          PATH: process.env["PATH"],
          NODE_COMPILE_CACHE: compileCache,
          LEAD_SIGNALS_ENCRYPTION_KEY: encryptionKey
        },
        stdio: "ignore"
      }
    )
    children.add(child)
    child.once("exit", () => children.delete(child))
    return child
  }

  it.skipIf(!isThorough)(
    "is brought to this version after the node was killed at any message of the migration [UPG-2]",
    async () => {
      for (const version of older) {
        const url = await databaseOf(version)
        const proxy = await countingProxy(url)
        for (const at of [4, 6, 8, 10, 11, 12, 13, 14, 15, 16, 18, 20]) {
          const child = openInProcess(proxy.url)
          // The message is sent, and the connection stays open until the system closes it.
          proxy.arm(at, () => child.kill("SIGKILL"))
          await once(child, "exit")
        }
        await proxy.close()
        await expectUpgraded(url, version)
      }
    }
  )

  /** The session that builds an index while another transaction keeps it waiting. */
  const buildingPid = async (query: Query): Promise<number> => {
    for (;;) {
      const [found] = await query(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'"
      )
      if (found !== undefined) return found.pid
      await sleep(20)
    }
  }
  /** Runs the work while a transaction has written deliveries and does not end. */
  const whileBlocked = async (url: string, work: () => Promise<void>): Promise<void> => {
    const blocker = new pg.Client({ connectionString: url })
    await blocker.connect()
    await blocker.query("BEGIN; UPDATE lead_signals.delivery SET attempts = attempts")
    try {
      await work()
    } finally {
      await blocker.query("ROLLBACK")
      await blocker.end()
    }
  }
  const invalid = async (query: Query): Promise<ReadonlyArray<string>> =>
    (
      await query(
        "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisvalid"
      )
    ).map(({ relname }) => relname)

  it("with an index whose building was ended half way gets it built again [UPG-2]", async () => {
    const url = await databaseOf(1)
    const query = queryOf(url)
    await whileBlocked(url, async () => {
      const opened = open(url)
      const pid = await buildingPid(query)
      await query("SELECT pg_terminate_backend($1)", [pid])
      expect(Exit.isFailure(await opened)).toBe(true)
    })
    expect(await invalid(query)).toEqual(["delivery_finished"])
    await expectUpgraded(url, 1)
  })

  it.skipIf(!isThorough)(
    "whose node is killed while it builds an index is taken over by the next node [UPG-2]",
    async () => {
      const url = await databaseOf(1)
      const query = queryOf(url)
      const waiting: Array<string> = []
      let next: Promise<Exit.Exit<void, unknown>> | undefined
      await whileBlocked(url, async () => {
        const child = openInProcess(url)
        await buildingPid(query)
        child.kill("SIGKILL")
        await once(child, "exit")
        // The server goes on with the statement of a client that is gone.
        next = open(url, ({ doing }) => waiting.push(doing))
        while (waiting.length === 0) await sleep(20)
      })
      expect(Exit.isSuccess(await next!)).toBe(true)
      expect(waiting[0]).toBe("waiting for another node that migrates the database")
      expect(await invalid(query)).toEqual([])
      await expectUpgraded(url, 1)
    }
  )

  it.skipIf(!isThorough)(
    "is brought to this version once by nodes that start at the same moment [UPG-2]",
    async () => {
      const url = await databaseOf(1)
      const exits = await Promise.all(Array.from({ length: 3 }, () => open(url)))
      expect(exits.map(Exit.isSuccess)).toEqual([true, true, true])
      await expectUpgraded(url, 1)
    }
  )
})
