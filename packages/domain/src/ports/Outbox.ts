/**
 * The events that were committed together with what they tell of. It is part of the store: an event is there exactly
 * when its lead and engagement are. [DELIV-2]
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { LeadEvent } from "../model/LeadEvent.ts"

export interface PositionedEvent extends LeadEvent {
  /** Ascending in the order of commits; there may be gaps. */
  readonly position: number
}

export class Outbox extends Context.Tag("@lead-signals/domain/Outbox")<
  Outbox,
  {
    /** Up to `limit` events after the position, in order. The events of an erased lead are gone. */
    readonly after: (
      position: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<PositionedEvent>, StoreUnavailable>
  }
>() {}
