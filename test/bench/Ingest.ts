/**
 * Observations taken in, beside prepared statements in the same transactions and with the same durability: reference (c).
 * Both in this process: ours through the use case that the operator API calls. Every observation is of a new person, and
 * an enabled-later webhook subscribes to activity.detected, so each writes a lead, an engagement, a link, two events and
 * a delivery. The floor takes the rows alone into the product's tables, which no implementation can do without.
 */
import { Brands, recordObservations, StoreHealth, Webhooks } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Addresses, TargetGuard } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import type { Progress } from "./BulkLoad.ts"
import { type NewObservation, newObservation } from "./NewObservation.ts"
import { type Pace, paced } from "./Pace.ts"
import { makePlainIngest } from "./reference/PlainIngest.ts"
import { makeRowsAlone, prepareRows } from "./reference/RowsAlone.ts"

/** Rates of one way to take observations in, beside so many leads, a figure a round. */
export interface IngestFigure {
  readonly name: string
  readonly leads: number
  readonly subject: ReadonlyArray<Pace>
  readonly reference: ReadonlyArray<Pace>
  readonly floor: ReadonlyArray<Pace>
}

interface Files {
  readonly leads: number
  readonly floor: string
  readonly subject: string
  readonly plain: string
}

const batchLength = 100
const atOnce = 32
const options = { allowed: [Either.getOrThrow(Addresses.parseCidr("127.0.0.0/8"))] }

const host = (filename: string) =>
  TargetGuard.layer(options).pipe(
    Layer.provide(NodeWebhook.resolver),
    Layer.provideMerge(Layer.merge(SqliteStore.layer({ filename }), webCrypto))
  )

/** To which each observation queues a delivery. Answers its brand. */
const createWebhook = Effect.gen(function* () {
  const brand = yield* Brands.get("1")
  yield* Webhooks.create(brand.id, {
    url: "http://127.0.0.1:9/",
    events: ["activity.detected"],
    description: null,
    enabled: false
  })
  return brand
})

/** How many observations the work took in, over the time that it took. */
const timed = (seconds: number, work: () => Promise<number>): Promise<Pace> =>
  paced(async () => {
    const endsAt = performance.now() + seconds * 1000
    let done = 0
    while (performance.now() < endsAt) done += await work()
    return done
  })

/** `floor`, `plain` and `subject` are files with so many leads, to which it writes. */
export const measureIngest = async (
  { floor: floorFile, leads, plain: plainFile, subject: subjectFile }: Files,
  pace: { readonly rounds: number; readonly seconds: number; readonly warmUpSeconds: number },
  progress: Progress
): Promise<ReadonlyArray<IngestFigure>> => {
  const floorRuntime = ManagedRuntime.make(host(floorFile))
  await floorRuntime.runPromise(createWebhook)
  await floorRuntime.dispose()
  const runtime = ManagedRuntime.make(host(subjectFile))
  const plain = makePlainIngest(plainFile)
  const rowsAlone = makeRowsAlone(floorFile)
  try {
    const brand = await runtime.runPromise(createWebhook)
    let number = 0
    const next = (): NewObservation => newObservation(number++, "1")
    const record = async (observations: ReadonlyArray<NewObservation>): Promise<number> => {
      const outcomes = await runtime.runPromise(recordObservations(brand, observations))
      if (outcomes.some(({ outcome }) => outcome !== "recorded")) throw new Error(JSON.stringify(outcomes[0]))
      return outcomes.length
    }
    const batch = (length: number) => Array.from({ length }, next)
    /** `recordOurs` takes in `length` observations; the others take them in as one transaction, plain ones one by one where ours share. */
    const figure = async (
      name: string,
      length: number,
      recordOurs: () => Promise<number>,
      plainLength = length
    ): Promise<IngestFigure> => {
      progress.say(`${leads.toLocaleString("en")} leads: ${name}`)
      const works = {
        subject: recordOurs,
        reference: async () => plain.record(batch(plainLength)),
        floor: async () => rowsAlone.record(batch(length).map(prepareRows))
      }
      const paces = { subject: [] as Array<Pace>, reference: [] as Array<Pace>, floor: [] as Array<Pace> }
      // One observation at a time, the code that takes it in is compiled only after some thousands.
      for (const work of Object.values(works)) await timed(pace.warmUpSeconds, work)
      for (let round = 0; round < pace.rounds; round++) {
        paces.subject.push(await timed(pace.seconds, works.subject))
        paces.reference.push(await timed(pace.seconds, works.reference))
        paces.floor.push(await timed(pace.seconds, works.floor))
      }
      return { name, leads, ...paces }
    }
    const figures = [
      await figure("one-by-one", 1, () => record([next()])),
      await figure(
        "32-at-once",
        atOnce,
        async () => {
          const counts = await Promise.all(batch(atOnce).map((each) => record([each])))
          return counts.length
        },
        1
      ),
      await figure("batches-of-100", batchLength, () => record(batch(batchLength)))
    ]
    await runtime.runPromise(Effect.flatMap(StoreHealth, (storeHealth) => storeHealth.check))
    return figures
  } finally {
    await runtime.dispose()
    plain.close()
    rowsAlone.close()
  }
}
