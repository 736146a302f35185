/** An event in the structured mode of CloudEvents 1.0. [FMT-1] */
import type { envelopeView } from "./EventView.ts"

type Envelope = ReturnType<typeof envelopeView>

/** The path of the JSON Schema of an event's `data`, below the URL of the API. [FMT-4] */
export const dataSchemaPath = (event: string): string => `/events/${event}.data.json`

/**
 * The CloudEvent of an envelope. `id` is the envelope's, the same on every retry; `source` names the brand; `subject` is the
 * lead's id, absent on a test. `apiUrl` is the URL of the API as its clients know it, with or without a slash at the end; where
 * it is null, the event has no `dataschema`, which must be an absolute URL. [FMT-1, FMT-2]
 */
export const cloudEventView = ({ brandId, createdAt, data, event, id }: Envelope, apiUrl: string | null) => ({
  specversion: "1.0" as const,
  id,
  source: `/brands/${brandId}`,
  type: event,
  ...("lead2" in data ? { subject: String(data.lead2.id) } : {}),
  time: createdAt,
  datacontenttype: "application/json" as const,
  ...(apiUrl === null ? {} : { dataschema: `${apiUrl.replace(/\/+$/, "")}${dataSchemaPath(event)}` }),
  data
})
