/** Bugs in what is kept how long, and in what is pruned. */
import { type Bug, bugsIn } from "./Bug.ts"

const scenario = "retention"
const policy = bugsIn("domain", "Retention", "memory", scenario)
const rounds = bugsIn("domain", "RetentionRounds", "memory", scenario)
const memory = bugsIn("store-memory", "MemoryPruning", "memory", scenario)
const leads = bugsIn("store-memory", "BrandLeads", "memory", scenario)
const sqlite = bugsIn("store-sqlite", "Pruning", "sqlite", scenario)

/** In pruning, and in what is kept for how long. */
export const inRetention: ReadonlyArray<Bug> = [
  rounds("kept-half-as-long", "what was over for half of its retention is pruned", {
    in: "prunePiece",
    find: "(yield* Clock.currentTimeMillis) - $keptMillis",
    put: "(yield* Clock.currentTimeMillis) - $keptMillis / 2"
  }),
  rounds("pruned-once", "a process prunes one round, and no other", {
    in: "retain",
    find: "Effect.forever($round)",
    put: "Effect.zipRight($round, Effect.never)"
  }),
  rounds("round-ends-at-a-kept-kind", "a round ends at the first kind that is kept for ever", {
    in: "runRound",
    find: "if ($keptMillis === null) continue",
    put: "if ($keptMillis === null) break"
  }),
  policy("too-old-is-taken", "an observation older than the retention is recorded", {
    in: "tooOld",
    find: "$engagements !== null && $trackedAt < $engagements",
    put: "$engagements !== null && $trackedAt < $engagements - 7 * day"
  }),
  memory("pending-pruned", "a delivery that failed three times is pruned before its next attempt", {
    in: "isDueDelivery",
    find: "$record.state === $state",
    put: '($record.state === $state || ($record.state === "pending" && $record.attempts > 2))'
  }),
  memory("dead-letters-pruned-as-delivered", "dead letters go with what was delivered", {
    in: "isDueDelivery",
    find: "$record.state === $state",
    put: '($record.state === $state || ($state === "delivered" && $record.state === "dead"))'
  }),
  memory("event-pruned-under-its-delivery", "an event goes while a delivery of it is left", {
    in: "dueOf",
    find: "$left.isDelivered($event)",
    put: "($left.isDelivered($event) && $event.isFirstActivity)"
  }),
  memory("created-event-pruned", "the lead2.created of a lead goes before the lead", {
    in: "dueOf",
    find: '$event.event === "lead2.created"',
    put: '($event.event === "lead2.created" && $event.leadId % 2 === 0)'
  }),
  memory("engagement-pruned-under-its-event", "an engagement goes while its event is left", {
    in: "dueOf",
    find: "$left.isReferredTo($brandId, $engagement)",
    put: "($left.isReferredTo($brandId, $engagement) && $engagement.type !== null)"
  }),
  memory("engagement-pruned-under-a-list", "an engagement goes while a delivery is left that lists it", {
    in: "References.isReferredTo",
    find: "this.listed.has($leadId)",
    put: "false"
  }),
  memory("lead-pruned-under-its-delivery", "a lead goes while deliveries about it are left", {
    in: "dueOf",
    find: "!$left.isActive($lead.id)",
    put: "(!$left.isActive($lead.id) || !$lead.qualified)"
  }),
  leads("pruned-engagement-shown", "an engagement that was pruned is still shown with its lead", {
    in: "BrandLeads.removeEngagement",
    find: "$engagements.splice($engagements.indexOf($engagement), 1)",
    put: "$engagements.splice($engagements.indexOf($engagement), 0)"
  }),
  sqlite("walk-ends-at-a-held-event", "a round looks at no event behind one that has a delivery", {
    in: "events",
    find: 'if ($row.at >= $before || $row.event === "lead2.created" || $row.has_delivery === 1) continue',
    put: 'if ($row.has_delivery === 1) break; if ($row.at >= $before || $row.event === "lead2.created") continue'
  })
]
