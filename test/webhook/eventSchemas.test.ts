/** The JSON schemas of events, and the form of CloudEvents, against what the service really sends. */
import { cloudEventView, type envelopeView, largestMaxBatch, Webhooks } from "@lead-signals/domain"
import { eventDocuments, openApi } from "@lead-signals/http"
import * as MemoryStore from "@lead-signals/store-memory"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import ajvFormats from "ajv-formats"
import { HTTP } from "cloudevents"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { staleEventSchemas } from "../../scripts/event-schemas.mjs"
import { answer, settle, startEmitter, virtually } from "./VirtualWorld.ts"

type Envelope = ReturnType<typeof envelopeView>
type Json = any

const documents = eventDocuments(openApi())
const types = ["lead2.created", "activity.detected", "webhook.test"] as const

/** `x-pii` marks personal data; `examples` stand beside `$ref`. */
const ajv = new Ajv2020({ allErrors: true, strict: true, keywords: ["x-pii"], allowUnionTypes: true })
ajvFormats.default(ajv)
const validators = new Map<string, ValidateFunction>()
const refusals = (name: string, value: unknown): ReadonlyArray<string> => {
  const validate = validators.get(name) ?? ajv.compile(documents[name]!)
  validators.set(name, validate)
  return validate(value)
    ? []
    : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const author = {
  extId: "p-9",
  name: "Cy Author",
  headline: "Founder",
  company: { name: "Northwind", homepageUrl: "https://northwind.example", staffCount: 120 }
}

/** Each kind of event that the emitter sends, with little in it and with much. */
const sent = (): Promise<ReadonlyArray<Envelope>> =>
  virtually(MemoryStore.layer, (world) =>
    Effect.gen(function* () {
      yield* startEmitter()
      const webhook = yield* world.webhook(answer(204), { events: ["lead2.created", "activity.detected"] })
      yield* world.observe("p-1", "e-1")
      yield* world.observe("p-9", "e-9", { type: "reaction", commentText: null, reactionType: "LIKE" })
      yield* world.observe("p-1", "e-2", {
        postUrl: "https://network.example/p/1",
        postContent: "New.",
        postPostedAt: "2026-01-05T08:00:00Z",
        postAuthor: "Cy Author",
        postAuthorDetail: author,
        emittedAt: "2026-01-05T09:00:00Z"
      })
      yield* settle
      yield* Webhooks.test(world.brand.id, webhook.id)
      yield* settle
      return world.to(webhook).map(({ body }) => JSON.parse(body) as Envelope)
    })
  )

describe("the schemas of events", () => {
  let envelopes: ReadonlyArray<Envelope>
  beforeAll(async () => {
    envelopes = await sent()
  })

  it("are the files of docs/events [FMT-4]", () => {
    expect(staleEventSchemas(documents)).toEqual([])
    const changed = { ...documents, "webhook.test.json": {}, "other.json": {} }
    expect(staleEventSchemas(changed)).toEqual(["docs/events/webhook.test.json", "docs/events/other.json"])
  })

  it("take every envelope that is sent, its data, and the CloudEvent of it [FMT-4]", () => {
    expect(new Set(envelopes.map(({ event }) => event))).toEqual(new Set(types))
    for (const envelope of envelopes) {
      const { event } = envelope
      expect([event, refusals(`${event}.json`, envelope)]).toEqual([event, []])
      expect([event, refusals(`${event}.data.json`, envelope.data)]).toEqual([event, []])
      for (const api of ["https://leads.example.com/api/", null]) {
        const cloudEvent = JSON.parse(JSON.stringify(cloudEventView(envelope, api)))
        expect([event, refusals(`${event}.cloudevent.json`, cloudEvent)]).toEqual([event, []])
      }
    }
  })

  it("take their own examples, and further fields, but no other event and nothing less [FMT-4]", () => {
    const ofEvents = Object.entries(documents).filter(([name]) => !name.startsWith("batch."))
    expect(ofEvents).toHaveLength(Object.keys(documents).length - 2)
    for (const [name, document] of ofEvents) {
      const [example] = document["examples"]
      expect([name, refusals(name, example)]).toEqual([name, []])
      expect(refusals(name, { ...example, later: 1 })).toEqual([])
      for (const field of document["required"]) {
        const { [field]: _, ...less } = example
        expect([name, refusals(name, less).join()]).toEqual([name, expect.stringContaining(`'${field}'`)])
      }
      for (const type of types) {
        const of = envelopes.find(({ event }) => event === type)! as Json
        const other = { [`${type}.json`]: of, [`${type}.data.json`]: of.data }
        for (const [form, value] of Object.entries(other)) {
          // An activity.detected has all that a lead2.created has.
          const isPart = name === "lead2.created.data.json" && form === "activity.detected.data.json"
          if (form !== name && !isPart)
            expect([name, form, refusals(name, value)]).not.toEqual([name, form, []])
        }
      }
    }
  })

  it("take each batch that is sent, and nothing else [FMT-4, BATCH-1]", () => {
    const cloudEvents = envelopes.map((envelope) =>
      JSON.parse(JSON.stringify(cloudEventView(envelope, null)))
    )
    for (const [name, batch, other] of [
      ["batch.json", envelopes, cloudEvents],
      ["batch.cloudevent.json", cloudEvents, envelopes]
    ] as const) {
      const [example] = documents[name]!["examples"]
      expect(example.map((event: Json) => event.type ?? event.event)).toEqual(
        expect.arrayContaining([...types])
      )
      for (const taken of [batch, batch.slice(0, 1), example, [{ ...(batch[0] as Json), later: 1 }]])
        expect([name, refusals(name, taken)]).toEqual([name, []])
      const { id: _, ...less } = batch[0] as Json
      const tooMany = Array.from({ length: largestMaxBatch + 1 }, () => batch[0])
      for (const refused of [batch[0], [], other, [batch[0], other[0]], [less], tooMany])
        expect([name, refusals(name, refused)]).not.toEqual([name, []])
    }
    expect(JSON.stringify(documents["batch.json"])).toContain('"x-pii":true')
  })

  it("mark personal data, like the OpenAPI document [FMT-4, PII-1]", () => {
    const { Lead2 } = documents["lead2.created.json"]!["$defs"]
    expect(Lead2.properties.name["x-pii"]).toBe(true)
    expect(JSON.stringify(documents)).not.toContain("#/components/")
  })
})

describe("a CloudEvent", () => {
  it("is one for the official implementation, and says what the envelope says [FMT-1, FMT-2]", async () => {
    const api = "https://leads.example.com"
    for (const envelope of await sent()) {
      const { brandId, createdAt, data, event, id } = envelope
      const body = JSON.stringify(cloudEventView(envelope, api))
      const headers = { "content-type": "application/cloudevents+json" }
      // Throws where the event is not valid.
      const read = HTTP.toEvent({ headers, body }) as Json
      expect(read.validate()).toBe(true)
      expect(read.toJSON()).toEqual({
        specversion: "1.0",
        id,
        source: `/brands/${brandId}`,
        type: event,
        ...("lead2" in data ? { subject: String(data.lead2.id) } : {}),
        time: createdAt,
        datacontenttype: "application/json",
        dataschema: `${api}/events/${event}.data.json`,
        data: JSON.parse(JSON.stringify(data))
      })
    }
  })

  it("names no schema where the service does not know its URL [FMT-2]", async () => {
    for (const envelope of await sent()) {
      const cloudEvent = cloudEventView(envelope, null)
      expect(cloudEvent).not.toHaveProperty("dataschema")
      const headers = { "content-type": "application/cloudevents+json" }
      const read = HTTP.toEvent({ headers, body: JSON.stringify(cloudEvent) }) as Json
      expect([read.id, read.dataschema]).toEqual([envelope.id, undefined])
    }
  })
})
