/** The feed of changes, as the domain's views render it. [CHG-1, CHG-2, CHG-3] */
import type { changeMetaView, removedLeadView } from "@lead-signals/domain"
import { removedLeadDays } from "@lead-signals/domain"
import { Schema } from "effect"
import { documents } from "./DocumentedView.ts"
import { meta, warnings } from "./Envelopes.ts"
import { field, flag, integer, oneOf, text, time } from "./Fields.ts"
import { LeadBody } from "./LeadSchemas.ts"

const ofType = "What happened: `lead`, it is new or has changed; `removed`, it is gone"

const ChangedLeadBody = Schema.Struct({
  type: oneOf(["lead"], ofType),
  lead: field(LeadBody, "The lead in its newest state")
}).annotations({ identifier: "ChangedLead", description: "A lead that is new or has changed" })

const RemovedLeadBody = documents<ReturnType<typeof removedLeadView>>()(
  Schema.Struct({
    type: oneOf(["removed"], ofType),
    id: integer("The id that the lead had; it is never given to another", 41),
    removedAt: time
  })
).annotations({
  identifier: "RemovedLead",
  description: `A lead that was erased, or kept as long as the retention says. Copies must delete it. The feed tells it for ${removedLeadDays} days`
})

/**
 * The answer of both change feeds, the brand's and the operator's. Tied to the view `changeMetaView` but for leads, which `LeadBody`
 * documents. [CHG-1, CHG-3]
 */
export const ChangeFeedAnswer = Schema.Struct({
  data: field(
    Schema.Array(Schema.Union(ChangedLeadBody, RemovedLeadBody)),
    "The changes in the order of their commits, each lead once"
  ),
  meta: meta(
    documents<ReturnType<typeof changeMetaView>>()(
      Schema.Struct({
        cursor: text(
          "Where the next request goes on; keep it with the copy",
          "MSA0MSAwIAXsQ1nq9bKJ0p0ZxQ2tq3k"
        ),
        hasMore: flag("Whether more changes follow at once"),
        warnings: warnings("Unknown parameters, which were ignored")
      })
    )
  )
}).annotations({ identifier: "ChangeFeedAnswer", description: "A page of changes" })
