/**
 * Observations taken in, beside prepared statements in the same transactions and with the same durability: reference (c).
 * Both in this process: ours through the use case that the operator API calls. Every observation is of a new person, and
 * an enabled-later webhook subscribes to activity.detected, so each writes a lead, an engagement, a link, two events and
 * a delivery. Figures named floor take the rows alone into the product's tables, which no implementation can do without.
 */
import { Brands, recordObservations, StoreHealth, Webhooks } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Addresses, TargetGuard } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import type { Progress } from "./BulkLoad.ts"
import { type NewObservation, newObservation } from "./NewObservation.ts"
import { makePlainIngest } from "./reference/PlainIngest.ts"
import { makeRowsAlone, prepareRows } from "./reference/RowsAlone.ts"

export interface IngestFigure {
  readonly name: string
  readonly leads: number
  /** Observations a second. */
  readonly subject: ReadonlyArray<number>
  readonly reference: ReadonlyArray<number>
}

interface Files {
  readonly leads: number
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

/** How many observations the work took in, over the time that it took. */
const timed = async (seconds: number, work: () => Promise<number>): Promise<number> => {
  const startedAt = performance.now()
  let [done, elapsed] = [0, 0]
  while (elapsed < seconds * 1000) {
    done += await work()
    elapsed = performance.now() - startedAt
  }
  return (done * 1000) / elapsed
}

/** `subject` and `plain` are files with so many leads, to which it writes. */
export const measureIngest = async (
  { leads, plain: plainFile, subject: subjectFile }: Files,
  pace: { readonly rounds: number; readonly seconds: number; readonly warmUpSeconds: number },
  progress: Progress
): Promise<ReadonlyArray<IngestFigure>> => {
  const runtime = ManagedRuntime.make(host(subjectFile))
  const plain = makePlainIngest(plainFile)
  try {
    const brand = await runtime.runPromise(Brands.get("1"))
    await runtime.runPromise(
      Webhooks.create(brand.id, {
        url: "http://127.0.0.1:9/",
        events: ["activity.detected"],
        description: null,
        enabled: false
      })
    )
    let number = 0
    const next = (): NewObservation => newObservation(number++, "1")
    const record = async (observations: ReadonlyArray<NewObservation>): Promise<number> => {
      const outcomes = await runtime.runPromise(recordObservations(brand, observations))
      if (outcomes.some(({ outcome }) => outcome !== "recorded")) throw new Error(JSON.stringify(outcomes[0]))
      return outcomes.length
    }
    const figure = async (
      name: string,
      subject: () => Promise<number>,
      reference: () => Promise<number>
    ): Promise<IngestFigure> => {
      progress.say(`${leads.toLocaleString("en")} leads: ${name}`)
      const rates = { subject: [] as Array<number>, reference: [] as Array<number> }
      // One observation at a time, the code that takes it in is compiled only after some thousands.
      await timed(pace.warmUpSeconds, subject)
      await timed(pace.warmUpSeconds, reference)
      for (let round = 0; round < pace.rounds; round++) {
        rates.subject.push(await timed(pace.seconds, subject))
        rates.reference.push(await timed(pace.seconds, reference))
      }
      return { name, leads, ...rates }
    }
    const batch = (length: number) => Array.from({ length }, next)
    const plainOne = async () => plain.record([next()])
    const figures = [
      await figure("ingest-one-by-one", () => record([next()]), plainOne),
      await figure(
        "ingest-32-at-once",
        async () => {
          const counts = await Promise.all(batch(atOnce).map((each) => record([each])))
          return counts.length
        },
        plainOne
      ),
      await figure(
        "ingest-batches-of-100",
        () => record(batch(batchLength)),
        async () => plain.record(batch(batchLength))
      )
    ]
    const rowsAlone = makeRowsAlone(subjectFile)
    const recordRows = async (length: number) => rowsAlone.record(batch(length).map(prepareRows))
    figures.push(
      await figure("ingest-floor-one-by-one", () => recordRows(1), plainOne),
      await figure(
        "ingest-floor-batches-of-100",
        () => recordRows(batchLength),
        async () => plain.record(batch(batchLength))
      )
    )
    rowsAlone.close()
    await runtime.runPromise(Effect.flatMap(StoreHealth, (storeHealth) => storeHealth.check))
    return figures
  } finally {
    await runtime.dispose()
    plain.close()
  }
}
