/**
 * What an encrypted database leaves of people's strings in its files, its log, dumps and a node's memory of them; and what an erasure leaves of
 * them in a dump that was made before it.
 */
import {
  Brands,
  Leads,
  recordObservations,
  Signals,
  Webhooks,
  WebhookTargets,
  type StorePorts,
  type StoreUnavailable,
  type Entropy
} from "@lead-signals/domain"
import type { EncryptionKey } from "@lead-signals/encryption"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer, ManagedRuntime } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { abort, limitCore, partsOf, withoutCores } from "../harness/CoreDump.ts"
import { isRequired, startPostgres } from "../harness/Postgres.ts"
import { findPostgres } from "../harness/PostgresBinaries.ts"
import { type PostgresServer } from "../harness/PostgresServer.ts"
import {
  canaryTable,
  filesBelow,
  findCanaries,
  type Found,
  observationOf,
  readableKinds,
  sealedKinds
} from "./Canaries.ts"
import { leaseDue, recordAnswers } from "./CanaryDeliveries.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { newKey } from "./Databases.ts"

const people = isThorough ? 1000 : 200
/** Deliveries that are attempted, and answered with what repeats personal data. */
const attempted = people / 5

const folder = findPostgres()?.folder ?? ""
const canDump = existsSync(join(folder, "pg_dump"))
if (!canDump && !isRequired)
  console.warn(
    "SKIPPED: the canary test on Postgres needs pg_dump and psql, which the system's packages have."
  )

