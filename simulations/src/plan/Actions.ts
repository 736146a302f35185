/** What everyone does with a brand, drawn from a seed: each kind of action has a stream of numbers of its own. */
import { Prng, zipf } from "@lead-signals/simulation-kernel"
import { type BrandScenario, type ActionKind, actionKinds } from "../Scenario.ts"
import { strangeTexts } from "../vocabulary/Texts.ts"
import { day, hour, instants } from "./EventTimes.ts"
import {
  type AccessUse,
  addressLists,
  clientAddresses,
  type DatedAction,
  inspections,
  keyedThings,
  type KeyedTry,
  lastEvents,
  type OriginHeaders,
  originHeaders,
  sessionUses,
  type StreamRead,
  type UndatedAction,
  type Sighting
} from "./Plan.ts"
import { aroundLoad } from "./LoadedPeople.ts"
import { everything, neighbours, query } from "./Queries.ts"
import { drawForeign, drawRefused, probeOf } from "./Probes.ts"
import { rareSituations } from "./RareSituations.ts"
import { engagementIdOf, extIdOf, personSeen, seenAt, sighting } from "./Sightings.ts"
import { comingSlowly } from "./SlowBodies.ts"

/** How many engagements somebody has on a spree: more than a window of engagements holds. */
const spree = 22

/** The share of bursts that use a key with a limit of hundreds up. */
const largeLimitShare = 0.04

/** The scopes that tokens and keys can have. [OPER-10, AUTH-10] */
const operatorScopes = ["read", "ingest", "webhooks", "metrics", "admin"]
const keyScopes = ["leads", "metrics"]

/** How often a credential is used. */
const accessUses = 8

/** Probes of one action. */
const probesAtOnce = 9

/** The share of observations whose body comes slowly. */
const slowShare = 0.06

/** How many people a load has: more than a page holds, up to more than a brand's deletion removes in one call. */
const loads = [120, 120, 260, 1000]

