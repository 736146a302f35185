/**
 * Generates the history of one brand from a seed: its signals, the engagements seen over some days, the
 * operator's amendments of leads, and its campaigns. The same seed and end give the same history.
 */
import {
  type Instant,
  type LeadAmendment,
  millisPerDay,
  millisPerHour,
  type NewSignal,
  type PostTotals,
  type SourceType
} from "@lead-signals/domain"
import { companies, type MadeUpCompany, type MadeUpPerson, people } from "./Population.ts"
import { Prng, zipf } from "@lead-signals/simulation-kernel"

/** What a history is made of. */
export interface HistoryOptions {
  readonly seed: number
  /** The history ends before this instant. */
  readonly endsAt: Instant
  readonly days: number
  readonly people: number
  readonly engagements: number
}

/** An observed engagement; `signal` is an index into the history's signals. */
interface SeenEngagement {
  readonly at: Instant
  readonly signal: number
  /** The person and engagement of the observation, in the form of the operator API. */
  readonly person: Record<string, unknown>
  readonly engagement: Record<string, unknown> & { readonly id: string }
}

interface CampaignHistory {
  readonly name: string
  readonly readings: ReadonlyArray<{
    readonly postId: string
    readonly day: string
    readonly totals: PostTotals
  }>
}

/** A brand with all that has happened to it. */
export interface BrandHistory {
  readonly name: string
  readonly signals: ReadonlyArray<NewSignal>
  /** Ordered by time. */
  readonly seen: ReadonlyArray<SeenEngagement>
  /** By the person's external id. */
  readonly amendments: ReadonlyMap<string, LeadAmendment>
  readonly campaigns: ReadonlyArray<CampaignHistory>
}

interface Post {
  readonly url: string
  readonly content: string
  readonly author: MadeUpPerson
  readonly postedAt: Instant
  readonly signal: number
}

const topics = [
  "attribution",
  "onboarding",
  "forecasting",
  "cold outreach",
  "event marketing",
  "pricing",
  "hiring"
]
const openings = [
  "What we learnt about",
  "Three myths about",
  "Our quarter in",
  "A short guide to",
  "Why we changed"
]
const comments = [
  "This is exactly what we saw last quarter.",
  "Great read, thank you!",
  "How did you measure it?",
  "We tried the opposite and it worked, too 🙂",
  "Saving this for the team.",
  "Curious how this holds for smaller teams."
]
const reactions = ["LIKE", "PRAISE", "EMPATHY", "INTEREST", "APPRECIATION", "ENTERTAINMENT"]

const isoDay = (instant: Instant): string => new Date(instant).toISOString().slice(0, 10)
const iso = (instant: Instant): string => new Date(instant).toISOString()

const signalsOf = (rivals: ReadonlyArray<MadeUpCompany>, watched: MadeUpPerson): ReadonlyArray<NewSignal> => {
  const source = (
    type: SourceType,
    value: string,
    company: MadeUpCompany | null = null,
    liCompanyId: string | null = null
  ) => ({
    type,
    value,
    liCompanyId,
    company
  })
  const [first, second, third] = rivals as [MadeUpCompany, MadeUpCompany, MadeUpCompany]
  return [
    {
      name: `Posts of ${first.name}`,
      signalType: "competitor-posts",
      source: source("li-company-url", first.url, first)
    },
    {
      name: `Mentions of ${second.name}`,
      signalType: "competitor-mentions",
      source: source("li-company-mention", second.url, second, String(880_000 + second.id))
    },
    {
      name: `People at ${third.name}`,
      signalType: "competitor-employees",
      source: source("li-company-url", third.url, third)
    },
    {
      name: `Posts of ${watched.name}`,
      signalType: "tracked-profile",
      source: source("li-profile-url", watched.liProfileUrl)
    },
    {
      name: "Launch post",
      signalType: "tracked-post",
      source: source("post-url", "https://network.example/posts/launch")
    },
    {
      name: "Talk of signals",
      signalType: "keywords",
      source: source("posts-with-keywords", "social signals, intent data")
    }
  ]
}

/** Working hours are busy, nights are quiet. */
const hourWeights = [1, 1, 1, 1, 1, 2, 4, 8, 12, 14, 14, 12, 10, 12, 13, 12, 10, 8, 7, 6, 5, 4, 2, 1]
const hours = hourWeights.flatMap((weight, hour) => Array.from({ length: weight }, () => hour))

