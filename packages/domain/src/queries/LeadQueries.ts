/** Reads requests for a list of leads and for one lead from their query parameters. [LIST-2 … LIST-7, LIST-10] */
import { Either } from "effect"
import type { InvalidParameter } from "../model/Failure.ts"
import type { LeadFilter } from "./LeadFilter.ts"
import type { EngagementDepth, LeadQuery } from "./LeadQuery.ts"
import * as Folding from "../text/Folding.ts"
import * as Page from "./Page.ts"
import * as Parameters from "./Parameters.ts"
import * as SortOrder from "./SortOrder.ts"

/** The query parameters of a lead list; any other is ignored with a warning. [LIST-7, LIST-10] */
export const listParameters = [
  "page",
  "pageSize",
  "signalId",
  "qualified",
  "exported",
  "isEmployee",
  "createdAfter",
  "createdBefore",
  "updatedAfter",
  "updatedBefore",
  "includeEngagements",
  "includeEngagementDetail",
  "search",
  "sort"
] as const

/** The maximum length of `search`, in characters (Unicode code points). [LIST-4] */
export const maxSearchLength = 200

/** The folded text to search for; undefined when there is none. A character is a code point, with at most two UTF-16 units. */
const search = (value: string | undefined): Either.Either<string | undefined, InvalidParameter> => {
  if (value === undefined || value === "") return Either.right(undefined)
  return value.length > 2 * maxSearchLength || Array.from(value).length > maxSearchLength
    ? Either.left(Parameters.invalid("search", `takes at most ${maxSearchLength} characters`))
    : Either.right(Folding.fold(value) || undefined)
}

type Known = Parameters.KnownParameters

/**
 * The reader of each filter. A filter whose name is missing in `listParameters` has no reader here, so `readFilter` does not compile: requests
 * would ignore the filter as unknown.
 */
type FilterReaders = {
  readonly [Name in Extract<(typeof listParameters)[number], keyof LeadFilter>]: (
    known: Known
  ) => Either.Either<LeadFilter[Name] | undefined, InvalidParameter>
}

const flag = (name: string) => (known: Known) => Parameters.boolean(known, name)
const instant = (name: string) => (known: Known) => Parameters.timestamp(known, name)

/** The readers, in the order in which `readFilter` calls them. */
const filterReaders: FilterReaders = {
  signalId: (known) => Either.map(Parameters.integer(known, "signalId"), (id) => id?.toString()),
  qualified: flag("qualified"),
  exported: flag("exported"),
  isEmployee: flag("isEmployee"),
  createdAfter: instant("createdAfter"),
  createdBefore: instant("createdBefore"),
  updatedAfter: instant("updatedAfter"),
  updatedBefore: instant("updatedBefore"),
  search: (known) => search(known.values.get("search"))
}

const filterNames = Object.keys(filterReaders) as ReadonlyArray<keyof LeadFilter>

/** Reads the filters that were sent; most requests have none or one. */
const readFilter = (known: Known): Either.Either<LeadFilter, InvalidParameter> => {
  const filter: Record<string, unknown> = {}
  for (const name of filterNames) {
    if (!known.values.has(name)) continue
    const read: Either.Either<unknown, InvalidParameter> = filterReaders[name](known)
    if (Either.isLeft(read)) return Either.left(read.left)
    if (read.right !== undefined) filter[name] = read.right
  }
  return Either.right(filter)
}

/**
 * Reads the parameters of a lead list. An empty `search` is no filter; `includeEngagementDetail` counts only together
 * with `includeEngagements`. Left: the first parameter that is malformed or given twice, and what it takes. [LIST-4,
 * LIST-6, LIST-7, ENG-4]
 */
export const readList = (entries: Parameters.Entries): Either.Either<LeadQuery, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.partition(entries, listParameters, { sort: SortOrder.accepted })
    const page = yield* Parameters.integer(known, "page")
    const pageSize = yield* Parameters.integer(known, "pageSize")
    const filter = yield* readFilter(known)
    const withEngagements = (yield* Parameters.boolean(known, "includeEngagements")) ?? false
    const withDetail = (yield* Parameters.boolean(known, "includeEngagementDetail")) ?? false
    const sort = yield* Either.mapLeft(SortOrder.parse(known.values.get("sort")), (takes) =>
      Parameters.invalid("sort", takes)
    )
    return {
      filter,
      sort,
      page: Page.of({ page, pageSize, withEngagements }),
      engagements: withEngagements ? (withDetail ? "detailed" : "plain") : "none",
      ignored: known.ignored
    }
  })

/** A request for one lead, read and checked. */
export interface DetailQuery {
  /** How the answer renders its engagements. [ENG-3] */
  readonly engagements: EngagementDepth
  /** The parameters that were ignored. [LIST-10] */
  readonly ignored: Parameters.IgnoredParameters
}

/**
 * Reads the parameters of a lead's detail. `includeEngagementDetail` works alone here. Left: it is no boolean or
 * given twice. [DET-2, LIST-6, LIST-7]
 */
export const readDetail = (entries: Parameters.Entries): Either.Either<DetailQuery, InvalidParameter> =>
  Either.flatMap(Parameters.partition(entries, ["includeEngagementDetail"]), (known) =>
    Either.map(Parameters.boolean(known, "includeEngagementDetail"), (withDetail = false) => ({
      engagements: withDetail ? "detailed" : "plain",
      ignored: known.ignored
    }))
  )

/**
 * Reads a lead's id from a path: decimal digits, at least 1, within the safe integers. Left: what it takes. [DET-3]
 */
export const readLeadId = (text: string): Either.Either<number, InvalidParameter> =>
  Either.mapLeft(Parameters.readInteger(text), (takes) => Parameters.invalid("id", takes))
