/**
 * Microseconds of processor time that a node and Postgres take without and with an encryption key, as a table in Markdown. It starts a server
 * of its own: `npm run bench -- sealing 6000 5` takes in six thousand people in each of five rounds.
 */
import { Brands, LeadStore, LeadQueries, recordObservations, Signals } from "@lead-signals/domain"
import { type EncryptionKey, generateEncryptionKey, parseEncryptionKey } from "@lead-signals/encryption"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { createPostgresServer } from "../../harness/PostgresServer.ts"
import { newObservation } from "../NewObservation.ts"
import { microsOfTree } from "../ProcessorTime.ts"
import { median } from "../Statistics.ts"

const [people = 6000, rounds = 5] = process.argv.slice(2).map(Number)
const batch = 100
const pages = 400
const details = 2000

const server = await createPostgresServer()
const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }

/** Microseconds of the node and of Postgres for each of `n`. */
type Cost = readonly [node: number, postgres: number]

const costOf = async (n: number, work: () => Promise<unknown>): Promise<Cost> => {
  const [before, postgresBefore] = [process.cpuUsage(), microsOfTree(server.pid)]
  await work()
  const { system, user } = process.cpuUsage(before)
  return [(system + user) / n, (microsOfTree(server.pid) - postgresBefore) / n]
}

const measure = async (name: string, key: EncryptionKey | null): Promise<Readonly<Record<string, Cost>>> => {
  const admin = new pg.Client({ connectionString: server.url() })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const node = ManagedRuntime.make(
    Layer.merge(
      PostgresStore.layer({ url: server.url(name), ...(key === null ? {} : { encryptionKey: key }) }),
      webCrypto
    )
  )
  const { brand, signalId, store } = await node.runPromise(
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const { id } = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      return { brand, signalId: id, store: yield* LeadStore }
    })
  )
  const batches = Array.from({ length: people / batch }, (_, i) =>
    Array.from({ length: batch }, (_, j) => newObservation(i * batch + j, signalId))
  )
  const observe = (observations: (typeof batches)[number]) =>
    node.runPromise(recordObservations(brand, observations))
  const observation = await costOf(people, async () => {
    for (const each of batches) await observe(each)
  })
  await admin.query("CHECKPOINT")
  // Known people and authors: nobody needs a key.
  const again = await costOf(people, async () => {
    for (const each of batches)
      await observe(
        each.map((known) => ({
          ...known,
          engagement: { ...known.engagement, id: `again-${known.engagement.id}` }
        }))
      )
  })
  const query = Either.getOrThrow(LeadQueries.readList([]))
  const page = await costOf(pages, async () => {
    for (let i = 0; i < pages; i++) await node.runPromise(store.listRendered!(brand.id, query))
  })
  const detail = await costOf(details, async () => {
    for (let i = 0; i < details; i++)
      await node.runPromise(store.getRendered!(brand.id, 1 + (i % people), "plain"))
  })
  await node.dispose()
  await admin.query(`DROP DATABASE ${name}`)
  await admin.end()
  return {
    "observation of a new person": observation,
    "observation of a known person": again,
    "first page of 25 leads": page,
    "detail of a lead": detail
  }
}

const key = Either.getOrThrow(parseEncryptionKey(generateEncryptionKey()))
const measured: Record<"plain" | "sealed", Array<Readonly<Record<string, Cost>>>> = { plain: [], sealed: [] }
await measure("warm", key)
for (let round = 0; round < rounds; round++) {
  measured.plain.push(await measure(`plain${round}`, null))
  measured.sealed.push(await measure(`sealed${round}`, key))
}

const of = (mode: "plain" | "sealed", work: string, side: 0 | 1): string =>
  Math.round(median(measured[mode].map((costs) => costs[work]![side]))).toLocaleString("en")
console.log("| work | node, µs | Postgres, µs | with a key: node, µs | Postgres, µs |")
console.log("| --- | ---: | ---: | ---: | ---: |")
for (const work of Object.keys(measured.plain[0]!)) {
  const cells = (["plain", "sealed"] as const).flatMap((mode) => [of(mode, work, 0), of(mode, work, 1)])
  console.log(`| ${work} | ${cells.join(" | ")} |`)
}
// The server's process alone keeps no program from ending.
const waiting = setInterval(() => {}, 1000)
await server.remove()
clearInterval(waiting)
