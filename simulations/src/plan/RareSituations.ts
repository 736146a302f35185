/**
 * Situations that the hourly rates of a scenario seldom bring about, or that cost too much for every seed: the longest texts, crowds, many
 * listeners, minutes in which engagements come every few seconds, listeners who come back, engagements that all brands see. Each has a stream of numbers of its own.
 */
import { Prng } from "@lead-signals/simulation-kernel"
import type { BrandScenario } from "../Scenario.ts"
import { hour } from "./EventTimes.ts"
import type { DatedAction, Sighting, StreamRead } from "./Plan.ts"
import { engagementIdOf, sighting } from "./Sightings.ts"
import { longComingSlowly, type Observation } from "./SlowBodies.ts"

/** The brand of a seed that a situation is drawn for. */
interface Drawn {
  readonly seed: number
  readonly brand: number
  readonly people: number
  readonly hours: number
}

/** Engagements of the first people in turn. */
const seenBy = (prng: Prng, { brand, people }: Drawn, ids: ReadonlyArray<string>): ReadonlyArray<Sighting> =>
  ids.map((id, i) => sighting(prng, brand, people, () => i % people, id))

const numbered = (prefix: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

/** The share of a brand's seeds with the longest texts. */
const longShare = 1 / 30

/** Whether somebody sends the longest texts to the brand. */
export const hasLongTexts = (seed: number, brand: number): boolean =>
  Prng.of(seed, `long texts of ${brand}`).chance(longShare)

/** The longest texts in one body, half of the time slowly. [OBS-3] */
const longTexts = (drawn: Drawn): ReadonlyArray<DatedAction> => {
  const { brand, hours, seed } = drawn
  if (!hasLongTexts(seed, brand)) return []
  const prng = Prng.of(seed, `longest texts of ${brand}`)
  const observation: Observation = {
    do: "observe",
    at: prng.below(hours * hour),
    brand,
    seen: seenBy(prng, drawn, numbered(`b${brand}-long`, 6)),
    isLines: true,
    isLong: true
  }
  return [prng.chance(0.5) ? observation : longComingSlowly(prng, observation)]
}

/** The share of a brand's seeds with many listeners, and how many: a server has a hundred streams of events. [LIVE-4] */
const listenersShare = 0.03
const listeners = 60

/** Many listen to the events of the brand at the same time. */
const manyListeners = ({ brand, hours, seed }: Drawn): ReadonlyArray<DatedAction> => {
  const prng = Prng.of(seed, `listeners of ${brand}`)
  if (!prng.chance(listenersShare)) return []
  const at = prng.below(hours * hour)
  const forMillis = prng.pick([400, 3000])
  return [
    {
      do: "stream",
      at,
      brand,
      reads: [{ after: 0, forMillis, from: "none", takesMillis: 0, nth: 0 }],
      listeners
    }
  ]
}

/** The reads of a listener who leaves after half a second, is away for `after` milliseconds, and goes on for `forMillis` where it began. */
export const returningReads = (after: number, forMillis: number): ReadonlyArray<StreamRead> => {
  const read = { takesMillis: 0, nth: 0 }
  return [
    { after: 0, forMillis: 500, from: "none", ...read },
    { after, forMillis, from: "first", ...read }
  ]
}

/** The share of a brand's seeds with a listener who comes back when events may be pruned, and after how many milliseconds. */
const returningShare = 0.6
const awayMillis = [400_000, 900_000]

/** A listener comes back when events may have been pruned. [LIVE-2] */
const returningListener = ({ brand, hours, seed }: Drawn): ReadonlyArray<DatedAction> => {
  const prng = Prng.of(seed, `returning listener of ${brand}`)
  if (!prng.chance(returningShare)) return []
  const at = prng.below((hours * hour) / 2)
  return [{ do: "stream", at, brand, reads: returningReads(prng.pick(awayMillis), 2000) }]
}

/** The share of seeds with engagements that all brands see, and how many there are. */
const sharedShare = 0.25
const shared = 5

/** Every fifth number from here is the number of an engagement of every brand. */
const firstShared = 9_000_002

/** All brands see engagements of the same ids at the same time: deliveries of several brands are leased together. [AUTH-3] */
const sharedEngagements = (drawn: Drawn): ReadonlyArray<DatedAction> => {
  const { brand, hours, seed } = drawn
  const ofAll = Prng.of(seed, "twins")
  if (!ofAll.chance(sharedShare)) return []
  const ids = Array.from({ length: shared }, (_, i) => engagementIdOf(brand, firstShared + 5 * i))
  const seen = seenBy(Prng.of(seed, `twins of ${brand}`), drawn, ids)
  return [{ do: "observe", at: ofAll.below(hours * hour), brand, seen }]
}

/** The share of a brand's seeds with a busy minute. */
const busyShare = 0.08
/** Requests with observations of a busy minute. */
const busyRounds = 12
/** Milliseconds between two of them at most. */
const busyGapMillis = 7000

/** Engagements come every few seconds: those that failed are due again between new ones, in posts of several. [BATCH-3] */
const busyMinute = (drawn: Drawn): ReadonlyArray<DatedAction> => {
  const { brand, hours, seed } = drawn
  const prng = Prng.of(seed, `busy minute of ${brand}`)
  if (!prng.chance(busyShare)) return []
  let at = prng.below(Math.max(1, hours * hour - busyRounds * busyGapMillis))
  return Array.from({ length: busyRounds }, (_, round) => {
    at += prng.below(busyGapMillis)
    const ids = numbered(`b${brand}-busy${round}`, 1 + prng.below(4))
    return { do: "observe", at, brand, seen: seenBy(prng, drawn, ids) }
  })
}

/** The share of a brand's seeds with crowds. */
const crowdShare = 0.08

/** The requests of a crowd: more than are committed at the same time, at times more than a brand may have open. [OBS-7] */
const crowdSizes = [10, 14, 18, 140]

/** Observations that a piece has. [OBS-7] */
const piece = 12

/** A crowd sends the same observations at once; some of it goes away. */
const crowd = (drawn: Drawn): ReadonlyArray<DatedAction> => {
  const { brand, hours, seed } = drawn
  const prng = Prng.of(seed, `crowds of ${brand}`)
  if (!prng.chance(crowdShare)) return []
  return [
    {
      do: "crowd",
      at: prng.below(hours * hour),
      brand,
      seen: seenBy(prng, drawn, numbered(`b${brand}-crowd`, piece)),
      leaves: Array.from({ length: prng.pick(crowdSizes) }, () =>
        prng.chance(0.6) ? 100 + prng.below(900) : null
      ),
      commitMillis: prng.pick([600, 1200, 2500])
    }
  ]
}

/** The rare situations of a brand of `swarm`, in the hours of its plan. */
export const rareSituations = (
  seed: number,
  brand: number,
  { people }: BrandScenario,
  hours: number
): ReadonlyArray<DatedAction> =>
  [longTexts, manyListeners, returningListener, sharedEngagements, busyMinute, crowd].flatMap((draw) =>
    draw({ seed, brand, people, hours })
  )
