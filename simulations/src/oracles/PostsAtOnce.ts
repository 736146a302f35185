/** How many posts a process has under way at once: as many as its limits say, however many it has leased ahead. [DELIV-7] */
import type { Json, KnownFacts, ReceivedPost, SentPost, Stored } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import { isSuccess } from "./RetrySchedule.ts"

interface Limits {
  readonly total: number
  readonly perWebhook: number
}

/** A post, which may have been lost. */
interface KnownPost {
  readonly url: string
  readonly sent: SentPost
  readonly status: number | null
  readonly isBatched: boolean
}

/** A post that took at most so many milliseconds was fast, and of a webhook that answers fast more is leased where a lease lasts at least so long. */
const [fastMillis, minLeaseAhead] = [100, 21_000]

const isFast = ({ sent: { at, endedAt, heardAt }, isBatched, status }: KnownPost): boolean =>
  !isBatched && heardAt !== null && heardAt === endedAt && isSuccess(status) && heardAt - at <= fastMillis

/**
 * What is wrong with the webhooks that count as fast in a request for leases, by their posts since the process began: those whose last post was fast, while
 * another one is under way. Null also where it can't be known, as two things happened at one instant, or the process's clock was changed.
 */
const wrongFast = (
  facts: KnownFacts,
  process: number,
  posts: ReadonlyArray<KnownPost>,
  urls: ReadonlyMap<string, string>,
  { leaseMillis, underWay }: Json
): string | null => {
  const now = facts.now()
  for (const id of underWay.byWebhook.keys()) {
    const own = posts.filter(({ url }) => url === urls.get(id))
    const lastAt = Math.max(...own.map(({ sent }) => sent.endedAt ?? 0))
    const [last, ...others] = own.filter(({ sent }) => sent.endedAt === lastAt)
    if (last === undefined || others.length > 0 || lastAt === now) continue
    if (facts.incidents.touched(["clock", "pause", "kill"], last.sent.at, now, process)) continue
    const wasFast = isFast(last) && leaseMillis >= minLeaseAhead
    const counts = underWay.fast.has(id)
    const took = `its last post took ${lastAt - last.sent.at} ms`
    if (counts && !wasFast) return `webhook ${id} counts as fast, and ${took}`
    // Where none was under way meanwhile, it is forgotten that it was fast.
    const isHeld = own.some(({ sent }) => sent.endedAt === null && sent.at < lastAt)
    if (wasFast && isHeld && !counts) return `webhook ${id} does not count as fast, and ${took}`
  }
  return null
}

/** The posts that are under way, and the last of each webhook that have ended. */
const recent = (posts: ReadonlyArray<KnownPost>): ReadonlyArray<KnownPost> => {
  const lastOf = new Map<string, number>()
  for (const { sent, url } of posts) lastOf.set(url, Math.max(lastOf.get(url) ?? 0, sent.endedAt ?? 0))
  return posts.filter(({ sent, url }) => sent.endedAt === null || sent.endedAt === lastOf.get(url))
}

/** Hears of leases and posts; answers what is wrong, or null. */
export const postsAtOnce = (facts: KnownFacts, checks: Checks) => {
  const rule = checks.rule("the posts that are under way at once")
  const fastRule = checks.rule("which webhooks count as fast")
  /** By process, as it last asked for leases. */
  const limits = new Map<number, Limits>()
  const known = new Map<number, ReadonlyArray<KnownPost>>()
  /** Of the webhooks by their ids. */
  const urls = new Map<string, string>()
  /** Those of an earlier start of the process are gone. */
  const postsOf = (process: number): ReadonlyArray<KnownPost> => {
    const now = facts.now()
    for (const { sent, url } of facts.lostPosts.splice(0)) {
      const lost = { url, sent, status: null, isBatched: false }
      known.set(sent.process, [...(known.get(sent.process) ?? []), lost])
    }
    return recent(known.get(process) ?? []).filter(
      ({ sent }) => !facts.incidents.touched(["kill"], sent.at, now, process)
    )
  }
  return {
    stored: ({ args, method, process: { index } }: Stored): string | null => {
      if (method !== "outbox.lease") return null
      limits.set(index, args[0].limits)
      const posts = postsOf(index)
      known.set(index, posts)
      fastRule.judged++
      const wrong = wrongFast(facts, index, posts, urls, args[0])
      return wrong === null ? null : `process ${index + 1}: ${wrong}`
    },
    posted: ({ index, message, sent, status, webhook }: ReceivedPost): string | null => {
      const { process } = sent
      urls.set(webhook.id, webhook.url)
      if (index > 0) return null
      const isBatched = message.body.startsWith("[")
      const posts = [...postsOf(process), { url: webhook.url, sent, status, isBatched }]
      known.set(process, posts)
      const limit = limits.get(process)
      if (limit === undefined) return null
      const underWay = posts.filter(({ sent: { endedAt } }) => endedAt === null)
      rule.judged++
      const own = underWay.filter(({ url }) => url === webhook.url).length
      if (own > limit.perWebhook)
        return `process ${process + 1} has ${own} posts of webhook ${webhook.id} under way, and ${limit.perWebhook} places for it`
      return underWay.length > limit.total
        ? `process ${process + 1} has ${underWay.length} posts under way, and ${limit.total} places`
        : null
    }
  }
}
