/** Fields that observations have and the service does not take: they are ignored, reported, or a reason to reject the observation. [OBS-11] */
import {
  InvalidParameter,
  Observation,
  type Outcome,
  Parameters,
  rejectedOutcome,
  UnknownFields
} from "@lead-signals/domain"
import { Either } from "effect"
import { invalidParameterMessage } from "../contract/Suggestions.ts"

/** What a request may ask for: the first is the default. */
export const fieldModes = ["ignore", "report", "reject"] as const
/** One of `fieldModes`. */
export type FieldMode = (typeof fieldModes)[number]

const parameter = "unknownFields"

/** What a request asks for by its parameters. */
export interface FieldQuery {
  readonly mode: FieldMode
  /** Parameters that the call does not take. */
  readonly ignored: Parameters.IgnoredParameters
}

/** Reads the request's parameters. Left: the parameter was given twice, or with another value. */
export const readFieldQuery = (entries: Parameters.Entries): Either.Either<FieldQuery, InvalidParameter> =>
  Either.flatMap(Parameters.partition(entries, [parameter]), ({ ignored, values }) => {
    const value = values.get(parameter) ?? "ignore"
    const mode = fieldModes.find((each) => each === value)
    return mode === undefined
      ? Either.left(Parameters.invalid(parameter, `takes one of ${fieldModes.join(", ")}`))
      : Either.right({ mode, ignored })
  })

const unknownFieldsIn = UnknownFields.unknownFieldsOf(Observation)

const rejection = (value: unknown): Outcome | null => {
  const [first] = unknownFieldsIn(value)
  if (first === undefined) return null
  const { accepted, name, parent, path } = first
  const unknownField = { name, path: parent, accepted }
  const message = `${path} is not a field of an observation.`
  return rejectedOutcome(
    value,
    invalidParameterMessage(new InvalidParameter({ parameter: path, message, unknownField }))
  )
}

/** What `mode` makes of values that were sent together. */
export interface WatchedFields {
  /** Those to record. */
  readonly values: ReadonlyArray<unknown>
  /** The outcomes of all, in order, given those of `values`. */
  readonly answer: (outcomes: ReadonlyArray<Outcome>) => ReadonlyArray<Outcome>
}

const reporting = (values: ReadonlyArray<unknown>): WatchedFields => ({
  values,
  answer: (outcomes) =>
    outcomes.map((outcome, i) => {
      const unknownFields = unknownFieldsIn(values[i]).map(({ path }) => path)
      return unknownFields.length === 0 ? outcome : { ...outcome, unknownFields }
    })
})

const rejecting = (values: ReadonlyArray<unknown>): WatchedFields => {
  const rejections = values.map(rejection)
  return {
    values: values.filter((_, i) => rejections[i] === null),
    answer: (outcomes) => {
      let next = 0
      return rejections.map((rejected) => rejected ?? outcomes[next++]!)
    }
  }
}

/** Looks at the values' fields. With `ignore` it looks at nothing. */
export const watchFields = (mode: FieldMode, values: ReadonlyArray<unknown>): WatchedFields => {
  switch (mode) {
    case "ignore":
      return { values, answer: (outcomes) => outcomes }
    case "report":
      return reporting(values)
    case "reject":
      return rejecting(values)
  }
}
