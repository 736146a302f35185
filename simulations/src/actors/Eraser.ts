/** An operator who is asked to forget people: now and then one of those who were seen. */
import type { Prng } from "@lead-signals/simulator"
import { Clock, Effect } from "effect"
import type { Ledger } from "../world/Ledger.ts"
import { operatorToken, type World } from "../world/World.ts"
import { bodyOf, persistently } from "./Calls.ts"

const hour = 3_600_000

/** Until the given time. Who was erased is noted when the service has said so. */
export const erase = (
  world: World,
  ledger: Ledger,
  brandId: string,
  plan: { readonly erasuresPerHour: number; readonly until: number },
  prng: Prng
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const call = (method: "GET" | "DELETE", path: string) =>
      persistently(world, ledger, `operator ${brandId}`, {
        method,
        url: `/operator/brands/${brandId}${path}`,
        token: operatorToken
      })
    for (;;) {
      yield* Effect.sleep(prng.wait(hour / plan.erasuresPerHour))
      if ((yield* Clock.currentTimeMillis) >= plan.until) return
      const seen = [...ledger.sent.values()].filter(
        (each) => each.brandId === brandId && each.leadId !== null && !ledger.erased.has(each.person)
      )
      if (seen.length === 0) continue
      const { leadId, person } = prng.pick(seen)
      ledger.erasing.add(person)
      const answer = yield* call("DELETE", `/leads/${leadId}`)
      // 404: an earlier call did it, and its answer was lost.
      if (answer.status !== 204 && answer.status !== 404) {
        ledger.violate("people can be erased", `${person}: ${answer.status} ${bodyOf(answer)?.error?.code}`)
      }
      ledger.erased.set(person, yield* Clock.currentTimeMillis)
      ledger.marks.add("a person was erased")
    }
  })
