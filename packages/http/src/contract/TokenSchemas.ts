/** What the operator is answered about tokens of operators and the audit log. */
import { operatorScopes } from "@lead-signals/domain"
import { Schema } from "effect"
import { meta, warnings } from "./Envelopes.ts"
import {
  field,
  flag,
  id,
  meantTimeOrNull,
  numberOrNull,
  oneOf,
  text,
  textOrNull,
  time,
  timeOrNull
} from "./Fields.ts"

/** The scopes of a token or session. It has no description: each field that uses it has its own. */
export const scopes = Schema.Array(oneOf(operatorScopes, "Something that a token may do"))
/** Ids of the brands that a token or session is limited to; null for all. It has no description: each field that uses it has its own. */
export const brandIds = Schema.NullOr(Schema.Array(id))

const tokenFields = {
  id,
  name: text("Who or what uses the token", "collector"),
  start: text("The token's first 12 characters", "lst_dFF2GVZT"),
  scopes: field(scopes, "What the token may do", ["ingest"]),
  brandIds: field(brandIds, "Ids of the brands that the token reaches; null for all", ["1"]),
  createdAt: time,
  expiresAt: meantTimeOrNull("From when on the token is refused; null when it does not expire"),
  lastUsedAt: timeOrNull,
  revokedAt: timeOrNull
}
/** A token, as `accessTokenView` renders it. [OPER-11] */
export const AccessTokenBody = Schema.Struct(tokenFields).annotations({
  identifier: "OperatorToken",
  description: "An operator's token, without its value"
})
/** A new token with its value, of which the service keeps a hash alone. [OPER-11] */
export const CreatedAccessTokenBody = Schema.Struct({
  ...tokenFields,
  token: text("The token itself: only in this response", "lst_dFF2GVZTlnxOkGQc4tEXjIhksozk5ir71E0aBc")
}).annotations({ identifier: "CreatedOperatorToken", description: "A new token, with its value" })

const AuditActorBody = Schema.Struct({
  type: oneOf(
    ["environment", "token", "key", "unknown"],
    "environment: the token of the server's environment, or a one-time code; token: a token of /operator/tokens; key: an API key's session; unknown: a refused credential"
  ),
  id: textOrNull("Id of the token or key; null for the environment's token and a refused credential", "3"),
  name: textOrNull("Name of the token; null for the others", "collector")
}).annotations({ identifier: "AuditActor", description: "Who made a call" })

const AuditEntryBody = Schema.Struct({
  id,
  at: time,
  actor: field(AuditActorBody, "Who made the call"),
  viaSession: flag("Whether a browser's session stood for the credential", false),
  operation: text(
    "The operation: the last part of its operationId in this document; refusedToken for calls with a token that was refused",
    "createKey"
  ),
  brandId: textOrNull("Id of the brand that the call named; null when it named none", "1"),
  subjectId: textOrNull("Id of what the call created, changed or read; null when there is none", "7"),
  status: numberOrNull("HTTP status of the answer; null when the outcome is not known", 201)
}).annotations({ identifier: "AuditEntry", description: "One call, as the audit log has it" })

/** A page of the audit log, newest entries first. Entries hold ids; names of tokens are looked up for the answer. [AUD-4] */
export const AuditListAnswer = Schema.Struct({
  data: field(Schema.Array(AuditEntryBody), "The requested data"),
  meta: meta(
    Schema.Struct({
      nextCursor: textOrNull("The cursor of the next page; null on the last", "1767607260000-7"),
      warnings: warnings("Unknown parameters, which were ignored")
    })
  )
}).annotations({ identifier: "AuditListAnswer", description: "A page of the audit log" })
