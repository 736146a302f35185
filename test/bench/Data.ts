/**
 * The benchmark's data, a function of one seed and of how many leads there are: brand one with so many, a hundredth of
 * that in brand two, eight engagements a lead on average. It is streamed in order of time; what is held at once are a
 * few numbers a lead and one an engagement.
 */
import { Prng, zipf } from "@lead-signals/simulation-kernel"
import type {
  AuthorFact,
  CompanyFact,
  EngagementFact,
  LeadFact,
  PersonFact,
  PostFact,
  ReadingFact,
  SignalFact
} from "./Facts.ts"
import * as Words from "./Words.ts"

/** Goes up with every change of what is generated: files of an older one are made anew. */
export const generatorVersion = 2

const seed = 5

/** When the first engagement happens, in milliseconds since 1970. */
export const startsAt = Date.UTC(2024, 0, 1)
const spanSeconds = 730 * 86_400

/** When the last one has happened, in milliseconds since 1970. */
export const endsAt = startsAt + spanSeconds * 1000

/** Each brand has as many; those of brand two follow those of brand one. */
export const signalsOfBrand = 20

/** Brand one has nearly all leads. */
export const brandIds = [1, 2] as const

/** Those that `readings` are of. */
export const campaignIds = [1, 2, 3] as const
const companyCount = 5000

/** So many ids in all; every 101st is brand two's. */
export const idsOf = (leads: number): number => leads + Math.floor(leads / 100)

/** Every 101st lead is of brand two. */
export const brandOf = (leadId: number): number => (leadId % 101 === 0 ? 2 : 1)

const slug = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")

/** Drawn once; leads name them by their place here. */
export const companies: ReadonlyArray<CompanyFact> = Array.from({ length: companyCount }, (_, i) => {
  const prng = Prng.of(seed + i, "company")
  const name = `${prng.pick(Words.companyStems)} ${prng.pick(Words.companyEnds)} ${i + 1}`
  const username = slug(name)
  const [city, country] = prng.pick(Words.places)
  const [staffCountRange, staffCount] = prng.pick(Words.staffRanges)
  const industry = prng.pick(Words.industries)
  return {
    id: 1000 + i,
    name,
    domain: `${username}.example`,
    url: `https://network.example/company/${username}`,
    homepageUrl: `https://${username}.example`,
    logoUrl: `https://images.example/logo/${username}.png`,
    industry,
    staffCountRange,
    staffCount,
    location: `${city}, ${country}`,
    country,
    city,
    username,
    description: `${name} makes ${industry.toLowerCase()} products.`
  }
})

const padded = (n: number): string => String(n).padStart(9, "0")

const employer = zipf(companyCount, 0.8)

/** Three of four are made of syllables, so that searches for parts of them differ. */
const lastNameOf = (prng: Prng): string => {
  if (prng.chance(0.25)) return prng.pick(Words.lastNames)
  const made = Array.from({ length: 3 + prng.below(3) }, () => prng.pick(Words.syllables)).join("")
  return made[0]!.toUpperCase() + made.slice(1)
}

/** The person of a lead's id, or with `kind` an author who is no lead. */
export const personOf = (id: number, rare = false, kind: "person" | "author" = "person"): PersonFact => {
  const prng = Prng.of(seed + id, kind)
  const firstName = prng.pick(Words.firstNames)
  const family = lastNameOf(prng)
  const lastName = prng.chance(0.4) ? `${family}-${prng.pick(Words.lastNames)}` : family
  const name = `${firstName} ${lastName}`
  const title1 = prng.pick(prng.chance(Words.commonShare) ? Words.engineers : Words.otherTitles)
  const company = employer(prng)
  const username = `${slug(name)}-${id}`
  return {
    extId: `${kind}-${padded(id)}`,
    name,
    firstName,
    lastName,
    headline: `${title1} at ${companies[company]!.name}${rare ? `, ${Words.rareWord} keeper` : ""}`,
    username,
    title1,
    liProfileUrl: `https://network.example/in/${username}`,
    profileImgUrl: `https://images.example/people/${username}.jpg`,
    company
  }
}

/** The ids of the five leads that the rare text finds. */
const rareIdsOf = (leads: number): ReadonlySet<number> =>
  new Set(
    [0.1, 0.3, 0.5, 0.7, 0.9].map((part) => {
      const id = Math.floor(part * idsOf(leads)) + 1
      return brandOf(id) === 1 ? id : id + 1
    })
  )

