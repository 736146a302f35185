/**
 * What will be done in a run, and what befalls it: a plain function of scenario and seed, as data. A run executes a plan;
 * a story is a plan with less in it.
 */
import { Prng, zipf } from "@lead-signals/simulation-kernel"
import { Record } from "effect"
import {
  type BrandScenario,
  type DeedKind,
  deedKinds,
  noRates,
  type Persona,
  type Rates,
  type Scenario
} from "./Scenario.ts"

/** What was seen: an observation as the operator API takes it, but for the signal, which is the brand's n-th. */
export interface Sighting {
  readonly signal: number
  readonly person: { readonly extId: string; readonly name: string } & Readonly<Record<string, unknown>>
  readonly engagement: { readonly id: string } & Readonly<Record<string, unknown>>
  /** Kept apart or dropped, never shown. [ENG-9] */
  readonly raw?: string
}

export interface PlannedBound {
  readonly name: "createdAfter" | "createdBefore" | "updatedAfter" | "updatedBefore"
  /** The n-th of the instants that the client has seen, and so many milliseconds beside it. */
  readonly instant: number
  readonly by: number
  /** In which of the accepted ways it is written. */
  readonly form: number
}

export interface PlannedQuery {
  readonly signal: number | null
  readonly flags: { readonly qualified?: boolean; readonly exported?: boolean; readonly isEmployee?: boolean }
  readonly search: string | null
  readonly bounds: ReadonlyArray<PlannedBound>
  readonly field: "createdAt" | "updatedAt" | "score1" | "name"
  readonly direction: "asc" | "desc"
  readonly page: number
  readonly pageSize: number
  readonly engagements: "none" | "plain" | "detailed"
}

type Deed =
  | { readonly do: "observe" | "again"; readonly seen: ReadonlyArray<Sighting> }
  | {
      readonly do: "amend"
      readonly person: string
      readonly change: {
        readonly qualified?: boolean
        readonly exported?: boolean
        readonly isEmployee?: boolean
        readonly score1?: number | null
      }
    }
  | { readonly do: "erase" | "export"; readonly person: string }
  | { readonly do: "list"; readonly query: PlannedQuery }
  | { readonly do: "detail"; readonly person: string; readonly withDetail: boolean }
  | { readonly do: "walk"; readonly query: PlannedQuery }
  | { readonly do: "sync" }
  | { readonly do: "metrics"; readonly startDate: string | null; readonly endDate: string | null }
  | {
      readonly do: "reading"
      readonly post: string
      readonly day: string
      readonly totals: { readonly [figure in "impressions" | "reactions" | "comments" | "reposts"]: number }
    }
  | { readonly do: "key"; readonly useMillis: ReadonlyArray<number>; readonly revokeMillis: number }
  | { readonly do: "burst"; readonly requests: number; readonly gapMillis: number }
  | { readonly do: "bad"; readonly which: number }
  | { readonly do: "cross"; readonly person: string }
  | { readonly do: "rotate" | "test"; readonly webhook: number }
  | {
      readonly do: "resend"
      readonly person: string
      readonly event: "lead2.created" | "activity.detected"
      readonly webhook: number
    }
  | { readonly do: "redeliver"; readonly webhook: number; readonly nth: number }
  | { readonly do: "recover"; readonly webhook: number; readonly agoMillis: number }
  | { readonly do: "toggle"; readonly webhook: number; readonly offMillis: number }

/** Something that somebody does at a time, in milliseconds since the run began. */
type Dated = { readonly at: number; readonly brand: number } & Deed
export type Action = { readonly n: number } & Dated

export type Trouble = { readonly at: number } &
  /** When the service has gone on by so many steps of its work. */
  (
    | { readonly trouble: "kill"; readonly steps: number }
    | { readonly trouble: "clock"; readonly millis: number }
    | { readonly trouble: "drift"; readonly rate: number }
    | { readonly trouble: "pause" | "partition"; readonly millis: number }
  )

export interface PlannedBrand {
  readonly consumers: ReadonlyArray<{ readonly persona: Persona; readonly events: ReadonlyArray<string> }>
}

