/** A scenario is data: who takes part, for how long, what may go wrong, and what its runs must have met to prove anything. */
import { Schema } from "effect"

export const personas = ["healthy", "slow", "flaky", "failing", "hanging", "gone", "redirecting"] as const
export type Persona = (typeof personas)[number]

const rate = Schema.Number.pipe(Schema.between(0, 1))

export const Scenario = Schema.Struct({
  name: Schema.String,
  /** One paragraph on what it is after. */
  about: Schema.String,
  hours: Schema.Number.pipe(Schema.positive()),
  brands: Schema.Array(
    Schema.Struct({
      people: Schema.Int.pipe(Schema.positive()),
      engagementsPerHour: Schema.Number.pipe(Schema.positive()),
      consumers: Schema.Array(Schema.Literal(...personas)),
      /** How often a client of the API brings its copy of the leads up to date; 0 for no such client. */
      syncMinutes: Schema.Number.pipe(Schema.nonNegative()),
      /** How often an hour somebody is erased. */
      erasuresPerHour: Schema.Number.pipe(Schema.nonNegative())
    })
  ),
  /** Whether each seed draws rates of its own below these, each fault fully off in about half of the seeds. */
  swarm: Schema.Boolean,
  faults: Schema.Struct({
    loss: rate,
    lostAnswer: rate,
    slowStore: rate,
    storeDown: rate,
    doneButFailed: rate,
    killsPerDay: Schema.Number.pipe(Schema.nonNegative()),
    clockStepsPerDay: Schema.Number.pipe(Schema.nonNegative())
  }),
  /** What a campaign of seeds must have met; else it has proved nothing. */
  marks: Schema.Array(Schema.String)
})
export type Scenario = typeof Scenario.Type
