/** Writes of any number of rows, whose statements may take longer than others. Triggers make them slow here, whatever the machine. */
import {
  Brands,
  Leads,
  recordObservations,
  Signals,
  type StorePorts,
  type StoreUnavailable,
  Webhooks
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { sharedDatabase } from "./Databases.ts"
import { anyTarget, type Node, openNodes } from "./Nodes.ts"

/** Milliseconds that other statements may take. */
const limitMillis = 500

const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
const observationOf = (signalId: string, person: string, author: string | null) => ({
  signalId,
  person: { extId: person, name: person },
  engagement: {
    id: `by ${person}`,
    ...(author === null ? {} : { postAuthorDetail: { extId: author, name: author } })
  }
})

describe.skipIf(isWithoutPostgres)("a write of any number of rows on Postgres", () => {
  let opened: Awaited<ReturnType<typeof openNodes>>
  beforeAll(async () => {
    opened = await openNodes(1)
    await opened.client.query(
      `CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${(1.2 * limitMillis) / 1000}); RETURN NULL; END $$`
    )
  })
  afterAll(() => opened.close())

  /** A brand with a lead, another who engaged with a post of the first, and a disabled webhook for which a delivery of each is pending. */
  const createWorld = Effect.gen(function* () {
    const brand = yield* Brands.create("B")
    const { id: signalId } = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    const webhook = yield* Webhooks.create(brand.id, {
      url: "u",
      events: ["lead2.created"],
      description: null,
      enabled: true,
      ordering: "lead"
    })
    const [author] = yield* recordObservations(brand, [
      observationOf(signalId, "author", null),
      observationOf(signalId, "reader", "author")
    ])
    yield* Webhooks.change(brand.id, webhook.id, { enabled: false })
    return { brand, webhookId: webhook.id, authorId: author!.leadId! }
  })

  /** Makes every change of deliveries and of engagements longer than the limit while the work runs. */
  const whileSlow = async (work: () => Promise<void>): Promise<void> => {
    const tables = ["delivery", "engagement"]
    for (const table of tables)
      await opened.client.query(
        `CREATE TRIGGER slow AFTER UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION sleep()`
      )
    try {
      await work()
    } finally {
      for (const table of tables) await opened.client.query(`DROP TRIGGER slow ON ${table}`)
    }
  }
  const nodeOver = (store: Layer.Layer<StorePorts, StoreUnavailable>): Node =>
    ManagedRuntime.make(Layer.mergeAll(store, webCrypto, anyTarget))

  const ownNode = async (pooled: boolean): Promise<Node> => {
    const url = await sharedDatabase()
    const options = { schema: opened.schema, migrates: false, notifications: false, pooled }
    return nodeOver(PostgresStore.layer({ url, ...options, statementTimeoutMillis: limitMillis }))
  }

  type Kind = "over its own connections" | "over a pooler's connections" | "within a host's transaction"
  /** Runs the work on a node of each kind, whose statements have the limit. */
  const onNode: Readonly<Record<Kind, (work: (node: Node) => Promise<void>) => Promise<void>>> = {
    "over its own connections": async (work) => {
      const node = await ownNode(false)
      await work(node).finally(() => node.dispose())
    },
    "over a pooler's connections": async (work) => {
      const node = await ownNode(true)
      await work(node).finally(() => node.dispose())
    },
    "within a host's transaction": async (work) => {
      const client = new pg.Client({ connectionString: await sharedDatabase() })
      await client.connect()
      try {
        await client.query("BEGIN")
        const options = { schema: opened.schema, statementTimeoutMillis: limitMillis }
        const node = nodeOver(PostgresStore.layerWith(client, options))
        await work(node).finally(() => node.dispose())
        await client.query("COMMIT")
      } finally {
        await client.end()
      }
    }
  }

  it.each([
    "over its own connections",
    "over a pooler's connections",
    "within a host's transaction"
  ] as const)("enables a webhook with a long backlog %s [DELIV-2, DELIV-4]", async (kind) => {
    const { brand, webhookId } = await opened.nodes[0]!.runPromise(createWorld)
    const pending = () =>
      opened.rows(
        `SELECT DISTINCT failures, ordered_lead FROM delivery WHERE webhook_id = ${webhookId} AND state = 'pending'`
      )
    await opened.client.query(`UPDATE delivery SET failures = 3 WHERE webhook_id = ${webhookId}`)
    await whileSlow(() =>
      onNode[kind](async (node) => {
        const change = { enabled: true, ordering: "none" as const }
        await node.runPromise(Webhooks.change(brand.id, webhookId, change))
      })
    )
    expect(await pending()).toEqual([{ failures: 0, ordered_lead: null }])
  })

  it.each(["over its own connections", "within a host's transaction"] as const)(
    "erases a person whose posts many leads engaged with %s [PII-3]",
    async (kind) => {
      const { authorId, brand } = await opened.nodes[0]!.runPromise(createWorld)
      await whileSlow(() =>
        onNode[kind](async (node) => {
          await node.runPromise(Leads.erase(brand, authorId))
        })
      )
      expect(
        await opened.rows(
          `SELECT l.ext_id, g.author_ext_id FROM lead l JOIN engagement g ON g.lead_id = l.id WHERE l.brand_id = ${brand.id}`
        )
      ).toEqual([{ ext_id: "reader", author_ext_id: null }])
    }
  )

  it("waits for a lock no longer than other writes", async () => {
    const { brand, webhookId } = await opened.nodes[0]!.runPromise(createWorld)
    await opened.client.query(`BEGIN; SELECT 1 FROM webhook WHERE id = ${webhookId} FOR UPDATE`)
    try {
      await onNode["over its own connections"](async (node) => {
        const refused = await node.runPromise(
          Effect.flip(Webhooks.change(brand.id, webhookId, { enabled: true }))
        )
        expect(refused).toMatchObject({ reason: "another write was in the way for too long (55P03)" })
      })
    } finally {
      await opened.client.query("ROLLBACK")
    }
  })
})