const isoDay = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const actionsOfKind = (
  seed: number,
  prng: Prng,
  kind: ActionKind,
  brand: number,
  { consumers, people }: BrandScenario,
  startsAt: number
): ((at: number, n: number) => UndatedAction | null) => {
  const who = zipf(people, 0.9)
  const somebody = (): string => extIdOf(brand, who(prng))
  const webhook = (): number => prng.below(consumers.length)
  const someDay = (at: number): string => isoDay(startsAt + at - prng.below(5) * day)
  switch (kind) {
    case "observe":
      return (at, n) => {
        const isSpree = prng.chance(0.02)
        const somebody = who(prng)
        const count = isSpree ? spree : prng.chance(0.2) ? 3 : 1
        const seen = Array.from({ length: count }, (_, i): Sighting => {
          const id = `${engagementIdOf(brand, n)}${i === 0 ? "" : `-${i}`}`
          const one = sighting(prng, brand, people, isSpree ? () => somebody : who, id)
          const { meant, written } = seenAt(prng, startsAt, at)
          const engagement = { ...one.engagement, ...meant }
          return { ...one, engagement, written: { ...one.written, ...written }, raw: "internal-raw-output" }
        })
        return { do: "observe", seen, ...(prng.chance(0.2) ? { isLines: true } : {}) }
      }
    case "again":
      // Filled in below, from what was observed before.
      return () => ({ do: "again", seen: [] })
    case "amend":
      return () => ({
        do: "amend",
        person: somebody(),
        change: prng.pick([
          { qualified: prng.chance(0.7) },
          { exported: prng.chance(0.7), isEmployee: prng.chance(0.5) },
          { score1: prng.pick([null, 0, 1, 2.5, -3]) },
          { qualified: true, score1: prng.below(5) }
        ])
      })
    case "erase":
    case "export":
      return () => ({ do: kind, person: somebody() })
    case "list":
      return () => {
        const first = query(prng)
        return { do: "list", query: first, ...(prng.chance(0.3) ? { next: neighbours(prng, first) } : {}) }
      }
    case "detail":
      return () => ({ do: "detail", person: somebody(), withDetail: prng.chance(0.5) })
    case "walk":
      return () => ({
        do: "walk",
        query: {
          ...everything,
          field: prng.pick(["createdAt", "updatedAt", "score1", "name"]),
          direction: prng.pick(["asc", "desc"]),
          pageSize: prng.pick([2, 3, 7])
        }
      })
    case "sync":
      return () => ({ do: "sync" })
    case "metrics":
      return (at) => {
        const [a, b] = [someDay(at), someDay(at)].sort() as [string, string]
        return {
          do: "metrics",
          startDate: prng.chance(0.5) ? a : null,
          endDate: prng.chance(0.5) ? b : null
        }
      }
    case "reading":
      return (at) => {
        const impressions = prng.below(5000) * prng.below(2)
        return {
          do: "reading",
          post: prng.chance(0.3) ? prng.pick(strangeTexts)[1] : `post-${prng.below(3)}`,
          day: someDay(at),
          totals: {
            impressions,
            reactions: prng.below(50),
            comments: prng.below(20),
            reposts: prng.below(10)
          }
        }
      }
    case "key":
      return () => {
        const revokeMillis = 500 + prng.below(120_000)
        return {
          do: "key",
          revokeMillis,
          useMillis: Array.from({ length: 4 }, () => Math.max(0, revokeMillis - 3000 + prng.below(90_000)))
        }
      }
    case "burst":
      return () => {
        if (prng.chance(largeLimitShare)) {
          // From this limit on a process may take requests ahead. [RATE-5]
          const limit = 200 + Math.floor(800 * prng.fraction() ** 3)
          return { do: "burst", requests: limit + 5, gapMillis: prng.pick([0, 10]), limit }
        }
        return { do: "burst", requests: 6 + prng.below(10), gapMillis: prng.pick([0, 100, 5000, 12_000]) }
      }
    case "bad":
      return () => ({ do: "probe", probes: drawRefused(prng, 1 + prng.below(3)) })
    case "probe": {
      let drawn = 0
      return () => ({
        do: "probe",
        probes: Array.from({ length: probesAtOnce }, () => probeOf(seed, brand, drawn++))
      })
    }
    case "load": {
      let from = 0
      return () => {
        const load = prng.pick(loads)
        from += load
        return { do: "load", from: from - load, people: load, isLines: prng.chance(0.5) }
      }
    }
    case "tenant":
      return () => ({ do: "tenant", people: 1 + prng.below(4), useMillis: prng.below(60_000) })
    case "cross":
      return () =>
        prng.chance(0.5) ? { do: "probe", probes: drawForeign(prng, 2) } : { do: "cross", person: somebody() }
    case "rotate":
    case "test":
      return () => (consumers.length === 0 ? null : { do: kind, webhook: webhook() })
    case "resend":
      return () =>
        consumers.length === 0
          ? null
          : {
              do: "resend",
              person: somebody(),
              event: prng.pick(["lead2.created", "activity.detected"]),
              webhook: webhook()
            }
    case "redeliver":
      return () =>
        consumers.length === 0 ? null : { do: "redeliver", webhook: webhook(), nth: prng.below(100) }
    case "recover":
      return () =>
        consumers.length === 0 ? null : { do: "recover", webhook: webhook(), agoMillis: prng.below(2 * hour) }
    case "toggle":
      return () =>
        consumers.length === 0
          ? null
          : { do: "toggle", webhook: webhook(), offMillis: prng.below(20 * 60_000) }
    case "inspect":
      return () => ({
        do: "inspect",
        what: prng.pick(inspections),
        webhook: prng.below(1000),
        nth: prng.below(1000),
        state: prng.pick([null, null, "pending", "held", "delivered", "dead"]),
        pageSize: prng.pick([null, 1, 2, 25, 200])
      })
    case "access":
      return () => {
        const holder = prng.chance(0.7) ? "token" : "key"
        const all = holder === "token" ? operatorScopes : keyScopes
        const drawn = all.filter(() => prng.chance(0.45))
        const expiresMillis = prng.chance(0.6) ? 1000 + prng.below(90_000) : null
        const hasList = holder === "key" && prng.chance(0.6)
        return {
          do: "access",
          holder,
          scopes: drawn.length === 0 ? [prng.pick(all)] : drawn,
          brands: prng.pick(["all", "own", "own", "other", "both"] as const),
          expiresMillis,
          revokeMillis: prng.chance(0.4) ? 500 + prng.below(60_000) : null,
          allowed: hasList ? prng.below(addressLists.length) : null,
          uses: Array.from({ length: accessUses }, (_, i): AccessUse => ({
            n: prng.below(1000),
            after: prng.below(90_000),
            ...(expiresMillis !== null && i < 3 ? { atExpiry: i - 1 } : {}),
            operation: prng.below(1000),
            isOfOther: prng.chance(0.35),
            ...(hasList && prng.chance(0.9) ? { from: prng.pick(clientAddresses) } : {})
          }))
        }
      }
    case "session":
      return () => {
        const drawn = operatorScopes.filter(() => prng.chance(0.6))
        const origins = Object.keys(originHeaders) as ReadonlyArray<OriginHeaders>
        const origin = (): OriginHeaders => (prng.chance(0.6) ? "same" : prng.pick(origins))
        const isLong = prng.chance(0.15)
        return {
          do: "session",
          credential: prng.pick([
            "environment",
            "environment",
            "token",
            "token",
            "key",
            "key",
            "wrong"
          ] as const),
          scopes: drawn.length === 0 ? ["read"] : drawn,
          isLimited: prng.chance(0.4),
          revokeMillis: prng.chance(0.3) ? prng.below(40_000) : null,
          origin: origin(),
          uses: Array.from({ length: 2 + prng.below(6) }, (_, i) => ({
            after: prng.pick([0, 1, 100, 4000, 20_000]),
            ...(isLong && i > 0 && i < 4 ? { atExpiry: i - 2 } : {}),
            what: prng.pick(sessionUses),
            origin: origin()
          })),
          signOut: prng.chance(0.7) ? origin() : null
        }
      }
    case "stream":
      return () => ({
        do: "stream",
        reads: Array.from({ length: 1 + prng.below(5) }, (): StreamRead => {
          const isSlow = prng.chance(0.1)
          return {
            after: prng.pick([0, 1, 300, 5000, 120_000]),
            forMillis: isSlow ? 90_000 : prng.pick([1, 240, 260, 3000, 14_000, 34_000, 80_000]),
            from: prng.pick(lastEvents),
            takesMillis: isSlow ? prng.pick([20_000, 29_000, 31_000, 45_000]) : 0,
            nth: prng.below(1000)
          }
        })
      })
    case "keyed":
      return () => ({
        do: "keyed",
        what: prng.pick(keyedThings),
        tries: [
          { after: 0 },
          ...Array.from({ length: 2 + prng.below(5) }, (): KeyedTry => ({
            // At the end of the first one's lease others can overtake it.
            after: prng.pick([
              0,
              1,
              30,
              400,
              2500,
              10_300,
              11_000,
              12_000,
              40_000,
              600_000,
              day - 1000,
              day + 60_000
            ]),
            ...(prng.chance(0.15) ? { isOther: true } : {}),
            ...(prng.chance(0.1) ? { isOfOther: true } : {})
          }))
        ]
      })
  }
}

