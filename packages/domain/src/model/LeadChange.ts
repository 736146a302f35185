/** The feed of changes: each lead once, at the position of its newest change, and each removed lead. [CHG-1] */
import { millisPerDay } from "./Duration.ts"
import type { Instant } from "./Instant.ts"
import type { LeadId } from "./Lead.ts"

/** The position up to which a reader has read the feed. */
export interface ChangePosition {
  /** The history of the store that the position belongs to. A restore or a copy of the store begins another one. [CHG-5] */
  readonly epoch: string
  /** The position of the last change that the reader has seen. */
  readonly position: number
  /** The store had forgotten removals up to this position when the reader began; the reader never saw those leads. */
  readonly since: number
}

/** A lead that was erased or pruned. It holds nothing of the person. [CHG-3] */
export interface RemovedLead {
  /** The id that the lead had; it is never given again. */
  readonly id: LeadId
  /** When the lead was removed. */
  readonly removedAt: Instant
}

/** Days for which a store remembers that a lead was removed. A reader that was away for longer begins anew. [CHG-5] */
export const removedLeadDays = 90

/** `removedLeadDays` in milliseconds. */
export const removedLeadMillis: number = removedLeadDays * millisPerDay

/** The greatest length of a cursor, in characters. [CHG-4] */
export const maxCursorLength = 200
