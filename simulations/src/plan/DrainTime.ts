/** How long everything owed may take to come about after the faults have stopped. */
import type { Plan } from "./Plan.ts"

/** Longer than two schedules of retries take, of what died and was recovered, and every pause between several. */
const usualDays = 30

/**
 * The most that one event holds its lead back at a receiver that never takes any: its retries last up to 3.8 days; after 5 days of failures
 * its webhook is disabled, the operator looks again after 6 hours, and then the retries begin afresh. [DELIV-3, DELIV-4, ORD-4]
 */
const daysAnEvent = 6

/** Whether the operator changes a webhook while it is sent to, and the same person is seen after each change. */
export const changesLiveWebhook = ({ nth, what }: { readonly nth: number; readonly what: string }): boolean =>
  what === "for a while" && nth % 2 === 0

/** The most changes of a live webhook that one action makes. */
export const maxLiveChanges = 10

/** The most events of one lead: one for each time that somebody saw the person, and one for the lead. */
const maxEventsOfLead = ({ actions }: Pick<Plan, "actions">, brand: number): number => {
  const seen = new Map<string, number>()
  let live = 0
  for (const action of actions) {
    if (action.brand !== brand) continue
    if (action.do === "inspect" && changesLiveWebhook(action)) live += maxLiveChanges
    if (action.do !== "observe" && action.do !== "again") continue
    for (const { person } of action.seen) seen.set(person.extId, (seen.get(person.extId) ?? 0) + 1)
  }
  return 1 + Math.max(live, ...seen.values())
}

/**
 * Days of virtual time that the drain phase may last. An ordered webhook without `maxDelay` whose receiver fails for good lets the events of a
 * lead die one after the other, each after all of its retries. Days in which the service is off come on top.
 */
export const drainDaysOf = (plan: Pick<Plan, "actions" | "brands" | "offDays">): number =>
  usualDays +
  (plan.offDays ?? 0) +
  plan.brands.reduce((max, { consumers }, brand) => {
    const waits = consumers.some(
      ({ behaviour, maxDelay, ordering }) =>
        behaviour === "broken" && ordering === "lead" && maxDelay === undefined
    )
    return waits ? Math.max(max, daysAnEvent * maxEventsOfLead(plan, brand)) : max
  }, 0)