const signalKinds = [
  ["competitor-posts", "li-company-url"],
  ["competitor-mentions", "li-company-mention"],
  ["competitor-employees", "li-company-url"],
  ["tracked-profile", "li-profile-url"],
  ["keywords", "posts-with-keywords"]
] as const

/** Signals of both brands; within a brand the share of leads falls with the id. */
export const signals: ReadonlyArray<SignalFact> = brandIds.flatMap((brandId) =>
  Array.from({ length: signalsOfBrand }, (_, i): SignalFact => {
    const [signalType, type] = signalKinds[i % signalKinds.length]!
    const rival = companies[i]!
    const company = type.startsWith("li-company") ? rival : null
    return {
      id: (brandId - 1) * signalsOfBrand + i + 1,
      brandId,
      name: company === null ? `Signal ${i + 1}` : `Signal ${i + 1} of ${rival.name}`,
      signalType,
      source: {
        type,
        value: company === null ? `intent data, social signals ${i}` : rival.url,
        liCompanyId: type === "li-company-mention" ? String(880_000 + rival.id) : null,
        company
      }
    }
  })
)

/** Ten posts in each campaign, a reading a day of each from a day on that is drawn. */
export function* readings(): Generator<ReadingFact> {
  for (const campaignId of campaignIds) {
    for (let post = 1; post <= 10; post++) {
      const prng = Prng.of(seed + campaignId * 100 + post, "readings")
      let [impressions, reactions, comments, reposts] = [0, 0, 0, 0]
      for (let day = prng.below(600); day < 730; day++) {
        const seen = 10 + prng.below(1000)
        impressions += seen
        reactions += Math.floor(seen * 0.02)
        comments += Math.floor(seen * 0.005)
        reposts += Math.floor(seen * 0.002)
        yield {
          campaignId,
          postId: `post-${post}`,
          day: new Date(startsAt + day * 86_400_000).toISOString().slice(0, 10),
          impressions,
          reactions,
          comments,
          reposts
        }
      }
    }
  }
}

/** One engagement as one number that sorts by time: 26 bits of seconds, 21 of the lead's id, 5 of the signal. */
const leadFactor = 32
const secondFactor = leadFactor * 2 ** 21

/** What is held of all leads at once; everything else of a lead is drawn from its id. */
export interface Timeline {
  readonly leads: number
  /** Ascending; index i is the engagement with seq i + 1. */
  readonly engagements: Float64Array
  /** By lead's id: the signals that caught the lead, as bits, and the first of them. */
  readonly signalBits: Int32Array
  readonly firstSignal: Uint8Array
  readonly createdSecond: Int32Array
  readonly lastSecond: Int32Array
}

/** Mean 8: half of the leads engage once, one in eleven more than twenty times, some hundreds of times. */
const engagementsOfLead = zipf(342, 1.7)
const signalOfLead = zipf(signalsOfBrand, 1)

/** The same for the same number of leads. It takes seconds for a million. */
export const timeline = (leads: number): Timeline => {
  const ids = idsOf(leads)
  const prng = Prng.of(seed, "timeline")
  let engagements = new Float64Array(ids * 9 + 1000)
  let count = 0
  const signalBits = new Int32Array(ids + 1)
  const firstSignal = new Uint8Array(ids + 1)
  const createdSecond = new Int32Array(ids + 1)
  const lastSecond = new Int32Array(ids + 1)
  for (let id = 1; id <= ids; id++) {
    // Later leads have less time left, but as many engagements: what is shown is alike on every page.
    const created = Math.floor((id / (ids + 1)) * spanSeconds)
    const favourite = signalOfLead(prng)
    createdSecond[id] = created
    firstSignal[id] = favourite
    const n = engagementsOfLead(prng) + 1
    if (count + n > engagements.length) {
      const grown = new Float64Array(engagements.length * 2)
      grown.set(engagements)
      engagements = grown
    }
    for (let k = 0; k < n; k++) {
      const second = k === 0 ? created : created + Math.floor(prng.fraction() ** 3 * (spanSeconds - created))
      const signal = k === 0 || prng.chance(0.7) ? favourite : signalOfLead(prng)
      signalBits[id]! |= 1 << signal
      if (second > lastSecond[id]!) lastSecond[id] = second
      engagements[count++] = second * secondFactor + id * leadFactor + signal
    }
  }
  return {
    leads,
    engagements: engagements.subarray(0, count).sort(),
    signalBits,
    firstSignal,
    createdSecond,
    lastSecond
  }
}

const millisOf = (second: number, leadId: number): number =>
  startsAt + second * 1000 + ((leadId * 7919) % 1000)

const signalIdOf = (brandId: number, signal: number): number => (brandId - 1) * signalsOfBrand + signal + 1