const run = (program: string, args: ReadonlyArray<string>, input?: string): string => {
  const done = spawnSync(join(folder, program), args, {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    ...(input === undefined ? {} : { input })
  })
  if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`)
  return done.stdout
}

type Ports = StorePorts | Entropy | WebhookTargets

const nodeOn = (url: string, key: EncryptionKey | null) =>
  ManagedRuntime.make(
    Layer.mergeAll(
      PostgresStore.layer({ url, notifications: false, ...(key === null ? {} : { encryptionKey: key }) }),
      webCrypto,
      Layer.succeed(WebhookTargets, { check: Effect.succeed })
    )
  )

/** Posts what is due to a receiver that fails and repeats what it got. */
const attemptDeliveries = Effect.gen(function* () {
  const { leases } = yield* leaseDue(attempted, "t", 1000)
  yield* recordAnswers(leases, 500, 0)
  return leases.length
})

/** Everybody, with a webhook and attempts. */
const fill = Effect.gen(function* () {
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const brand = yield* Brands.create("B")
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  const url = "https://receiver.example/"
  const webhook = yield* Webhooks.create(brand.id, {
    url,
    events: ["lead2.created", "activity.detected"],
    description: null,
    enabled: true
  })
  const observations = Array.from({ length: people }, (_, i) => observationOf(signal.id, i))
  yield* recordObservations(brand, observations)
  expect(yield* attemptDeliveries).toBe(attempted)
  return { brand, secrets: [brand.suppressionSecret, webhook.secrets.current] }
})

const inNode = <A, E>(
  url: string,
  key: EncryptionKey | null,
  work: Effect.Effect<A, E, Ports>
): Promise<A> => {
  const node = nodeOn(url, key)
  return node.runPromise(work as Effect.Effect<A, E | StoreUnavailable, Ports>).finally(() => node.dispose())
}

const sumOf = (found: Found, kinds: ReadonlyArray<string>): number =>
  kinds.reduce((sum, kind) => sum + (found[kind] ?? 0), 0)

describe.skipIf(!canDump && !isRequired)("an encrypted database on Postgres", () => {
  let server: PostgresServer
  let encrypted: string
  let plain: string
  const key = newKey()

  const query = async (url: string, text: string): Promise<ReadonlyArray<any>> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return client.query(text).then(
      async ({ rows }) => (await client.end(), rows),
      async (error) => (await client.end(), Promise.reject(error))
    )
  }
  /** What the core of a session shows, which has the memory that all sessions share, too; null where the kernel gives none. */
  const coreOf = async (url: string, secrets: ReadonlyArray<string>) => {
    if (withoutCores !== null) return null
    const client = new pg.Client({ connectionString: url })
    client.on("error", () => {})
    await client.connect()
    const { rows } = await client.query("SELECT pg_backend_pid() AS pid")
    await client.query("SELECT * FROM lead_signals.lead")
    limitCore(rows[0].pid, "unlimited")
    const gone = new Promise((resolve) => client.once("end", resolve))
    const core = await abort(rows[0].pid, join(server.folder, "data"), () => gone)
    // The server ends the other sessions, and starts again by itself.
    while ((await query(url, "SELECT 1").catch(() => null)) === null) await sleep(20)
    const found = findCanaries(partsOf(core!))
    const foundSecrets = new Set<string>()
    for (const part of partsOf(core!))
      for (const secret of secrets) if (part.includes(secret)) foundSecrets.add(secret)
    rmSync(core!)
    return { found, secrets: foundSecrets.size }
  }
  /** The server's files and its log, after a shutdown that writes all that it holds. */
  const placesOf = async (): Promise<Record<string, Buffer[]>> => {
    await server.kill("SIGTERM")
    const files = [...filesBelow(join(server.folder, "data", "base"))]
    const wal = [...filesBelow(join(server.folder, "data", "pg_wal"))]
    const log = [readFileSync(join(server.folder, "log"))]
    await server.start()
    return { "files of tables": files, "write-ahead log": wal, "server's log": log }
  }

  beforeAll(async () => {
    expect(canDump, `pg_dump beside the binaries of Postgres in ${folder}`).toBe(true)
    // Every statement is logged with its parameters. A start after a crash would remove the log of before.
    const settings = {
      log_min_duration_statement: "0",
      log_parameter_max_length: "-1",
      autovacuum: "off",
      wal_keep_size: "1GB"
    }
    server = await startPostgres({ settings })
    await query(server.url(), "CREATE DATABASE encrypted")
    await query(server.url(), "CREATE DATABASE plain")
    encrypted = server.url("encrypted")
    plain = server.url("plain")
  })
  afterAll(() => server?.remove())

  it.runIf(isThorough)(
    "leaves no sealed string in files, log, dumps, cores or the write-ahead log, and a plain one all; after an erasure no dump opens [PII-4]",
    async () => {
      const { brand, secrets } = await inNode(encrypted, key, fill)
      // A body needs the keys of all whom it is about: every second person engaged with the post of an author who is known.
      const bodies = await query(
        encrypted,
        "SELECT get_byte(sealed, 0) AS keys, count(*)::int AS n FROM lead_signals.delivery_body GROUP BY 1 ORDER BY 1"
      )
      expect(bodies).toEqual([
        { keys: 1, n: attempted / 2 },
        { keys: 2, n: attempted / 2 }
      ])
      const dump = run("pg_dump", [encrypted, "--exclude-table-data=lead_signals.person_key"])
      const core = await coreOf(encrypted, secrets)
      const places = { ...(await placesOf()), dump: [Buffer.from(dump)] }
      const found: Record<string, Found> = Object.fromEntries(
        Object.entries(places).map(([place, parts]) => [place, findCanaries(parts)])
      )
      if (core !== null) {
        found["core of a session"] = core.found
        expect(core.secrets).toBe(0)
      }
      console.log(canaryTable(found))
      for (const [place, kinds] of Object.entries(found)) {
        expect([place, sumOf(kinds, sealedKinds), sumOf(kinds, readableKinds)]).toEqual([place, 0, 0])
        // Folded names and headlines are what order and search need. Headers of pages of the write-ahead log cut some strings.
        expect(kinds["name, folded"]).toBeGreaterThan(0.9 * people)
        expect(kinds["headline, folded"]).toBeGreaterThan(0.9 * people)
      }
      for (const parts of Object.values(places))
        for (const secret of secrets) expect(parts.some((part) => part.includes(secret))).toBe(false)

      // The same in a database without a key: the search for strings finds them.
      const { secrets: plainSecrets } = await inNode(plain, null, fill)
      const plainCore = await coreOf(plain, plainSecrets)
      const plainPlaces = { ...(await placesOf()), dump: [Buffer.from(run("pg_dump", [plain]))] }
      const plainFound: Record<string, Found> = Object.fromEntries(
        Object.entries(plainPlaces).map(([place, parts]) => [place, findCanaries(parts)])
      )
      if (plainCore !== null) {
        plainFound["core of a session"] = plainCore.found
        expect(plainCore.secrets).toBe(plainSecrets.length)
      }
      for (const [place, kinds] of Object.entries(plainFound)) {
        for (const kind of [...sealedKinds, ...readableKinds]) {
          const all = kind === "response" ? attempted : kind === "authorid" ? people / 2 : people
          expect(kinds[kind], `${kind} in ${place}`).toBeGreaterThan(0.9 * all)
        }
      }
      for (const [place, parts] of Object.entries(plainPlaces))
        for (const secret of plainSecrets)
          expect([place, parts.some((part) => part.includes(secret))]).toEqual([place, true])

      // Every second of them is erased; a dump of before gets the keys of today.
      const ids = Array.from({ length: isThorough ? people : 20 }, (_, i) => i + 1)
      const isErased = (id: number) => id % 2 === 0
      await inNode(
        encrypted,
        key,
        Effect.forEach(ids.filter(isErased), (id) => Leads.erase(brand, id))
      )
      await query(server.url(), "CREATE DATABASE restored")
      const restored = server.url("restored")
      const keysOfToday = run("pg_dump", [encrypted, "--data-only", "--table=lead_signals.person_key"])
      for (const text of [dump, keysOfToday])
        run("psql", [restored, "--quiet", "--set=ON_ERROR_STOP=1"], text)
      const exported = await inNode(
        restored,
        key,
        Effect.forEach(ids, (id) => Leads.exportData(brand.id, id))
      )
      for (const [i, data] of exported.entries()) {
        const kinds = findCanaries([Buffer.from(JSON.stringify(data))])
        const of = ["externalid", "username", "comment"].map((kind) => kinds[kind] ?? 0)
        expect([ids[i], ...of]).toEqual([ids[i], ...(isErased(ids[i]!) ? [0, 0, 0] : [1, 1, 1])])
      }
      const checked = await Effect.runPromise(PostgresStore.check(restored, () => {}, key))
      expect(checked.problems).toEqual([
        `the keys of ${ids.filter(isErased).length} leads are gone: their persons were erased; erase these leads again`
      ])
    }
  )
})
