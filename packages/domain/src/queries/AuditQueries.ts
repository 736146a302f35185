/** Reads a request for the audit log from its query parameters. [AUD-4] */
import { Either } from "effect"
import type { AuditCursor } from "../model/AuditEntry.ts"
import type { BrandId } from "../model/Brand.ts"
import type { InvalidParameter } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"
import * as Page from "./Page.ts"
import * as Parameters from "./Parameters.ts"

/** The query parameters of the audit log; any other is ignored with a warning. [LIST-10] */
export const listParameters = ["brandId", "since", "cursor", "pageSize"] as const

/** A request for a page of the audit log, read and checked. */
export interface AuditPageQuery {
  /** Entries of this brand alone; null lists all. */
  readonly brandId: BrandId | null
  /** Entries of this instant or later; null lists all. */
  readonly since: Instant | null
  /** The last entry of the page before; null on the first page. */
  readonly after: AuditCursor | null
  /** Entries on a page, from 1 to 100. */
  readonly pageSize: number
  /** The parameters that were ignored. [LIST-10] */
  readonly ignored: Parameters.IgnoredParameters
}

/** Writes the cursor of the page that begins after this entry: its time in milliseconds, a hyphen and its id. */
export const cursorOf = ({ at, id }: AuditCursor): string => `${at}-${id}`

const cursor = (value: string | undefined): Either.Either<AuditCursor | null, InvalidParameter> => {
  if (value === undefined) return Either.right(null)
  const [, at, id] = /^([0-9]{1,15})-([1-9][0-9]{0,15})$/.exec(value) ?? []
  return at === undefined || id === undefined
    ? Either.left(Parameters.invalid("cursor", "takes meta.nextCursor of the page before"))
    : Either.right({ at: Number(at), id })
}

const brandId = (value: string | undefined): Either.Either<BrandId | null, InvalidParameter> =>
  value === undefined || /^[0-9]{1,16}$/.test(value)
    ? Either.right(value ?? null)
    : Either.left(Parameters.invalid("brandId", "takes the id of a brand, in decimal digits"))

/** Reads the parameters. Left: the first that is malformed or given twice, and what it takes. [LIST-7, AUD-4] */
export const readList = (entries: Parameters.Entries): Either.Either<AuditPageQuery, InvalidParameter> =>
  Either.gen(function* () {
    const known = yield* Parameters.partition(entries, listParameters)
    const pageSize = yield* Parameters.integer(known, "pageSize")
    return {
      brandId: yield* brandId(known.values.get("brandId")),
      since: (yield* Parameters.timestamp(known, "since")) ?? null,
      after: yield* cursor(known.values.get("cursor")),
      pageSize: Page.of({ page: 1, pageSize, withEngagements: false }).pageSize,
      ignored: known.ignored
    }
  })
