/** The figures of taking in and of deliveries, with the floor of each beside it. */
import type { DeliveryFigure } from "./Deliveries.ts"
import type { IngestFigure } from "./Ingest.ts"
import { microsOf, ratesOf } from "./Pace.ts"
import { pair, type Section, slowdown } from "./Report.ts"

const ingestTargets: Readonly<Record<string, number>> = {
  "one-by-one": 0.4,
  "32-at-once": 1,
  "batches-of-100": 0.5
}

const deliveryTarget = 0.4

const processorNote =
  "Microseconds of processor time of each, of all threads and of the kernel on their behalf; the reference is the floor: what must be written"

/** No section where nothing was measured. */
export const ingestSections = (figures: ReadonlyArray<IngestFigure>): ReadonlyArray<Section> => {
  const [first] = figures
  if (first === undefined) return []
  const beside = `beside ${first.leads.toLocaleString("en")} leads`
  return [
    {
      title: `Taking in, ${beside}`,
      note: "Observations a second, each on the disk when it is answered, through the use case in one process; the reference is (c). Floors insert the rows alone into the product's tables.",
      lines: figures.flatMap(({ floor, leads, name, reference, subject }) => [
        pair(`ingest-${name}`, leads, ratesOf(subject), ratesOf(reference), ingestTargets[name] ?? null),
        pair(`ingest-floor-${name}`, leads, ratesOf(floor), ratesOf(reference), null)
      ])
    },
    {
      title: `Processor time of taking in, ${beside}`,
      note: `${processorNote}, \`test/bench/reference/RowsAlone.ts\`.`,
      lines: figures.map(({ floor, leads, name, subject }) =>
        slowdown(`ingest-${name}`, leads, microsOf(subject), microsOf(floor), null)
      )
    }
  ]
}

/** The rates of one webhook, alone and in batches. */
export const deliverySections = ({
  batched,
  floor,
  reference,
  subject
}: DeliveryFigure): ReadonlyArray<Section> => [
  {
    title: "Deliveries",
    note: "Events a second to one webhook, signed, 32 posts at a time, each body and attempt on the disk; the reference is (d), an event a post. The second line has 100 events a post, the third is the floor.",
    lines: [
      pair("deliveries", null, ratesOf(subject), ratesOf(reference), deliveryTarget),
      pair("deliveries-in-batches", null, ratesOf(batched), ratesOf(reference), null),
      pair("deliveries-floor", null, ratesOf(floor), ratesOf(reference), null)
    ]
  },
  {
    title: "Processor time of a delivery",
    note: `${processorNote} and posted, \`test/bench/reference/DeliveriesAlone.ts\`.`,
    lines: [
      slowdown("deliveries", null, microsOf(subject), microsOf(floor), null),
      slowdown("deliveries-in-batches", null, microsOf(batched), microsOf(floor), null)
    ]
  }
]
