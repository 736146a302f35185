/** A receiver verifies what the service signed. */
import { verifyWebhook, WebhookRefused } from "@lead-signals/client"
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
})
