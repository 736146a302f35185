import type { Oracle } from "./Oracle.ts"
import { outboxOf } from "./OutboxReference.ts"
import { postsAtOnce } from "./PostsAtOnce.ts"

/**
 * The outbox moves as a naive one does: what is leased was queued, is due by the service's clock, under no other lease, and for a
 * webhook that is enabled; each attempt is recorded as its receiver answered, and counts as the schedule says; no webhook has more posts under way
 * than places; and what is sent again is what was asked for.
 * [DELIV-2, DELIV-3, DELIV-4, DELIV-5, DELIV-7, DELIV-8, EVT-2, EVT-3, EVT-7, EVT-9]
 */
export const deliveriesKept: Oracle = {
  name: "deliveries kept",
  instantiate: (facts, checks) => {
    const rule = checks.rule("each lease, each record of an attempt, and each change of a webhook")
    const outbox = outboxOf(facts)
    outbox.records.countAmong(checks)
    const atOnce = postsAtOnce(facts, checks)
    return {
      stored: (done) => {
        if (/^(outbox|deliveries|webhooks)\./.test(done.method)) rule.judged++
        atOnce.stored(done)
        return outbox.apply(done)
      },
      posted: atOnce.posted,
      tailLost: (since) => outbox.forgetSince(since)
    }
  }
}
