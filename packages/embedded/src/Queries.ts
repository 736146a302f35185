/** What a caller asks, as values; the domain's rules read it as they read the query of a request. */
import type { Parameters } from "@lead-signals/domain"

/** An instant: a `Date`, or a text that the API takes (ISO 8601 with an offset, or a day, read as UTC). */
export type Time = Date | string

type Value = string | number | boolean | Date | undefined

/** As the parameters of `GET /signals/leads`. */
export interface LeadListQuery {
  /** From 1. */
  readonly page?: number
  /** 25 unless given; at most 100, or 25 with engagements. */
  readonly pageSize?: number
  /** Leads with at least one engagement from this signal. */
  readonly signalId?: string
  readonly qualified?: boolean
  readonly exported?: boolean
  readonly isEmployee?: boolean
  /** Bounds are inclusive. */
  readonly createdAfter?: Time
  readonly createdBefore?: Time
  readonly updatedAfter?: Time
  readonly updatedBefore?: Time
  /** Adds up to 20 newest engagements to each lead. */
  readonly includeEngagements?: boolean
  /** Adds the post's author and the source to each engagement; needs `includeEngagements`. */
  readonly includeEngagementDetail?: boolean
  /** Part of the name or of the headline, in any letter case; at most 200 characters. */
  readonly search?: string
  /** `createdAt`, `updatedAt`, `name` or `score1`, with `:asc` or `:desc`; `createdAt:desc` unless given. */
  readonly sort?: string
}

export interface LeadDetailQuery {
  readonly includeEngagementDetail?: boolean
}

/** Days as YYYY-MM-DD, inclusive. */
export interface MetricsQuery {
  readonly startDate?: string
  readonly endDate?: string
}

const textOf = (value: Exclude<Value, undefined>): string =>
  value instanceof Date ? value.toISOString() : String(value)

export const entriesOf = (query: object): Parameters.Entries =>
  Object.entries(query as Record<string, Value>).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, textOf(value)] as const]
  )
