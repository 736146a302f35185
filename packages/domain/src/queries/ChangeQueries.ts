/** Reads a request for the feed of changes from its query parameters. [CHG-2, CHG-6] */
import { Either } from "effect"
import type { InvalidParameter } from "../model/Failure.ts"
import { maxCursorLength } from "../model/LeadChange.ts"
import type { LeadQuery } from "./LeadQuery.ts"
import * as Page from "./Page.ts"
import * as Parameters from "./Parameters.ts"

/** The query parameters of the feed; any other is ignored with a warning. [LIST-10] */
export const parameters = [
  "cursor",
  "pageSize",
  "wait",
  "includeEngagements",
  "includeEngagementDetail"
] as const

/** The query parameters of a feed that always answers at once. */
export const parametersWithoutWait = parameters.filter((name) => name !== "wait")

/** The greatest `wait`, in seconds. [CHG-6] */
export const maxWaitSeconds = 30

/** The refusal of a cursor that can't be read: the end of a sentence that begins with the parameter's name. */
export const cursorTakes = "takes the meta.cursor of an earlier answer for this brand, unchanged"

/** A request for changes, read and checked. */
export interface ChangeQuery {
  /** The cursor as it was sent; null to begin with the brand's first lead. */
  readonly cursor: string | null
  /** Changes on a page, from 1 to 100, or to 25 where leads carry engagements. */
  readonly limit: number
  /** How many seconds to wait for a change while there is none, from 0 to `maxWaitSeconds`. */
  readonly waitSeconds: number
  /** How the engagements of leads are shown. */
  readonly engagements: LeadQuery["engagements"]
  /** The parameters that were ignored. [LIST-10] */
  readonly ignored: Parameters.IgnoredParameters
}

const wait = (known: Parameters.KnownParameters): Either.Either<number, InvalidParameter> => {
  const value = known.values.get("wait")
  if (value === undefined) return Either.right(0)
  return /^[0-9]{1,2}$/.test(value) && Number(value) <= maxWaitSeconds
    ? Either.right(Number(value))
    : Either.left(Parameters.invalid("wait", `takes whole seconds from 0 to ${maxWaitSeconds}`))
}

/**
 * Reads the parameters of the feed. It knows those of `names`, and ignores others with a warning. An empty `cursor` is the same as none. Left: the
 * first parameter that is malformed or given twice, and what it takes. [CHG-2, CHG-6, LIST-6, LIST-7, LIST-10]
 */
export const read = (
  entries: Parameters.Entries,
  names: ReadonlyArray<(typeof parameters)[number]> = parameters
): Either.Either<ChangeQuery, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.partition(entries, names)
    const cursor = known.values.get("cursor") ?? ""
    if (cursor.length > maxCursorLength) return yield* Either.left(Parameters.invalid("cursor", cursorTakes))
    const pageSize = yield* Parameters.integer(known, "pageSize")
    const waitSeconds = yield* wait(known)
    const withEngagements = (yield* Parameters.boolean(known, "includeEngagements")) ?? false
    const withDetail = (yield* Parameters.boolean(known, "includeEngagementDetail")) ?? false
    return {
      cursor: cursor === "" ? null : cursor,
      limit: Page.of({ page: 1, pageSize: pageSize ?? Page.maxPageSize, withEngagements }).pageSize,
      waitSeconds,
      engagements: withEngagements ? (withDetail ? "detailed" : "plain") : "none",
      ignored: known.ignored
    }
  })
