/** Reads the events in the body of a post, whatever its format and with or without others. [FMT-3, BATCH-1] */

/** An event as every format says it, in the words of the envelope. */
export interface ReadEvent {
  /** The id of the event's delivery, the same on every retry. */
  readonly id: string
  /** The event's type. */
  readonly event: string
  /** The version of the envelope. */
  readonly version: string
  /** When the event was committed, as in the body. */
  readonly createdAt: string
  /** Whose event it is: decimal digits. */
  readonly brandId: string
  /** What the event says. */
  readonly data: unknown
}

// A body of any form is read.
type Json = any

const ofCloudEvent = ({ data, id, source, time, type }: Json): ReadEvent => ({
  id,
  event: type,
  version: "1",
  createdAt: time,
  brandId: String(source).split("/").at(-1) ?? "",
  data
})

const isObject = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The events of a body, in its order: an envelope or a CloudEvent is one, an array of them several. A CloudEvent becomes the envelope that
 * says the same. Null when the body is no JSON, or holds anything else than objects.
 */
export const read = (body: string): ReadonlyArray<ReadEvent> | null => {
  try {
    const parsed: Json = JSON.parse(body)
    const items: ReadonlyArray<Json> = Array.isArray(parsed) ? parsed : [parsed]
    if (!items.every(isObject)) return null
    return items.map((each) => ("specversion" in each ? ofCloudEvent(each) : each))
  } catch {
    return null
  }
}
