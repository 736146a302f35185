/** What a browser sends to sign in, and what it is answered about its session. */
import { Schema } from "effect"
import { id, field, oneOf, text, time } from "./Fields.ts"

export const SignIn = Schema.Struct({
  credential: Schema.String.annotations({
    description: "the operator token, an API key of a brand, or a one-time code that the server printed"
  })
})

const SessionBrand = Schema.Struct({ id, name: text("Name of the brand", "Northwind") }).annotations({
  identifier: "SessionBrand",
  description: "The brand that a session reads"
})

export const SessionBody = Schema.Struct({
  access: oneOf(
    ["operator", "brand"],
    "operator: every operator call; brand: what the API key of one brand reads"
  ),
  brand: field(Schema.NullOr(SessionBrand), "The brand of the key; null on an operator's session"),
  expiresAt: time
}).annotations({ identifier: "Session", description: "A browser's session" })