const engagementOf = (prng: Prng, number: number, post: Post, at: Instant) => {
  const kind = prng.fraction()
  const type = kind < 0.68 ? "reaction" : kind < 0.93 ? "comment" : "repost"
  const author = post.author
  return {
    id: `engagement-${number}`,
    type,
    reactionType: type === "reaction" ? prng.pick(reactions) : null,
    commentText: type === "comment" ? prng.pick(comments) : null,
    postUrl: post.url,
    postContent: post.content,
    postPostedAt: iso(post.postedAt),
    postAuthor: author.name,
    postAuthorDetail: {
      extId: author.extId,
      name: author.name,
      firstName: author.firstName,
      lastName: author.lastName,
      headline: author.headline,
      username: author.username,
      linkedinProfileUrl: author.liProfileUrl,
      profileImageUrl: author.profileImgUrl
    },
    emittedAt: iso(at - 1000 * (5 + prng.below(600))),
    trackedAt: iso(at)
  }
}

const campaignOf = (
  prng: Prng,
  name: string,
  posts: number,
  from: Instant,
  days: number
): CampaignHistory => ({
  name,
  readings: Array.from({ length: posts }, (_, p) => p).flatMap((p) => {
    const startsOn = prng.below(Math.max(1, Math.floor(days / 2)))
    let totals: PostTotals = { impressions: 0, reactions: 0, comments: 0, reposts: 0 }
    return Array.from({ length: days - startsOn }, (_, d) => {
      const seen = Math.floor((4000 * (0.5 + prng.fraction())) / (d + 1))
      totals = {
        impressions: totals.impressions + seen,
        reactions: totals.reactions + Math.floor(seen * 0.02 * (0.5 + prng.fraction())),
        comments: totals.comments + Math.floor(seen * 0.004 * (0.5 + prng.fraction())),
        reposts: totals.reposts + Math.floor(seen * 0.002 * (0.5 + prng.fraction()))
      }
      return { postId: `post-${p + 1}`, day: isoDay(from + (startsOn + d) * millisPerDay), totals }
    })
  })
})

/** The history: the same for the same options. */
export const brandHistory = (options: HistoryOptions): BrandHistory => {
  const { days, endsAt, seed } = options
  const stream = (label: string): Prng => Prng.of(seed, label)
  const startsAt = endsAt - days * millisPerDay

  const employers = companies(stream("companies"), 60)
  const population = people(stream("people"), options.people, employers)
  const authorsOnly = people(stream("authors"), 80, employers.slice(0, 3)).map((author, i) => ({
    ...author,
    extId: `author-${i + 1}`
  }))
  const signals = signalsOf(employers.slice(0, 3), authorsOnly[0]!)

  const postPrng = stream("posts")
  const posts = Array.from({ length: days * 2 }, (_, i): Post => {
    const signal = zipf(signals.length, 0.7)(postPrng)
    const author = postPrng.chance(0.35) ? postPrng.pick(population) : postPrng.pick(authorsOnly)
    return {
      url: signal === 4 ? "https://network.example/posts/launch" : `https://network.example/posts/${i + 1}`,
      content: `${postPrng.pick(openings)} ${postPrng.pick(topics)}.`,
      author,
      postedAt: startsAt + Math.floor((i / 2) * millisPerDay) - postPrng.below(millisPerDay),
      signal
    }
  })

  const personIndex = zipf(options.people, 0.6)
  const seenPrng = stream("engagements")
  const seen = Array.from({ length: options.engagements }, (_, i): SeenEngagement => {
    const day = seenPrng.below(days)
    const at =
      startsAt + day * millisPerDay + seenPrng.pick(hours) * millisPerHour + seenPrng.below(millisPerHour)
    const post = posts[Math.max(0, Math.min(posts.length - 1, day * 2 - seenPrng.below(12)))]!
    const { firstName: _first, lastName: _last, ...person } = population[personIndex(seenPrng)]!
    return { at, signal: post.signal, person, engagement: engagementOf(seenPrng, i + 1, post, at) }
  }).sort((a, b) => a.at - b.at || Number(a.engagement.id.slice(11)) - Number(b.engagement.id.slice(11)))

  const amendPrng = stream("amendments")
  const amendments = new Map<string, LeadAmendment>()
  for (const { extId } of population) {
    if (!amendPrng.chance(0.3)) continue
    amendments.set(extId, {
      qualified: amendPrng.chance(0.6),
      exported: amendPrng.chance(0.3),
      isEmployee: amendPrng.chance(0.08),
      score1: Math.round(amendPrng.fraction() * 1000) / 10
    })
  }

  return {
    name: "Demo",
    signals,
    seen,
    amendments,
    campaigns: [
      campaignOf(stream("campaign 1"), "Spring launch", 5, startsAt, days),
      campaignOf(stream("campaign 2"), "Customer stories", 8, startsAt, days)
    ]
  }
}