export interface Plan {
  readonly hours: number
  readonly brands: ReadonlyArray<PlannedBrand>
  readonly actions: ReadonlyArray<Action>
  readonly troubles: ReadonlyArray<Trouble>
  readonly rates: Rates
}

const hour = 3_600_000
const day = 24 * hour

export const signalsPerBrand = 3

/** Between a quarter at night and nearly twice the average by day, from eight o'clock on. */
const byHour = (millis: number): number => 1 - 0.75 * Math.cos(((millis / hour + 8) % 24) * (Math.PI / 12))

/** Instants of things that happen by chance, so often an hour, some close on each other's heels. */
const instants = (prng: Prng, perHour: number, hours: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  if (perHour === 0) return found
  for (let at = prng.below(hour / perHour); at < hours * hour;) {
    found.push(Math.floor(at))
    at += prng.chance(0.3) ? prng.below(150) : prng.wait(hour / perHour / 0.7 / byHour(at))
  }
  return found
}

const companies = [
  { id: 12, name: "Northwind", domain: "northwind.example", industry: "Freight", staffCount: 12 },
  { id: 34, name: "Quartz Labs", domain: null, city: "Oslo" },
  { id: 7, name: null, industry: "Foods" }
]
const headlines = ["Head of Sales", "RevOps 100%", "ΟΔΥΣΣΕΥΣ a_b", "Straße", "sales lead"]
const searches = ["head", "100%", "a_b", "οδυσσευσ", "STRASSE", "sal", "name", "zzz", "S"]
const spree = 22
/** Of several people, so that there are ties. */
const sharedNames = ["Anna Zed", "anna zed", "ＡＮＮＡ Zed"]
/** As it is seen, and nothing but what the rule on sanitising keeps as it is. */
const comments = ["Great read, thank you!", "How did you measure it? 🙂", "Saving this."]

/** The external id ends with a dot, so that no one's id is within another's. */
const extIdOf = (brand: number, person: number): string => `b${brand}-p${person}.`

const sighting = (
  prng: Prng,
  brand: number,
  people: number,
  who: (prng: Prng) => number,
  id: string
): Sighting => {
  const extId = extIdOf(brand, who(prng))
  const type = prng.pick(["comment", "reaction", "repost", null])
  const authored = prng.below(4)
  const author = authored === 0 ? extIdOf(brand, prng.below(people)) : `b${brand}-author${prng.below(3)}.`
  return {
    signal: prng.below(signalsPerBrand),
    person: {
      extId,
      name: prng.chance(0.2)
        ? prng.pick(sharedNames)
        : `Name of ${extId}${prng.pick(["", "", " Ångström", " zed"])}`,
      ...(prng.chance(0.5) ? { headline: `${prng.pick(headlines)} ${extId}` } : {}),
      ...(prng.chance(0.3) ? { liProfileUrl: `https://network.example/in/${extId}` } : {}),
      ...(prng.chance(0.2) ? { title1: `Title of ${extId}` } : {}),
      ...(prng.chance(0.4) ? { company: prng.pick(companies) } : {})
    },
    engagement: {
      id,
      ...(type === null ? {} : { type }),
      // Set whatever the type is: it is kept only with a reaction, as the comment is with a comment.
      reactionType: "LIKE",
      commentText: prng.pick(comments),
      ...(authored > 1
        ? {}
        : {
            postUrl: `https://network.example/posts/${author}`,
            postAuthor: `Author ${author}`,
            postAuthorDetail: { extId: author, name: `Author ${author}` }
          })
    }
  }
}

/** When it was seen, as the observation says: mostly nothing, else some time before, out of order and with ties. */
const seenAt = (prng: Prng, startsAt: number, at: number): { readonly trackedAt?: string } =>
  prng.chance(0.6)
    ? {}
    : {
        trackedAt: new Date(
          startsAt + Math.floor(at / 60_000) * 60_000 - prng.below(5) * 60_000
        ).toISOString()
      }

