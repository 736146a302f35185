/** Encryption keys of a database on Postgres: which open it, how they change, and what happens to the keys of persons. */
import {
  Brands,
  copyTables,
  Deliveries,
  type Lease,
  Leads,
  Pruning,
  recordObservations,
  Signals,
  Webhooks,
  WebhookStore,
  WebhookTargets
} from "@lead-signals/domain"
import type { EncryptionKey } from "@lead-signals/encryption"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import pg from "pg"
import { beforeEach, describe, expect, it } from "vitest"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { copyOfDatabase, isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { countingProxy } from "../upgrades/PostgresMessages.ts"
import { findCanaries, observationOf } from "./Canaries.ts"
import { leaseDue, recordAnswers } from "./CanaryDeliveries.ts"
import { newKey } from "./Databases.ts"

const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
const people = 6

const anyTarget = Layer.succeed(WebhookTargets, { check: Effect.succeed })

const nodeOn = (url: string, key?: EncryptionKey, other?: EncryptionKey) =>
  ManagedRuntime.make(
    Layer.mergeAll(
      PostgresStore.layer({
        url,
        notifications: false,
        maxConnections: 2,
        ...(key === undefined ? {} : { encryptionKey: key }),
        ...(other === undefined ? {} : { otherEncryptionKey: other })
      }),
      webCrypto,
      anyTarget
    )
  )
type Node = ReturnType<typeof nodeOn>

const observe = (first: number, count: number) =>
  Effect.gen(function* () {
    const brand = yield* Brands.get("1")
    yield* recordObservations(
      brand,
      Array.from({ length: count }, (_, i) => observationOf("1", first + i))
    )
  })

const fill = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  yield* Webhooks.create(brand.id, {
    url: "https://receiver.example/",
    events: ["lead2.created"],
    description: null,
    enabled: true
  })
  yield* observe(0, people)
})

/** The deliveries with their bodies and attempts. */
const shown = (leases: ReadonlyArray<Lease>) =>
  Effect.flatMap(Deliveries, (deliveries) =>
    Effect.forEach(leases, ({ deliveryId, webhook }) => deliveries.get(webhook.id, deliveryId))
  )

/** What the API could show of everything. */
const everything = (count: number) =>
  Effect.gen(function* () {
    const brand = yield* Brands.get("1")
    const webhooks = yield* Effect.flatMap(WebhookStore, (store) => store.list(brand.id))
    const leads = yield* Effect.forEach(
      Array.from({ length: count }, (_, i) => i + 1),
      (id) => Leads.exportData(brand.id, id)
    )
    return { brand, webhooks, leads }
  })

