/** People who engage: few of them often, most seldom, more by day than by night, and what they do is sent in as it is seen. */
import { type Prng, zipf } from "@lead-signals/simulator"
import { Clock, Effect } from "effect"
import { operatorToken, type World } from "../world/World.ts"
import type { Ledger } from "../world/Ledger.ts"
import { bodyOf, persistently } from "./Calls.ts"

const hour = 3_600_000

/** Between a quarter at night and nearly twice the average by day. */
const byHour = (millis: number): number => 1 - 0.75 * Math.cos(((millis / hour) % 24) * (Math.PI / 12))

/** Until the given time; then it waits for the last of its observations to be taken. */
export const engage = (
  world: World,
  ledger: Ledger,
  brand: { readonly id: string; readonly signalIds: ReadonlyArray<string> },
  plan: { readonly people: number; readonly engagementsPerHour: number; readonly until: number },
  prng: Prng
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const who = zipf(plan.people, 1.1)
    for (let n = 0; ; n++) {
      const now = yield* Clock.currentTimeMillis
      const average = hour / plan.engagementsPerHour / byHour(now)
      yield* Effect.sleep(prng.wait(average))
      if ((yield* Clock.currentTimeMillis) >= plan.until) return
      const person = `b${brand.id}-p${who(prng)}`
      const id = `b${brand.id}-e${n}`
      const engagement = { id, brandId: brand.id, person, leadId: null as number | null, acknowledged: false }
      ledger.sent.set(id, engagement)
      const observation = {
        signalId: prng.pick(brand.signalIds),
        person: { extId: person, name: `Name of ${person}`, headline: `As of ${n}` },
        engagement: { id, type: "comment", commentText: `Says ${id}` }
      }
      const answer = yield* persistently(world, ledger, `people ${brand.id}`, {
        method: "POST",
        url: `/operator/brands/${brand.id}/observations`,
        token: operatorToken,
        body: { observations: [observation] }
      })
      const [outcome] = bodyOf(answer).data
      if (outcome.outcome === "duplicate") ledger.marks.add("an observation was taken, and sent again")
      else if (outcome.outcome === "suppressed") {
        if (!ledger.erasing.has(person)) ledger.violate("observations are taken", `${id} was suppressed`)
        ledger.marks.add("somebody erased was seen again")
      } else if (outcome.outcome !== "recorded") {
        ledger.violate("observations are taken", `${id} was ${outcome.outcome}`)
      }
      engagement.leadId = outcome.leadId
      engagement.acknowledged = true
    }
  })