const query = (prng: Prng): PlannedQuery => {
  const flag = (name: string): Record<string, boolean> =>
    prng.chance(0.15) ? { [name]: prng.chance(0.5) } : {}
  const bounds = (["createdAfter", "createdBefore", "updatedAfter", "updatedBefore"] as const)
    .filter(() => prng.chance(0.2))
    .map((name) => ({
      name,
      instant: prng.below(1000),
      by: prng.pick([0, 0, 0, -1, 1]),
      form: prng.below(4)
    }))
  return {
    signal: prng.chance(0.2) ? prng.below(signalsPerBrand) : null,
    flags: { ...flag("qualified"), ...flag("exported"), ...flag("isEmployee") },
    search: prng.chance(0.2) ? prng.pick(searches) : null,
    bounds,
    field: prng.pick(["createdAt", "updatedAt", "score1", "name"]),
    direction: prng.pick(["asc", "desc"]),
    page: prng.pick([1, 1, 1, 2, 3]),
    pageSize: prng.pick([2, 3, 5, 25, 100, 200]),
    engagements: prng.pick(["none", "none", "plain", "detailed"])
  }
}

const everything: PlannedQuery = {
  signal: null,
  flags: {},
  search: null,
  bounds: [],
  field: "createdAt",
  direction: "desc",
  page: 1,
  pageSize: 25,
  engagements: "none"
}

