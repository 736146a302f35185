/** A scenario is data: who takes part, what they do how often, what goes wrong, and what its runs must meet to prove anything. */
import { Schema } from "effect"
import { list, number, optionalNumber, text } from "./ScenarioFields.ts"
import {
  actionEffects,
  behaviourEffects,
  rateEffects,
  scheduledFaultEffects,
  webhookShareEffects
} from "./ScenarioWords.ts"

const receiverBehaviours = [
  "healthy",
  "slow",
  "flaky",
  "failing",
  "busy",
  "hanging",
  "gone",
  "redirecting",
  "truncating",
  "strict",
  "unsteady",
  "broken"
] as const

/** A kind of receiver; `behaviourEffects` says what each answers. */
export type ReceiverBehaviour = (typeof receiverBehaviours)[number]

/** What somebody does. */
export const actionKinds = [
  "observe",
  "again",
  "amend",
  "erase",
  "export",
  "list",
  "detail",
  "walk",
  "sync",
  "metrics",
  "reading",
  "key",
  "burst",
  "bad",
  "probe",
  "load",
  "tenant",
  "cross",
  "rotate",
  "resend",
  "redeliver",
  "recover",
  "test",
  "toggle",
  "inspect",
  "keyed",
  "access",
  "stream",
  "session"
] as const

/** A kind of action; `actionEffects` says what each does. */
export type ActionKind = (typeof actionKinds)[number]

const faultRates = [
  "loss",
  "lostAnswer",
  "cut",
  "duplication",
  "late",
  "slowStore",
  "storeDown",
  "doneButFailed",
  "killAtStore",
  "connectionLoss",
  "lateCommit",
  "tornWrites",
  "refusals"
] as const

const scheduledFaultKinds = [
  "kills",
  "clockSteps",
  "drifts",
  "pauses",
  "partitions",
  "storeCuts",
  "receiverCuts",
  "failovers",
  "lossyFailovers"
] as const

const webhookShares = ["ordered", "batched", "cloudEvents"] as const
const usualShares = { ordered: 0.4, batched: 0.25, cloudEvents: 0.25 }

type OptionalNumber = ReturnType<typeof optionalNumber>

/** A struct of numbers that may be left out, one for each key. */
const numbers = <K extends string>(
  keys: ReadonlyArray<K>,
  fieldOf: (key: K) => Parameters<typeof optionalNumber>[0]
) =>
  Schema.Struct(
    Object.fromEntries(keys.map((key) => [key, optionalNumber(fieldOf(key))])) as {
      readonly [key in K]: OptionalNumber
    }
  )

/** How often each fault strikes at a point where it can, from 0 to 1. */
export const Rates = numbers(faultRates, (rate) => ({
  about: rateEffects[rate],
  unit: "probability",
  from: 0,
  to: 1,
  otherwise: 0
}))
/** Decoded, each rate is there. */
export type Rates = typeof Rates.Type

/** Nothing goes wrong by chance. */
export const noRates: Rates = Schema.decodeSync(Rates)({})

/** Faults that strike at a time, by their number a day. */
const ScheduledFaults = numbers(scheduledFaultKinds, (fault) => ({
  about: scheduledFaultEffects[fault],
  unit: "times a day",
  from: 0,
  to: 10_000,
  otherwise: 0
}))

/** Shares of the webhooks that ask for something else than one envelope a post, in any order. */
const Webhooks = numbers(webhookShares, (share) => ({
  about: webhookShareEffects[share],
  unit: "probability",
  from: 0,
  to: 1,
  otherwise: usualShares[share]
}))

const PerHour = numbers(actionKinds, (kind) => ({
  about: actionEffects[kind],
  unit: "times an hour",
  from: 0,
  to: 36_000,
  otherwise: 0
}))

const Brand = Schema.Struct({
  people: number({
    about: "How many people can be seen. A few of them are seen often, most of them seldom.",
    unit: "people",
    from: 1,
    to: 100_000,
    isWhole: true
  }),
  consumers: list(
    Schema.Literal(...receiverBehaviours),
    `The brand's webhook receivers, each by the way in which it answers; an empty list is none. ${receiverBehaviours.map((behaviour) => `${behaviour}: ${behaviourEffects[behaviour]}`).join("; ")}.`,
    { to: 50 }
  ),
  perHour: PerHour.annotations({
    description:
      "How often each thing is done, on average: seldom at night, most in the afternoon. Left out: never."
  }),
  changesWait: optionalNumber({
    about:
      "How long a sync of the brand's client asks the feed of changes to wait for a change, where there is none.",
    unit: "seconds",
    from: 0,
    to: 30,
    isWhole: true,
    otherwise: 0
  })
})

