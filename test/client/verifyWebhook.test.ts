/** A receiver verifies what the service signed. */
import { verifyWebhook, verifyWebhooks, WebhookRefused } from "@lead-signals/client"
import { WebhookSignature } from "@lead-signals/webhook"
import { describe, expect, it } from "vitest"

describe("a webhook at its receiver's", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const body = JSON.stringify({ id: "wh_1", event: "webhook.test", data: { webhookId: "1", message: "m" } })
  const now = 1_700_000_000_000
  const headers = WebhookSignature.sign([secret], { id: "wh_1", now, body })

  it("is its event when it is signed by one of the secrets, whatever kind of headers it has [DELIV-1]", () => {
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])
    )
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`
    for (const each of [{ ...headers }, upper, new Headers({ ...headers })]) {
      expect(verifyWebhook([other, secret], { headers: each, body }, now).event).toBe("webhook.test")
    }
    expect(
      verifyWebhook(secret, { headers: new Headers({ ...headers }), body: Buffer.from(body) }, now).event
    ).toBe("webhook.test")
  })

  it("is refused when it is another's, changed, old or not signed [DELIV-1]", () => {
    const refused = (
      post: { headers: Record<string, string>; body: string },
      at = now,
      by: string | ReadonlyArray<string> = secret
    ) => {
      try {
        verifyWebhook(by, post, at)
        return "taken"
      } catch (failure) {
        return failure instanceof WebhookRefused ? failure.message : "thrown"
      }
    }
    expect(refused({ headers: { ...headers }, body })).toBe("taken")
    expect(refused({ headers: { ...headers }, body: `${body} ` })).toContain("signature does not match")
    expect(refused({ headers: { ...headers }, body }, now + 301_000)).toContain("five minutes")
    expect(refused({ headers: {}, body })).toContain("no signature")
    expect(refused({ headers: { ...headers }, body }, now, [])).toContain("no secret")
    expect(refused({ headers: { ...headers }, body }, now, "whsec_x")).toContain("whsec_")
  })

  it("is read alike whatever its format, alone and in a batch [BATCH-1, FMT-3]", () => {
    const createdAt = "2026-01-05T10:00:00.000Z"
    const data = { webhookId: "1", message: "m" }
    const envelope = { id: "wh_1", event: "webhook.test", version: "1", createdAt, brandId: "2", data }
    const cloudEvent = {
      specversion: "1.0",
      id: "wh_1",
      source: "/brands/2",
      type: "webhook.test",
      time: createdAt,
      datacontenttype: "application/json",
      data
    }
    const read = (body: unknown, by: typeof verifyWebhook | typeof verifyWebhooks) => {
      const text = JSON.stringify(body)
      const signed = WebhookSignature.sign([secret], { id: "wb_1", now, body: text })
      return by(secret, { headers: { ...signed }, body: text }, now)
    }
    for (const each of [envelope, cloudEvent]) {
      expect(read(each, verifyWebhooks)).toEqual([envelope])
      expect(read(each, verifyWebhook)).toEqual(envelope)
      expect(read([each], verifyWebhook)).toEqual(envelope)
    }
    expect(read([envelope, cloudEvent], verifyWebhooks)).toEqual([envelope, envelope])
    expect(() => read([envelope, cloudEvent], verifyWebhook)).toThrow(
      "a batch of 2 events: verifyWebhooks reads it"
    )
    expect(() => read("text", verifyWebhooks)).toThrow(WebhookRefused)
    expect(() => read([envelope, null], verifyWebhooks)).toThrow("holds no events")
  })
})
