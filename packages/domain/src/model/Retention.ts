/** How long a store keeps what is over, and from when on it may be removed. Pure rules; `Pruning` is the port that removes. [RET-1] */
import { Either } from "effect"
import { millisPerDay as day, millisPerHour as hour, millisPerMinute as minute } from "./Duration.ts"
import type { Instant } from "./Instant.ts"

/**
 * What has a retention of its own, in the order in which it is pruned: each comes after what refers to it. `deliveries` are
 * delivered ones, `deadLetters` dead ones, both with their log of attempts; `suppressions` are the hashes of erased persons.
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

/** Milliseconds for which each kind is kept after it is over; null keeps it for ever. */
export type Retention = Readonly<Record<RetentionKind, number | null>>

/** From when on each kind is kept: what was over before is due. Null where nothing ever is. */
export type RetentionLimits = Readonly<Record<RetentionKind, Instant | null>>

/** The shortest retention, in milliseconds. */
export const minMillis = minute
/** The longest retention, in milliseconds: a hundred years. */
export const maxMillis = 36_500 * day

/** Keeps everything. */
export const keepAll: Retention = {
  deliveries: null,
  deadLetters: null,
  events: null,
  engagements: null,
  leads: null,
  suppressions: null
}

/** Deliveries and events for 30 days, dead letters for 90, all else for ever. [RET-1] */
export const defaults: Retention = {
  ...keepAll,
  deliveries: 30 * day,
  deadLetters: 90 * day,
  events: 30 * day
}

/** What `parse` takes, in words that follow the name of a setting. */
export const takes = "takes keep, or a time from 1m to 36500d in minutes, hours or days, like 90m, 12h or 30d"

const unitMillis = { m: minute, h: hour, d: day } as const

/** Reads `keep`, or a number with a unit: `90m`, `12h`, `30d`. Left: `takes`. */
export const parse = (text: string): Either.Either<number | null, string> => {
  if (text === "keep") return Either.right(null)
  const [, digits, unit] = /^([0-9]{1,8})([mhd])$/.exec(text) ?? []
  const millis = digits === undefined ? 0 : Number(digits) * unitMillis[unit as keyof typeof unitMillis]
  return isDuration(millis) ? Either.right(millis) : Either.left(takes)
}

/** Writes a retention as `parse` reads it, in the greatest unit that has no remainder; part of a minute is left out. */
export const format = (millis: number | null): string => {
  if (millis === null) return "keep"
  if (millis % day === 0) return `${millis / day}d`
  return millis % hour === 0 ? `${millis / hour}h` : `${Math.floor(millis / minute)}m`
}

/** Whether it is a time that something can be kept: whole milliseconds within the bounds. */
export const isDuration = (millis: number): boolean =>
  Number.isInteger(millis) && millis >= minMillis && millis <= maxMillis

/** The kinds whose retention is neither null nor a duration; empty for a usable one. */
export const invalidKinds = (retention: Retention): ReadonlyArray<RetentionKind> =>
  retentionKinds.filter((kind) => {
    const millis = retention[kind]
    return millis !== null && !isDuration(millis)
  })

/** What is due at `now`: what was over before the instants answered. */
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
 * Why an observation is older than what is kept, for the operator who sent it; null when it is not. An engagement that was tracked
 * before the limit of engagements would be due at once, and so would be a new lead that was seen before the limit of leads. An
 * observation without `trackedAt` is of now. [RET-8]
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
