/** What calls must be answered, as of the instant at which the store did what they asked for. */
import type { Call, Json } from "../world/KnownFacts.ts"

/** What must be answered; `body` undefined where another oracle compares it. */
export interface ExpectedAnswer {
  readonly status: number
  readonly body?: Json
}

/** An answer with that data. */
export const answerOf = (status: number, data: Json): ExpectedAnswer => ({ status, body: { data } })
export const found: ExpectedAnswer = { status: 200 }
export const notFound: ExpectedAnswer = { status: 404 }
export const refused: ExpectedAnswer = { status: 400 }
export const noContent: ExpectedAnswer = { status: 204 }

/** The expected answers of calls; what the store does last says what is answered. */
export type ExpectedAnswers = WeakMap<Call, ExpectedAnswer>