/** In order of their ids, which is the order of their creation. */
export function* leadFacts({
  createdSecond,
  firstSignal,
  lastSecond,
  leads,
  signalBits
}: Timeline): Generator<LeadFact> {
  const prng = Prng.of(seed, "leads")
  const rare = rareIdsOf(leads)
  const ids = idsOf(leads)
  for (let id = 1; id <= ids; id++) {
    const brandId = brandOf(id)
    const createdAt = millisOf(createdSecond[id]!, id)
    const lastSeenAt = millisOf(lastSecond[id]!, id)
    // An operator amends many leads at once, at noon: these share their updatedAt.
    const noon = (Math.floor(lastSeenAt / 86_400_000) + 1 + prng.below(3)) * 86_400_000 + 43_200_000
    const updatedAt = prng.chance(0.15) ? noon : lastSeenAt
    const bits = signalBits[id]!
    yield {
      id,
      brandId,
      person: personOf(id, rare.has(id)),
      signalId: signalIdOf(brandId, firstSignal[id]!),
      signalIds: Array.from({ length: signalsOfBrand }, (_, i) => i)
        .filter((i) => (bits & (1 << i)) !== 0)
        .map((i) => signalIdOf(brandId, i)),
      qualified: prng.chance(0.2),
      exported: prng.chance(0.1),
      isEmployee: prng.chance(0.03),
      score1: prng.chance(1 / 3) ? null : prng.below(1001) / 10,
      createdAt,
      updatedAt
    }
  }
}

const engagementsPerPost = 100
const outsiders = 2000

/** The person as the author of a post. */
export const authorOf = (person: PersonFact): AuthorFact => ({
  extId: person.extId,
  name: person.name,
  firstName: person.firstName,
  lastName: person.lastName,
  headline: person.headline,
  username: person.username,
  linkedinProfileUrl: person.liProfileUrl,
  profileImageUrl: person.profileImgUrl
})

const postOf = (number: number, count: number, leads: number): PostFact => {
  const prng = Prng.of(seed + number, "post")
  const isLead = prng.chance(1 / 3)
  const author = isLead
    ? personOf(1 + prng.below(idsOf(leads)))
    : personOf(1 + prng.below(outsiders), false, "author")
  const isDetailed = isLead || prng.chance(0.6)
  return {
    url: `https://network.example/posts/${number + 1}`,
    content: `${prng.pick(Words.openings)} ${prng.pick(Words.topics)}, and what it means for ${prng.pick(Words.topics)}.`,
    postedAt: startsAt + Math.floor((number / count) * spanSeconds) * 1000 - prng.below(86_400) * 1000,
    authorName: author.name,
    author: isDetailed ? authorOf(author) : null
  }
}

/** In order of time, across the leads: a lead's engagements lie as far apart in the file as they do in life. */
export function* engagementFacts({ engagements, leads }: Timeline): Generator<EngagementFact> {
  const prng = Prng.of(seed, "engagements")
  const postCount = Math.max(20, Math.floor(engagements.length / engagementsPerPost))
  const recent = 16
  const posts = new Map<number, PostFact>()
  for (let i = 0; i < engagements.length; i++) {
    const key = engagements[i]!
    const second = Math.floor(key / secondFactor)
    const rest = key - second * secondFactor
    const leadId = Math.floor(rest / leadFactor)
    const brandId = brandOf(leadId)
    const number = Math.max(0, Math.floor((i / engagements.length) * postCount) - prng.below(recent))
    let post = posts.get(number)
    if (post === undefined) {
      post = postOf(number, postCount, leads)
      posts.set(number, post)
      posts.delete(number - 2 * recent)
    }
    const kind = prng.fraction()
    const type = kind < 0.68 ? "reaction" : kind < 0.93 ? "comment" : "repost"
    const trackedAt = millisOf(second, leadId)
    yield {
      seq: i + 1,
      brandId,
      id: `engagement-${padded(i + 1)}`,
      leadId,
      signalId: signalIdOf(brandId, rest % leadFactor),
      type,
      reactionType: type === "reaction" ? prng.pick(Words.reactions) : null,
      commentText: type === "comment" ? prng.pick(Words.comments) : null,
      post,
      emittedAt: trackedAt - 1000 * (5 + prng.below(600)),
      trackedAt
    }
  }
}

/** The API keys of the brands, by brand's id; only their hashes are in the files. */
export const keyBytes = (brandId: number): Uint8Array => {
  const prng = Prng.of(seed + brandId, "key")
  return Uint8Array.from({ length: 128 }, () => prng.below(256))
}
