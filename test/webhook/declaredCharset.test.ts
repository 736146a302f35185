/** Responses in the charset that their Content-Type declares. */
import { ResponseRedactor } from "@lead-signals/webhook"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"
import { stores } from "./EmitterStores.ts"
import { settle, startEmitter, virtually } from "./VirtualWorld.ts"

/** Encodes by what the decoder reads of each byte, and of each two. */
const encoderOf = (label: string): ((text: string) => Buffer) => {
  if (label === "utf-16le") return (text) => Buffer.from(text, "utf16le")
  if (label === "utf-16be") return (text) => Buffer.from(text, "utf16le").swap16()
  const decoder = new TextDecoder(label, { fatal: true })
  const byCharacter = new Map<string, ReadonlyArray<number>>()
  const learn = (bytes: ReadonlyArray<number>): void => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes))
      if (Array.from(text).length === 1 && !byCharacter.has(text)) byCharacter.set(text, bytes)
    } catch {
      // No character has these bytes.
    }
  }
  for (let first = 0; first < 0x100; first++) learn([first])
  if (byCharacter.size < 0xe0)
    for (let first = 0x81; first < 0xff; first++)
      for (let second = 0x40; second < 0xff; second++) learn([first, second])
  return (text) => Buffer.from(Array.from(text).flatMap((each) => byCharacter.get(each)!))
}

const names: ReadonlyArray<readonly [label: string, name: string]> = [
  ["windows-1250", "Łukasz Żakowski"],
  ["iso-8859-2", "Łukasz Żakowski"],
  ["windows-1251", "Анна Каренина"],
  ["koi8-r", "Анна Каренина"],
  ["windows-1253", "Γιώργος Παππάς"],
  ["windows-1254", "Işık Güneş"],
  ["shift_jis", "山田太郎 様"],
  ["euc-jp", "山田太郎 様"],
  ["gbk", "李小龙 先生"],
  ["big5", "李小龍 先生"],
  ["euc-kr", "김철수 선생"],
  ["utf-16le", "Łukasz Анна 😀 李小龙"],
  ["utf-16be", "Łukasz Анна 😀 李小龙"]
]

const bodiesFor = (name: string): ReadonlyArray<string> => [JSON.stringify({ data: { lead2: { name } } })]

const logged = (
  bytes: Uint8Array,
  contentType: string | null | undefined,
  name: string,
  cutAt = 1024
): string | null =>
  ResponseRedactor.redactResponse(
    {
      ...(contentType === undefined ? {} : { contentType }),
      excerpt: bytes.subarray(0, cutAt),
      truncated: bytes.length > cutAt
    },
    bodiesFor(name)
  )

