/** Webhooks over the operator API: what creates, shows, changes and deletes them, and what is refused. */
import { eventTypes } from "@lead-signals/domain"
import { describe, expect, it } from "vitest"
import { startReceiver } from "../harness/Receiver.ts"
import { setUpBrand, startApi } from "../harness/HttpServers.ts"
import { events, webhookCalls } from "./WebhookCalls.ts"

const calls = webhookCalls()
const { create, operate, webhooks } = calls

describe("a webhook", () => {
  it("is created, shown, changed and deleted; its secret is shown once [DELIV-1, DELIV-8, OPER-2]", async () => {
    const receiver = await startReceiver()
    const created = await create(`${receiver.url}/a`, { description: "CRM", events: [...events].reverse() })
    expect(created).toEqual({
      id: expect.stringMatching(/^\d+$/),
      url: `${receiver.url}/a`,
      events,
      description: "CRM",
      enabled: true,
      disabledReason: null,
      failingSince: null,
      ordering: "none",
      maxDelay: null,
      format: "envelope",
      maxBatch: 1,
      maxWait: 0,
      createdAt: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)
    })
    const { secret, ...withoutSecret } = created
    expect((await operate("GET", `${webhooks()}/${created.id}`)).body.data).toEqual(withoutSecret)
    expect((await operate("GET", webhooks())).body.data).toContainEqual(withoutSecret)

    const changed = await operate("PATCH", `${webhooks()}/${created.id}`, {
      url: `${receiver.url}/b`,
      events: ["lead2.created"],
      description: null,
      enabled: false
    })
    expect(changed.body.data).toMatchObject({
      url: `${receiver.url}/b`,
      events: ["lead2.created"],
      description: null,
      enabled: false,
      disabledReason: "The operator disabled it."
    })
    const sending = { ordering: "lead", maxDelay: 600, format: "cloudevents", maxBatch: 10, maxWait: 2 }
    const sent = await operate("PATCH", `${webhooks()}/${created.id}`, sending)
    expect(sent.body.data).toEqual({ ...changed.body.data, ...sending })
    const unbounded = await operate("PATCH", `${webhooks()}/${created.id}`, { maxDelay: null })
    expect(unbounded.body.data).toEqual({ ...sent.body.data, maxDelay: null })
    expect((await operate("DELETE", `${webhooks()}/${created.id}`)).status).toBe(204)
    for (const [method, path, json] of [
      ["GET", "", undefined],
      ["PATCH", "", {}],
      ["DELETE", "", undefined],
      ["POST", "/test", undefined],
      ["POST", "/rotate-secret", undefined],
      ["POST", "/recover", { since: "2026-01-01" }],
      ["GET", "/deliveries", undefined]
    ] as const) {
      const answer = await operate(method, `${webhooks()}/${created.id}${path}`, json)
      expect([method, path, answer.status, answer.body.error.code]).toEqual([method, path, 404, "not_found"])
    }
    expect(JSON.stringify((await operate("GET", webhooks())).body)).not.toContain(secret)
  })

  it("is its brand's alone [OPER-3, AUTH-3]", async () => {
    const receiver = await startReceiver()
    const { id } = await create(receiver.url)
    const other = await setUpBrand(calls.api)
    const elsewhere = `/operator/brands/${other.id}/webhooks/${id}`
    for (const [method, path, json] of [
      ["GET", "", undefined],
      ["PATCH", "", { enabled: false }],
      ["DELETE", "", undefined],
      ["POST", "/test", undefined],
      ["POST", "/rotate-secret", undefined],
      ["GET", "/deliveries", undefined]
    ] as const) {
      expect((await operate(method, `${elsewhere}${path}`, json)).status).toBe(404)
    }
    expect((await operate("GET", `${webhooks()}/${id}`)).body.data.enabled).toBe(true)
    await operate("DELETE", `${webhooks()}/${id}`)
  })

  it.each([
    [{ events }, "url is required."],
    [{ url: "", events }, "url takes an absolute URL of at most 2048 characters."],
    [{ url: "x".repeat(3000), events }, "url takes an absolute URL of at most 2048 characters."],
    [{ url: "hooks.example.com", events }, "url takes an absolute URL, like https://example.com/hook."],
    [{ url: "https:///x", events }, "url takes an absolute URL, like https://example.com/hook."],
    [{ url: "https://no-such-host/x", events }, "url takes a host with a dot in its name"],
    [
      { url: "https://10.0.0.1/", events },
      "url takes a public address; private, local and special ones are refused"
    ],
    [
      { url: "http://8.8.8.8/", events },
      "url takes https; http only reaches addresses that LEAD_SIGNALS_WEBHOOK_ALLOW names."
    ],
    [{ url: "https://a:b@example.com/", events }, "url takes no user name and no password"],
    [{ url: "https://example.com/" }, "events is required."],
    [
      { url: "https://example.com/", events: [] },
      `events takes an array of one or more of ${eventTypes.join(", ")}.`
    ],
    [
      { url: "https://example.com/", events: ["lead.created"] },
      `events[0] takes one of ${eventTypes.join(", ")}.`
    ],
    [
      { url: "https://example.com/", events, secret: "x" },
      "secret is not a field of this request. It takes url, events, description, enabled, ordering, maxDelay, format, maxBatch, maxWait."
    ],
    [{ url: "https://example.com/", events, ordering: "brand" }, "ordering takes one of none, lead."],
    [
      { url: "https://example.com/", events, maxDelay: 0 },
      "maxDelay takes an integer of seconds from 1 to 2592000, or null."
    ],
    [{ url: "https://example.com/", events, format: "xml" }, "format takes one of envelope, cloudevents."],
    [
      { url: "https://example.com/", events, maxBatch: 0.5 },
      "maxBatch takes an integer of events from 1 to 100."
    ],
    [
      { url: "https://example.com/", events, maxWait: 301 },
      "maxWait takes an integer of seconds from 0 to 300."
    ],
    [{ url: "https://example.com/", events, enabled: "yes" }, "enabled takes true or false."]
  ])("is refused with what it takes: %j [OPER-4, ERR-3, DELIV-6]", async (body, message) => {
    const answer = await operate("POST", webhooks(), body)
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_parameter"])
    expect(answer.body.error.message).toContain(message)
  })

  it("can't be made where no webhooks are sent [ERR-3]", async () => {
    const quiet = await startApi()
    const its = await setUpBrand(quiet)
    const answer = await quiet.operate("POST", `/operator/brands/${its.id}/webhooks`, {
      url: "https://example.com/",
      events
    })
    expect([answer.status, answer.body.error.message]).toEqual([
      400,
      "url takes no value here: this host sends no webhooks."
    ])
  })
})
