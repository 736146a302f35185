/** What calls must be answered, as of the instant at which the store did what they asked for. */
import type { Call, Json, Stored } from "../world/KnownFacts.ts"
import type { StoreMethod } from "../world/StorePorts.ts"

/** What must be answered; `body` undefined where another oracle compares it. */
export interface ExpectedAnswer {
  readonly status: number
  readonly body?: Json
}

/** An answer with that data. */
export const answerOf = (status: number, data: Json): ExpectedAnswer => ({ status, body: { data } })

/** The body is compared elsewhere. */
export const found: ExpectedAnswer = { status: 200 }

/** Its error has the code `not_found`, which the rule "errors clear" judges. */
export const notFound: ExpectedAnswer = { status: 404 }

/** Which parameter is named is judged by the rule "errors clear". */
export const refused: ExpectedAnswer = { status: 400 }

/** Without a body. */
export const noContent: ExpectedAnswer = { status: 204 }

/** The expected answers of calls; what the store does last says what is answered. */
export type ExpectedAnswers = WeakMap<Call, ExpectedAnswer>

/** What the store did on behalf of a call. */
export interface StoredForCall extends Stored {
  readonly call: Call
}

/** What follows from what the store did for the answer of the call, by the method. Each answers what is wrong, or null. */
export type Expectations = { readonly [M in StoreMethod]?: (fact: StoredForCall) => string | null }
