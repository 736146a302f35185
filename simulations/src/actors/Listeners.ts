/** Operators who listen to the events of a brand as they are committed, leave, and go on where they left or elsewhere. */
import { Effect } from "effect"
import type { StreamRead } from "../plan/Plan.ts"
import type { KnownBrand } from "../world/KnownFacts.ts"
import { type ActorContext, type Caller, once } from "./ActorContext.ts"

/** Texts that are no id of an event. */
const strangeIds = [
  "abc",
  "01",
  "-1",
  "+1",
  "1.0",
  "1e3",
  " 1 2",
  "9007199254740993",
  "1234567890123456",
  "\u00e9",
  "0x1"
]

/** Further than any store comes in a run. */
const laterBy = 1_000_000

const idsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id!)

/** What a listener has got so far. */
interface Got {
  first: string | null
  newest: string | null
}

const lastEventIdOf = ({ from, nth }: StreamRead, { first, newest }: Got): string | null => {
  switch (from) {
    case "none":
      return null
    case "empty":
      return ""
    case "newest":
      return newest
    case "first":
      return first
    case "later":
      return String(Number(newest ?? 0) + laterBy)
    case "strange":
      return strangeIds[nth % strangeIds.length]!
  }
}

/** Makes one connection for each of the reads, one after the other. */
export const listen = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  reads: ReadonlyArray<StreamRead>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const got: Got = { first: null, newest: null }
    for (const [i, read] of reads.entries()) {
      yield* Effect.sleep(read.after)
      const id = lastEventIdOf(read, got)
      const answer = yield* Effect.option(
        once(
          context,
          { ...caller, label: `${caller.label} connection ${i}` },
          {
            route: "/operator/brands/{brandId}/events",
            params: { brandId: brand.id },
            brand,
            meaning: { means: "look" },
            unusual: {
              leavesAfter: read.forMillis,
              takesMillis: read.takesMillis,
              ...(id === null ? {} : { headers: { "last-event-id": id } })
            }
          }
        )
      )
      if (answer._tag === "None") continue
      const ids = idsIn(answer.value.text)
      got.first ??= ids[0] ?? null
      got.newest = ids.at(-1) ?? got.newest
    }
  })
