/** Observations of a brand's people, drawn from a seed: who engages with what, and what is known of them. */
import type { Prng } from "@lead-signals/simulation-kernel"
import { astral, commentTexts, strangeTexts } from "../vocabulary/Texts.ts"
import { instantForms } from "../vocabulary/Times.ts"
import type { Sighting } from "./Plan.ts"

/** Every brand of a plan has as many. */
export const signalsPerBrand = 3

/** Each id stands for one company: which of two values of one time is kept depends on its text. */
const companies = [
  { id: 12, name: "Northwind", domain: "northwind.example", industry: "Freight", staffCount: 12 },
  { id: 34, name: "Tututi", domain: null, city: "Å" },
  { id: 7, name: null, industry: "Foods" },
  { id: 880 },
  {
    id: 9_007_199_254_740_991,
    name: "Ångström & Søn 🙂",
    domain: "angstrom.example",
    url: "https://network.example/company/angstrom",
    homepageUrl: "https://angstrom.example",
    logoUrl: "https://media.network.example/angstrom.png",
    industry: "Optics",
    staffCountRange: "51-200",
    staffCount: 120.5,
    location: "Ålesund, Norway",
    country: "Norway",
    city: "Ålesund",
    username: "angstrom",
    description: "Linser og\nprismer"
  }
]
const headlines = [
  "Head of Sales",
  "RevOps 100%",
  "ΟΔΥΣΣΕΥΣ a_b",
  "Straße",
  "sales lead",
  "aaaa",
  "haha",
  "hahaha"
]
/** A text of two letters: its pieces come again and again in it and in others, before and behind others. */
export const twoLetters = (prng: Prng, length: number): string =>
  Array.from({ length }, () => (prng.chance(0.5) ? "a" : "b")).join("")

/** Names that several people have, so that there are ties. */
const sharedNames = ["Anna Zed", "anna zed", "ＡＮＮＡ Zed", "Aaaa Zed", "aaaaa zed", "Aaaaaaa"]
/** Names that begin below, among and above the surrogates, as UTF-16 orders them: code points order them otherwise. [SORT-6] */
const borderNames = ["\ud7fb", "\ue000", "\uf8ff x", "\ufffd", "\u{10000}", "\u{1d4b3}", "\u{10fffd}"]
const reactions = ["LIKE", "PRAISE", "EMPATHY", "INTEREST", "", "👏"]

/** A comment as it is sent, and as the rule on sanitising leaves it. [ENG-6] */
const comments: ReadonlyArray<readonly [rendered: string, sent?: string]> = [
  ["Great read, thank you!"],
  ["How did you measure it? 🙂"],
  ["Saving this."],
  ["Great read", "<p>Great <b>read</b></p>"],
  ["5 < 6 & 7", "5 &lt; 6 &amp; 7"],
  ["a\tb\nc", "a\tb\u0000\nc\u0007"],
  ...commentTexts.map(([, sent, rendered]): readonly [string, string] => [rendered, sent])
]

/** The longest name, in characters of two UTF-16 units. [OBS-3] */
const longestName = 256

/** What a brand's person is called in texts: it ends with a dot, so that no one's is within another's. */
const tagOf = (brand: number, person: number): string => `b${brand}-p${person}.`

/** The person's external id. Every third person has the same one at every brand, where it is another person's. */
export const extIdOf = (brand: number, person: number): string =>
  person % 3 === 1 ? `shared-p${person}.` : tagOf(brand, person)

/** The n-th engagement's id. Every fifth one is an engagement of every brand. */
export const engagementIdOf = (brand: number, n: number): string =>
  n % 5 === 2 ? `shared-e${n}` : `b${brand}-e${n}`

/** The first one, beyond the Basic Multilingual Plane, is what clients search for most. */
const strange = (prng: Prng): string => (prng.chance(0.25) ? strangeTexts[0]! : prng.pick(strangeTexts))[1]

const nameOf = (prng: Prng, tag: string): string => {
  if (prng.chance(0.2)) return prng.pick(sharedNames)
  if (prng.chance(0.08)) return `${prng.pick(borderNames)} ${tag}`
  if (prng.chance(0.01)) return tag + astral.repeat(longestName - tag.length)
  return `Name of ${tag}${prng.chance(0.3) ? ` ${strange(prng)}` : prng.pick(["", " Ægir Þórðarson", " Ångström Λάσκαρης ΠΑΠΠΑΣ", " zed"])}`
}

