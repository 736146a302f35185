/** How long a store keeps things, and from when on it may remove them. `Pruning` is the port that removes them. [RET-1] */
import { Either } from "effect"
import { millisPerDay as day, millisPerHour as hour, millisPerMinute as minute } from "./Duration.ts"
import type { Instant } from "./Instant.ts"

/**
 * The kinds of things with a retention of their own, in the order of pruning: each comes after the kinds that refer to it. `deliveries` are
 * delivered ones and `deadLetters` dead ones, both with their log of attempts; `suppressions` are the hashes of erased persons.
 */
export const retentionKinds = [
  "deliveries",
  "deadLetters",
  "events",
  "engagements",
  "leads",
  "suppressions"
] as const
/** One of `retentionKinds`. */
export type RetentionKind = (typeof retentionKinds)[number]

/** Milliseconds for which each kind is kept, counted from the instant that `PruneRequest.before` names; null keeps it for ever. */
export type Retention = Readonly<Record<RetentionKind, number | null>>

/** The instant before which each kind is due for pruning; null for a kind that is kept for ever. */
export type RetentionLimits = Readonly<Record<RetentionKind, Instant | null>>

/** The shortest retention, in milliseconds. */
export const minMillis = minute
/** The longest retention, in milliseconds: a hundred years. */
export const maxMillis = 36_500 * day

/** The retention that keeps everything for ever. */
export const keepAll: Retention = {
  deliveries: null,
  deadLetters: null,
  events: null,
  engagements: null,
  leads: null,
  suppressions: null
}

/** The default: deliveries and events for 30 days, dead letters for 90, everything else for ever. [RET-1] */
export const defaults: Retention = {
  ...keepAll,
  deliveries: 30 * day,
  deadLetters: 90 * day,
  events: 30 * day
}

/** What `parse` takes: the end of a sentence that begins with the name of a setting. */
export const takes = "takes keep, or a time from 1m to 36500d in minutes, hours or days, like 90m, 12h or 30d"

const unitMillis = { m: minute, h: hour, d: day } as const

/** Reads `keep`, or a number with a unit: `90m`, `12h`, `30d`. Left: `takes`. */
export const parse = (text: string): Either.Either<number | null, string> => {
  if (text === "keep") return Either.right(null)
  const [, digits, unit] = /^([0-9]{1,8})([mhd])$/.exec(text) ?? []
  const millis = digits === undefined ? 0 : Number(digits) * unitMillis[unit as keyof typeof unitMillis]
  return isDuration(millis) ? Either.right(millis) : Either.left(takes)
}

/** Writes a retention as `parse` reads it, in the greatest unit that leaves no remainder; a part of a minute is cut off. */
export const format = (millis: number | null): string => {
  if (millis === null) return "keep"
  if (millis % day === 0) return `${millis / day}d`
  return millis % hour === 0 ? `${millis / hour}h` : `${Math.floor(millis / minute)}m`
}

/** Whether `millis` can be a retention: whole milliseconds from `minMillis` to `maxMillis`. */
export const isDuration = (millis: number): boolean =>
  Number.isInteger(millis) && millis >= minMillis && millis <= maxMillis

/** The kinds whose retention is neither null nor within the bounds; empty for a valid retention. */
export const invalidKinds = (retention: Retention): ReadonlyArray<RetentionKind> =>
  retentionKinds.filter((kind) => {
    const millis = retention[kind]
    return millis !== null && !isDuration(millis)
  })

/** The limits at `now`: what is older than its kind's limit is due. */
export const limitsAt = (retention: Retention, now: Instant): RetentionLimits => {
  const limit = (kind: RetentionKind): Instant | null => {
    const millis = retention[kind]
    return millis === null ? null : now - millis
  }
  return {
    deliveries: limit("deliveries"),
    deadLetters: limit("deadLetters"),
    events: limit("events"),
    engagements: limit("engagements"),
    leads: limit("leads"),
    suppressions: limit("suppressions")
  }
}

/**
 * The message for the operator when an observation is too old to be kept; null when it is not. An engagement that was tracked before the limit
 * of engagements would be pruned at once, and so would a new lead that was tracked before the limit of leads. `isLead` is true for a
 * person who is a lead already. A `trackedAt` of null stands for now, which is never too old. [RET-8]
 */
export const tooOld = (
  retention: Retention,
  { isLead, trackedAt }: { readonly isLead: boolean; readonly trackedAt: Instant | null },
  now: Instant
): string | null => {
  if (trackedAt === null) return null
  const { engagements, leads } = limitsAt(retention, now)
  if (engagements !== null && trackedAt < engagements)
    return `engagement.trackedAt takes a time within the last ${format(retention.engagements)}: older engagements are not kept.`
  if (!isLead && leads !== null && trackedAt < leads)
    return `engagement.trackedAt of a new lead takes a time within the last ${format(retention.leads)}: older leads are not kept.`
  return null
}
