/** Reads the variables of retention, one for each kind. [RET-1] */
import { Retention, type RetentionKind } from "@lead-signals/domain"
import { Either } from "effect"
import { type Environment, valueOf } from "./Variables.ts"

/** The variable of each kind. */
export const retentionVariables: Readonly<Record<RetentionKind, string>> = {
  deliveries: "LEAD_SIGNALS_RETENTION_DELIVERIES",
  deadLetters: "LEAD_SIGNALS_RETENTION_DEAD_LETTERS",
  events: "LEAD_SIGNALS_RETENTION_EVENTS",
  engagements: "LEAD_SIGNALS_RETENTION_ENGAGEMENTS",
  leads: "LEAD_SIGNALS_RETENTION_LEADS",
  suppressions: "LEAD_SIGNALS_RETENTION_SUPPRESSIONS"
}

/** Left: the message of the first bad value, which names the variable and says what it takes. */
export const readRetention = (environment: Environment): Either.Either<Retention.Retention, string> => {
  const read = (kind: RetentionKind): Either.Either<number | null, string> => {
    const name = retentionVariables[kind]
    const value = valueOf(environment, name)
    return value === undefined
      ? Either.right(Retention.defaults[kind])
      : Either.mapLeft(Retention.parse(value), (takes) => `${name} ${takes}.`)
  }
  return Either.all({
    deliveries: read("deliveries"),
    deadLetters: read("deadLetters"),
    events: read("events"),
    engagements: read("engagements"),
    leads: read("leads"),
    suppressions: read("suppressions")
  })
}
