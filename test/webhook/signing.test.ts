/** Signatures as receivers see them: verified with the client libraries, unmodified. */
import { WebhookSignature } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { describe, expect, it } from "vitest"

const secretOf = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString("base64")}`
const secret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(secretOf)
const body = fc
  .record({ id: fc.string(), text: fc.string({ unit: "grapheme", maxLength: 40 }) })
  .map((value) => JSON.stringify(value))

const libraries = [
  [
    "standardwebhooks",
    (key: string, text: string, headers: Record<string, string>) =>
      new StandardWebhook(key).verify(text, headers)
  ],
  [
    "svix",
    (key: string, text: string, headers: Record<string, string>) => new SvixWebhook(key).verify(text, headers)
  ]
] as const

describe.each(libraries)("a signature, verified by %s", (_, verify) => {
  const passes = (key: string, text: string, headers: Record<string, string>): boolean => {
    try {
      verify(key, text, headers)
      return true
    } catch {
      return false
    }
  }

  it("holds for its secret, id, time and body, and for nothing else [DELIV-1]", () => {
    fc.assert(
      fc.property(secret, secret, body, (key, other, text) => {
        fc.pre(key !== other)
        const headers = { ...WebhookSignature.sign([key], { id: "wh_1", now: Date.now(), body: text }) }
        expect(passes(key, text, headers)).toBe(true)
        expect(passes(other, text, headers)).toBe(false)
        expect(passes(key, `${text} `, headers)).toBe(false)
        expect(passes(key, text, { ...headers, "webhook-id": "wh_2" })).toBe(false)
        const later = String(Number(headers["webhook-timestamp"]) + 1)
        expect(passes(key, text, { ...headers, "webhook-timestamp": later })).toBe(false)
      })
    )
  })

  it("is the same by Node's HMAC as by the portable one, of any text [DELIV-1]", () => {
    const [native, portable] = [NodeWebhook.hmac, Layer.empty].map((layer) =>
      Effect.runSync(Effect.provide(WebhookSignature.Hmac, layer))
    )
    expect(native).not.toBe(portable)
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        // Texts of UTF-16 units, lone surrogates among them.
        fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
        (key, text) => {
          expect(Buffer.from(native!(key, text)).toString("hex")).toBe(
            Buffer.from(portable!(key, text)).toString("hex")
          )
        }
      )
    )
  })

  it("holds for both secrets during a rotation [DELIV-1]", () => {
    fc.assert(
      fc.property(secret, secret, body, (current, previous, text) => {
        const headers = {
          ...WebhookSignature.sign([current, previous], { id: "wh_1", now: Date.now(), body: text })
        }
        expect([passes(current, text, headers), passes(previous, text, headers)]).toEqual([true, true])
        expect(headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/)
      })
    )
  })

  it("is told apart by a receiver whose clock is off [DELIV-1]", () => {
    const key = secretOf(new Uint8Array(32))
    for (const [off, expected] of [
      [-200_000, true],
      [200_000, true],
      [-400_000, false],
      [400_000, false]
    ] as const) {
      const headers = { ...WebhookSignature.sign([key], { id: "wh_1", now: Date.now() + off, body: "{}" }) }
      expect(passes(key, "{}", headers)).toBe(expected)
    }
  })
})

describe("verifying", () => {
  it("agrees with the libraries on what is signed by them [DELIV-1]", () => {
    fc.assert(
      fc.property(secret, body, (key, text) => {
        const at = new Date()
        const headers = {
          "webhook-id": "wh_1",
          "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
          "webhook-signature": new StandardWebhook(key).sign("wh_1", at, text)
        }
        expect(WebhookSignature.verificationFailure(key, headers, text, at.getTime())).toBeNull()
        expect(WebhookSignature.verificationFailure(key, headers, `${text}!`, at.getTime())).toContain(
          "does not match"
        )
        expect(WebhookSignature.verificationFailure(key, headers, text, at.getTime() + 400_000)).toContain(
          "five minutes"
        )
        expect(
          WebhookSignature.verificationFailure(
            key,
            { ...headers, "webhook-id": undefined },
            text,
            at.getTime()
          )
        ).toContain("no signature")
        expect(WebhookSignature.verificationFailure("whsec_short", headers, text, at.getTime())).toContain(
          "secret takes"
        )
      })
    )
  })

  it("takes secrets of 24 to 64 bytes only [DELIV-1]", () => {
    const lengths = [0, 23, 24, 64, 65].map(
      (length) => WebhookSignature.parseSecret(secretOf(new Uint8Array(length))) !== null
    )
    expect(lengths).toEqual([false, false, true, true, false])
    expect(WebhookSignature.parseSecret("whsec_!!!!")).toBeNull()
    expect(WebhookSignature.parseSecret(Buffer.alloc(32).toString("base64"))).toBeNull()
  })
})
