/** Queries of clients, drawn from a seed. */
import type { Prng } from "@lead-signals/simulation-kernel"
import { astral, strangeTexts } from "../vocabulary/Texts.ts"
import { instantForms } from "../vocabulary/Times.ts"
import type { PlannedQuery } from "./Plan.ts"
import { signalsPerBrand, twoLetters } from "./Sightings.ts"

const searches = [
  "head",
  "100%",
  "a_b",
  "οδυσσευσ",
  "STRASSE",
  "sal",
  "name",
  "zzz",
  "S",
  "",
  " ",
  "istanbul",
  "ÅNGSTRÖM",
  "angstrom",
  "𐐀",
  "𐐨",
  "🙂",
  "name of b0-p0. 𝒳",
  "ﬁ",
  "name of b0-p0.",
  // A character more than one that is found by a part of it.
  "aaaaa",
  "hahahah",
  "x".repeat(200),
  astral.repeat(200),
  ...strangeTexts.map(([, text]) => text)
]

/** What names and headlines have pieces of: searches of one, two, three and more characters are read from different indexes. [LIST-4] */
const searched = [
  "name of b0-p1. ångström",
  "anna zed",
  "head of sales",
  "aaaa bbbb",
  // An index that counts repeated pieces takes a part of them.
  "aaaaaaaaa",
  "hahahahaha",
  ...strangeTexts.map(([, text]) => text)
]

const search = (prng: Prng): string => {
  if (prng.chance(0.2)) return twoLetters(prng, 1 + prng.below(6))
  if (prng.chance(0.5)) return prng.pick(searches)
  const characters = [...prng.pick(searched)]
  const from = prng.below(characters.length)
  return characters.slice(from, from + 1 + prng.below(8)).join("")
}

/** Small ones are common, since brands are small; 25 and 100 are the caps. [PAGE-4] */
const pageSizes = [1, 1, 2, 2, 3, 3, 5, 24, 25, 26, 99, 100, 101, 200]

/** Any list that the API takes; filters, bounds and search come by chance. */
export const query = (prng: Prng): PlannedQuery => {
  const flag = (name: string): Record<string, boolean> =>
    prng.chance(0.15) ? { [name]: prng.chance(0.5) } : {}
  const bounds = (["createdAfter", "createdBefore", "updatedAfter", "updatedBefore"] as const)
    .filter(() => prng.chance(0.2))
    .map((name) => ({
      name,
      instant: prng.below(1000),
      by: prng.pick([0, 0, 0, -1, 1]),
      form: prng.below(instantForms.length)
    }))
  const drawn: PlannedQuery = {
    signal: prng.chance(0.2) ? prng.below(signalsPerBrand) : null,
    flags: { ...flag("qualified"), ...flag("exported"), ...flag("isEmployee") },
    search: prng.chance(0.3) ? search(prng) : null,
    bounds,
    field: prng.pick(["createdAt", "updatedAt", "score1", "name"]),
    direction: prng.pick(["asc", "desc"]),
    page: prng.pick([1, 1, 1, 2, 3, 4]),
    pageSize: prng.pick(pageSizes),
    engagements: prng.pick(["none", "none", "plain", "detailed"])
  }
  return prng.chance(0.06) ? narrow(prng, drawn) : drawn
}

/** What names and headlines of a load have pieces of: most of its people have some of them, and few have others. */
const searchedInLoads = [
  "name 12 of b0-p100",
  "name 3",
  "anna zed",
  "head of sales",
  "revops 100%",
  "hahaha",
  "strasse"
]

const searchInLoad = (prng: Prng): string => {
  if (prng.chance(0.3)) return twoLetters(prng, 1 + prng.below(5))
  const characters = [...prng.pick(searchedInLoads)]
  const from = prng.below(characters.length - 2)
  return characters.slice(from, from + 1 + prng.below(6)).join("")
}

/** Any list of many leads: small pages in front, and pages far behind them. */
export const queryOfLoad = (prng: Prng): PlannedQuery => {
  const drawn = query(prng)
  if (prng.chance(0.15))
    return { ...narrow(prng, drawn), page: prng.pick([1, 2, 3]), pageSize: prng.pick([1, 1, 2, 3]) }
  const found: PlannedQuery = {
    ...drawn,
    search: prng.chance(0.75) ? searchInLoad(prng) : drawn.search,
    bounds: prng.chance(0.8) ? [] : drawn.bounds
  }
  if (prng.chance(0.5)) return { ...found, page: prng.pick([1, 2, 3]), pageSize: prng.pick([1, 2, 3]) }
  const pageSize = prng.pick([5, 25, 40, 100])
  // Any page there may be: a store keeps long lists in parts, and a page may lie across two.
  const page = prng.chance(0.4) ? 1 + prng.below(Math.ceil(1000 / pageSize)) : prng.pick([1, 2, 4, 7])
  return { ...found, page, pageSize }
}

/** Few leads of several flags in the order of their creation: a store can merge what it has of each combination. */
const narrow = (prng: Prng, drawn: PlannedQuery): PlannedQuery => {
  const all = { qualified: prng.chance(0.5), exported: prng.chance(0.5), isEmployee: false }
  const { [prng.pick(["qualified", "exported", "isEmployee"] as const)]: _, ...flags } = all
  return { ...drawn, flags, signal: null, search: null, bounds: [], field: "createdAt", page: 1, pageSize: 1 }
}

/** The query with one thing otherwise. */
const neighbour = (prng: Prng, planned: PlannedQuery): PlannedQuery => {
  const other = query(prng)
  const names = Object.keys(planned) as ReadonlyArray<keyof PlannedQuery>
  const differing = names.filter((name) => JSON.stringify(planned[name]) !== JSON.stringify(other[name]))
  if (differing.length === 0) return planned
  const name = prng.pick(differing)
  return { ...planned, [name]: other[name] }
}

/** Queries that follow one another at once; the last is mostly the first again. */
export const neighbours = (prng: Prng, first: PlannedQuery): ReadonlyArray<PlannedQuery> => {
  const found = [first]
  const count = 1 + prng.below(3)
  while (found.length <= count) found.push(neighbour(prng, found.at(-1)!))
  return [...found.slice(1), ...(prng.chance(0.7) ? [first] : [])]
}

/** The list without parameters. */
export const everything: PlannedQuery = {
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
