/** The feed of changes: each lead once, at the position of its newest change, and what was removed. [CHG-1] */
import { millisPerDay } from "./Duration.ts"
import type { Instant } from "./Instant.ts"
import type { LeadId } from "./Lead.ts"

/** Where a reader of the feed goes on. */
export interface ChangePosition {
  /** The history that the position counts in: a restore or a copy of a store begins another one. [CHG-5] */
  readonly epoch: string
  /** The position of the last change that the reader has seen. */
  readonly position: number
  /** Removals up to this position had been forgotten when the reader began: it has never seen those leads. */
  readonly since: number
}

/** A lead that is gone: erased, or kept as long as the operator's retention says. It holds nothing of the person. [CHG-3] */
export interface RemovedLead {
  /** The id that the lead had; it is never given again. */
  readonly id: LeadId
  /** When the lead was removed. */
  readonly removedAt: Instant
}

/** Days for which a store keeps what it knows of a removed lead; a reader that was away for longer begins anew. [CHG-5] */
export const removedLeadDays = 90

/** `removedLeadDays` in milliseconds. */
export const removedLeadMillis: number = removedLeadDays * millisPerDay

/** Characters of a cursor at most. [CHG-4] */
export const maxCursorLength = 200
