/** How receivers read posts, and what the rules of formats and order say of them. */
import { inputOf, scenarioNamed, simulate } from "@lead-signals/simulations"
import { Checks, eventsOf, KnownFacts, oracles } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"

const envelope = (id: string, text = "") => ({
  id,
  event: "activity.detected",
  version: "1",
  createdAt: "2026-01-05T08:00:00.000Z",
  brandId: "1",
  data: { isFirstActivity: false, lead2: { id: 7, extId: "p", headline: text }, engagements: [{ id: "e" }] }
})

const cloudEvent = (id: string) => ({
  specversion: "1.0",
  id,
  source: "/brands/1",
  type: "activity.detected",
  subject: "7",
  time: "2026-01-05T08:00:00.000Z",
  datacontenttype: "application/json",
  data: envelope(id).data
})

const idOf = (n: number): string => `wh_${String(n).padStart(32, "0")}`
const batchIdOf = (n: number): string => `wb_${String(n).padStart(32, "0")}`

describe("the events of a post", () => {
  it("have their own bytes, whatever is in their texts [BATCH-1]", () => {
    const texts = ["", '},{"[', '\\"],', "a\\\\", "{[(\u2028"].map((text, i) =>
      JSON.stringify(envelope(idOf(i), text))
    )
    expect(eventsOf(`[${texts.join(",")}]`).map(({ body }) => body)).toEqual(texts)
    expect(eventsOf(texts[1]!).map(({ body }) => body)).toEqual([texts[1]])
    expect(eventsOf(`[${texts[2]!}]`)).toHaveLength(1)
    expect(eventsOf("[]")).toEqual([])
    expect(() => eventsOf(`[${texts.join("")}]`)).toThrow("JSON")
  })

  it("are envelopes, in whatever form they come [FMT-1]", () => {
    const [event] = eventsOf(JSON.stringify(cloudEvent(idOf(1))))
    expect(event!.envelope).toEqual(envelope(idOf(1)))
    expect(event!.cloudEvent).toEqual(cloudEvent(idOf(1)))
    expect(eventsOf(JSON.stringify(envelope(idOf(1))))[0]!.cloudEvent).toBeNull()
  })
})

const { plan } = inputOf(scenarioNamed("swarm")!, 1)

interface Webhook {
  readonly ordering?: "none" | "lead"
  readonly format?: "envelope" | "cloudevents"
  readonly maxBatch?: number
}

/** What the rule says of posts to one webhook of a host: the first complaint about each. */
const judged = (
  rule: string,
  requested: Webhook,
  posts: ReadonlyArray<{
    readonly id: string
    readonly body: string
    readonly headers?: Record<string, string>
    readonly status?: number
  }>
): ReadonlyArray<string | null> => {
  const facts = new KnownFacts(plan)
  facts.brands.push({ id: "1", reference: { renewed: new Set() } } as never)
  const oracle = oracles.find(({ name }) => name === rule)!
  const { posted } = oracle.instantiate(facts, new Checks(rule))
  const webhook = {
    id: "1",
    brandId: "1",
    ordering: "none",
    format: "envelope",
    maxBatch: 1,
    maxWait: 0,
    ...requested
  }
  return posts.map(({ body, headers = {}, id, status = 200 }) => {
    const events = eventsOf(body)
    const message = { id, body, posts: [] as Array<object> }
    for (const [index, event] of events.entries())
      message.posts.push({
        ...event,
        id: event.envelope.id,
        index,
        headers,
        message,
        messageId: id,
        status,
        webhook
      })
    return message.posts.map((post) => posted!(post as never)).find((wrong) => wrong !== null) ?? null
  })
}

const batch = (...ids: ReadonlyArray<number>): string => JSON.stringify(ids.map((n) => envelope(idOf(n))))

