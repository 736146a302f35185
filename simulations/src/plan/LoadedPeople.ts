/**
 * What is done about the people of a load in the minutes after it: their leads are changed, erased, seen again under other names, and searched for.
 * A store has counters, caches and indexes for many leads that few leads never show.
 */
import type { Prng } from "@lead-signals/simulation-kernel"
import { hour } from "./EventTimes.ts"
import type { DatedAction, UndatedAction } from "./Plan.ts"
import { neighbours, queryOfLoad } from "./Queries.ts"
import { returningReads } from "./RareSituations.ts"
import { loadedExtIdOf, seenAgain } from "./Sightings.ts"

type Load = DatedAction & { readonly do: "load" }

/** Milliseconds from the load to the first of its actions. */
const beginsAfter = 15_000

/** Milliseconds within which all of them come. */
const lasts = 150_000

/** How often each thing is done after a load. */
const times = { amend: 12, observe: 6, erase: 3, list: 40 }

/** How many of the first people of a load can get flags: several leads of one instant have the same then. */
const amended = 12

const actionOf = (
  prng: Prng,
  brand: number,
  kind: keyof typeof times,
  { from, people }: Load,
  n: number
): UndatedAction => {
  const somebody = (): number => prng.below(people)
  switch (kind) {
    case "amend":
      return {
        do: "amend",
        person: loadedExtIdOf(brand, from, prng.below(amended)),
        change: {
          qualified: prng.chance(0.8),
          exported: prng.chance(0.6),
          isEmployee: prng.chance(0.4),
          ...(prng.chance(0.3) ? { score1: prng.below(3) } : {})
        }
      }
    case "observe": {
      const id = `b${brand}-l${from}-again${n}`
      const count = prng.pick([1, 2, 5, 12])
      return {
        do: "observe",
        seen: Array.from({ length: count }, (_, i) => seenAgain(prng, brand, from, somebody(), `${id}-${i}`))
      }
    }
    case "erase":
      return { do: "erase", person: loadedExtIdOf(brand, from, somebody()) }
    case "list": {
      const first = queryOfLoad(prng)
      return { do: "list", query: first, ...(prng.chance(0.2) ? { next: neighbours(prng, first) } : {}) }
    }
  }
}

/** A listener who leaves before the load, and goes on after it: more events than one read of a stream has. [LIVE-2] */
const listenerAround = ({ at, brand }: Load): DatedAction => ({
  do: "stream",
  at: Math.max(0, at - 2000),
  brand,
  reads: returningReads(beginsAfter, 3000)
})

/** The actions around a load, none of them behind the end of the plan. */
export const aroundLoad = (prng: Prng, load: Load, hours: number): ReadonlyArray<DatedAction> => [
  ...(Object.keys(times) as ReadonlyArray<keyof typeof times>).flatMap((kind) =>
    Array.from({ length: times[kind] }, (_, n): DatedAction => {
      const at = Math.min(load.at + beginsAfter + prng.below(lasts), hours * hour - 1)
      return { at, brand: load.brand, ...actionOf(prng, load.brand, kind, load, n) }
    })
  ),
  listenerAround(load)
]
