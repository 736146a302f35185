/**
 * `node scripts/run.mjs test/bench/ordered.ts [memory] [SQLite] [Postgres]`: deliveries a second of an ordered webhook beside one that is not,
 * over 1,000 leads, with a receiver that answers after a millisecond; on the stores that are named, or on all. Postgres needs its binaries.
 * [ORD-3]
 */
import { Brands, recordObservations, Signals, Webhooks, WebhookTargets } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as MemoryStore from "@lead-signals/store-memory"
import * as PostgresStore from "@lead-signals/store-postgres"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Emitter, Sender } from "@lead-signals/webhook"
import { Deferred, Effect, FiberId, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createPostgresServer } from "../harness/PostgresServer.ts"

const [leads, each, rounds] = [1000, 3, 2]

const targets = Layer.succeed(WebhookTargets, { check: (url) => Effect.succeed(url) })

const perSecond = (store: Layer.Layer<any, any>, ordering: "none" | "lead") => {
  let left = leads * each
  const done = Deferred.unsafeMake<void>(FiberId.none)
  const sender = Layer.succeed(
    Sender.Sender,
    Sender.Sender.of({
      post: () =>
        Effect.delay(
          Effect.sync(() => {
            if (--left === 0) Deferred.unsafeDone(done, Effect.void)
            return { status: 204, retryAfter: null, excerpt: new Uint8Array(), truncated: false }
          }),
          1
        )
    })
  )
  return Effect.gen(function* () {
    const brand = yield* Brands.create("B")
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    const webhook = yield* Webhooks.create(brand.id, {
      url: "https://r.example/",
      events: ["activity.detected"],
      description: null,
      enabled: false,
      ordering
    })
    for (let n = 0; n < each; n++) {
      for (let from = 0; from < leads; from += 250) {
        yield* recordObservations(
          brand,
          Array.from({ length: 250 }, (_, i) => ({
            signalId: signal.id,
            person: { extId: `p${from + i}`, name: "N" },
            engagement: { id: `e${n}-${from + i}` }
          }))
        )
      }
    }
    yield* Layer.build(Emitter.layer())
    const startedAt = performance.now()
    yield* Webhooks.change(brand.id, webhook.id, { enabled: true })
    yield* Deferred.await(done)
    return (leads * each * 1000) / (performance.now() - startedAt)
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.mergeAll(store, webCrypto, targets, sender))
  ) as Effect.Effect<number>
}

const median = (values: Array<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

interface Subject {
  /** A store that is empty, and what to call when it is closed. */
  readonly open: () => Promise<{
    readonly store: Layer.Layer<any, any>
    readonly remove: () => Promise<void>
  }>
}

/** Each with its durability as in production: SQLite and Postgres wait for the disk. */
const subjects: Readonly<Record<string, Subject>> = {
  SQLite: {
    open: async () => {
      const folder = mkdtempSync(join(tmpdir(), "lead-signals-ordered-"))
      return {
        store: SqliteStore.layer({ filename: join(folder, "l.sqlite") }),
        remove: async () => rmSync(folder, { recursive: true, force: true })
      }
    }
  },
  memory: { open: async () => ({ store: MemoryStore.layer, remove: async () => {} }) },
  Postgres: {
    open: async () => {
      const server = await createPostgresServer({ synced: true })
      return {
        store: PostgresStore.layer({ url: server.url(), notifications: false }),
        remove: () => server.remove()
      }
    }
  }
}

const named = process.argv.slice(2)
for (const [name, { open }] of Object.entries(subjects)) {
  if (named.length > 0 && !named.includes(name)) continue
  const figures: Record<"none" | "lead", Array<number>> = { none: [], lead: [] }
  for (let round = 0; round < rounds; round++) {
    for (const ordering of ["none", "lead"] as const) {
      const { remove, store } = await open()
      figures[ordering].push(await Effect.runPromise(perSecond(store, ordering)))
      await remove()
    }
  }
  const [none, lead] = [median(figures.none), median(figures.lead)]
  process.stdout.write(
    `${name}: ${Math.round(none)}/s unordered, ${Math.round(lead)}/s ordered: ${(lead / none).toFixed(2)}\n`
  )
}