const processCount = (about: string) => number({ about, unit: "processes", from: 1, to: 8, isWhole: true })

/**
 * The schema of a scenario: brands, how often an hour each thing is done, rates of faults from 0 to 1, and how often
 * a day the other faults strike the service.
 */
export const Scenario = Schema.Struct({
  $schema: Schema.optional(text("Where the JSON Schema is, for editors; a run does not read it.", 1000)),
  name: text("A short name, which reports show.", 80),
  about: text("What the scenario is after.", 2000),
  hours: number({
    about: "How long people act and faults happen. Afterwards everything owed must arrive.",
    unit: "virtual hours",
    from: 0.01,
    to: 8784
  }),
  brands: list(Brand, "The brands; each is served apart from the others.", { from: 1, to: 20 }),
  swarm: Schema.optionalWith(
    Schema.Boolean.annotations({
      jsonSchema: {
        type: "boolean",
        description:
          "true: each seed draws its own. Each fault is off in half of the seeds and else up to the given rate; all faults are off in one of eight; each action happens 0, 0.5, 1 or 2 times as often.",
        default: false
      }
    }),
    { default: () => false }
  ),
  rates: Schema.optionalWith(
    Rates.annotations({
      description: "Faults of a message or of a call of the store, each by its probability. Left out: never."
    }),
    { default: () => noRates }
  ),
  scheduledFaults: Schema.optionalWith(
    ScheduledFaults.annotations({
      description: "Faults at a time, each by how often it happens on average. Left out: never."
    }),
    { default: () => Schema.decodeSync(ScheduledFaults)({}) }
  ),
  coverageMarks: Schema.optionalWith(
    list(
      text("A situation, as a run reports it after `met:`.", 200),
      "Situations that the runs must meet together; one that none met ends the command with exit code 3.",
      { to: 200 }
    ),
    { default: () => [] }
  ),
  webhooks: Schema.optionalWith(
    Webhooks.annotations({
      description:
        "How many of the webhooks are ordered, take batches or take CloudEvents: each seed draws which."
    }),
    { default: () => Schema.decodeSync(Webhooks)({}) }
  ),
  processes: Schema.optionalWith(
    Schema.Struct({
      least: processCount("The fewest processes."),
      most: processCount("The most processes.")
    })
      .pipe(
        Schema.filter(({ least, most }) => least <= most, {
          description: "least is at most most",
          jsonSchema: {}
        })
      )
      .annotations({
        description: "How many processes serve the one store: each seed draws a number. Left out: one."
      }),
    { default: () => ({ least: 1, most: 1 }) }
  ),
  networkedStore: Schema.optionalWith(
    Schema.Boolean.annotations({
      jsonSchema: {
        type: "boolean",
        description:
          "true: the store is a server behind a network, as a shared database is, with a clock of its own.",
        default: false
      }
    }),
    { default: () => false }
  ),
  retention: Schema.optionalWith(
    Schema.Boolean.annotations({
      jsonSchema: {
        type: "boolean",
        description:
          "true: the service prunes; of a swarm, in half of the seeds whose clocks run right. Each seed draws how long each kind of thing is kept, one minute to three hours or for ever, and how it prunes. Actions `tenant`, and probes of their people, are left out then.",
        default: false
      }
    }),
    { default: () => false }
  ),
  expected: Schema.optionalWith(
    Schema.Literal("passed", "violated").annotations({
      description:
        "violated: the faults of the scenario break rules, to show what the rules say of them; `nightly` leaves it out."
    }),
    { default: () => "passed" as const }
  )
})
/** A decoded scenario, with its defaults filled in. */
export type Scenario = typeof Scenario.Type

/** One brand of a scenario: who takes part, and how often each kind of action comes. */
export type BrandScenario = Scenario["brands"][number]
