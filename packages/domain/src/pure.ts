/**
 * `@lead-signals/domain/pure`: rules, views and constants that need no Effect, so that a thread that imports them starts in
 * milliseconds.
 */
export { testEvent } from "./model/Delivery.ts"
export { millisPerDay, millisPerHour } from "./model/Duration.ts"
export { removedLeadDays, removedLeadMillis } from "./model/LeadChange.ts"
export { profileTexts } from "./model/Profile.ts"

export * as EngagementWindows from "./queries/EngagementWindow.ts"
export { filterConditions, matchesFilter } from "./queries/LeadFilter.ts"
export * as Folding from "./text/Folding.ts"
export * as Page from "./queries/Page.ts"
export * as LeadOrder from "./decisions/LeadOrder.ts"

export { columnOf } from "./ports/StoreCopy.ts"

export * as RenderedLeads from "./views/RenderedLeads.ts"
