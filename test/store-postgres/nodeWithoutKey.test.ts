/** A node without an encryption key, beside one that has encrypted the database after its start. */
import {
  Brands,
  copyTables,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  SignalStore,
  StoreHealth,
  Webhooks,
  WebhookStore,
  WebhookTargets
} from "@lead-signals/domain"
import type { EncryptionKey } from "@lead-signals/encryption"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { observationOf } from "./Canaries.ts"
import { newKey } from "./Databases.ts"

const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
const refusal = /^the database is encrypted under the key \S+, and no encryption key is set$/

const isHealthy = Effect.flatMap(StoreHealth, ({ check }) => check)

const makeNode = (url: string, options: Partial<PostgresStore.PostgresStoreOptions> = {}) =>
  ManagedRuntime.make(
    Layer.mergeAll(
      PostgresStore.layer({ url, notifications: false, maxConnections: 2, ...options }),
      webCrypto,
      Layer.succeed(WebhookTargets, { check: Effect.succeed })
    )
  )
type Node = ReturnType<typeof makeNode>

const webhook = {
  url: "https://receiver.example/",
  events: ["lead2.created" as const],
  description: null,
  enabled: true
}

describe.skipIf(isWithoutPostgres)("a node without an encryption key", () => {
  let url: string
  let nodes: Array<Node>
  beforeEach(async () => {
    url = await migratedDatabase()
    nodes = []
  })
  afterEach(async () => {
    for (const node of nodes) await node.dispose()
  })

  const nodeOf = (options: Partial<PostgresStore.PostgresStoreOptions> = {}): Node => {
    const node = makeNode(url, options)
    nodes.push(node)
    return node
  }
  const started = async (options: Partial<PostgresStore.PostgresStoreOptions> = {}): Promise<Node> => {
    const node = nodeOf(options)
    await node.runPromise(Effect.void)
    return node
  }
  const encrypting = (encryptionKey: EncryptionKey = newKey()) => ({ encryptionKey })
  /** Why the store refused it; "done" where it did not. */
  const refused = async (
    node: Node,
    effect: Effect.Effect<unknown, any, ManagedRuntime.ManagedRuntime.Context<Node>>
  ): Promise<string> => {
    const done = await node.runPromise(Effect.either(effect))
    return Either.isRight(done) ? "done" : (done.left.reason ?? String(done.left))
  }
  const query = async (text: string): Promise<ReadonlyArray<any>> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows
  }
  const allRows = async (): Promise<string> => {
    const tables = await Promise.all(
      copyTables.map(({ name }) => query(`SELECT t::text AS row FROM lead_signals.${name} t`))
    )
    return JSON.stringify(tables)
  }

  it("creates no brand, and is not ready, once another node has encrypted the empty database [PII-4]", async () => {
    const without = await started()
    expect(await refused(without, isHealthy)).toBe("done")
    await started(encrypting())
    expect(await refused(without, Brands.create("B"))).toMatch(refusal)
    expect(await refused(without, isHealthy)).toMatch(refusal)
    expect(await query("SELECT 1 FROM lead_signals.brand")).toEqual([])
  })

  it("writes nothing in clear text to a brand of a node with the key [PII-4]", async () => {
    const without = await started()
    const withKey = await started(encrypting())
    const { brand, created } = await withKey.runPromise(
      Effect.gen(function* () {
        const brand = yield* Brands.create("B")
        yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        yield* recordObservations(brand, [observationOf("1", 0)])
        return { brand, created: yield* Webhooks.create(brand.id, webhook) }
      })
    )
    // The secret of its brand is known to it, as it would be to a process that has lost its key.
    const attempts = {
      "observations of somebody new": recordObservations(brand, [observationOf("1", 1)]),
      "observations of a lead": recordObservations(brand, [observationOf("1", 0)]),
      "a signal": Effect.flatMap(SignalStore, (store) =>
        store.create(brand.id, { name: "T", signalType: "t", source }, 0)
      ),
      "a webhook": Effect.flatMap(WebhookStore, (store) => store.create(created)),
      "a change of a webhook": Effect.flatMap(WebhookStore, (store) =>
        store.update(brand.id, created.id, () => ({ ...created, description: "changed" }))
      ),
      "a change of a lead": Effect.flatMap(LeadStore, (store) =>
        store.update(brand.id, 1, (before) => ({ ...before, exported: true }))
      ),
      "an erasure": Leads.erase(brand, 1)
    }
    const before = await allRows()
    for (const [what, attempt] of Object.entries(attempts)) {
      expect(await refused(without, attempt), what).toMatch(refusal)
    }
    expect(await allRows()).toBe(before)
  })

  /** Options of a node whose transactions that write wait before their commit, once `isHeld`. */
  const holding = () => {
    let release = () => {}
    let reach = () => {}
    const reached = new Promise<void>((resolve) => (reach = resolve))
    const released = new Promise<void>((resolve) => (release = resolve))
    return {
      reached,
      release,
      beforeStatement: async (text: string) => {
        if (text !== "COMMIT") return
        reach()
        await released
      }
    }
  }
  /** Waits until a statement waits for an advisory lock. */
  const untilOneWaits = async (): Promise<void> => {
    for (;;) {
      const waiting = await query(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      )
      if (waiting.length > 0) return
    }
  }

  it("keeps the database as it is where it creates the first brand while another node starts with a key [PII-4]", async () => {
    const { beforeStatement, reached, release } = holding()
    const without = await started({ beforeStatement })
    const created = without.runPromise(Brands.create("B"))
    await reached
    const withKey = nodeOf(encrypting()).runPromiseExit(Effect.void)
    await untilOneWaits()
    release()
    expect(await created).toMatchObject({ name: "B" })
    expect(String(await withKey)).toContain("the database is not encrypted, and an encryption key is set")
    expect(await query("SELECT 1 FROM lead_signals.encryption")).toEqual([])
    expect(await query("SELECT max(min_version) AS min FROM lead_signals.migration")).toEqual([{ min: 1 }])
  })

  it("waits with its first brand for a node that encrypts the database, and is refused [PII-4]", async () => {
    const without = await started()
    const { beforeStatement, reached, release } = holding()
    const withKey = nodeOf({ ...encrypting(), beforeStatement }).runPromise(Effect.void)
    await reached
    const created = refused(without, Brands.create("B"))
    await untilOneWaits()
    release()
    await withKey
    expect(await created).toMatch(refusal)
    expect(await query("SELECT 1 FROM lead_signals.brand")).toEqual([])
  })
})