describe.skipIf(isWithoutPostgres)("the encryption of a database on Postgres", () => {
  let url: string
  beforeEach(async () => {
    url = await migratedDatabase()
  })

  const withNode = async <A>(node: Node, work: (node: Node) => Promise<A>): Promise<A> => {
    try {
      return await work(node)
    } finally {
      await node.dispose()
    }
  }
  const run = <A>(
    effect: Parameters<Node["runPromise"]>[0] & Effect.Effect<A, any, any>,
    key?: EncryptionKey,
    other?: EncryptionKey
  ): Promise<A> => withNode(nodeOn(url, key, other), (node) => node.runPromise(effect as any) as Promise<A>)
  const opened = async (key?: EncryptionKey): Promise<string> => {
    const exit = await withNode(nodeOn(url, key), (node) => node.runPromiseExit(Effect.void))
    return String(exit)
  }
  const query = async <Row = any>(text: string): Promise<ReadonlyArray<Row>> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows
  }
  const rekey = (current: EncryptionKey | undefined, target: EncryptionKey | undefined) =>
    Effect.runPromise(Effect.either(PostgresStore.rekey(url, { current, target })))
  const reasonOf = (result: Awaited<ReturnType<typeof rekey>>): string =>
    result._tag === "Left" ? result.left.reason : "changed"
  const problems = async (key?: EncryptionKey) =>
    (await Effect.runPromise(PostgresStore.check(url, () => {}, key))).problems
  /** All rows as text, with bytes as they are. */
  const allRows = async (): Promise<string> => {
    const tables = await Promise.all(
      copyTables.map(({ name }) => query(`SELECT t::text AS row FROM lead_signals.${name} t`))
    )
    return JSON.stringify(tables)
  }

  it("is opened by its key alone, and a plain one by none; each other key is one clear line [PII-4]", async () => {
    const [key, other] = [newKey(), newKey()]
    await run(fill, key)
    expect(await opened(other)).toMatch(
      /the database is encrypted under the key [0-9a-f]{16}, and [0-9a-f]{16} is set/
    )
    expect(await opened()).toMatch(
      /the database is encrypted under the key [0-9a-f]{16}, and no encryption key is set/
    )
    await expect(problems()).rejects.toThrow(/no encryption key is set/)
    expect(await problems(key)).toEqual([])
    url = await migratedDatabase()
    await run(fill)
    expect(await opened(key)).toMatch(
      /the database is not encrypted, and an encryption key is set: encrypt it by `lead-signals rekey`/
    )
    expect(await problems()).toEqual([])
  })

  it("refuses versions that know nothing of it, from the first key on [PII-4]", async () => {
    const versions = "SELECT max(min_version) AS n FROM lead_signals.migration"
    await run(Effect.void)
    expect(await query(versions)).toEqual([{ n: 1 }])
    await run(Effect.void, newKey())
    expect(await query(versions)).toEqual([{ n: 5 }])
  })

  it("seals every row of a plain database, and goes on where a kill stopped it [PII-4]", async () => {
    await run(fill)
    const before = await run(everything(people))
    const key = newKey()
    // As a kill after the first rows leaves it.
    await query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'killed'; END $$;
       CREATE TRIGGER killed BEFORE UPDATE ON lead_signals.engagement FOR EACH ROW EXECUTE FUNCTION fail()`
    )
    expect(reasonOf(await rekey(undefined, key))).not.toBe("changed")
    expect(await opened(key)).toMatch(/not encrypted as a whole yet: finish by `lead-signals rekey`/)
    expect(await opened()).toMatch(/no encryption key is set/)
    await query("DROP FUNCTION fail() CASCADE")
    expect(reasonOf(await rekey(undefined, newKey()))).toMatch(/is not finished: finish it first/)
    expect(await rekey(undefined, key)).toMatchObject({ right: { changed: true } })
    expect(await run(everything(people), key)).toEqual(before)
    expect(await problems(key)).toEqual([])
    const found = findCanaries([Buffer.from(await allRows())])
    expect(Object.keys(found)).toEqual(["name, folded"])
  })

  it("opens the bodies and the answers of deliveries that were plain [PII-4, DELIV-5, EVT-5]", async () => {
    await run(fill)
    const { leases } = await run(leaseDue(50, "a", 0))
    await run(recordAnswers(leases, 500, 0))
    const before = await run(shown(leases))
    const text = JSON.stringify(before)
    expect([leases.length, findCanaries([Buffer.from(text)])["response"]]).toEqual([people, people])
    expect(before.map((found) => Option.getOrThrow(found).body)).toEqual(leases.map(({ body }) => body))
    const key = newKey()
    expect(await rekey(undefined, key)).toMatchObject({ right: { changed: true } })
    expect(await run(shown(leases), key)).toEqual(before)
    expect(findCanaries([Buffer.from(await allRows())])["response"]).toBeUndefined()
  })

  it("changes its key while a node with both keys reads and writes, and then opens with the new one alone [PII-4]", async () => {
    const [key, next] = [newKey(), newKey()]
    await run(fill, key)
    await withNode(nodeOn(url, key, next), async (node) => {
      const before = await node.runPromise(everything(people))
      const writing = node.runPromise(Effect.forEach([10, 20, 30, 40, 50], (first) => observe(first, 5)))
      expect(await rekey(key, next)).toMatchObject({ right: { changed: true } })
      await writing
      await node.runPromise(observe(60, 5))
      expect(await node.runPromise(everything(people))).toEqual(before)
    })
    const all = people + 30
    const after = await run(everything(all), next)
    expect(findCanaries([Buffer.from(JSON.stringify(after))])["externalid"]).toBe(all)
    expect(await opened(key)).toMatch(/is encrypted under the key/)
    expect(await problems(next)).toEqual([])
    expect(await rekey(key, next)).toMatchObject({ right: { changed: false } })
    expect(reasonOf(await rekey(key, undefined))).toMatch(/is not decrypted in place/)
  })

  it("ends a change of its key that was killed, and says meanwhile which keys are needed [PII-4]", async () => {
    const [key, next] = [newKey(), newKey()]
    await run(fill, key)
    await query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'killed'; END $$;
       CREATE TRIGGER killed BEFORE UPDATE ON lead_signals.webhook FOR EACH ROW EXECUTE FUNCTION fail()`
    )
    expect(reasonOf(await rekey(key, next))).not.toBe("changed")
    expect(await opened(next)).toMatch(
      /is being changed from [0-9a-f]{16} to [0-9a-f]{16}, and [0-9a-f]{16} is set/
    )
    const during = await run(everything(people), key, next)
    await query("DROP FUNCTION fail() CASCADE")
    expect(reasonOf(await rekey(undefined, next))).toMatch(/encryption key is [0-9a-f]{16}/)
    expect(await rekey(key, next)).toMatchObject({ right: { changed: true } })
    expect(await run(everything(people), next)).toEqual(during)
  })

  it.runIf(isThorough).each(["sealing", "a change of the key"])(
    "ends %s that was cut off at any message, when it is repeated [PII-4]",
    async (what) => {
      const [key, next] = [newKey(), newKey()]
      const current = what === "sealing" ? undefined : key
      await run(fill, current)
      const before = await run(everything(people), current)
      const template = url
      const changed = (of: string) =>
        Effect.runPromiseExit(PostgresStore.rekey(of, { current, target: next }))
      const counting = await countingProxy(await copyOfDatabase(template))
      counting.arm(0, () => {})
      expect((await changed(counting.url))._tag).toBe("Success")
      const messages = counting.messages()
      await counting.close()
      let cuts = 0
      for (let at = 3; at <= messages; at += Math.ceil(messages / 25)) {
        url = await copyOfDatabase(template)
        const proxy = await countingProxy(url)
        proxy.arm(at, (cut) => {
          cuts++
          cut()
        })
        await changed(proxy.url)
        await proxy.close()
        expect([at, (await changed(url))._tag]).toEqual([at, "Success"])
        expect(await run(everything(people), next)).toEqual(before)
        expect(await problems(next)).toEqual([])
        expect(await opened(current)).toMatch(/encrypted under the key/)
        const [state] = await query("SELECT previous_key_id, is_complete FROM lead_signals.encryption")
        expect(state).toEqual({ previous_key_id: null, is_complete: true })
      }
      expect(cuts).toBeGreaterThan(10)
    }
  )

  /** Prunes what is due of all there is, in one piece. */
  const pruneAll = (kind: "engagements" | "leads") =>
    Effect.flatMap(Pruning, (pruning) =>
      pruning.prune({ kind, before: Date.now() + 60_000, after: null, limit: 100, lease: null })
    )
  const keyCount = async (): Promise<number> => (await query("SELECT id FROM lead_signals.person_key")).length

  it("loses the key of a person with an erasure, and those of people of whom retention leaves nothing [PII-3, PII-4, RET-7]", async () => {
    const key = newKey()
    await run(fill, key)
    const keys = () => query("SELECT person FROM lead_signals.person_key ORDER BY id")
    // Each has a key, and so has the author of every second post.
    expect(await keys()).toHaveLength(people + people / 2)
    await withNode(nodeOn(url, key), async (node) => {
      const brand = await node.runPromise(Brands.get("1"))
      await node.runPromise(Leads.erase(brand, 1))
      expect(await keys()).toHaveLength(people + people / 2 - 1)
      // Seen again once the hash of the erasure is pruned: the node has kept no key of before.
      await query("DELETE FROM lead_signals.suppression")
      await node.runPromise(observe(0, 1))
    })
    const found = await run(
      Effect.flatMap(Brands.get("1"), ({ id }) => Leads.exportData(id, people + 1)),
      key
    )
    expect(findCanaries([Buffer.from(JSON.stringify(found))])["comment"]).toBe(1)
    // All engagements and then all leads are due; nothing of their events and deliveries is left to wait for.
    await query("DELETE FROM lead_signals.delivery; DELETE FROM lead_signals.event")
    expect(await run(pruneAll("engagements"), key)).toMatchObject({ removed: people })
    // Nobody needs the keys of authors any more.
    expect(await keys()).toHaveLength(people)
    expect(await run(pruneAll("leads"), key)).toMatchObject({ removed: people })
    expect(await keys()).toEqual([])
  })

  it("loses the keys of the authors whom pruned leads engaged with, as no pruning of engagements does it later [PII-4, RET-7]", async () => {
    const key = newKey()
    await run(fill, key)
    await query("DELETE FROM lead_signals.delivery; DELETE FROM lead_signals.event")
    expect(await keyCount()).toBe(people + people / 2)
    expect(await run(pruneAll("leads"), key)).toMatchObject({ removed: people })
    expect(await keyCount()).toBe(0)
  })

  it("keeps an engagement until the key of its post's author can go with it [PII-4, RET-6]", async () => {
    const key = newKey()
    await withNode(nodeOn(url, key), async (node) => {
      await node.runPromise(fill)
      await query("DELETE FROM lead_signals.delivery; DELETE FROM lead_signals.event")
      // A transaction that records a new lead's engagement with a post of the second engagement's author, and is rolled back.
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query("BEGIN")
      const store = PostgresStore.layerWith(client, { encryptionKey: key })
      await withNode(ManagedRuntime.make(Layer.mergeAll(store, webCrypto, anyTarget)), (host) =>
        host.runPromise(
          Effect.flatMap(Brands.get("1"), (brand) => {
            const { engagement } = observationOf("1", 1)
            const observation = {
              ...observationOf("1", people),
              engagement: { ...engagement, id: "another" }
            }
            return recordObservations(brand, [observation])
          })
        )
      )
      expect(await node.runPromise(pruneAll("engagements"))).toMatchObject({ removed: people - 1 })
      await client.query("ROLLBACK")
      await client.end()
      expect(await keyCount()).toBe(people + 1)
      expect(await node.runPromise(pruneAll("engagements"))).toMatchObject({ removed: 1 })
      expect(await keyCount()).toBe(people)
    })
  })

  it("seals what a late attempt was answered, whose body is gone, and keeps none of it once a key is [PII-4]", async () => {
    const key = newKey()
    await withNode(nodeOn(url, key), async (node) => {
      await node.runPromise(fill)
      // The leases of the first run out at once: the second delivers before the first records.
      const { leases: first } = await node.runPromise(leaseDue(50, "a", 0))
      const { leases: second } = await node.runPromise(leaseDue(50, "b", 0))
      expect([first.length, second.length]).toEqual([people, people])
      await node.runPromise(recordAnswers(second, 200, 0))
      const erased = 2
      await query(`DELETE FROM lead_signals.person_key k USING lead_signals.lead l
        WHERE l.id = ${erased} AND k.brand_id = l.brand_id AND k.person = l.ext_id`)
      const late = await node.runPromise(recordAnswers(first, 500, people))
      expect(late.map(({ outcome }) => outcome)).toEqual(first.map(() => "ignored"))
      const logged = await query(
        `SELECT e.lead_id, a.response, a.sealed IS NOT NULL AS is_sealed FROM lead_signals.attempt a
           JOIN lead_signals.delivery d ON d.seq = a.delivery_seq
           JOIN lead_signals.event e ON e.brand_id = d.brand_id AND e.position = d.position
         WHERE a.number = 2 ORDER BY e.lead_id`
      )
      expect(logged).toEqual(
        Array.from({ length: people }, (_, i) => ({
          lead_id: String(i + 1),
          response: null,
          is_sealed: i + 1 !== erased
        }))
      )
      expect(findCanaries([Buffer.from(await allRows())])["response"]).toBeUndefined()
      // This node still has the key, by which it opens what was sealed before the key went.
      expect(
        findCanaries([Buffer.from(JSON.stringify(await node.runPromise(shown(first))))])["response"]
      ).toBe(2 * people - 1)
    })
  })

  it("is copied to another kind of encryption row by row [STORE-10, PII-4]", async () => {
    await run(fill)
    const before = await run(everything(people))
    const plain = url
    url = await migratedDatabase()
    const key = newKey()
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const target = yield* PostgresStore.copyTarget(url, key)
          const source = yield* PostgresStore.copySource(plain)
          yield* Effect.promise(async () => {
            for (const table of copyTables) {
              for await (const rows of source.rows(table, null))
                await target.write(table, rows, { source: "s", table: table.name, after: null })
            }
            for (const table of copyTables) {
              const both = await Promise.all(
                [source, target].map(async (side) => {
                  const all = []
                  for await (const rows of side.rows(table, null)) all.push(...rows)
                  return all
                })
              )
              expect(both[1]).toEqual(both[0])
            }
            await target.finish(await source.lastNumbers())
          })
        })
      )
    )
    expect(await run(everything(people), key)).toEqual(before)
    expect(await problems(key)).toEqual([])
    const found = findCanaries([Buffer.from(await allRows())])
    expect(Object.keys(found)).toEqual(["name, folded"])
  })
})