const isoDay = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const deedsOf = (
  prng: Prng,
  kind: DeedKind,
  brand: number,
  { consumers, people }: BrandScenario,
  startsAt: number
): ((at: number, n: number) => Deed | null) => {
  const who = zipf(people, 0.9)
  const somebody = (): string => extIdOf(brand, who(prng))
  const webhook = (): number => prng.below(consumers.length)
  const someDay = (at: number): string => isoDay(startsAt + at - prng.below(5) * day)
  switch (kind) {
    case "observe":
      return (at, n) => {
        // Now and then somebody has a spree: more than a window of engagements holds.
        const isSpree = prng.chance(0.02)
        const somebody = who(prng)
        const count = isSpree ? spree : prng.chance(0.2) ? 3 : 1
        const seen = Array.from({ length: count }, (_, i): Sighting => {
          const id = `b${brand}-e${n}${i === 0 ? "" : `-${i}`}`
          const one = sighting(prng, brand, people, isSpree ? () => somebody : who, id)
          const engagement = { ...one.engagement, ...seenAt(prng, startsAt, at) }
          return { ...one, engagement, raw: "internal-raw-output" }
        })
        return { do: "observe", seen }
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
      return () => ({ do: "list", query: query(prng) })
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
          post: `post-${prng.below(3)}`,
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
      return () => ({
        do: "burst",
        requests: 6 + prng.below(10),
        gapMillis: prng.pick([0, 100, 5000, 12_000])
      })
    case "bad":
      return () => ({ do: "bad", which: prng.below(1000) })
    case "cross":
      return () => ({ do: "cross", person: somebody() })
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
  }
}

const actionsOf = (
  seed: number,
  brand: number,
  scenario: BrandScenario,
  hours: number,
  startsAt: number,
  isSwarm: boolean
): ReadonlyArray<Dated> => {
  const habits = Prng.of(seed, `habits of ${brand}`)
  const found: Array<Dated> = []
  for (const kind of deedKinds) {
    // Seeds differ in what people do, too; but something is always seen.
    const factor = isSwarm && kind !== "observe" ? habits.pick([0, 0.5, 1, 2]) : 1
    const prng = Prng.of(seed, `${kind} of ${brand}`)
    const deedAt = deedsOf(prng, kind, brand, scenario, startsAt)
    for (const [n, at] of instants(prng, scenario.perHour[kind] * factor, hours).entries()) {
      const deed = deedAt(at, n)
      if (deed !== null) found.push({ at, brand, ...deed })
    }
  }
  // What happens by itself seldom meets: some of it is moved beside something else.
  const meetings = Prng.of(seed, `meetings of ${brand}`)
  for (const [i, action] of found.entries()) {
    if (!meetings.chance(0.25)) continue
    found[i] = { ...action, at: Math.max(0, meetings.pick(found).at - 200 + meetings.below(600)) }
  }
  const observed = found.flatMap((action) =>
    action.do === "observe" ? [{ at: action.at, seen: action.seen }] : []
  )
  const repeats = Prng.of(seed, `repeats of ${brand}`)
  return found.flatMap((action): ReadonlyArray<Dated> => {
    if (action.do !== "again") return [action]
    const before = observed.filter(({ at }) => at <= action.at).sort((a, b) => a.at - b.at)
    if (before.length === 0) return []
    const { seen } = before[Math.max(0, before.length - 1 - repeats.below(6))]!
    // The same engagement with another text is still the same engagement.
    const again = seen.map(({ engagement, ...rest }) => ({
      ...rest,
      engagement: repeats.chance(0.5) ? engagement : { ...engagement, commentText: "Edited." }
    }))
    return [{ ...action, seen: again }]
  })
}

/** In so many steps the service answers some requests and posts some deliveries. */
const killSteps = 400

const drawnRates = ({ rates, swarm }: Scenario, prng: Prng, isCalm: boolean): Rates => {
  if (!swarm) return rates
  return Record.map(rates, (greatest) => {
    const [isOn, share] = [prng.chance(0.5), prng.fraction()]
    return isOn && !isCalm ? greatest * share : 0
  })
}

const troublesOf = (seed: number, { swarm, troubles }: Scenario, hours: number, isCalm: boolean) => {
  const draw = Prng.of(seed, "troubles")
  const found: Array<Trouble> = []
  for (const [kind, perDay] of Object.entries(troubles)) {
    const [isOn, share] = [draw.chance(0.5), draw.fraction()]
    const rate = swarm ? (isOn && !isCalm ? perDay * share : 0) : perDay
    const prng = Prng.of(seed, kind)
    for (const at of instants(prng, rate / 24, hours)) {
      switch (kind) {
        case "kills":
          found.push({ at, trouble: "kill", steps: prng.chance(0.3) ? 0 : prng.below(killSteps) })
          break
        case "clockSteps":
          found.push({ at, trouble: "clock", millis: Math.round((prng.fraction() - 0.5) * 2 * hour) })
          break
        case "drifts":
          found.push({ at, trouble: "drift", rate: (prng.fraction() - 0.5) / 25 })
          break
        case "pauses":
          found.push({ at, trouble: "pause", millis: 500 + prng.below(60_000) })
          break
        default:
          found.push({ at, trouble: "partition", millis: 1000 + prng.below(5 * 60_000) })
      }
    }
  }
  return found.sort((a, b) => a.at - b.at)
}

const bothEvents = ["lead2.created", "activity.detected"]

/** The plan of the seed; `hours` instead of the scenario's. */
export const planOf = (scenario: Scenario, seed: number, startsAt: number, hours = scenario.hours): Plan => {
  const isCalm = Prng.of(seed, "calm").chance(1 / 8)
  const tastes = Prng.of(seed, "subscriptions")
  const actions = scenario.brands
    .flatMap((brand, i) => actionsOf(seed, i, brand, hours, startsAt, scenario.swarm))
    .sort((a, b) => a.at - b.at)
    .map((action, n) => ({ n, ...action }))
  return {
    hours,
    brands: scenario.brands.map(({ consumers }) => ({
      consumers: consumers
        // Of many receivers a seed has some.
        .filter((_, i) => !scenario.swarm || tastes.chance(0.55) || i === 0)
        .map((persona) => ({
          persona,
          events: scenario.swarm && tastes.chance(0.2) ? [tastes.pick(bothEvents)] : bothEvents
        }))
    })),
    actions,
    troubles: troublesOf(seed, scenario, hours, isCalm),
    rates: drawnRates(scenario, Prng.of(seed, "rates"), isCalm)
  }
}

export const isCalm = ({ rates, troubles }: Plan): boolean =>
  troubles.length === 0 && Object.keys(noRates).every((name) => rates[name as keyof Rates] === 0)
