/** People who are seen engaging: what is seen of them is sent in, and again when nobody knows whether it was taken. */
import { Effect } from "effect"
import { loaded } from "../plan/Sightings.ts"
import type { Action, Sighting } from "../plan/Plan.ts"
import { type KnownBrand, personOf } from "../world/KnownFacts.ts"
import { bodyOf, type Caller, persistently, type ActorContext } from "./ActorContext.ts"

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
  { isLines = false, isNew }: { readonly isNew: boolean; readonly isLines?: boolean | undefined }
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { facts } = context
    if (isNew) facts.engagements += seen.length
    const observations = seen.map((one) => sent(brand, one))
    const sending = persistently(context, caller, {
      method: "POST",
      route: "/operator/brands/{brandId}/observations",
      params: { brandId: brand.id },
      body: { observations },
      ...(isLines ? { unusual: { contentType: "application/x-ndjson", bytes: linesOf(observations) } } : {}),
      brand,
      meaning: { means: "observe", seen }
    })
    const response = yield* inTurn(context, brand, sending)
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
