/**
 * The JSON schemas of events, as documents of their own: for each event type its envelope, its `data`, and its CloudEvent, and the arrays of
 * batches. They are made from the OpenAPI document, so both say the same. [FMT-4]
 */
import { cloudEventView, dataSchemaPath, eventTypes, largestMaxBatch, testEvent } from "@lead-signals/domain"

// A JSON schema is looked into freely here.
type Json = Record<string, any>

const events = [...eventTypes, testEvent] as const

const dialect = "https://json-schema.org/draft/2020-12/schema"

const componentPrefix = "#/components/schemas/"

/** Calls `visit` with each object of the JSON value that refers to another schema. */
const eachReference = (value: unknown, visit: (reference: Json) => void): void => {
  if (typeof value !== "object" || value === null) return
  if (typeof (value as Json)["$ref"] === "string") visit(value as Json)
  for (const each of Object.values(value)) eachReference(each, visit)
}

/** The schema with the components that it refers to, however far, below `$defs`. */
const selfContained = (schema: Json, components: Json): Json => {
  const found = new Map<string, Json>()
  const collect = (part: Json): Json => {
    const copy = structuredClone(part)
    eachReference(copy, (reference) => {
      const name = reference["$ref"].slice(componentPrefix.length)
      reference["$ref"] = `#/$defs/${name}`
      if (found.has(name)) return
      // Known before it is collected: a schema may refer to itself.
      found.set(name, {})
      found.set(name, collect(components[name]))
    })
    return copy
  }
  const own = collect(schema)
  const definitions = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return definitions.length === 0 ? own : { ...own, $defs: Object.fromEntries(definitions) }
}

const constant = (value: string, description: string): Json => ({ type: "string", const: value, description })

const exampleApi = "https://leads.example.com"

/** The JSON Schema of an event as a CloudEvent, derived from that of its envelope: same data and examples. [FMT-1] */
const cloudEvent = (envelope: Json): Json => {
  const { createdAt, data, event, id } = envelope["properties"]
  const [example] = envelope["examples"]
  const type = example["event"]
  const subject = {
    type: "string",
    pattern: "^[0-9]+$",
    description: "The lead's id, as in data.lead2.id",
    examples: ["41"]
  }
  const properties = {
    specversion: constant("1.0", "The version of CloudEvents"),
    id,
    source: {
      type: "string",
      format: "uri-reference",
      pattern: "^/brands/[0-9]+$",
      description: "The brand",
      examples: ["/brands/7"]
    },
    type: event,
    ...(type === testEvent ? {} : { subject }),
    time: createdAt,
    datacontenttype: constant("application/json", "The media type of data"),
    dataschema: {
      type: "string",
      format: "uri",
      description: "The schema of data; absent when the service does not know its own URL",
      examples: [`${exampleApi}${dataSchemaPath(type)}`]
    },
    data
  }
  return {
    type: "object",
    required: Object.keys(properties).filter((name) => name !== "dataschema"),
    properties,
    additionalProperties: true,
    description: envelope["description"],
    examples: [cloudEventView(example, exampleApi)]
  }
}

/** The names of the documents of an event: `/events/<name>` is the path of each. */
const namesOf = (event: string) => ({
  envelope: `${event}.json`,
  data: dataSchemaPath(event).slice("/events/".length),
  cloudEvent: `${event}.cloudevent.json`
})

/** The names of the documents of a batch, whatever its events are, by their format. [BATCH-1] */
const batchNames = { envelope: "batch.json", cloudEvent: "batch.cloudevent.json" } as const

/** The names of all documents; `/events/<name>` is the path of each. [FMT-4] */
export const eventDocumentNames: ReadonlyArray<string> = [
  ...events.flatMap((event) => Object.values(namesOf(event))),
  ...Object.values(batchNames)
]

/** The array that a webhook with `maxBatch` gets, of the schemas of its elements. */
const batchOf = (elements: ReadonlyArray<Json>): Json => ({
  type: "array",
  minItems: 1,
  maxItems: largestMaxBatch,
  items: { anyOf: elements },
  description: "The events of one post, in the order in which they became due",
  examples: [elements.map(({ examples }) => examples[0])]
})

/** The documents by their names, from the OpenAPI document. [FMT-4] */
export const eventDocuments = (openApi: Json): Readonly<Record<string, Json>> => {
  const components = openApi["components"]["schemas"]
  const envelopeOf = (event: string): Json => {
    const [reference] = Object.values<Json>(openApi["webhooks"][event].post.requestBody.content)
    return components[reference!["schema"].$ref.slice(componentPrefix.length)]
  }
  const envelopes = events.map(envelopeOf)
  const batches: ReadonlyArray<readonly [string, string, Json]> = [
    [batchNames.envelope, "A batch of envelopes of version 1", batchOf(envelopes)],
    [
      batchNames.cloudEvent,
      "A batch of CloudEvents 1.0: the JSON Batch Format",
      batchOf(envelopes.map(cloudEvent))
    ]
  ]
  const documents = [
    ...events.flatMap((event) => {
      const envelope = envelopeOf(event)
      const names = namesOf(event)
      const data = { ...envelope["properties"]["data"], examples: [envelope["examples"][0].data] }
      const ofEvent: ReadonlyArray<readonly [string, string, Json]> = [
        [names.envelope, `${event}: envelope of version 1`, envelope],
        [names.data, `${event}: data`, data],
        [names.cloudEvent, `${event}: CloudEvents 1.0 in structured mode`, cloudEvent(envelope)]
      ]
      return ofEvent
    }),
    ...batches
  ]
  return Object.fromEntries(
    documents.map(([name, title, schema]) => [
      name,
      { $schema: dialect, title, ...selfContained(schema, components) }
    ])
  )
}
