/** The encryption key, the keys derived from it, and sealed values: known answers and properties. [PII-4] */
import { createDecipheriv, hkdfSync } from "node:crypto"
import { inspect } from "node:util"
import * as Encryption from "@lead-signals/encryption"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const keyOf = (bytes: Uint8Array) =>
  Either.getOrThrow(Encryption.parseEncryptionKey(Buffer.from(bytes).toString("base64")))
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
/** 00, 01, … 1f. */
const counting = Uint8Array.from({ length: 32 }, (_, i) => i)

describe("an encryption key", () => {
  it("is 32 bytes as base64, base64url or hex, with white space around it [PII-4]", () => {
    fc.assert(
      fc.property(bytes32, (bytes) => {
        const forms = [
          Buffer.from(bytes).toString("base64"),
          Buffer.from(bytes).toString("base64").replace("=", ""),
          Buffer.from(bytes).toString("base64url"),
          hex(bytes),
          hex(bytes).toUpperCase(),
          ` ${hex(bytes)}\r\n`
        ]
        const ids = forms.map((text) =>
          Encryption.keyId(Either.getOrThrow(Encryption.parseEncryptionKey(text)))
        )
        expect(new Set(ids).size).toBe(1)
      })
    )
  })

  it("is nothing else, and the error never shows the text [PII-4]", () => {
    const good = Buffer.from(counting).toString("base64")
    const bad = [
      "",
      "secret",
      good.slice(1),
      `A${good}`,
      `${good.slice(0, 20)} ${good.slice(20)}`,
      `${good.slice(0, 42)}9=`,
      `${good}=`,
      "0".repeat(63),
      "g".repeat(64)
    ]
    for (const text of bad) {
      const refused = Either.flip(Encryption.parseEncryptionKey(text)).pipe(Either.getOrThrow)
      expect(refused).toBeInstanceOf(Encryption.InvalidEncryptionKey)
      expect(refused.message).toMatch(/^An encryption key is 32 bytes as base64, base64url or hex/)
      if (text !== "") expect(inspect(refused)).not.toContain(text)
    }
  })

  it("does not show itself [PII-4]", () => {
    const key = keyOf(counting)
    const printed = [String(key), JSON.stringify({ key }), inspect(key, { showHidden: true, depth: 9 })]
    expect(printed).toEqual(["<an encryption key>", '{"key":"<an encryption key>"}', "<an encryption key>"])
    expect(Encryption.isEncryptionKey(key)).toBe(true)
    expect(Encryption.isEncryptionKey({ _tag: "EncryptionKey" })).toBe(false)
  })

  it("is generated anew each time [PII-4]", () => {
    const made = Array.from({ length: 20 }, Encryption.generateEncryptionKey)
    expect(new Set(made).size).toBe(20)
    for (const text of made) expect(Either.isRight(Encryption.parseEncryptionKey(text))).toBe(true)
  })

  it("derives the same keys and id in every release [PII-4]", () => {
    const key = keyOf(counting)
    const derived = (info: string, length: number) =>
      hex(new Uint8Array(hkdfSync("sha256", counting, "", info, length)))
    expect(Encryption.keyId(key)).toBe(derived("lead-signals/id", 8))
    expect(hex(Encryption.deriveKey(key, "secrets"))).toBe(derived("lead-signals/key/secrets", 32))
    // Known answers: a change of these values would make every encrypted store unreadable.
    expect([
      Encryption.keyId(key),
      ...Object.values(Encryption.keyLabels).map((label) =>
        hex(Encryption.deriveKey(key, label)).slice(0, 16)
      )
    ]).toEqual(["a1e051f7178db55c", "d3fea2f51077bdd4", "c9754f0159c1f9de", "3a93588d71b8f0e2"])
  })
})

