/** The feeds of a brand's leads: events and changes after a position. */
import type { ChangePage, ChangePosition, ChangeRead, EventPage, LeadQuery } from "@lead-signals/domain"
import { windowOf } from "./engagements.ts"
import type { Tables } from "./Tables.ts"

/** A copy of the file by hand would need another: positions count in one history. */
const epoch = ""

export const eventsAfter = (
  tables: Tables,
  brandId: string,
  after: number | null,
  limit: number
): EventPage => {
  const all = tables.events(brandId).all()
  const newest = Math.max(0, ...all.map(({ position }) => position))
  if (after === null) return { events: [], position: newest }
  const engagements = tables.engagements(brandId)
  const found = all
    .filter(({ position }) => position > after)
    // The engagement of a `lead2.created` can have been pruned, and another lead can have one of its id since.
    .filter(({ engagementId, leadId }) => engagements.get(engagementId)?.leadId === leadId)
    .sort((a, b) => a.position - b.position)
    .slice(0, limit)
  const events = found.map(({ position, ...event }) => {
    const { headline, name } = tables.leads(brandId).get(String(event.leadId))!.profile
    const { reactionType, signalId, type } = engagements.get(event.engagementId)!
    return {
      position,
      event,
      person: { name, headline },
      engagement: { type, reactionType },
      signal: { id: signalId, name: tables.signals.get(signalId)!.name }
    }
  })
  return { events, position: found.at(-1)?.position ?? after }
}

export const changesAfter = (
  tables: Tables,
  brandId: string,
  after: ChangePosition | null,
  { engagements, limit }: { readonly limit: number; readonly engagements: LeadQuery["engagements"] }
): ChangePage => {
  const newest = tables.newest("change")
  const forgotten = tables.forgottenChanges.get(brandId) ?? 0
  const isExpired =
    after !== null &&
    (after.epoch !== epoch || forgotten > Math.max(after.position, after.since) || after.position > newest)
  if (isExpired) return { isExpired: true }
  const found = tables
    .changes(brandId)
    .all()
    .filter(({ position }) => position > (after?.position ?? 0))
    .sort((a, b) => a.position - b.position)
  const page = found.slice(0, limit)
  const changes = page.map(({ id, removedAt }): ChangeRead => {
    if (removedAt !== null) return { type: "removed", id, removedAt }
    const window = engagements === "none" ? null : windowOf(tables, brandId, id)
    return { type: "lead", read: { lead: tables.leads(brandId).get(String(id))!, window } }
  })
  const hasMore = found.length > limit
  const position = hasMore ? page.at(-1)!.position : newest
  const since = after?.since ?? forgotten
  return { isExpired: false, changes, next: { epoch, position, since }, hasMore }
}
