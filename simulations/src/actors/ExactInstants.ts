/** The operator tries what only an exact instant shows: an enabling during an attempt, a request at the millisecond at which a window ends. */
import { Effect } from "effect"
import type { KnownBrand, KnownWebhook } from "../world/KnownFacts.ts"
import { type ActorContext, type Call, type Caller, once, succeeding } from "./ActorContext.ts"
import { caller, firstLeads, look, ofBrand } from "./OperatorCalls.ts"
import { setEnabled } from "./WebhookOwner.ts"

/** How long the operator waits for a post to be under way. */
const patience = "4 minutes"

/** Off and on while an attempt is under way: how it ends says nothing of the receiver any more. [DELIV-4] */
export const enableDuringAttempt = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  webhook: KnownWebhook
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const post = yield* Effect.timeoutOption(context.facts.nextPost(webhook), patience)
    if (post._tag === "None") return
    yield* setEnabled(context, of("off"), brand, webhook, false)
    yield* setEnabled(context, of("on"), brand, webhook, true)
    if (post.value.sent.heardAt === null)
      context.facts.coverageMarks.add("a webhook was enabled during an attempt")
    const rendered: Call = {
      route: `${ofBrand}/webhooks/{id}`,
      params: { brandId: brand.id, id: webhook.id },
      brand,
      meaning: look
    }
    yield* succeeding(context, of("view"), rendered)
    yield* Effect.sleep(16_000)
    yield* succeeding(context, of("view later"), rendered)
  })

/** The least time that a message takes. */
const minMillis = 1

/** Requests at the last millisecond of a window and at the next one, which begins another. [RATE-3] */
export const endOfWindow = (context: ActorContext, by: Caller, brand: KnownBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const { facts, world } = context
    const key = brand.limitedKey
    const call = firstLeads(brand, key)
    yield* Effect.ignore(once(context, of("opens"), call))
    for (const beside of [-1, 0]) {
      const ends = facts.windowEnds.get(key.id)
      if (ends === undefined) return
      // As the store's clock goes now.
      const at = ends + beside - (world.storeNow - world.kernel.now)
      yield* Effect.sleep(Math.max(0, at - world.kernel.now - minMillis))
      const arrival = { ...call, arrivesAt: at }
      if (at > world.kernel.now) facts.coverageMarks.add("a request came as its window ended")
      yield* Effect.ignore(once(context, of(`at ${beside}`), arrival))
    }
  })
