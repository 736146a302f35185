/** Generated histories of what a store keeps and prunes. */
import { Retention, type RetentionKind } from "@lead-signals/domain"
import { Effect } from "effect"
import fc from "fast-check"
import type { RetentionWorld } from "./RetentionWorld.ts"
import type { SettableClock } from "./SettableClock.ts"

const hour = 3_600_000

/** What happens to the brand of a `RetentionWorld`. */
export type RetentionStep =
  | {
      readonly step: "observe"
      readonly person: string
      readonly agoMillis: number
      readonly author: string | null
    }
  | { readonly step: "attempt"; readonly status: number | null; readonly max: number }
  | { readonly step: "wait"; readonly millis: number }
  | { readonly step: "erase"; readonly person: number }
  | { readonly step: "resend"; readonly person: number; readonly isCreated: boolean }
  | {
      readonly step: "prune"
      readonly kind: RetentionKind
      readonly keptMillis: number
      readonly limit: number
    }

const durations = fc.constantFrom(0, 1, 60_000, hour, 2 * hour)

/** A history. */
export const retentionSteps = fc.array(
  fc.oneof(
    {
      arbitrary: fc.record({
        step: fc.constant("observe" as const),
        person: fc.constantFrom("p0", "p1", "p2"),
        agoMillis: durations,
        author: fc.constantFrom(null, "p0", "p1", "p2")
      }),
      weight: 4
    },
    {
      arbitrary: fc.record({
        step: fc.constant("attempt" as const),
        status: fc.constantFrom(200, 200, 500, null),
        max: fc.constantFrom(1, 3, 100)
      }),
      weight: 3
    },
    { arbitrary: fc.record({ step: fc.constant("wait" as const), millis: durations }), weight: 3 },
    { arbitrary: fc.record({ step: fc.constant("erase" as const), person: fc.nat(2) }), weight: 1 },
    {
      arbitrary: fc.record({
        step: fc.constant("resend" as const),
        person: fc.nat(2),
        isCreated: fc.boolean()
      }),
      weight: 1
    },
    {
      arbitrary: fc.record({
        step: fc.constant("prune" as const),
        kind: fc.constantFrom(...Retention.retentionKinds),
        keptMillis: durations,
        limit: fc.constantFrom(1, 2, 100)
      }),
      weight: 6
    }
  ),
  { minLength: 4, maxLength: 24 }
)

/** Plays the step that is the `i`-th of its history; a pruning is checked against the naive rules. */
export const playRetentionStep = (
  step: RetentionStep,
  i: number,
  world: RetentionWorld,
  clock: SettableClock
) =>
  Effect.gen(function* () {
    const leadOf = (person: number) =>
      Effect.map(world.content(), ({ leads }) => leads[person % Math.max(1, leads.length)]?.id)
    switch (step.step) {
      case "observe":
        yield* world.observe(step.person, `${world.brand.id} ${i}`, step.agoMillis, step.author)
        break
      case "attempt":
        yield* world.attempt(step.status, step.max)
        break
      case "wait":
        clock.millis += step.millis
        break
      case "erase": {
        const id = yield* leadOf(step.person)
        if (id !== undefined) yield* world.erase(id)
        break
      }
      case "resend": {
        const id = yield* leadOf(step.person)
        if (id !== undefined) yield* world.resend(id, step.isCreated ? "lead2.created" : "activity.detected")
        break
      }
      case "prune":
        yield* world.prune(step.kind, clock.millis - step.keptMillis, step.limit)
        yield* world.checkEvents()
        yield* world.checkCopies()
    }
  })