/** Kind after kind, not in the order of their times. Each kind draws from a stream of its own: another rate of one kind changes no other. */
export const actionsOf = (
  seed: number,
  brand: number,
  scenario: BrandScenario,
  hours: number,
  startsAt: number,
  isSwarm: boolean
): ReadonlyArray<DatedAction> => {
  const habits = Prng.of(seed, `habits of ${brand}`)
  const found: Array<DatedAction> = []
  for (const kind of actionKinds) {
    // Seeds differ in what people do, too; but something is always seen, and every seed tries some of the vocabulary.
    const isAlways = kind === "observe" || kind === "probe"
    const factor = isSwarm && !isAlways ? habits.pick([0, 0.5, 1, 2]) : 1
    const prng = Prng.of(seed, `${kind} of ${brand}`)
    const actionAt = actionsOfKind(seed, prng, kind, brand, scenario, startsAt)
    for (const [n, at] of instants(prng, scenario.perHour[kind] * factor, hours).entries()) {
      const drawn = actionAt(at, n)
      if (drawn !== null) found.push({ at, brand, ...drawn })
    }
  }
  // What happens by itself seldom meets: some of it is moved beside something else.
  const meetings = Prng.of(seed, `meetings of ${brand}`)
  for (const [i, action] of found.entries()) {
    if (!meetings.chance(0.25)) continue
    found[i] = { ...action, at: Math.max(0, meetings.pick(found).at - 200 + meetings.below(600)) }
  }
  if (isSwarm) found.push(...rareSituations(seed, brand, scenario, hours))
  const observed = found.flatMap((action) =>
    action.do === "observe" ? [{ at: action.at, seen: action.seen }] : []
  )
  const slow = Prng.of(seed, `slow bodies of ${brand}`)
  for (const [i, action] of found.entries())
    if (action.do === "observe" && action.isLong !== true && slow.chance(slowShare))
      found[i] = comingSlowly(slow, action)
  const repeats = Prng.of(seed, `repeats of ${brand}`)
  const isLoaded = found.some((action) => action.do === "load")
  const loads = Prng.of(seed, `loads of ${brand}`)
  return found.flatMap((action): ReadonlyArray<DatedAction> => {
    if (action.do === "load") return [action, ...aroundLoad(loads, action, hours)]
    // Nobody walks through a thousand leads by twos.
    if (action.do === "walk" && isLoaded)
      return [{ ...action, query: { ...action.query, pageSize: repeats.pick([25, 99, 100]) } }]
    if (action.do !== "again") return [action]
    const before = observed.filter(({ at }) => at <= action.at).sort((a, b) => a.at - b.at)
    if (before.length === 0) return []
    const { seen } = before[Math.max(0, before.length - 1 - repeats.below(6))]!
    // The same engagement with another text, or of another person, is still the same engagement.
    const again = seen.map((one): Sighting => {
      const { person, written } = one
      const who = repeats.chance(0.2) ? personSeen(repeats, brand, repeats.below(scenario.people)) : person
      if (repeats.chance(0.5)) return { ...one, person: who }
      const text = { commentText: "Edited." }
      return {
        ...one,
        person: who,
        engagement: { ...one.engagement, ...text },
        written: { ...written, ...text }
      }
    })
    return [{ ...action, seen: again }]
  })
}
