/** People who are seen engaging: what is seen of them is sent in, and again when nobody knows whether it was taken. */
import { Effect } from "effect"
import { loaded } from "../plan/Sightings.ts"
import type { Action, Sighting } from "../plan/Plan.ts"
import { type KnownBrand, personOf } from "../world/KnownFacts.ts"
import { givenUp } from "../vocabulary/ArrivalTimes.ts"
import type { Arrival } from "../world/BodyPieces.ts"
import { bodyOf, type Call, type Caller, once, persistently, type ActorContext } from "./ActorContext.ts"

/** As the interface takes it. */
const sent = ({ signalIds }: KnownBrand, { engagement, person, raw, signal, written }: Sighting): object => ({
  signalId: signalIds[signal]!,
  person,
  engagement: { ...engagement, ...written },
  ...(raw === undefined ? {} : { raw })
})

const linesOf = (observations: ReadonlyArray<object>): Uint8Array =>
  new TextEncoder().encode(observations.map((each) => `${JSON.stringify(each)}\n`).join(""))

/** Notes whose lead it is. An engagement that was known already can be another person's. */
const learnLead = (
  { leadIds, reference }: KnownBrand,
  extId: string,
  leadId: number,
  outcome: string
): void => {
  const isOwn =
    outcome === "recorded" || reference.rows.some((row) => row.id === leadId && row.extId === extId)
  if (isOwn) leadIds.set(extId, leadId)
}

const callOf = (brand: KnownBrand, seen: ReadonlyArray<Sighting>, isLines: boolean): Call => {
  const observations = seen.map((one) => sent(brand, one))
  return {
    method: "POST",
    route: "/operator/brands/{brandId}/observations",
    params: { brandId: brand.id },
    body: { observations },
    ...(isLines ? { unusual: { contentType: "application/x-ndjson", bytes: linesOf(observations) } } : {}),
    brand,
    meaning: { means: "observe", seen }
  }
}

/** The same call whose body arrives slowly, with what the contract says of that. [ERR-6] */
const slowly = (call: Call, arrival: Arrival, isLines: boolean): Call => {
  const bytes = call.unusual?.bytes ?? new TextEncoder().encode(JSON.stringify(call.body))
  const late = givenUp(bytes, arrival, isLines)
  return {
    ...call,
    unusual: { ...call.unusual, bytes, arrival },
    expects: {
      probes: [],
      names: null,
      ...(late === null
        ? { status: 200, code: null }
        : { status: 408, code: "request_timeout", ...(isLines ? { outcomesBefore: late.lines } : {}) })
    }
  }
}

const turns = new WeakMap<KnownBrand, Effect.Semaphore>()

/**
 * One after another where nobody sees the store: of two requests at once nobody knows which was recorded first, and which a lead shows as its
 * newest.
 */
const inTurn = <A, E, R>(
  { facts }: ActorContext,
  brand: KnownBrand,
  sending: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (facts.isStoreSeen) return sending
  const turn = turns.get(brand) ?? Effect.unsafeMakeSemaphore(1)
  turns.set(brand, turn)
  return turn.withPermits(1)(sending)
}

/**
 * Sends observations until they are answered, as JSON or as x-ndjson, and keeps the ids of the leads that came of them. `isNew`: no earlier action
 * has sent these.
 */
export const observe = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  seen: ReadonlyArray<Sighting>,
  {
    arrival,
    isLines = false,
    isNew
  }: {
    readonly isNew: boolean
    readonly isLines?: boolean | undefined
    /** How the body arrives at first; one that is too slow is sent again, at once. */
    readonly arrival?: Arrival | undefined
  }
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { facts } = context
    if (isNew) facts.engagements += seen.length
    const call = callOf(brand, seen, isLines)
    // A host of its own gets a body at once.
    const isSlow = arrival !== undefined && facts.isStoreSeen
    const first = yield* inTurn(
      context,
      brand,
      persistently(context, caller, isSlow ? slowly(call, arrival, isLines) : call)
    )
    const response =
      isSlow && first.status === 408
        ? yield* persistently(context, { ...caller, label: `${caller.label} anew` }, call)
        : first
    if (response.status !== 200) {
      return facts.violate("calls succeed", `observations: ${response.status} ${response.text}`)
    }
    if (isLines) facts.coverageMarks.add("observations came as lines")
    for (const [i, { leadId, outcome }] of bodyOf(response).data.entries()) {
      const { extId } = seen[i]!.person
      if (leadId !== null) learnLead(brand, extId, leadId, outcome)
      if (outcome === "duplicate" && isNew)
        facts.coverageMarks.add("an observation was taken, and sent again")
      if (outcome === "duplicate" && !isNew) facts.coverageMarks.add("an engagement was seen twice")
      if (outcome === "suppressed") {
        facts.coverageMarks.add("somebody erased was seen again")
        if (!facts.erasing.has(personOf(brand, extId)))
          facts.violate("observations are taken", `${extId} was suppressed`)
      }
      // With a retention the reference says which is too old.
      if (outcome === "rejected" && facts.plan.retention === undefined)
        facts.violate("observations are taken", `${extId} was rejected`)
    }
  })

/** A crowd: all send the same at once. Those who stay send until they are answered, and nobody waits for those who go away. [OBS-7] */
export const crowd = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { commitMillis, leaves, seen }: Extract<Action, { do: "crowd" }>
): Effect.Effect<void> => {
  const call = callOf(brand, seen, false)
  const one = (goesAfter: number | null, i: number): Effect.Effect<unknown> => {
    const by = { ...caller, label: `${caller.label} ${i}` }
    return goesAfter === null
      ? persistently(context, by, { ...call, unusual: { commitMillis } })
      : Effect.ignore(once(context, by, { ...call, unusual: { commitMillis, goesAfter } }))
  }
  context.facts.engagements += seen.length
  context.facts.coverageMarks.add("a crowd sent observations at once")
  return Effect.zipRight(
    Effect.all(leaves.map(one), { concurrency: "unbounded", discard: true }),
    observe(context, { ...caller, label: `${caller.label} afterwards` }, brand, seen, { isNew: false })
  )
}

/** Small enough that most are taken whole where the store fails now and then. */
const batchSize = 48

/** Loads many people, a batch at a time. */
export const load = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { from, isLines, people }: Extract<Action, { do: "load" }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const seen = loaded(brand.index, from, people)
    for (let i = 0; i < seen.length; i += batchSize) {
      const label = `${caller.label} from ${i}`
      yield* observe(context, { ...caller, label }, brand, seen.slice(i, i + batchSize), {
        isNew: true,
        isLines
      })
    }
    context.facts.coverageMarks.add("a brand held more leads than a page")
  })
