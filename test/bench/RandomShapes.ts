/**
 * Shapes whose requests differ each time, as a function of a seed: a repeated request mostly measures a cache. Request n of
 * a shape is the same for every server over as many leads.
 */
import { Prng } from "@lead-signals/simulation-kernel"
import * as Data from "./Data.ts"
import { type Shape, sorts } from "./Shape.ts"
import * as Words from "./Words.ts"

const seed = 11
const day = 86_400_000

const pageSizes = [10, 25, 50, 100]
const flags = ["qualified", "exported", "isEmployee"]

/** The largest page size that the API grants with engagements. */
const engagementPageSize = 25

const list = (parameters: Readonly<Record<string, string | number | boolean>>): string =>
  `/signals/leads?${Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`

const pageAmong = (prng: Prng, leads: number, pageSize: number): number =>
  1 + prng.below(Math.max(1, Math.ceil(leads / pageSize)))

const randomPage = (prng: Prng, leads: number): string => {
  const pageSize = prng.pick(pageSizes)
  return list({ sort: prng.pick(sorts), pageSize, page: pageAmong(prng, leads, pageSize) })
}

const leadId = (prng: Prng, leads: number): number => {
  const id = 1 + prng.below(Data.idsOf(leads) - 1)
  return Data.brandOf(id) === 1 ? id : id + 1
}

/** A part of a lead's name or headline, so that something is found: two of ten are shorter than a trigram. */
const searchText = (prng: Prng, leads: number): string => {
  const person = Data.personOf(leadId(prng, leads))
  const text = (prng.chance(0.5) ? person.name : person.headline).toLowerCase()
  const length = prng.chance(0.2) ? 1 + prng.below(2) : 3 + prng.below(12)
  const start = prng.below(Math.max(1, text.length - length + 1))
  return text.slice(start, start + length).trim() || text
}

const randomSearch = (prng: Prng, leads: number): string =>
  list({ search: searchText(prng, leads), sort: prng.pick(sorts) })

/** Two syllables, which lie in some thousand of a million names: on one of several pages, since there are few pairs of syllables. */
const randomSyllables = (prng: Prng): string =>
  list({
    search: prng.pick(Words.syllables) + prng.pick(Words.syllables),
    sort: prng.pick(sorts),
    page: 1 + prng.below(10)
  })

/** A part of a full name, long enough that hardly anyone else has it. */
const randomNamePart = (prng: Prng, leads: number): string => {
  const name = Data.personOf(leadId(prng, leads)).name.toLowerCase()
  const length = Math.min(name.length, 8 + prng.below(5))
  const start = prng.below(name.length - length + 1)
  return list({ search: name.slice(start, start + length).trim(), sort: prng.pick(sorts) })
}

/** Pages that a client reads of one list before it goes on to another. */
const pagesOfList = 5

/** A list by a search, or by a signal and a flag, of which one page after the other is read. */
const randomPaging = (prng: Prng, leads: number, page: number): string =>
  list({
    ...(prng.chance(0.5)
      ? { search: searchText(prng, leads) }
      : { signalId: 1 + prng.below(Data.signalsOfBrand), [prng.pick(flags)]: prng.chance(0.5) }),
    sort: prng.pick(sorts),
    pageSize: prng.pick([20, 25, 30, 40, 50]),
    page
  })

/** A window of creation or of updates from an hour to half the data's span, with up to all flags. */
const randomWindow = (prng: Prng): string => {
  const span = Math.floor(day / 24 + prng.fraction() ** 3 * ((Data.endsAt - Data.startsAt) / 2))
  const from = Data.startsAt + prng.below(Data.endsAt - Data.startsAt - span)
  const field = prng.pick(["created", "updated"])
  return list({
    [`${field}After`]: new Date(from).toISOString(),
    ...(prng.chance(0.7) ? { [`${field}Before`]: new Date(from + span).toISOString() } : {}),
    ...Object.fromEntries(
      flags.filter(() => prng.chance(0.3)).map((flag) => [flag, prng.chance(0.5)] as const)
    ),
    sort: prng.pick(sorts)
  })
}

const randomSignalPage = (prng: Prng, leadsBySignal: ReadonlyArray<number>): string => {
  const signal = prng.below(leadsBySignal.length)
  const pageSize = prng.pick(pageSizes)
  return list({ signalId: signal + 1, pageSize, page: pageAmong(prng, leadsBySignal[signal]!, pageSize) })
}

const randomEngagements = (prng: Prng, leads: number): string =>
  list({
    includeEngagements: true,
    includeEngagementDetail: true,
    pageSize: engagementPageSize,
    sort: prng.pick(sorts),
    page: pageAmong(prng, leads, engagementPageSize)
  })

/** `leadsBySignal` says how many leads each signal caught, from signal 1 on. */
export const randomShapes = (leads: number, leadsBySignal: ReadonlyArray<number>): ReadonlyArray<Shape> => {
  const drawn = (name: string, draw: (prng: Prng) => string): Shape => ({
    name,
    paths: (n) => draw(Prng.of(seed + n, name)),
    atSmall: 1
  })
  return [
    drawn("random-page", (prng) => randomPage(prng, leads)),
    drawn("random-search", (prng) => randomSearch(prng, leads)),
    drawn("random-syllables", randomSyllables),
    drawn("random-name-part", (prng) => randomNamePart(prng, leads)),
    drawn("random-window", randomWindow),
    {
      name: "random-paging",
      paths: (n) =>
        randomPaging(
          Prng.of(seed + Math.floor(n / pagesOfList), "random-paging"),
          leads,
          1 + (n % pagesOfList)
        ),
      atSmall: 1
    },
    drawn("random-signal-page", (prng) => randomSignalPage(prng, leadsBySignal)),
    drawn("random-engagements", (prng) => randomEngagements(prng, leads)),
    { ...drawn("random-detail", (prng) => `/signals/leads/${leadId(prng, leads)}`), atSmall: 2, atLarge: 2 }
  ]
}
