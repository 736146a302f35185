/** The events in the body of a post: one or several, as envelopes or as CloudEvents. [FMT-1, BATCH-1] */
import type { Json } from "../world/KnownFacts.ts"
import { parsedBody } from "../world/PostedBodies.ts"

/** One event of a post, as its receiver reads it. */
export interface PostedEvent {
  /** Its own bytes: those of a batch without its neighbours'. */
  readonly body: string
  /** As an envelope, also where it came as a CloudEvent. */
  readonly envelope: Json
  /** As it came, where that is a CloudEvent. */
  readonly cloudEvent: Json | null
}

/** The texts of the elements of a JSON array, as they stand there, without the space around them. */
const elementsOf = (array: string): ReadonlyArray<string> => {
  const elements: Array<string> = []
  let [depth, from, isInString] = [0, 1, false]
  for (let i = 1; i < array.length; i++) {
    const character = array[i]
    if (isInString) {
      if (character === "\\") i++
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === "{" || character === "[") depth++
    else if ((character === "," && depth === 0) || (character === "]" && depth === 0)) {
      elements.push(array.slice(from, i).trim())
      from = i + 1
    } else if (character === "}" || character === "]") depth--
  }
  return elements
}

const sourceBegin = "/brands/"

const eventOf = (body: string): PostedEvent => {
  const parsed = parsedBody(body)
  if (parsed.specversion === undefined) return { body, envelope: parsed, cloudEvent: null }
  const { data, id, source, time, type } = parsed
  const brandId = String(source).startsWith(sourceBegin) ? source.slice(sourceBegin.length) : source
  return {
    body,
    envelope: { id, event: type, version: "1", createdAt: time, brandId, data },
    cloudEvent: parsed
  }
}

/** Whether the body is an array. */
export const isBatch = (body: string): boolean => body.startsWith("[")

/** The events of a post, in its order; throws where the body is no JSON. */
export const eventsOf = (body: string): ReadonlyArray<PostedEvent> => {
  if (!isBatch(body)) return [eventOf(body)]
  return JSON.parse(body).length === 0 ? [] : elementsOf(body).map(eventOf)
}