describe("the rule of formats", () => {
  const of = (requested: Webhook, id: string, body: string) =>
    judged("formats right", requested, [{ id, body }])[0]

  it("lets a webhook have the form that it asked for, and no other [FMT-3, BATCH-1]", () => {
    const alone = JSON.stringify(envelope(idOf(1)))
    const asEvent = JSON.stringify(cloudEvent(idOf(1)))
    expect(of({}, idOf(1), alone)).toBeNull()
    expect(of({ format: "cloudevents" }, idOf(1), asEvent)).toBeNull()
    expect(of({ maxBatch: 2 }, batchIdOf(1), batch(1))).toBeNull()
    expect(of({}, idOf(1), asEvent)).toContain("takes envelope got a CloudEvent")
    expect(of({ format: "cloudevents" }, idOf(1), alone)).toContain("takes cloudevents got an envelope")
    expect(of({ maxBatch: 2 }, idOf(1), alone)).toContain("takes 2 events a post got no array")
    expect(of({}, idOf(1), batch(1))).toContain("takes 1 events a post got an array")
  })

  it("judges each attribute of a CloudEvent [FMT-1, FMT-2]", () => {
    const wrong = (change: object) =>
      of({ format: "cloudevents" }, idOf(1), JSON.stringify({ ...cloudEvent(idOf(1)), ...change }))
    expect(wrong({})).toBeNull()
    expect(wrong({ colour: "red" })).toContain("has colour")
    expect(wrong({ specversion: "0.3" })).toContain("version 0.3")
    expect(wrong({ source: "/brands/2" })).toContain("source /brands/2")
    expect(wrong({ subject: "p" })).toContain("about lead 7 has the subject p")
    expect(wrong({ datacontenttype: "text/plain" })).toContain("text/plain")
    expect(wrong({ dataschema: "https://x.example/events/other.json" })).toContain("other.json")
  })

  it("lets a batch have one id and one size [BATCH-1, BATCH-5]", () => {
    const two = { maxBatch: 2 }
    const rule = (...posts: Parameters<typeof judged>[2]) => judged("formats right", two, posts)
    expect(rule({ id: batchIdOf(1), body: batch(1, 2) }, { id: batchIdOf(1), body: batch(1, 2) })).toEqual([
      null,
      null
    ])
    expect(rule({ id: batchIdOf(1), body: batch(1, 2, 3) })[0]).toContain("has 3 events, and 2 are asked for")
    expect(rule({ id: batchIdOf(1), body: batch(1, 1) })[0]).toContain("an event is twice in the batch")
    expect(rule({ id: batchIdOf(1), body: batch(1, 2).replace("},{", "}, {") })[0]).toContain("more in it")
    expect(
      rule({ id: batchIdOf(1), body: batch(1, 2) }, { id: batchIdOf(1), body: batch(2, 1) })[1]
    ).toContain("names two batches")
    expect(
      rule({ id: batchIdOf(1), body: batch(1, 2) }, { id: batchIdOf(2), body: batch(1, 2) })[1]
    ).toContain(`was ${batchIdOf(1)}`)
  })
})

describe("the rule of order", () => {
  const inOrder = { ordering: "lead" } as const
  const place = (order: string, skipped?: string) => ({
    "lead-signals-ordering": order,
    ...(skipped === undefined ? {} : { "lead-signals-skipped": skipped })
  })
  const alone = (n: number, status: number, headers = place("lead"), createdAt?: string) => ({
    id: idOf(n),
    body: JSON.stringify({ ...envelope(idOf(n)), ...(createdAt === undefined ? {} : { createdAt }) }),
    headers,
    status
  })
  const rule = (...posts: Parameters<typeof judged>[2]) => judged("leads in order", inOrder, posts)

  it("lets an event come when the one before was taken or skipped [ORD-2, ORD-5]", () => {
    expect(rule(alone(1, 200), alone(2, 200))).toEqual([null, null])
    expect(rule(alone(1, 500), alone(1, 200), alone(2, 200))).toEqual([null, null, null])
    expect(rule(alone(1, 500), alone(2, 200))[1]).toContain(`came before ${idOf(1)} was taken or skipped`)
    expect(rule(alone(1, 500), alone(2, 200, place("lead", idOf(1))))[1]).toBeNull()
    expect(rule(alone(1, 500), alone(2, 200, place("none")))[1]).toBeNull()
    expect(rule(alone(1, 200), alone(2, 200, place("lead"), "2026-01-05T07:59:59.999Z"))[1]).toContain(
      "came after one that was queued 1 ms later"
    )
  })

  it("judges each event of a batch by its own place [ORD-5, BATCH-1]", () => {
    const two = (order: string, status: number, ...ids: ReadonlyArray<number>) => ({
      id: batchIdOf(ids[0]!),
      body: batch(...ids),
      headers: place(order),
      status
    })
    const batched = (...posts: Parameters<typeof judged>[2]) =>
      judged("leads in order", { ...inOrder, maxBatch: 5 }, posts)
    expect(batched(two("lead none", 500, 1, 9), two("lead", 200, 1), two("lead", 200, 2))).toEqual([
      null,
      null,
      null
    ])
    expect(batched(two("none lead", 500, 9, 1), two("lead", 200, 2))[1]).toContain(
      `came before ${idOf(1)} was taken or skipped`
    )
  })
})

describe("receivers of a run", () => {
  it("get batches and CloudEvents, which every rule judges [BATCH-1, FMT-3, ORD-2]", () => {
    const marks = new Set<string>()
    const counts = new Map<string, number>()
    for (const seed of [1, 2]) {
      const { checks, coverageMarks, outcome, violation } = simulate(scenarioNamed("ordering")!, seed)
      expect([seed, outcome, violation]).toEqual([seed, "passed", null])
      for (const mark of coverageMarks) marks.add(mark)
      for (const { judged, rule } of checks) counts.set(rule, (counts.get(rule) ?? 0) + judged)
    }
    for (const mark of [
      "several events came in a batch",
      "an event came as a CloudEvent",
      "events of a lead came in order"
    ])
      expect([mark, marks.has(mark)]).toEqual([mark, true])
    for (const rule of [
      "each CloudEvent",
      "each batch, and its id",
      "an event that waited for the one before",
      "a lead's events come one after the other"
    ])
      expect([rule, (counts.get(rule) ?? 0) > 0]).toEqual([rule, true])
  })
})
