/**
 * Events a second to an ordered webhook beside the same to one without an order, in turn: of 1,000 leads, drawn by chance, signed and posted to a
 * receiver in a process of its own, from enabling the webhook to the last post. [ORD-3]
 */
import { Brands, recordObservations, Signals, Webhooks } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { Prng } from "@lead-signals/simulation-kernel"
import * as MemoryStore from "@lead-signals/store-memory"
import * as PostgresStore from "@lead-signals/store-postgres"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Addresses } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Effect, Either, Layer, Logger, ManagedRuntime } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Progress } from "./BulkLoad.ts"
import { type Receiver, withReceiver } from "./Deliveries.ts"
import { newObservation } from "./NewObservation.ts"

const leadsInOrder = 1000
const webhook = { allowed: [Either.getOrThrow(Addresses.parseCidr("127.0.0.0/8"))], drain: 0 }

type StoreName = "memory" | "SQLite" | "Postgres"

/** An empty store, and the function that removes it. */
interface OpenStore {
  readonly layer: typeof MemoryStore.layer
  readonly remove: () => Promise<void>
}

const stores: Readonly<Record<StoreName, (url: string) => OpenStore>> = {
  memory: () => ({ layer: MemoryStore.layer, remove: async () => {} }),
  SQLite: () => {
    const folder = mkdtempSync(join(tmpdir(), "bench-"))
    return {
      layer: SqliteStore.layer({ filename: join(folder, "bench.sqlite") }) as typeof MemoryStore.layer,
      remove: async () => rmSync(folder, { recursive: true })
    }
  },
  Postgres: (url) => ({
    layer: PostgresStore.layer({ url }) as unknown as typeof MemoryStore.layer,
    remove: async () => {}
  })
}

interface Sent {
  readonly perSecond: number
  /** Processor time of the service's process, in microseconds an event. */
  readonly cpuMicros: number
}

const send = async (
  { request, url }: Receiver,
  { layer, remove }: OpenStore,
  ordering: "none" | "lead",
  events: number
): Promise<Sent> => {
  const services = Layer.mergeAll(layer, webCrypto, Logger.remove(Logger.defaultLogger))
  const runtime = ManagedRuntime.make(NodeWebhook.layer(webhook).pipe(Layer.provideMerge(services)))
  try {
    const { brandId, webhookId } = await runtime.runPromise(
      Effect.gen(function* () {
        const brand = yield* Brands.create("Brand")
        const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
        const signal = yield* Signals.create(brand.id, { name: "Launch", signalType: "post", source })
        const created = yield* Webhooks.create(brand.id, {
          url: `${url}/`,
          events: ["activity.detected"],
          description: null,
          enabled: false,
          ordering
        })
        const prng = Prng.of(1, "leads of events")
        for (let n = 0; n < events; n += 500) {
          const batch = Array.from({ length: Math.min(500, events - n) }, (_, i) => {
            const { person } = newObservation(prng.below(leadsInOrder), signal.id)
            return { ...newObservation(n + i, signal.id), person }
          })
          yield* recordObservations(brand, batch)
        }
        return { brandId: brand.id, webhookId: created.id }
      })
    )
    const all = request({ count: events })
    const [startedAt, cpu] = [performance.now(), process.cpuUsage()]
    await runtime.runPromise(Webhooks.change(brandId, webhookId, { enabled: true }))
    await all
    const { system, user } = process.cpuUsage(cpu)
    return {
      perSecond: (events * 1000) / (performance.now() - startedAt),
      cpuMicros: (system + user) / events
    }
  } finally {
    await runtime.dispose()
    await remove()
  }
}

/** Rates over one store, a figure a round. */
export interface OrderedFigure {
  readonly store: StoreName
  readonly ordered: ReadonlyArray<Sent>
  readonly unordered: ReadonlyArray<Sent>
}

/** `emptyDatabase` answers the URL of an empty Postgres database. */
export const measureOrdered = (
  receiver: string,
  names: ReadonlyArray<StoreName>,
  { events, rounds }: { readonly rounds: number; readonly events: number },
  progress: Progress,
  emptyDatabase: () => Promise<string> = () => Promise.resolve("")
): Promise<ReadonlyArray<OrderedFigure>> =>
  withReceiver(receiver, async (connected) => {
    const figures: Array<OrderedFigure> = []
    for (const store of names) {
      const [ordered, unordered]: [Array<Sent>, Array<Sent>] = [[], []]
      const open = async () => stores[store](await emptyDatabase())
      // The first run compiles.
      await send(connected, await open(), "lead", Math.min(events, 1000))
      for (let round = 0; round < rounds; round++) {
        progress.say(`ordered deliveries on ${store}, round ${round + 1}`)
        unordered.push(await send(connected, await open(), "none", events))
        ordered.push(await send(connected, await open(), "lead", events))
      }
      figures.push({ store, ordered, unordered })
    }
    return figures
  })
