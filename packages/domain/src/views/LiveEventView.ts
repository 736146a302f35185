/** The JSON of an event in a stream of live events. [LIVE-1] */
import { formatInstant } from "../model/Instant.ts"
import type { EventRead } from "../ports/LeadStore.ts"

/** The data of one event of a stream, without texts of posts and comments. [LIVE-1] */
export const liveEventView = ({ engagement, event, person, signal }: EventRead) => ({
  event: event.event,
  occurredAt: formatInstant(event.occurredAt),
  isFirstActivity: event.isFirstActivity,
  lead: { id: event.leadId, name: person.name, headline: person.headline },
  engagement: { id: event.engagementId, type: engagement.type, reactionType: engagement.reactionType },
  signal: { id: signal.id, name: signal.name }
})
