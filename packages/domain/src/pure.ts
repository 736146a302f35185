/**
 * `@lead-signals/domain/pure`: rules, views and constants that need no Effect, so that a thread that imports them starts in
 * milliseconds.
 */
export { testEvent } from "./model/Delivery.ts"

export * as EngagementWindows from "./rules/EngagementWindow.ts"
export * as Folding from "./rules/Folding.ts"
export * as Page from "./rules/Page.ts"

export * as ShownLeads from "./views/ShownLeads.ts"