describe("a response that declares a charset", () => {
  it.each(names)("in %s is logged without the name that it repeats [DELIV-5, PII-2]", (label, name) => {
    const encode = encoderOf(label)
    for (const contentType of [
      `text/plain; charset=${label}`,
      `text/plain;format=flowed; Charset = "${label.toUpperCase()}"`,
      `text/plain;charset='${label}'; x=y`
    ])
      expect(logged(encode(`cannot store ${name}, sorry`), contentType, name)).toBe("cannot store […], sorry")
    expect(logged(encode(`no ${name.toUpperCase()}`), `text/plain; charset=${label}`, name)).toBe("no […]")
    expect(logged(encode(`no ${name}`), `text/plain; charset=${label}`, "Grete Example")).toBe(`no ${name}`)
  })

  it.each(names)(
    "in %s is logged to its last whole character where it was cut [DELIV-5, PII-2]",
    (label, name) => {
      const encode = encoderOf(label)
      const text = `no ${name.slice(0, 2)}`
      const bytes = encode(`${text}${name.slice(2)}`)
      for (let cutAt = encode("no ").length; cutAt < bytes.length; cutAt++) {
        const kept = logged(bytes, `text/plain; charset=${label}`, "Grete Example", cutAt)!
        expect([cutAt, `no ${name}`.startsWith(kept), kept.includes("\ufffd")]).toEqual([cutAt, true, false])
        if (cutAt < encode(text).length + encode(name.slice(2, 4)).length) continue
        expect([cutAt, logged(bytes, `text/plain; charset=${label}`, name, cutAt)]).toEqual([cutAt, "no […]"])
      }
    }
  )

  it("is read as UTF-16 by a byte order mark, whatever it declares, and by its zeros in either order [DELIV-5, PII-2]", () => {
    const name = "Łukasz Żakowski"
    const [little, big] = [encoderOf("utf-16le"), encoderOf("utf-16be")]
    const text = `cannot store ${name}`
    for (const contentType of [
      undefined,
      null,
      "text/plain",
      "text/plain; charset=utf-8",
      "text/plain; charset=x"
    ])
      for (const encode of [little, big])
        expect(logged(encode(`\ufeff${text}`), contentType, name)).toBe("cannot store […]")
    for (const declared of ["utf-16", "utf-16le", "utf-16be", "unicode"])
      for (const encode of [little, big])
        expect(logged(encode(text), `text/plain; charset=${declared}`, name)).toBe("cannot store […]")
    expect(logged(Buffer.from(`\ufeff${text}`), "text/plain; charset=windows-1251", name)).toBe(
      "cannot store […]"
    )
  })

  it("but is in UTF-8 is logged without the name that it repeats [DELIV-5, PII-2]", () => {
    for (const [label] of names) {
      const contentType = `text/plain; charset=${label}`
      expect(logged(Buffer.from("no Жанна Ждан"), contentType, "Жанна Ждан")).toBe("no […]")
      expect(logged(Buffer.from("no such id: ü"), contentType, "Жанна Ждан")).toBe("no such id: ü")
      expect(logged(Buffer.from("no such id: 7"), contentType, "Grete Example")).toBe("no such id: 7")
      expect(logged(Buffer.from("no Grete Example"), contentType, "Grete Example")).toBe("no […]")
    }
  })

  it("that can be UTF-8 as well and repeats the payload in both is withheld [DELIV-5, PII-2]", () => {
    const name = "Jan PÓŁTORAK"
    const bytes = encoderOf("windows-1250")(`no ${name}`)
    expect(logged(bytes, "text/plain; charset=windows-1250", name)).toMatch(/^\[withheld: /)
    expect(logged(bytes, "text/plain; charset=windows-1250", "PÓŁTORAK")).toBe("no Jan […]")
    const misread = Buffer.from("no Jan Żakowski")
    expect(logged(misread, "text/plain; charset=windows-1250", "Jan Żakowski")).toMatch(/^\[withheld: /)
  })

  it("that nobody can decode is withheld, unless it can be UTF-8 [DELIV-5, PII-2]", () => {
    const name = "Łukasz Żakowski"
    for (const label of ["x-unknown", "hz-gb-2312", "ibm037", "utf-32"]) {
      const contentType = `text/plain; charset=${label}`
      expect(logged(Buffer.from("try again later"), contentType, name)).toBe("try again later")
      expect(logged(Buffer.from(`no ${name}`), contentType, name)).toBe("no […]")
      expect(logged(Buffer.of(0xd3, 0xa4, 0x92, 0x81), contentType, name)).toMatch(/^\[withheld: /)
      expect(logged(Buffer.from("a\0\0\0b\0\0\0"), contentType, name)).toMatch(/^\[withheld: /)
      expect(logged(Buffer.alloc(0), contentType, name)).toBeNull()
    }
  })

  it("is logged as one without where it declares UTF-8 or Latin-1, or nothing that is a charset [DELIV-5]", () => {
    const contentTypes = [
      null,
      undefined,
      "",
      "application/json",
      "text/plain; charset=",
      "text/plain; notcharset=windows-1251",
      "text/plain; charset=UTF-8",
      'text/plain; charset="utf8"',
      "text/html;charset=iso-8859-1",
      "text/html; charset=us-ascii",
      "text/html; charset=windows-1252"
    ]
    const name = "Grete Grün"
    const bytes = fc
      .array(
        fc.oneof(
          fc.constantFrom("no ", name, "grün", "ü", "漢", "\\u00fc", "=FC").map((text) => Buffer.from(text)),
          fc.uint8Array({ maxLength: 3 }).filter(([first = 0]) => first < 0xef)
        ),
        { minLength: 1, maxLength: 12 }
      )
      .map((parts) => Buffer.concat([Buffer.from("x"), ...parts]))
    fc.assert(
      fc.property(bytes, fc.nat(40), fc.constantFrom(...contentTypes), (answer, cut, contentType) => {
        const cutAt = cut + 1
        expect(logged(answer, contentType, name, cutAt)).toBe(
          ResponseRedactor.redact(answer.subarray(0, cutAt), answer.length > cutAt, bodiesFor(name))
        )
      }),
      { numRuns: cases(1000) }
    )
  })
})

describe.each(stores)("the log of attempts on %s", (_, store) => {
  it("has no personal data of a response in another charset [DELIV-5, PII-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const name = "Łukasz Żakowski"
        const excerpt = encoderOf("windows-1250")(`cannot store ${name}`)
        const contentType = "text/plain; charset=windows-1250"
        const webhook = yield* world.webhook(
          () => Effect.succeed({ status: 422, retryAfter: null, contentType, excerpt, truncated: false }),
          { events: ["lead2.created"] }
        )
        yield* world.observe("p", "e1", {}, name)
        yield* settle
        const [attempt] = yield* world.log(webhook)
        expect([attempt!.status, attempt!.response]).toEqual([422, "cannot store […]"])
      })
    ))
})
