/** Reads the feeds of a brand's leads: events and changes after a position. [LIVE-1, CHG-1] */
import type {
  ChangePage,
  ChangePosition,
  ChangeRead,
  EventPage,
  EventRead,
  LeadEvent,
  LeadQuery
} from "@lead-signals/domain"
import { windowOf } from "./EngagementReads.ts"
import type { Memory } from "./MemoryState.ts"

/** The epoch of every position: a store in memory is never restored from a backup. */
const epoch = ""

/** As `LeadStore.changesAfter`. */
export const changesAfter = (
  memory: Memory,
  brandId: string,
  after: ChangePosition | null,
  { engagements, limit }: { readonly limit: number; readonly engagements: LeadQuery["engagements"] }
): ChangePage => {
  const leads = memory.leadsOf(brandId)
  const { newestPosition } = memory.events
  const isExpired =
    after !== null &&
    (after.epoch !== epoch ||
      leads.forgottenChanges > Math.max(after.position, after.since) ||
      after.position > newestPosition)
  if (isExpired) return { isExpired: true }
  const found = leads.changesAfter(after?.position ?? 0, limit + 1)
  const page = found.slice(0, limit)
  const changes = page.map(({ id, removedAt }): ChangeRead => {
    if (removedAt !== null) return { type: "removed", id, removedAt }
    const record = leads.byId.get(id)!
    const window = engagements === "none" ? null : windowOf(memory, leads, record)
    return { type: "lead", read: { lead: record.lead, window } }
  })
  const hasMore = found.length > limit
  const position = hasMore ? page.at(-1)!.position : newestPosition
  const since = after?.since ?? leads.forgottenChanges
  return { isExpired: false, changes, next: { epoch, position, since }, hasMore }
}

/** As `LeadStore.eventsAfter`. */
export const eventsAfter = (
  memory: Memory,
  brandId: string,
  after: number | null,
  limit: number
): EventPage => {
  const { newestPosition } = memory.events
  if (after === null) return { events: [], position: newestPosition }
  const leads = memory.leadsOf(brandId)
  // The engagement of a `lead2.created` can have been pruned, and another lead can have one of its id since.
  const isThere = ({ engagementId, leadId }: LeadEvent): boolean =>
    leads.engagements.get(engagementId)?.leadId === leadId
  const found = memory.events.ofBrandAfter(brandId, after, limit, isThere)
  const events = found.map(({ event, position }): EventRead => {
    const { headline, name } = leads.byId.get(event.leadId)!.lead.profile
    const { reactionType, signalId, type } = leads.engagements.get(event.engagementId)!
    return {
      position,
      event,
      person: { name, headline },
      engagement: { type, reactionType },
      signal: { id: signalId, name: memory.signals.get(signalId)!.name }
    }
  })
  const last = events.length === limit ? events.at(-1)!.position : newestPosition
  return { events, position: Math.max(after, last) }
}