describe("a sealed value", () => {
  it("opens with its key and context to what was sealed [PII-4]", () => {
    fc.assert(
      fc.property(bytes32, fc.uint8Array({ maxLength: 300 }), fc.string(), (key, plaintext, context) => {
        const sealed = Encryption.seal(key, plaintext, context)
        expect(sealed.length).toBe(plaintext.length + Encryption.overhead)
        expect(Either.getOrThrow(Encryption.open(key, sealed, context))).toEqual(plaintext)
        expect(Encryption.seal(key, plaintext, context)).not.toEqual(sealed)
      })
    )
  })

  it("opens with no other key or context, and not when a bit or its length changes [PII-4]", () => {
    const values = fc.record({
      key: bytes32,
      plaintext: fc.uint8Array({ maxLength: 60 }),
      at: fc.nat(),
      bit: fc.nat(7)
    })
    fc.assert(
      fc.property(values, ({ at, bit, key, plaintext }) => {
        const sealed = Encryption.seal(key, plaintext, "webhook:1:2")
        const flipped = Uint8Array.from(sealed)
        flipped[at % sealed.length]! ^= 1 << bit
        const otherKey = Uint8Array.from(key)
        otherKey[at % 32]! ^= 1 << bit
        for (const [withKey, value, context] of [
          [otherKey, sealed, "webhook:1:2"],
          [key, sealed, "webhook:1:3"],
          [key, sealed, ""],
          [key, flipped, "webhook:1:2"],
          [key, sealed.subarray(0, at % sealed.length), "webhook:1:2"]
        ] as const) {
          const opened = Encryption.open(withKey, value, context)
          expect(Either.isLeft(opened) && opened.left).toBeInstanceOf(Encryption.Unopened)
        }
      })
    )
  })

  it("has the documented layout [PII-4]", () => {
    const sealed = Encryption.seal(counting, Buffer.from("hello"), "here")
    expect(sealed[0]).toBe(1)
    const decipher = createDecipheriv("aes-256-gcm", counting, sealed.subarray(1, 13))
    decipher.setAAD(Buffer.from("\x01here"))
    decipher.setAuthTag(sealed.subarray(-16))
    expect(Buffer.concat([decipher.update(sealed.subarray(13, -16)), decipher.final()]).toString()).toBe(
      "hello"
    )
  })

  it("opens when an earlier release sealed it [PII-4]", () => {
    const sealed = Buffer.from("Aa9wP-_eSScU-EYsl3wFUOYKKasE2KZ0LOjWaDMknhBf0g", "base64url")
    expect(
      Either.map(Encryption.open(counting, sealed, "here"), (plain) => Buffer.from(plain).toString())
    ).toEqual(Either.right("hello"))
  })
})

describe("a wrapped secret", () => {
  const context = Encryption.secretContexts.webhook(3, "7")

  it("is read with its key, and names the key [PII-4]", () => {
    fc.assert(
      fc.property(bytes32, fc.string({ unit: "grapheme" }), (bytes, secret) => {
        const key = keyOf(bytes)
        const wrapper = Encryption.wrapper(key)
        const stored = wrapper.wrap(secret, context)
        expect(Encryption.isWrapped(stored)).toBe(true)
        expect(Encryption.wrappingKeyId(stored)).toBe(Encryption.keyId(key))
        expect(wrapper.unwrap(stored, context)).toEqual(Either.right(secret))
      })
    )
  })

  it("is the stored text itself where none was wrapped [PII-4]", () => {
    const wrapper = Encryption.wrapper(keyOf(counting))
    expect(wrapper.unwrap("whsec_AAAA", context)).toEqual(Either.right("whsec_AAAA"))
    expect(Encryption.unwrapWithout("whsec_AAAA")).toEqual(Either.right("whsec_AAAA"))
    expect(Encryption.wrappingKeyId("whsec_AAAA")).toBeUndefined()
  })

  it("says without a key, with another, and when it was moved, what is wrong [PII-4]", () => {
    const one = Encryption.wrapper(keyOf(counting))
    const other = Encryption.wrapper(keyOf(counting.map((byte) => byte + 1)))
    const stored = one.wrap("whsec_AAAA", context)
    const reasonOf = <A>(read: Either.Either<A, Encryption.UnreadableSecret>) =>
      Either.isLeft(read) ? read.left.reason : "read"
    expect([
      reasonOf(Encryption.unwrapWithout(stored)),
      reasonOf(other.unwrap(stored, context)),
      reasonOf(one.unwrap(stored, Encryption.secretContexts.webhook(3, 8))),
      reasonOf(one.unwrap(stored, Encryption.secretContexts.suppression(3))),
      reasonOf(one.unwrap(`${stored.slice(0, -8)}AAAAAAAA`, context)),
      reasonOf(one.unwrap("wrapped:1:nonsense", context)),
      reasonOf(one.unwrap(stored, context))
    ]).toEqual(["NoKey", "OtherKey", "Damaged", "Damaged", "Damaged", "Damaged", "read"])
  })
})
