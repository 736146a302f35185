/** How many posts a process has under way at once: as many as its limits say, however many it has leased ahead. [DELIV-7] */
import type { KnownFacts, ReceivedPost, SentPost, Stored } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"

interface Limits {
  readonly total: number
  readonly perWebhook: number
}

interface OpenPost {
  readonly webhookId: string
  readonly sent: SentPost
}

/** Hears of leases and posts; answers what is wrong, or null. */
export const postsAtOnce = (facts: KnownFacts, checks: Checks) => {
  const rule = checks.rule("the posts that are under way at once")
  /** By process, as it last asked for leases. */
  const limits = new Map<number, Limits>()
  const open = new Map<number, ReadonlyArray<OpenPost>>()
  return {
    stored: ({ args, method, process }: Stored): void => {
      if (method === "outbox.lease") limits.set(process.index, args[0].limits)
    },
    posted: ({ index, sent, webhook }: ReceivedPost): string | null => {
      const { process } = sent
      const limit = limits.get(process)
      if (limit === undefined || index > 0) return null
      const now = facts.now()
      const underWay = [...(open.get(process) ?? []), { webhookId: webhook.id, sent }].filter(
        ({ sent: { at, endedAt } }) =>
          endedAt === null && !facts.incidents.touched(["kill"], at, now, process)
      )
      open.set(process, underWay)
      rule.judged++
      const own = underWay.filter(({ webhookId }) => webhookId === webhook.id).length
      if (own > limit.perWebhook)
        return `process ${process + 1} has ${own} posts of webhook ${webhook.id} under way, and ${limit.perWebhook} places for it`
      return underWay.length > limit.total
        ? `process ${process + 1} has ${underWay.length} posts under way, and ${limit.total} places`
        : null
    }
  }
}