/** An optional field: mostly missing, at times null. */
const optional = (prng: Prng, share: number, name: string, value: () => unknown): Record<string, unknown> =>
  prng.chance(share) ? { [name]: value() } : prng.chance(0.05) ? { [name]: null } : {}

const headlineOf = (prng: Prng): string => {
  if (prng.chance(0.2)) return `${twoLetters(prng, 3 + prng.below(7))} ${twoLetters(prng, 4)}`
  return prng.chance(0.4) ? strange(prng) : prng.pick(headlines)
}

/** What is seen of a person this time: the same external id, and a profile that differs from time to time. */
export const personSeen = (prng: Prng, brand: number, person: number): Sighting["person"] => {
  const [extId, tag] = [extIdOf(brand, person), tagOf(brand, person)]
  return {
    extId,
    name: nameOf(prng, tag),
    ...optional(prng, 0.5, "headline", () => `${headlineOf(prng)} ${tag}`),
    ...optional(prng, 0.2, "username", () => `user-${tag}`),
    ...optional(prng, 0.3, "liProfileUrl", () => `https://network.example/in/${tag}`),
    ...optional(prng, 0.2, "profileImgUrl", () => `https://media.network.example/${tag}png`),
    ...optional(prng, 0.2, "title1", () => `Title of ${tag}`),
    ...optional(prng, 0.4, "company", () => prng.pick(companies))
  }
}

const authorSeen = (prng: Prng, extId: string): Record<string, unknown> => ({
  extId,
  name: `Author ${extId}`,
  ...optional(prng, 0.3, "firstName", () => "Lalale"),
  ...optional(prng, 0.3, "lastName", () => "Ångström"),
  ...optional(prng, 0.3, "headline", () => strange(prng)),
  ...optional(prng, 0.3, "username", () => "bo"),
  ...optional(prng, 0.3, "linkedinProfileUrl", () => "https://network.example/in/bo"),
  ...optional(prng, 0.3, "profileImageUrl", () => "https://media.network.example/bo.png")
})

const postSeen = (prng: Prng, brand: number, people: number): Record<string, unknown> => {
  const authored = prng.below(4)
  if (authored > 1) return prng.chance(0.1) ? { postAuthorDetail: null, postUrl: null } : {}
  // Without the author's external id nobody knows whose post it is.
  if (prng.chance(0.05))
    return { postUrl: "https://network.example/posts/1", postAuthor: "Bo Author", postAuthorDetail: {} }
  const author = authored === 0 ? extIdOf(brand, prng.below(people)) : `b${brand}-author${prng.below(3)}.`
  return {
    postUrl: `https://network.example/posts/${author}`,
    ...optional(prng, 0.3, "postContent", () => `A post. ${strange(prng)}`),
    postAuthor: `Author ${author}`,
    postAuthorDetail: authorSeen(prng, author)
  }
}

/** One engagement of somebody among `people`, under the given id. */
export const sighting = (
  prng: Prng,
  brand: number,
  people: number,
  who: (prng: Prng) => number,
  id: string
): Sighting => {
  const type = prng.pick(["comment", "reaction", "repost", null])
  const [rendered, sent] = prng.pick(comments)
  return {
    signal: prng.below(signalsPerBrand),
    person: personSeen(prng, brand, who(prng)),
    engagement: {
      id,
      ...(type === null ? (prng.chance(0.2) ? { type } : {}) : { type }),
      // Set whatever the type is: it is kept only with a reaction, as the comment is with a comment.
      reactionType: prng.pick(reactions),
      commentText: rendered,
      ...postSeen(prng, brand, people)
    },
    ...(sent === undefined ? {} : { written: { commentText: sent } })
  }
}

const day = 86_400_000

/** Times of engagements far from any other, and at the ends of days. */
const farTimes = [
  Date.parse("2024-02-29T23:59:59.999Z"),
  Date.parse("1969-12-31T23:59:59.999Z"),
  Date.parse("0000-01-01T00:00:00.000Z"),
  Date.parse("9999-12-31T23:59:59.999Z"),
  Date.parse("2026-01-05T00:00:00.000Z"),
  Date.parse("2026-01-04T23:59:59.999Z")
]

interface Times {
  /** As they are meant: ISO 8601, UTC. */
  readonly meant: Readonly<Record<string, string>>
  /** As they are sent. */
  readonly written: Readonly<Record<string, string>>
}

const none: Times = { meant: {}, written: {} }

