/** What is seldom sent, since it costs much: slow bodies, crowds, the longest texts. Each has a stream of numbers of its own. */
import { Prng } from "@lead-signals/simulation-kernel"
import type { BrandScenario } from "../Scenario.ts"
import { hour } from "./EventTimes.ts"
import type { DatedAction } from "./Plan.ts"
import { engagementIdOf, sighting } from "./Sightings.ts"

type Observation = DatedAction & { readonly do: "observe" | "again" }

/** Pauses of a JSON body in three pieces, and of lines with a piece each: within their time, or beyond it. A clock that drifts changes none of that. */
const pausesOfJson = [
  [0, 4000, 4500],
  [8500, 0, 0],
  [3000, 3000, 2500],
  [0, 0, 65_000],
  [30_000, 35_000, 0],
  [70_000, 0, 0]
]
const pausesOfLines = [
  [1000, 25_000, 27_000],
  [50_000, 50_000, 50_000],
  [0, 40_000, 40_000],
  [0, 55_000, 0],
  [0, 70_000, 0],
  [50_000, 0, 90_000]
]

/** Pauses of lines with the longest texts: the bytes of one give the next no time. [ERR-6] */
const pausesOfLong = [
  [0, 0, 0, 0, 0, 55_000],
  [0, 0, 90_000, 0, 0, 0],
  [20_000, 40_000, 0, 0, 0, 100_000]
]

/** How many engagements a line body has that comes slowly: few others have several. */
const linesOfSlow = 3

/** The same observation with a body that comes slowly; half of them are lines. */
export const comingSlowly = (prng: Prng, action: Observation): Observation => {
  if (prng.chance(0.5)) {
    const { isLines: _, ...rest } = action
    return { ...rest, arrival: { cuts: 3, pauses: prng.pick(pausesOfJson) } }
  }
  const [first] = action.seen
  const seen = [
    ...action.seen,
    // The same engagement again is a duplicate. [EVT-8]
    ...Array.from({ length: Math.max(0, linesOfSlow - action.seen.length) }, () => first!)
  ]
  return { ...action, seen, isLines: true, arrival: { cuts: "lines", pauses: prng.pick(pausesOfLines) } }
}

/** The share of a brand's seeds with the longest texts, and with crowds. */
const longShare = 1 / 30
const crowdShare = 0.08

/** The requests of a crowd: more than are committed at the same time, at times more than a brand may have open. [OBS-7] */
const crowdSizes = [10, 14, 18, 140]

/** The share of a brand's seeds with many listeners, and how many: a server has a hundred streams of events. [LIVE-4] */
const listenersShare = 0.03
const manyListeners = 60

/** The share of a brand's seeds with a listener who comes back when events may be pruned, and after how long. [LIVE-2] */
const returningShare = 0.6
const awayMillis = [400_000, 900_000]

/** Whether somebody sends the longest texts to the brand. */
export const hasLongTexts = (seed: number, brand: number): boolean =>
  Prng.of(seed, `long texts of ${brand}`).chance(longShare)

/** The share of seeds in which all brands see engagements of the same ids at the same time, and how many: deliveries of several brands are leased together. */
const twinShare = 0.25
const twins = 5

/** Every fifth number from here is the number of an engagement of every brand. */
const firstTwin = 9_000_002

/** Observations that a piece has. [OBS-7] */
const piece = 12

/** Rare actions of a brand, in the hours of its plan. */
export const rareActions = (
  seed: number,
  brand: number,
  { people }: BrandScenario,
  hours: number,
  isSwarm: boolean
): ReadonlyArray<DatedAction> => {
  if (!isSwarm) return []
  const found: Array<DatedAction> = []
  const long = Prng.of(seed, `longest texts of ${brand}`)
  const seenOf = (prng: Prng, count: number, id: string) =>
    Array.from({ length: count }, (_, i) => sighting(prng, brand, people, () => i % people, `${id}-${i}`))
  if (hasLongTexts(seed, brand)) {
    const observation: Observation = {
      do: "observe",
      at: long.below(hours * hour),
      brand,
      seen: seenOf(long, 6, `b${brand}-long`),
      isLines: true,
      isLong: true
    }
    found.push(
      long.chance(0.5)
        ? observation
        : { ...observation, arrival: { cuts: "lines", pauses: long.pick(pausesOfLong) } }
    )
  }
  const listening = Prng.of(seed, `listeners of ${brand}`)
  if (listening.chance(listenersShare))
    found.push({
      do: "stream",
      at: listening.below(hours * hour),
      brand,
      reads: [{ after: 0, forMillis: listening.pick([400, 3000]), from: "none", takesMillis: 0, nth: 0 }],
      listeners: manyListeners
    })
  const returning = Prng.of(seed, `returning listener of ${brand}`)
  if (returning.chance(returningShare)) {
    const read = { takesMillis: 0, nth: 0 }
    found.push({
      do: "stream",
      at: returning.below((hours * hour) / 2),
      brand,
      reads: [
        { after: 0, forMillis: 500, from: "none", ...read },
        { after: returning.pick(awayMillis), forMillis: 2000, from: "first", ...read }
      ]
    })
  }
  const together = Prng.of(seed, "twins")
  if (together.chance(twinShare)) {
    const own = Prng.of(seed, `twins of ${brand}`)
    const seen = Array.from({ length: twins }, (_, i) =>
      sighting(own, brand, people, () => i % people, engagementIdOf(brand, firstTwin + 5 * i))
    )
    found.push({ do: "observe", at: together.below(hours * hour), brand, seen })
  }
  const crowds = Prng.of(seed, `crowds of ${brand}`)
  if (crowds.chance(crowdShare))
    found.push({
      do: "crowd",
      at: crowds.below(hours * hour),
      brand,
      seen: seenOf(crowds, piece, `b${brand}-crowd`),
      leaves: Array.from({ length: crowds.pick(crowdSizes) }, () =>
        crowds.chance(0.6) ? 100 + crowds.below(900) : null
      ),
      commitMillis: crowds.pick([600, 1200, 2500])
    })
  return found
}
