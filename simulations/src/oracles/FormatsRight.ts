/** Each post has the form, the size and the id that its webhook asked for. [FMT-1, FMT-2, FMT-3, BATCH-1, BATCH-4, BATCH-5] */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { isBatch } from "../actors/PostedEvents.ts"
import type { Json, KnownFacts, ReceivedPost } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import type { Oracle } from "./Oracle.ts"
import { outboxOf, type OutboxReference } from "./OutboxReference.ts"

const maxBytes = 1024 * 1024

const attributes = new Set([
  "specversion",
  "id",
  "source",
  "type",
  "subject",
  "time",
  "datacontenttype",
  "dataschema",
  "data"
])

/** What is wrong with a CloudEvent, by version 1.0 of its specification and what this service says of each attribute; null where nothing is. */
const wrongCloudEvent = (facts: KnownFacts, event: Json, { webhook }: ReceivedPost): string | null => {
  const { data, dataschema, source, specversion, subject, type } = event
  const strange = Object.keys(event).find((name) => !attributes.has(name))
  if (strange !== undefined) return `a CloudEvent has ${strange}`
  if (specversion !== "1.0") return `a CloudEvent is of version ${specversion}`
  if (source !== `/brands/${webhook.brandId}`) return `a CloudEvent is of the source ${source}`
  const lead = type === "webhook.test" ? undefined : String(data?.lead2?.id)
  if (subject !== lead) return `a CloudEvent about lead ${lead} has the subject ${subject}`
  if (event.datacontenttype !== "application/json") return `a CloudEvent has data of ${event.datacontenttype}`
  // The simulated service does not know its own URL; a host may.
  const isSchemaRight = facts.isStoreSeen
    ? dataschema === undefined
    : dataschema === undefined || String(dataschema).endsWith(`/events/${type}.data.json`)
  return isSchemaRight ? null : `the schema of a CloudEvent is ${dataschema}`
}

/** The place of the event in the answer of the lease under which it was posted. */
const leasedAt = ({ leases }: OutboxReference, { id, sent }: ReceivedPost): number =>
  leases.get(id)?.findLast(({ at, process }) => at <= sent.at && process === sent.process)?.place ?? 0

const instance = (facts: KnownFacts, checks: Checks) => {
  const forms = checks.rule("the form of a post")
  const cloudEvents = checks.rule("each CloudEvent")
  const batches = checks.rule("each batch, and its id")
  /** The deliveries of each batch, by its id, and the ids of batches, by their deliveries. */
  const composed = new Map<string, string>()
  const named = new Map<string, string>()

  const wrongBatch = ({ message: { body, id, posts }, webhook }: ReceivedPost): string | null => {
    batches.judged++
    const ids = posts.map((post) => post.id)
    if (ids.length === 0 || ids.length > webhook.maxBatch)
      return `a batch has ${ids.length} events, and ${webhook.maxBatch} are asked for at most`
    if (new Set(ids).size < ids.length) return `an event is twice in the batch ${id}`
    if (ids.length > 1 && utf8ToBytes(body).length > maxBytes) return `the batch ${id} is larger than 1 MiB`
    if (body !== `[${posts.map((post) => post.body).join(",")}]`)
      return `the batch ${id} has more in it than its events`
    const places = facts.isStoreSeen ? posts.map((post) => leasedAt(outboxOf(facts), post)) : []
    const misplaced = places.findIndex((place, i) => i > 0 && place < places[i - 1]!)
    if (misplaced > 0)
      return `${ids[misplaced]} was leased before ${ids[misplaced - 1]}, and comes after it in ${id}`
    const composition = `${webhook.id} ${ids.join(" ")}`
    const before = composed.get(id) ?? composition
    composed.set(id, composition)
    if (before !== composition) return `${id} names two batches`
    const name = named.get(composition) ?? id
    named.set(composition, id)
    if (name !== id) return `a batch that came again as ${id} was ${name}`
    if (posts.length > 1) facts.coverageMarks.add("several events came in a batch")
    return null
  }

  return (post: ReceivedPost): string | null => {
    const { cloudEvent, index, message, webhook } = post
    if ((cloudEvent !== null) !== (webhook.format === "cloudevents"))
      return `a webhook that takes ${webhook.format} got ${cloudEvent === null ? "an envelope" : "a CloudEvent"}`
    if (cloudEvent !== null) {
      cloudEvents.judged++
      const wrong = wrongCloudEvent(facts, cloudEvent, post)
      if (wrong !== null) return wrong
    }
    if (index > 0) return null
    forms.judged++
    if (isBatch(message.body) !== webhook.maxBatch > 1)
      return `a webhook that takes ${webhook.maxBatch} events a post got ${isBatch(message.body) ? "an array" : "no array"}`
    return webhook.maxBatch > 1 ? wrongBatch(post) : null
  }
}

/** The form that a webhook asked for. */
export const formatsRight: Oracle = {
  name: "formats right",
  instantiate: (facts, checks) => ({ posted: instance(facts, checks) })
}
