/** What needs a hand, as far as a server counts it. [OPER-13] */
import { Schema } from "effect"
import { field, id, integer, text, time, timeOrNull } from "./Fields.ts"

const tally = {
  count: integer("How many since the server started", 3),
  lastAt: timeOrNull
}

/** The data of GET /operator/brands/:brandId/attention: `lastAt` is null while the count is 0. [OPER-13] */
export const AttentionBody = Schema.Struct({
  since: time,
  rejectedObservations: field(Schema.Struct(tally), "Observations that were rejected"),
  refusedRequests: field(
    Schema.Array(Schema.Struct({ keyId: id, label: text("What the key is for", "crm"), ...tally })),
    "Requests that were refused because their key's rate window was used up, by key"
  )
}).annotations({ identifier: "Attention", description: "Counts of one server since it started" })
