/** What the operator sends and is answered about brands, keys, signals, observations, leads and campaigns. */
import { keyScopes } from "@lead-signals/domain"
import { Schema } from "effect"
import { signalName, signalType, SourceBody } from "./EngagementSchemas.ts"
import {
  field,
  flag,
  id,
  integer,
  numberOrNull,
  oneOf,
  text,
  textOrNull,
  time,
  meantTimeOrNull,
  timeOrNull
} from "./Fields.ts"

/* What is sent */

/** Observations of one JSON body; x-ndjson has no bound. [OBS-4] */
export const maxBatchLength = 1000

/** Rejected lines of x-ndjson that one request is answered in full; a count answers each row of further ones. */
export const maxFullRejections = 1000

/** The body of a JSON batch. Each element is read for itself, so that one invalid observation rejects no other. */
export const ObservationBatch = Schema.Struct({
  observations: Schema.Array(Schema.Unknown)
    .pipe(Schema.maxItems(maxBatchLength))
    .annotations({ description: `an array of at most ${maxBatchLength} observations` })
})

/* What is answered */

/** A brand, as `brandView` renders it: without its secret. */
export const BrandBody = Schema.Struct({
  id,
  name: text("Name of the brand", "Northwind"),
  createdAt: time,
  deletionStartedAt: meantTimeOrNull(
    "When the deletion of the brand began; null unless it is being deleted, and then its keys are refused"
  )
}).annotations({ identifier: "Brand", description: "A brand, which owns leads" })

/** The answer of one call of a deletion, which removes a part at a time. [DEL-1] */
export const DeletionBody = Schema.Struct({
  deleted: flag("Whether the deletion is complete; if not, call again", false),
  leadsLeft: integer("How many of its leads are still to be removed", 12000)
}).annotations({ identifier: "BrandDeletion", description: "Progress of a brand's deletion" })

const keyFields = {
  id,
  label: text("What the key is for", "crm"),
  start: text("The key's first 12 characters", "lsk_dFF2"),
  requestsPerMinute: integer("How many requests a minute the key may make", 60),
  createdAt: time,
  lastUsedAt: timeOrNull,
  revokedAt: timeOrNull,
  expiresAt: meantTimeOrNull("From when on the key is refused; null when it does not expire"),
  scopes: field(Schema.Array(oneOf(keyScopes, "Something that a key may read")), "What the key reads", [
    "leads"
  ]),
  allowedAddresses: field(
    Schema.NullOr(Schema.Array(text("An address or a range", "192.0.2.0/24"))),
    "From where the key works; null for everywhere",
    ["192.0.2.0/24"]
  )
}
/** A key, as `keyView` renders it: `start` is for people to tell keys apart. [AUTH-8] */
export const KeyBody = Schema.Struct(keyFields).annotations({
  identifier: "ApiKey",
  description: "A brand's key, without its value"
})
/** A new key with its value, of which the service keeps a hash alone. [AUTH-4] */
export const CreatedKeyBody = Schema.Struct({
  ...keyFields,
  key: text("The key itself: only in this response", "lsk_dFF2GVZTlnxOkGQc4tEXjIhksozk5ir71E9AaB")
}).annotations({ identifier: "CreatedApiKey", description: "A new key, with its value" })

/** A signal, as `signalView` renders it, for the brand and for the operator. */
export const SignalBody = Schema.Struct({
  id,
  name: signalName,
  signalType,
  source: field(SourceBody, "What the signal was watching"),
  createdAt: time
}).annotations({ identifier: "Signal", description: "Something that a brand watches" })

/** A campaign, as `namedView` renders it, for the brand and for the operator. */
export const CampaignBody = Schema.Struct({
  id,
  name: text("Name of the campaign", "Spring launch"),
  createdAt: time
}).annotations({ identifier: "Campaign", description: "Posts of a brand that are measured together" })

/** One row of the answer to observations: an element of the JSON batch or a line of x-ndjson, in order. [OBS-4] */
export const OutcomeBody = Schema.Struct({
  engagementId: textOrNull("Id of the engagement; null when it could not be read", "e-1"),
  outcome: oneOf(
    ["recorded", "duplicate", "suppressed", "rejected"],
    "Outcome of the observation: recorded, duplicate, suppressed (the person was erased) or rejected"
  ),
  leadId: numberOrNull("Id of the lead that it was recorded for; null when it was not", 41),
  message: Schema.optional(
    text("Why it was rejected; present on a rejection only", "person.name is required.")
  ),
  unknownFields: Schema.optional(
    Schema.Array(text("Path of a field", "person.headlin")).annotations({
      description:
        "Paths of fields that were sent and ignored, at most 20; present where there are any and the request asked by unknownFields=report"
    })
  ),
  count: Schema.optional(
    integer(
      `How many rejected lines in a row this stands for, once a request's first ${maxFullRejections} rejections were answered in full; present on x-ndjson only`,
      12
    )
  )
}).annotations({ identifier: "Outcome", description: "Outcome of one observation" })
