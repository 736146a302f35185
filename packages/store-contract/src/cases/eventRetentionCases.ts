/** Cases of pruned events: a store keeps those that deliveries and leads need, and removes those around a time in which the clock was ahead. */
import {
  type BrandId,
  Brands,
  LeadStore,
  Pruning,
  recordObservations,
  Retention,
  RetentionRounds,
  Signals
} from "@lead-signals/domain"
import { Effect } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { RetentionWorld } from "../RetentionWorld.ts"
import type { SettableClock } from "../SettableClock.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

const hour = 3_600_000

/** What `LeadStore.eventsAfter` answers from the beginning, one event a page: what is left out must not keep the position where it is. */
const readOneByOne = (brandId: BrandId) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const read: Array<string> = []
    for (let page = 0, position = 0; page < 12; page++) {
      const { events, position: next } = yield* store.eventsAfter(brandId, position, 1)
      read.push(...events.map(({ event }) => `${event.event} ${event.engagementId}`))
      position = next
    }
    return read
  })

/** Two persons are seen, and their deliveries, events and engagements pruned. */
const pruneSeen = (clock: SettableClock) =>
  Effect.gen(function* () {
    const world = yield* RetentionWorld.create(clock)
    yield* world.observe("p", "e1")
    yield* world.observe("q", "e2")
    yield* world.attempt(200)
    clock.millis += hour
    for (const kind of ["deliveries", "events", "engagements"] as const)
      yield* world.prune(kind, clock.millis, 10)
    return world
  })

/**
 * Records events before, during and after a time in which the clock was a thousand hours ahead, and prunes them `hours` hours after it was set
 * back. `batchesAhead` times 500 leads are seen while it is ahead.
 */
const pruneAroundAhead = (clock: SettableClock, batchesAhead: number, hours: number) =>
  Effect.gen(function* () {
    const brand = yield* Brands.create("B")
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    const { id: signalId } = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    const observe = (of: string, persons: number) =>
      recordObservations(
        brand,
        Array.from({ length: persons }, (_, i) => ({
          signalId,
          person: { extId: `${of}${i}`, name: of },
          engagement: { id: `${of}${i}` }
        }))
      )
    yield* observe("before", 2)
    clock.millis += 1000 * hour
    // As many events as a piece looks at, or more.
    for (let i = 0; i < batchesAhead; i++) yield* observe(`ahead${i}-`, 500)
    clock.millis -= 1000 * hour
    yield* observe("after", 3)
    clock.millis += hours * hour
    if (hours > 1000) yield* observe("newest", 1)
    const all = { ...Retention.keepAll, events: hour, engagements: hour, leads: hour }
    const counted = yield* RetentionRounds.countDue(all)
    assertEqual("counted, and pruned", counted, yield* RetentionRounds.pruneNow(all))
    assertEqual("events, and leads", [counted.events, counted.leads], [5, 5])
  })

/** Cases of the events that a store prunes, and of those that it keeps. */
export const eventRetentionCases: ReadonlyArray<Case> = [
  caseOf(
    "keeps an event while a delivery of it is left, and lead2.created as long as its lead [RET-5, EVT-9]",
    (clock) =>
      Effect.gen(function* () {
        const pruning = yield* Pruning
        const world = yield* RetentionWorld.create(clock)
        const { leadId } = yield* world.observe("p", "e1")
        yield* world.attempt(500)
        clock.millis += hour
        assertEqual(
          "of events with dead letters, how many go",
          yield* world.prune("events", clock.millis, 10),
          0
        )
        assertEqual("newestPrunedEvent before any goes", yield* pruning.newestPrunedEvent, 0)
        yield* world.prune("deadLetters", clock.millis, 10)
        assertEqual("of two events, how many go", yield* world.prune("events", clock.millis, 10), 1)
        const newest = yield* pruning.newestPrunedEvent
        assertThat("newestPrunedEvent is above 0 when an event was pruned", newest > 0)
        assertEqual(
          "an activity.detected that was pruned is there",
          yield* world.resend(leadId!, "activity.detected"),
          false
        )
        assertEqual("the lead2.created is there", yield* world.resend(leadId!, "lead2.created"), true)
        yield* world.observe("p", "e2")
        yield* world.attempt(200)
        clock.millis += hour
        yield* world.prune("deliveries", clock.millis, 10)
        yield* world.prune("events", clock.millis, 10)
        assertThat(
          "no position of a pruned event is given again: newestPrunedEvent grows",
          (yield* pruning.newestPrunedEvent) > newest
        )
      })
  ),

  caseOf(
    "reads no lead2.created whose engagement was pruned, and what comes after it [LIVE-1, RET-6]",
    (clock) =>
      Effect.gen(function* () {
        const world = yield* pruneSeen(clock)
        yield* world.observe("r", "e3")
        assertEqual("the events that are read", yield* readOneByOne(world.brand.id), [
          "lead2.created e3",
          "activity.detected e3"
        ])
      })
  ),

  caseOf(
    "reads a lead2.created only with an engagement of its own lead, also where another lead has taken the id of a pruned one [LIVE-1, RET-6]",
    (clock) =>
      Effect.gen(function* () {
        const world = yield* pruneSeen(clock)
        yield* world.observe("r", "e1")
        yield* world.observe("q", "e2")
        assertEqual("the events that are read", yield* readOneByOne(world.brand.id), [
          "lead2.created e2",
          "lead2.created e1",
          "activity.detected e1",
          "activity.detected e2"
        ])
      })
  ),

  caseOf(
    "removes events that were recorded after a clock that was ahead was set back, before the time that it was set to [RET-5, RET-9]",
    (clock) => pruneAroundAhead(clock, 5, 2)
  ),

  caseOf(
    "removes events that were recorded after a clock that was ahead was set back, after that time, with newer events [RET-5, RET-9]",
    (clock) => pruneAroundAhead(clock, 2, 1000.5)
  )
]
