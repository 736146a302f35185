/** Deliveries over the operator API: what arrives, what is shown of it, and what is sent again. */
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { describe, expect, it } from "vitest"
import { type Received, startReceiver } from "../harness/Receiver.ts"
import { OpenApiDocument } from "@lead-signals/simulations"
import { until, webhookCalls } from "./WebhookCalls.ts"

const calls = webhookCalls()
const { create, deliveriesOf, engage, made, operate, settled, webhooks } = calls

describe("deliveries", () => {
  it("arrive signed, in the shape of the document, and are shown with their attempts [EVT-1, EVT-4, EVT-6, DELIV-1, DELIV-5, DELIV-8, DELIV-9, VER-2, PII-1]", async () => {
    const receiver = await startReceiver(({ body }, response) => {
      response.writeHead(receiver.received.length === 1 ? 500 : 200).end(`got ${body}`)
    })
    const { id, secret } = await create(receiver.url)
    const { leadId, person } = await engage()
    const found = await settled(id)
    expect(found.map(({ attempts, event, state }) => [event, state, attempts > 0])).toEqual([
      ["activity.detected", "delivered", true],
      ["lead2.created", "delivered", true]
    ])
    const schemas: { [event: string]: string } = {
      "lead2.created": "LeadCreatedEvent",
      "activity.detected": "ActivityDetectedEvent",
      "webhook.test": "TestEvent"
    }
    const verify = ({ body, headers }: Received): any => {
      new SvixWebhook(secret).verify(body, headers)
      return new StandardWebhook(secret).verify(body, headers)
    }
    for (const received of receiver.received) {
      const envelope = verify(received)
      expect(OpenApiDocument.validate(schemas[envelope.event]!, envelope)).toBeNull()
      expect(Object.keys(envelope)).toEqual(["id", "event", "version", "createdAt", "brandId", "data"])
      expect(envelope).toMatchObject({
        version: "1",
        brandId: calls.brand.id,
        data: { lead2: { id: leadId, extId: person } }
      })
      const [engagement] = envelope.data.engagements
      expect(engagement).toMatchObject({
        postAuthor: "Author",
        postAuthorDetail: { name: "Author" },
        source: { type: "li-company-mention" }
      })
      expect(received.headers["content-type"]).toBe("application/json")
      expect(JSON.stringify(envelope)).not.toContain("internal-scrape")
    }
    const retried = found.find(({ attempts }) => attempts === 2)
    const { log, ...withoutLog } = (await operate("GET", `${webhooks()}/${id}/deliveries/${retried.id}`)).body
      .data
    // The body goes when the delivery ends: it holds personal data.
    expect(withoutLog).toEqual({ ...retried, body: null })
    const { at, durationMillis, error, status } = log[1]
    expect(retried.lastAttempt).toEqual({ at, durationMillis, status, error })
    // Each attempt has the headers that arrived, but the signature, and those of the connection.
    const sent = receiver.received.filter(({ headers }) => headers["webhook-id"] === retried.id)
    expect(log.map(({ headers }: any) => headers)).toEqual(
      sent.map(({ headers }) => ({
        "content-type": headers["content-type"],
        "user-agent": headers["user-agent"],
        "webhook-id": headers["webhook-id"],
        "webhook-timestamp": headers["webhook-timestamp"]
      }))
    )
    expect(log.map(({ number, status }: any) => [number, status])).toEqual([
      [1, 500],
      [2, 200]
    ])
    for (const { response } of log) {
      expect(response).toContain("got ")
      for (const personal of [person, "Headline", "Comment of", "Employer", "Author"])
        expect(response).not.toContain(personal)
    }
    // A test event, and a secret that is rotated: both sign for a day.
    const rotated = (await operate("POST", `${webhooks()}/${id}/rotate-secret`)).body.data
    expect(rotated.secret).not.toBe(secret)
    expect(Date.parse(rotated.previousSecretExpiresAt) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    const test = await operate("POST", `${webhooks()}/${id}/test`)
    expect(test.status).toBe(202)
    await settled(id)
    const tested = receiver.received.at(-1)!
    expect(tested.headers["webhook-id"]).toBe(test.body.data.deliveryId)
    expect(OpenApiDocument.validate("TestEvent", verify(tested))).toBeNull()
    new StandardWebhook(rotated.secret).verify(tested.body, tested.headers)
  })

  it("show the body that they send while they are pending [DELIV-9]", async () => {
    let answer = (): void => undefined
    const receiver = await startReceiver((_, response) => {
      answer = () => void response.writeHead(204).end()
    })
    const { id } = await create(receiver.url, { events: ["activity.detected"] })
    await engage()
    const { body } = await until(async () => receiver.received[0])
    const [pending] = await deliveriesOf(id, "")
    const rendered = (await operate("GET", `${webhooks()}/${id}/deliveries/${pending.id}`)).body.data
    expect([rendered.state, rendered.body, rendered.lastAttempt]).toEqual(["pending", body, null])
    answer()
    await settled(id)
  })

  it("are listed by state and by page, and held while their webhook is disabled [DELIV-4, DELIV-8]", async () => {
    const receiver = await startReceiver()
    const { id } = await create(receiver.url, { enabled: false, events: ["activity.detected"] })
    for (let i = 0; i < 5; i++) await engage()
    const all = await operate("GET", `${webhooks()}/${id}/deliveries?pageSize=2&page=3`)
    expect(all.body.meta.pagination).toEqual({ page: 3, pageSize: 2, pageCount: 3, total: 5 })
    expect(all.body.data).toHaveLength(1)
    expect(all.body.data[0]).toMatchObject({
      state: "held",
      attempts: 0,
      nextAttemptAt: null,
      finishedAt: null
    })
    const counts = async () =>
      Promise.all(
        ["pending", "held", "delivered", "dead"].map(async (state) => {
          const { body } = await operate("GET", `${webhooks()}/${id}/deliveries?state=${state}`)
          expect(body.data).toHaveLength(body.meta.pagination.total)
          return body.meta.pagination.total
        })
      )
    expect(await counts()).toEqual([0, 5, 0, 0])
    const refused = await operate("POST", `${webhooks()}/${id}/test`)
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      "id takes an enabled webhook: enable it first."
    ])
    await operate("PATCH", `${webhooks()}/${id}`, { enabled: true })
    await settled(id)
    expect(await counts()).toEqual([0, 0, 5, 0])
    expect(receiver.received).toHaveLength(5)
    const warned = await operate("GET", `${webhooks()}/${id}/deliveries?stat=dead`)
    expect(warned.body.meta.warnings).toEqual([
      'The parameter "stat" is unknown and was ignored. Did you mean "state"?'
    ])
    for (const [query, message] of [
      ["state=Dead", "state takes one of pending, held, delivered, dead."],
      ["state=", "state takes one of pending, held, delivered, dead."],
      ["page=0", "page takes an integer from 1"],
      ["state=dead&state=held", "state may be given only once."]
    ] as const) {
      const answer = await operate("GET", `${webhooks()}/${id}/deliveries?${query}`)
      expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining(message)])
    }
  })

  it("that died are sent again: one, a lead's, or all since a time [DELIV-2, DELIV-8, EVT-9]", async () => {
    let open = false
    const receiver = await startReceiver((_, response) => response.writeHead(open ? 200 : 500).end())
    const { id } = await create(receiver.url)
    const { leadId } = await engage()
    await engage()
    const dead = await settled(id)
    expect(dead.map(({ attempts, state }) => [state, attempts])).toEqual(
      Array.from({ length: 4 }, () => ["dead", 2])
    )
    open = true
    const again = await operate("POST", `${webhooks()}/${id}/deliveries/${dead[3].id}/resend`)
    expect(again.status).toBe(202)
    const resent = await operate("POST", `/operator/brands/${calls.brand.id}/leads/${leadId}/resend`, {
      webhookId: id,
      event: "activity.detected"
    })
    expect(resent.status).toBe(202)
    const since = new Date(Date.now() - 3_600_000).toISOString()
    expect((await operate("POST", `${webhooks()}/${id}/recover`, { since })).body.data).toEqual({ queued: 3 })
    expect((await operate("POST", `${webhooks()}/${id}/recover`, { since })).body.data).toEqual({ queued: 0 })
    const after = await settled(id)
    expect(after.filter(({ state }) => state === "delivered")).toHaveLength(5)
    const first = (await operate("GET", `${webhooks()}/${id}/deliveries/${dead[3].id}`)).body.data
    expect([first.state, first.resentAs]).toEqual(["dead", again.body.data.deliveryId])
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(9)

    for (const [path, json, status, message] of [
      [`${webhooks()}/${id}/deliveries/wh_none/resend`, undefined, 404, "There is no such delivery."],
      [`${webhooks()}/${id}/recover`, { since: "yesterday" }, 400, "since takes"],
      [`${webhooks()}/${id}/recover`, {}, 400, "since is required."],
      [
        `/operator/brands/${calls.brand.id}/leads/999999/resend`,
        { webhookId: id, event: "lead2.created" },
        404,
        "There is no such lead."
      ],
      [
        `/operator/brands/${calls.brand.id}/leads/${leadId}/resend`,
        { webhookId: "9999", event: "lead2.created" },
        404,
        "There is no such webhook."
      ],
      [
        `/operator/brands/${calls.brand.id}/leads/${leadId}/resend`,
        { webhookId: id, event: "x" },
        400,
        "event takes one of lead2.created, activity.detected."
      ]
    ] as const) {
      const answer = await operate("POST", path, json)
      expect([path, answer.status, answer.body.error.message]).toEqual([
        path,
        status,
        expect.stringContaining(message)
      ])
    }
  })

  it("leave no secret, no URL and nothing personal in the log [PII-2]", async () => {
    const receiver = await startReceiver((_, response) => response.writeHead(500).end())
    const { id, secret } = await create(`${receiver.url}/token-in-the-path`)
    const { person } = await engage()
    await settled(id)
    const log = calls.api.log.join("\n")
    expect(log).toContain("delivery attempted")
    expect(log).toContain('"outcome":"dead"')
    for (const kept of [secret, "token-in-the-path", person, "Headline", receiver.url])
      expect(log).not.toContain(kept)
    const secrets = made.join("\n").match(/whsec_[A-Za-z0-9+/=]+/g)!
    for (const each of secrets) expect(log).not.toContain(each)
  })
})
