/** What every store must do when it prunes what it has kept long enough, beside what generated histories show. */
import {
  Leads,
  LeadStore,
  type PruneRequest,
  Pruning,
  recordObservations,
  RetentionRounds,
  Retention,
  RetentionPolicy
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { assertEqual, assertThat } from "../Assertions.ts"
import { RetentionWorld } from "../RetentionWorld.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

const hour = 3_600_000

const piece = (of: Pick<PruneRequest, "kind" | "before"> & Partial<PruneRequest>): PruneRequest => ({
  after: null,
  limit: 100,
  lease: null,
  ...of
})

const isThere = (world: RetentionWorld, id: number) =>
  Effect.flatMap(LeadStore, (store) => Effect.map(store.get(world.brand.id, id, "none"), Option.isSome))

/** Cases of pruning. */
export const retentionCases: ReadonlyArray<Case> = [
  caseOf("keeps pending deliveries and dead letters when it prunes delivered ones [RET-2, RET-3]", (clock) =>
    Effect.gen(function* () {
      const world = yield* RetentionWorld.create(clock)
      yield* world.observe("p", "e1")
      yield* world.attempt(200, 1)
      yield* world.attempt(500, 1)
      yield* world.observe("p", "e2")
      clock.millis += hour
      const statesLeft = Effect.map(world.content(), ({ deliveries }) =>
        deliveries.map(({ state }) => state).sort()
      )
      assertEqual(
        "of a delivery at the limit, how many go",
        yield* world.prune("deliveries", clock.millis - hour, 10),
        0
      )
      yield* world.prune("deliveries", clock.millis, 10)
      assertEqual("states after a pruning of deliveries", yield* statesLeft, ["dead", "pending"])
      yield* world.prune("deadLetters", clock.millis, 10)
      assertEqual("states after a pruning of dead letters", yield* statesLeft, ["pending"])
    })
  ),

  caseOf(
    "names no dead letter that a delivered event of its lead has followed, once that is pruned, too [ORD-5, RET-2]",
    (clock) =>
      Effect.gen(function* () {
        const world = yield* RetentionWorld.create(clock, "lead")
        yield* world.observe("p", "e1")
        yield* world.attempt(500, 1)
        yield* world.attempt(200, 1)
        assertEqual("skipped by the first post after a dead letter", world.skipped.flat().length, 1)
        clock.millis += hour
        yield* world.prune("deliveries", clock.millis, 10)
        const { deliveries } = yield* world.content()
        assertEqual(
          "what is left",
          deliveries.map(({ state }) => state),
          ["dead"]
        )
        yield* world.observe("p", "e2")
        yield* world.attempt(500, 1)
        assertEqual("skipped once the delivered one is pruned", world.skipped, [[]])
        yield* world.observe("p", "e3")
        yield* world.attempt(200, 1)
        assertEqual("skipped after a further dead letter", world.skipped.flat().length, 1)
        yield* world.content()
      })
  ),

  caseOf(
    "goes on naming dead letters of a lead when delivered events of another lead are pruned [ORD-5, RET-2]",
    (clock) =>
      Effect.gen(function* () {
        const world = yield* RetentionWorld.create(clock, "lead")
        yield* world.observe("q", "e1")
        for (let i = 0; i < 2; i++) yield* world.attempt(500, 1)
        yield* world.observe("p", "e2")
        for (let i = 0; i < 2; i++) yield* world.attempt(200, 1)
        clock.millis += hour
        assertEqual("deliveries that go", yield* world.prune("deliveries", clock.millis, 10), 2)
        yield* world.observe("q", "e3")
        yield* world.attempt(200, 1)
        assertEqual("skipped by the other lead's next post", world.skipped.flat().length, 2)
      })
  ),

  caseOf(
    "changes nothing of a lead whose engagements it prunes, and takes them again as new [RET-6, RET-8]",
    (clock) =>
      Effect.gen(function* () {
        const leadStore = yield* LeadStore
        const world = yield* RetentionWorld.create(clock)
        const { leadId } = yield* world.observe("p", "e1")
        yield* world.attempt(200)
        const read = leadStore.get(world.brand.id, leadId!, "plain")
        const before = Option.getOrThrow(yield* read)
        clock.millis += hour
        for (const kind of ["deliveries", "events", "engagements"] as const)
          yield* world.prune(kind, clock.millis, 10)
        const after = Option.getOrThrow(yield* read)
        assertEqual("the lead, after its engagements were pruned", after.lead, before.lead)
        assertEqual("its engagements", after.window, { engagements: [], truncated: false })
        assertEqual("its lead2.created is there", yield* world.resend(leadId!, "lead2.created"), true)
        assertEqual("deliveries that its lead2.created has", yield* world.attempt(200), 1)
        assertEqual(
          "an engagement with the id of a pruned one",
          (yield* world.observe("p", "e1")).outcome,
          "recorded"
        )
        assertEqual("the lead that it is of", Option.getOrThrow(yield* read).lead.id, leadId)
      })
  ),

  caseOf(
    "keeps an engagement while a delivery is left that lists it, by which an erasure finds its author there [RET-6, PII-3]",
    (clock) =>
      Effect.gen(function* () {
        const world = yield* RetentionWorld.create(clock)
        const { leadId: author } = yield* world.observe("q", "e0")
        yield* world.attempt(200)
        yield* world.observe("p", "e1", 0, "q")
        yield* world.attempt(null, 1)
        yield* world.attempt(200, 1)
        clock.millis += hour
        for (const kind of ["deliveries", "events"] as const) yield* world.prune(kind, clock.millis, 10)
        assertEqual("engagements that go", yield* world.prune("engagements", clock.millis, 10), 1)
        yield* world.erase(author!)
        assertEqual("deliveries after the erasure of the author", yield* world.attempt(200), 1)
        yield* world.prune("deliveries", clock.millis + 1, 10)
        assertEqual("engagements that go then", yield* world.prune("engagements", clock.millis, 10), 1)
      })
  ),

  caseOf("gives a person whose lead was pruned a lead with a new id, in all lists [RET-7]", (clock) =>
    Effect.gen(function* () {
      const world = yield* RetentionWorld.create(clock)
      const { leadId } = yield* world.observe("p", "e1")
      const { leadId: younger } = yield* world.observe("q", "e2")
      yield* world.attempt(200)
      clock.millis += hour
      yield* Leads.amend(world.brand.id, younger!, { qualified: true })
      for (const kind of ["deliveries", "events", "leads"] as const)
        yield* world.prune(kind, clock.millis, 10)
      assertEqual("the lead that was due is there", yield* isThere(world, leadId!), false)
      assertEqual("the lead that was changed since is there", yield* isThere(world, younger!), true)
      const again = yield* world.observe("p", "e1")
      assertEqual("the person's engagement, again", again.outcome, "recorded")
      assertThat("the id of the person's new lead is greater than any before", again.leadId! > younger!)
      assertEqual("the person's events, again", yield* world.resend(again.leadId!, "lead2.created"), true)
      yield* world.content()
    })
  ),

  caseOf("forgets erasures that are due, and no others [RET-7, PII-3]", (clock) =>
    Effect.gen(function* () {
      const world = yield* RetentionWorld.create(clock)
      const outcomeOf = (person: string, id: string) =>
        Effect.map(world.observe(person, id), ({ outcome }) => outcome)
      yield* world.erase((yield* world.observe("p", "e1")).leadId!)
      clock.millis += hour
      yield* world.erase((yield* world.observe("q", "e2")).leadId!)
      assertEqual("erasures that go", yield* world.prune("suppressions", clock.millis, 10), 1)
      assertEqual("the person of the erasure that went", yield* outcomeOf("p", "e3"), "recorded")
      assertEqual("the person of the other", yield* outcomeOf("q", "e4"), "suppressed")
    })
  ),

  caseOf("rejects observations that are older than what is kept [RET-8]", (clock) =>
    Effect.gen(function* () {
      const world = yield* RetentionWorld.create(clock)
      const observe = (id: string, trackedAt: number | null, person = "p") =>
        Effect.map(
          recordObservations(world.brand, [
            {
              signalId: world.signalId,
              person: { extId: person, name: "Ada" },
              engagement: {
                id,
                ...(trackedAt === null ? {} : { trackedAt: new Date(trackedAt).toISOString() })
              }
            }
          ]),
          ([outcome]) => outcome!.outcome
        )
      const now = clock.millis
      const keptFor = (retention: Partial<Retention.Retention>) =>
        Effect.provideService(RetentionPolicy, { ...Retention.keepAll, ...retention })
      const engagements = keptFor({ engagements: hour })
      assertEqual("at the limit", yield* engagements(observe("e1", now - hour)), "recorded")
      assertEqual("before the limit", yield* engagements(observe("e2", now - hour - 1)), "rejected")
      assertEqual(
        "before the limit, known",
        yield* engagements(
          Effect.zipRight(
            Effect.sync(() => (clock.millis += 1)),
            observe("e1", now - hour)
          )
        ),
        "duplicate"
      )
      assertEqual("without a time", yield* engagements(observe("e3", null)), "recorded")
      const leads = keptFor({ leads: hour })
      assertEqual(
        "before the limit of leads, of a lead",
        yield* leads(observe("e4", now - 2 * hour)),
        "recorded"
      )
      assertEqual(
        "before the limit of leads, of a new person",
        yield* leads(observe("e5", now - 2 * hour, "q")),
        "rejected"
      )
      assertEqual("kept for ever", yield* observe("e6", 0, "r"), "recorded")
    })
  ),

  caseOf("leaves the pruning to the process that holds the lease, until it ends [RET-4]", (clock) =>
    Effect.gen(function* () {
      const pruning = yield* Pruning
      const world = yield* RetentionWorld.create(clock)
      for (const id of ["e1", "e2", "e3", "e4"]) yield* world.observe("p", id)
      yield* world.attempt(200)
      clock.millis += hour
      const before = clock.millis
      const by = (holder: string) =>
        Effect.map(
          pruning.prune(
            piece({
              kind: "deliveries",
              before,
              limit: 1,
              lease: { holder, leaseMillis: 60_000 }
            })
          ),
          (pruned) => (pruned.isLeasedElsewhere ? pruned : pruned.removed)
        )
      const leasedElsewhere = { removed: 0, oldest: null, next: null, isLeasedElsewhere: true }
      assertEqual("the first", yield* by("a"), 1)
      assertEqual("another", yield* by("b"), leasedElsewhere)
      assertEqual("the first again", yield* by("a"), 1)
      clock.millis += 60_000
      assertEqual("another, after the lease", yield* by("b"), 1)
      assertEqual("the first, then", yield* by("a"), leasedElsewhere)
      clock.millis -= hour
      assertEqual("the first, when the clock was set back by more than a lease", yield* by("a"), 1)
      assertEqual(
        "beside the holder",
        (yield* pruning.prune(piece({ kind: "deliveries", before }))).removed,
        1
      )
    })
  ),

  caseOf("counts before what it then prunes, of all kinds at once [RET-4]", (clock) =>
    Effect.gen(function* () {
      const world = yield* RetentionWorld.create(clock)
      const { leadId: gone } = yield* world.observe("p", "e1")
      const { leadId: kept } = yield* world.observe("q", "e2")
      yield* world.erase((yield* world.observe("r", "e3")).leadId!)
      yield* world.attempt(200, 3)
      yield* world.attempt(500, 1)
      clock.millis += 2 * hour
      yield* world.observe("q", "e4")
      const all = {
        deliveries: hour,
        deadLetters: hour,
        events: hour,
        engagements: hour,
        leads: hour,
        suppressions: hour
      }
      const counted = yield* RetentionRounds.countDue(all)
      const removed = yield* RetentionRounds.pruneNow(all)
      // The lead that is due takes its engagement with it, if that was not pruned before.
      assertEqual("counted, and pruned", counted, removed)
      assertEqual("pruned", removed, {
        deliveries: 3,
        deadLetters: 1,
        events: 2,
        engagements: 2,
        leads: 1,
        suppressions: 1
      })
      assertEqual("what a second round finds", yield* RetentionRounds.countDue(all), {
        deliveries: 0,
        deadLetters: 0,
        events: 0,
        engagements: 0,
        leads: 0,
        suppressions: 0
      })
      assertEqual("the lead that was due is there", yield* isThere(world, gone!), false)
      assertEqual("the lead that was seen since is there", yield* isThere(world, kept!), true)
    })
  ),

  caseOf("counts nothing as due of a kind without a retention, however old it is [RET-1, RET-4]", (clock) =>
    Effect.gen(function* () {
      const world = yield* RetentionWorld.create(clock)
      // Tracked an hour before 1970.
      yield* world.observe("p", "e1", clock.millis + hour)
      yield* world.attempt(200, 2)
      clock.millis += 2 * hour
      const limited = { ...Retention.keepAll, deliveries: hour, deadLetters: hour, events: hour }
      const { engagements, events } = yield* RetentionRounds.countDue(limited)
      assertEqual("engagements, and events", [engagements, events], [0, 1])
    })
  ),

  {
    title: "goes on with a round that was interrupted by the end of the process [RET-4, STORE-2]",
    reopens: true,
    run: async (open) => {
      const { clock } = open
      const world = await open.run(RetentionWorld.create(clock))
      const count = 7
      for (let i = 0; i < count; i++) await open.run(world.observe("p", `e${i}`))
      await open.run(world.attempt(200))
      clock.millis += hour
      let removed = 0
      for (let pieces = 0; pieces < 3; pieces++) {
        removed += await open.run(
          Effect.flatMap(Pruning, (pruning) =>
            Effect.map(
              pruning.prune(piece({ kind: "deliveries", before: clock.millis, limit: 2 })),
              (done) => done.removed
            )
          )
        )
        await open.reopen()
      }
      const rest = await open.run(RetentionRounds.pruneNow({ ...Retention.keepAll, deliveries: 60_000 }))
      assertEqual("deliveries pruned before and after", removed + rest.deliveries, count + 1)
      assertEqual(
        "newestPrunedEvent",
        await open.run(Effect.flatMap(Pruning, (pruning) => pruning.newestPrunedEvent)),
        0
      )
    }
  }
]
