/** A scenario is data: who takes part, what they do how often, what goes wrong, and what its runs must meet to prove anything. */
import { Schema } from "effect"

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
  "strict"
] as const
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
  "cross",
  "rotate",
  "resend",
  "redeliver",
  "recover",
  "test",
  "toggle"
] as const
export type ActionKind = (typeof actionKinds)[number]

const share = Schema.Number.pipe(Schema.between(0, 1))
const amount = Schema.Number.pipe(Schema.nonNegative())

const orNone = <A, I>(schema: Schema.Schema<A, I>, none: A) =>
  Schema.optionalWith(schema, { default: () => none })

export const Rates = Schema.Struct({
  /** Of a message between two parties: it never arrives. */
  loss: orNone(share, 0),
  /** Of a request: it is handled, but its answer never arrives. */
  lostAnswer: orNone(share, 0),
  /** Of a request: its answer breaks off half way. */
  cut: orNone(share, 0),
  /** Of a message: it arrives twice. */
  duplication: orNone(share, 0),
  /** Of a message: it takes up to 20 s, so that later ones overtake it. */
  late: orNone(share, 0),
  /** Of a call of the store: it takes up to a second. */
  slowStore: orNone(share, 0),
  /** Of a call of the store: it fails, and nothing was done. */
  storeDown: orNone(share, 0),
  /** The store carries out a write, and its caller gets a failure. */
  doneButFailed: orNone(share, 0),
  /** Of a write to the store: the service is killed before it, within its transaction, or right after it. */
  killAtStore: orNone(share, 0),
  /** Of a call of a networked store: its connection is lost before it arrives, or after it was done. */
  connectionLoss: orNone(share, 0),
  /** Of a write to a networked store: it is committed up to 10 s after its time was read. */
  lateCommit: orNone(share, 0),
  /** Of a kill: the host loses power, and what was not synced is torn. */
  tornWrites: orNone(share, 0)
})
export type Rates = typeof Rates.Type

/** Things that happen at a time, so often a day. */
const ScheduledFaults = Schema.Struct({
  kills: orNone(amount, 0),
  /** The service's clock jumps, by up to an hour either way. */
  clockSteps: orNone(amount, 0),
  /** The service's clock goes wrong, by up to a fiftieth. */
  drifts: orNone(amount, 0),
  /** The service stands still, for up to a minute. */
  pauses: orNone(amount, 0),
  /** Nobody reaches the service and it reaches nobody, for up to five minutes. */
  partitions: orNone(amount, 0),
  /** One process can't reach the store, for up to two minutes. */
  storeCuts: orNone(amount, 0),
  /** One process can't reach the receivers of webhooks, for up to five minutes. */
  receiverCuts: orNone(amount, 0),
  /** The server of a networked store fails; another one that has every commit takes over within half a minute. */
  failovers: orNone(amount, 0),
  /** The same, and the other one lacks the commits of up to the last five minutes. */
  lossyFailovers: orNone(amount, 0)
})

const processCount = Schema.Int.pipe(Schema.between(1, 8))

/**
 * The schema of a scenario: brands, how often an hour each thing is done, rates of faults from 0 to 1, and how often
 * a day the rest befalls the service.
 */
export const Scenario = Schema.Struct({
  name: Schema.String,
  /** One paragraph on what it is after. */
  about: Schema.String,
  hours: Schema.Number.pipe(Schema.positive()),
  brands: Schema.NonEmptyArray(
    Schema.Struct({
      people: Schema.Int.pipe(Schema.positive()),
      consumers: Schema.Array(Schema.Literal(...receiverBehaviours)),
      /** How often an hour each thing is done; what is not named is not done. */
      perHour: Schema.Struct(
        Object.fromEntries(actionKinds.map((kind) => [kind, orNone(amount, 0)])) as {
          readonly [K in ActionKind]: Schema.optionalWith<typeof amount, { readonly default: () => number }>
        }
      )
    })
  ),
  /** How many processes serve the one store: each seed draws a number. */
  processes: orNone(Schema.Struct({ least: processCount, most: processCount }), { least: 1, most: 1 }),
  /** Whether the store is a server behind a network. */
  networkedStore: orNone(Schema.Boolean, false),
  /** `violated` for a scenario whose faults break a rule, to show what the oracles say of it. */
  expected: orNone(Schema.Literal("passed", "violated"), "passed"),
  /** Whether each seed draws its own: each fault off in about half of the seeds, and all in one of eight. */
  swarm: Schema.Boolean,
  rates: orNone(Rates, Schema.decodeSync(Rates)({})),
  scheduledFaults: orNone(ScheduledFaults, Schema.decodeSync(ScheduledFaults)({})),
  /** What a campaign of seeds must have met; else it has proved nothing. */
  coverageMarks: Schema.Array(Schema.String)
})
export type Scenario = typeof Scenario.Type
export type BrandScenario = Scenario["brands"][number]

export const noRates: Rates = Schema.decodeSync(Rates)({})
