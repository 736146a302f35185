/** Histories of webhooks and their deliveries, drawn so that leases run out, attempts end late, and people are erased. */
import fc from "fast-check"

/** One step of a history: what operators, emitters and receivers do, and the clock. */
export type Step =
  /** Negative: the clock is set back. */
  | { step: "wait"; millis: number }
  | {
      step: "subscribe"
      events: number
      enabled: boolean
      ordering?: "none" | "lead"
      maxDelay?: number | null
    }
  | { step: "order"; webhook: number; ordering: "none" | "lead"; maxDelay: number | null }
  | { step: "observe"; seen: ReadonlyArray<{ person: number; engagement: number; author: number | null }> }
  | {
      step: "work"
      perWebhook: number
      ends: ReadonlyArray<number | "lost" | "late">
      delay: number
      /** Whether the attempts at one webhook are recorded as those of one batch. */
      isBatched?: boolean
    }
  | { step: "enable"; webhook: number; enabled: boolean }
  | { step: "delete"; webhook: number }
  | { step: "test"; webhook: number }
  | { step: "resend"; delivery: number }
  | { step: "resendLead"; webhook: number; person: number; event: number }
  | {
      step: "recover"
      webhook: number
      ago: number
      limit: number
      events: ReadonlyArray<"lead2.created" | "activity.detected">
    }
  | { step: "erase"; person: number }

/** The external ids of the persons that histories observe. */
export const people = ["p0", "p1", "p2", "p3"]

/** The events that the webhooks of a history ask for. */
export const subscriptions = [
  ["lead2.created"],
  ["activity.detected"],
  ["lead2.created", "activity.detected"]
] as const
/** Every type of event. */
export const types = ["lead2.created", "activity.detected"] as const
const one = <A extends Step["step"]>(step: A) => fc.constant(step)

const ordering = fc.constantFrom("none", "lead", "lead")
/** In seconds. */
const maxDelay = fc.constantFrom(null, null, 1, 3)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      step: one("wait"),
      millis: fc.constantFrom(0, 1, 1000, 1000, 29_999, 30_000, -1000, -40_000)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      step: one("subscribe"),
      events: fc.nat(2),
      enabled: fc.boolean(),
      ordering,
      maxDelay
    })
  },
  { weight: 1, arbitrary: fc.record({ step: one("order"), webhook: fc.nat(4), ordering, maxDelay }) },
  {
    weight: 6,
    arbitrary: fc.record({
      step: one("observe"),
      seen: fc.array(
        fc.record({ person: fc.nat(3), engagement: fc.nat(40), author: fc.constantFrom(null, 0, 1, 2) }),
        { minLength: 1, maxLength: 4 }
      )
    })
  },
  {
    weight: 10,
    arbitrary: fc.record({
      step: one("work"),
      perWebhook: fc.constantFrom(1, 2, 50),
      ends: fc.array(
        fc.constantFrom<number | "lost" | "late">(200, 500, 500, 500, 302, 410, "lost", "late"),
        {
          minLength: 1,
          maxLength: 6
        }
      ),
      delay: fc.constantFrom(0, 0, 10, 31_000),
      isBatched: fc.boolean()
    })
  },
  { weight: 3, arbitrary: fc.record({ step: one("enable"), webhook: fc.nat(4), enabled: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ step: one("delete"), webhook: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ step: one("test"), webhook: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ step: one("resend"), delivery: fc.nat(30) }) },
  {
    weight: 2,
    arbitrary: fc.record({ step: one("resendLead"), webhook: fc.nat(4), person: fc.nat(3), event: fc.nat(1) })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      step: one("recover"),
      webhook: fc.nat(4),
      ago: fc.constantFrom(0, 1000, 100_000, 100_000),
      limit: fc.constantFrom(1, 2, 50),
      events: fc.constantFrom(...subscriptions, subscriptions[2])
    })
  },
  { weight: 2, arbitrary: fc.record({ step: one("erase"), person: fc.nat(3) }) }
) as fc.Arbitrary<Step>

/** The first step of a history: a webhook of both types. */
export const subscribed: Extract<Step, { readonly step: "subscribe" }> = {
  step: "subscribe",
  events: 2,
  enabled: true
}

/** A history of eight steps and more. */
export const deliveryHistory: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(step, {
  minLength: 8,
  maxLength: 40,
  size: "max"
})
