/** What a live feed of events sends. [LIVE-1, PII-1] */
import { engagementTypes, eventTypes, type liveEventView } from "@lead-signals/domain"
import { Schema } from "effect"
import { documents } from "./DocumentedView.ts"
import {
  field,
  flag,
  id,
  integer,
  oneOf,
  oneOfOrNull,
  piiText,
  piiTextOrNull,
  text,
  textOrNull,
  time
} from "./Fields.ts"

/** The line `data` of one server-sent event. Its id is the event's position among those of its brand. [LIVE-1] */
export const LiveEventBody = documents<ReturnType<typeof liveEventView>>()(
  Schema.Struct({
    event: oneOf(eventTypes, "The event's type"),
    occurredAt: time,
    isFirstActivity: flag("True on the activity.detected of the person's first engagement"),
    lead: field(
      Schema.Struct({
        id: integer("The lead's id", 41),
        name: piiText("Name of the person", "Ada Example"),
        headline: piiTextOrNull("The line under the name", "Head of Sales at Northwind")
      }),
      "The person, as known when the event is sent"
    ),
    engagement: field(
      Schema.Struct({
        id: text("The engagement's id", "e-1"),
        type: oneOfOrNull(engagementTypes, "Kind of the engagement; null when it is not known"),
        reactionType: textOrNull("Which reaction; null on anything else", "LIKE")
      }),
      "The engagement that fired the event"
    ),
    signal: field(
      Schema.Struct({ id, name: text("Name of the signal", "Rivals") }),
      "The signal that caught it"
    )
  })
).annotations({ identifier: "LiveEvent", description: "An event of a live feed" })

/** What a stream sends, as the document's example. */
export const liveExample = (event: unknown): string =>
  `id: 812\nretry: 1000\n\nid: 813\nevent: activity.detected\ndata: ${JSON.stringify(event)}\n\nid: 813\n:\n\n`
