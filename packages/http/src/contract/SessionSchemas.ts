/** What a browser sends to sign in, and what it is answered about its session. */
import { Schema } from "effect"
import { brandIds, scopes } from "./TokenSchemas.ts"
import { id, field, oneOf, text, time } from "./Fields.ts"

/** The body of signing in: one text, whatever kind of credential it is. [SES-1] */
export const SignIn = Schema.Struct({
  credential: Schema.String.annotations({
    description: "an operator's token, an API key of a brand, or a one-time code that the server printed"
  })
})

const SessionBrand = Schema.Struct({ id, name: text("Name of the brand", "Northwind") }).annotations({
  identifier: "SessionBrand",
  description: "The brand that a session reads"
})

/** The session of the request's cookie. The cookie's value is in no body. [SES-2] */
export const SessionBody = Schema.Struct({
  access: oneOf(
    ["operator", "brand"],
    "operator: the calls of an operator's token; brand: what the API key of one brand reads"
  ),
  brand: field(Schema.NullOr(SessionBrand), "The brand of the key; null on an operator's session"),
  scopes: field(Schema.NullOr(scopes), "What the operator may do; null on a brand's session", ["read"]),
  brandIds: field(
    brandIds,
    "Ids of the brands that the operator reaches; null for all, and on a brand's session",
    ["1"]
  ),
  expiresAt: time
}).annotations({ identifier: "Session", description: "A browser's session" })