/** A time that has another form in an offset must be of the years 0000 to 9999 there, too. */
const isFar = (at: number): boolean => Math.abs(at - farTimes[4]!) > 3650 * day

const timeOf = (prng: Prng, name: string, at: number): Times => {
  const form = isFar(at) ? instantForms[0]! : prng.pick(instantForms)
  const { means, text } = form.write(at)
  return { meant: { [name]: new Date(means).toISOString() }, written: { [name]: text } }
}

/**
 * When it was seen, as the observation says: mostly nothing, else some time before, out of order and with ties; at times far away.
 * When the person engaged and the post appeared is said now and then. Each in any of the forms that the interface takes.
 */
export const seenAt = (prng: Prng, startsAt: number, at: number): Times => {
  const before = startsAt + Math.floor(at / 60_000) * 60_000 - prng.below(5) * 60_000
  const tracked = prng.chance(0.6)
    ? none
    : timeOf(prng, "trackedAt", prng.chance(0.1) ? prng.pick(farTimes) : before)
  const emitted = prng.chance(0.2) ? timeOf(prng, "emittedAt", before - prng.below(1000)) : none
  const posted = prng.chance(0.2) ? timeOf(prng, "postPostedAt", before - prng.below(30) * day) : none
  return {
    meant: { ...tracked.meant, ...emitted.meant, ...posted.meant },
    written: { ...tracked.written, ...emitted.written, ...posted.written }
  }
}

/** People who are loaded in one go, when there are none of these numbers otherwise. */
const firstLoaded = 10_000

/** The i-th person of a load that follows `from` people of earlier loads. */
const loadedPerson = (brand: number, from: number, i: number): Sighting["person"] => {
  const tag = tagOf(brand, firstLoaded + from + i)
  return {
    extId: tag,
    name: i % 7 === 0 ? sharedNames[i % 3]! : `Name ${i % 50} of ${tag}`,
    ...(i % 4 === 0 ? { headline: headlines[i % headlines.length]! } : {}),
    // The digits of the number, as letters.
    ...(i % 4 === 1 ? { headline: i.toString(2).replaceAll("0", "a").replaceAll("1", "b") } : {}),
    ...(i % 5 === 0 ? { company: companies[i % companies.length]! } : {})
  }
}

/** What is seen of the people of a load: little of each, and ties in every order. */
export const loaded = (brand: number, from: number, people: number): ReadonlyArray<Sighting> =>
  Array.from({ length: people }, (_, i): Sighting => ({
    signal: i % signalsPerBrand,
    person: loadedPerson(brand, from, i),
    engagement: { id: `b${brand}-l${from + i}`, type: "reaction", reactionType: "LIKE" }
  }))

/** Characters of four bytes in UTF-8, and of two code units in UTF-16. */
const longText = astral.repeat(100_000)
const longComment = "\u00e9\u6f22".repeat(10_000)

/** The same with the longest texts that the service takes, none of them ASCII. [OBS-3] */
export const withLongTexts = (sighting: Sighting): Sighting => {
  const { engagement, written: _, ...rest } = sighting
  return {
    ...rest,
    engagement: { ...engagement, type: "comment", commentText: longComment, postContent: longText }
  }
}

/** One letter of the first few is another one: the text is as long as before, and comes elsewhere in an order. */
const misspelt = (prng: Prng, text: string): string => {
  const at = prng.below(4)
  return `${text.slice(0, at)}${prng.pick(["a", "e", "n", "z"])}${text.slice(at + 1)}`
}

/** The external id of the i-th person of a load. */
export const loadedExtIdOf = (brand: number, from: number, i: number): string =>
  tagOf(brand, firstLoaded + from + i)

/** The i-th person of a load is seen again, mostly under another name or headline, of the same length or another one. */
export const seenAgain = (prng: Prng, brand: number, from: number, i: number, id: string): Sighting => {
  const person = loadedPerson(brand, from, i)
  const headline = (person["headline"] as string | undefined) ?? prng.pick(headlines)
  return {
    signal: prng.below(signalsPerBrand),
    person: {
      ...person,
      ...(prng.chance(0.6) ? { name: misspelt(prng, person.name) } : {}),
      ...(prng.chance(0.15) ? { name: prng.pick(sharedNames) } : {}),
      ...(prng.chance(0.3) ? { headline: misspelt(prng, headline) } : {})
    },
    engagement: { id, type: "reaction", reactionType: "LIKE" }
  }
}
