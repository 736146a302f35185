/** Receivers of webhooks, each with a character of its own. */
import { Sender } from "@lead-signals/webhook"
import type { Prng } from "@lead-signals/simulator"
import { Clock, Effect } from "effect"
import type { Persona } from "../Scenario.ts"
import type { KnownWebhook, Ledger } from "../world/Ledger.ts"
import type { Consumer } from "../world/World.ts"

/** What it answers to its n-th post, from 1, and after how long; null: never. */
type Character = (n: number, prng: Prng) => { readonly status: number | null; readonly millis: number }

/** A receiver that fails is mended after so many posts, so that everything can be seen to arrive in the end. */
const mendedAfter = 40

export const characters: { readonly [persona in Persona]: Character } = {
  healthy: () => ({ status: 200, millis: 5 }),
  slow: (_, prng) => ({ status: 202, millis: 2000 + prng.below(9000) }),
  flaky: (_, prng) => ({ status: prng.chance(0.4) ? 500 : 204, millis: 20 }),
  failing: (n) => ({ status: n > mendedAfter ? 200 : 503, millis: 20 }),
  hanging: (n) => ({ status: n > mendedAfter ? 200 : null, millis: 20 }),
  gone: (n) => ({ status: n === 5 ? 410 : 200, millis: 20 }),
  redirecting: (n) => ({ status: n > mendedAfter ? 200 : 302, millis: 20 })
}

const empty = new Uint8Array()

export const consumer = (webhook: KnownWebhook, ledger: Ledger, prng: Prng): Consumer => {
  const seen = new Set<string>()
  let posts = 0
  return ({ body, headers }) =>
    Effect.gen(function* () {
      const { millis, status } = characters[webhook.persona](++posts, prng)
      const at = yield* Clock.currentTimeMillis
      const id = headers["webhook-id"] ?? ""
      if (seen.has(id)) ledger.marks.add("an event came again")
      seen.add(id)
      ledger.receive({ at, webhook, headers, id, body, envelope: JSON.parse(body), status })
      if (status === null) return yield* Effect.never
      yield* Effect.sleep(millis)
      return { status, retryAfter: null, excerpt: empty, truncated: false } satisfies Sender.PostAnswer
    })
}
