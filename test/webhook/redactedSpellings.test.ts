/** Echoes that spell personal data in another way than the post: escaped, encoded, in other cases, without accents. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"
import { redacted } from "./RedactedResponse.ts"

/** Texts that no answer holds by chance. */
const word = fc
  .array(fc.constantFrom("ka", "ro", "mü", "ши", "李", "é", "zw", "Q", "İ", "ß"), {
    minLength: 4,
    maxLength: 9
  })
  .map((parts) => parts.join(""))
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(" "))
const lead = fc.record({
  id: fc.nat(),
  name: words,
  headline: fc.option(words),
  liProfileUrl: fc.option(word.map((each) => `https://network.example/in/${each}?a=b&c="d"`))
})
const payload = fc.record({
  lead2: lead,
  engagements: fc.array(
    fc.record({
      id: fc.constant("e1"),
      type: fc.constant("comment"),
      commentText: fc.option(fc.array(words, { minLength: 1, maxLength: 3 }).map((all) => all.join("\n"))),
      postAuthorDetail: fc.option(fc.record({ name: words }))
    }),
    { maxLength: 2 }
  )
})

const unicodeEscaped = (text: string): string =>
  JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const html = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replace(/[^\x20-\x7e]/gu, (c) => `&#${c.codePointAt(0)};`)

/** As the functions of web languages write accented letters by their names. */
const namedEntities = (text: string): string =>
  html(text).replaceAll("&#252;", "&uuml;").replaceAll("&#233;", "&eacute;").replaceAll("&#223;", "&szlig;")

/** As programs print strings of bytes. */
const bytesEscaped = (text: string): string =>
  Array.from(Buffer.from(text), (byte) =>
    byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`
  ).join("")

/** As mails quote UTF-8, in lines of 76 characters. */
const quotedPrintable = (text: string): string => {
  let [line, lines] = ["", ""]
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x3d
    const quoted = isPlain
      ? String.fromCharCode(byte)
      : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`
    if (line.length + quoted.length > 75) {
      lines += `${line}=\r\n`
      line = ""
    }
    line += quoted
  }
  return lines + line
}

/** As programs of the language C print bytes. */
const octalEscaped = (text: string): string =>
  Array.from(Buffer.from(text), (byte) =>
    byte < 0x7f ? String.fromCharCode(byte) : `\\${byte.toString(8)}`
  ).join("")

/** The ways in which receivers echo. */
const spellings: ReadonlyArray<readonly [string, (value: unknown) => string]> = [
  ["as JSON", (value) => JSON.stringify(value)],
  ["as indented JSON", (value) => JSON.stringify(value, null, 2)],
  ["as JSON in ASCII", (value) => unicodeEscaped(JSON.stringify(value)).slice(1, -1).replaceAll('\\"', '"')],
  ["as JSON with escaped slashes", (value) => JSON.stringify(value).replaceAll("/", "\\/")],
  ["as JSON in JSON", (value) => JSON.stringify(JSON.stringify(value))],
  ["as HTML", (value) => `<pre>${html(JSON.stringify(value))}</pre>`],
  ["in a URL", (value) => `?body=${encodeURIComponent(JSON.stringify(value))}`],
  ["in a form", (value) => new URLSearchParams({ body: JSON.stringify(value) }).toString()],
  ["as HTML with names of letters", (value) => `<pre>${namedEntities(JSON.stringify(value))}</pre>`],
  ["as a string of bytes", (value) => `b'${bytesEscaped(JSON.stringify(value))}'`],
  [
    "in escapes by code points",
    (value) =>
      JSON.stringify(value).replace(/[^\x20-\x7e]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`)
  ],
  ["as quoted-printable", (value) => quotedPrintable(JSON.stringify(value))],
  ["as a string of octal bytes", (value) => octalEscaped(JSON.stringify(value))],
  ["in capitals", (value) => JSON.stringify(value).toUpperCase()]
]

const leaves = (value: unknown): Array<string> =>
  typeof value === "string"
    ? value.split(/\s+/)
    : Array.isArray(value)
      ? value.flatMap(leaves)
      : typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, each]) => (key === "id" || key === "type" ? [] : leaves(each)))
        : []

describe("the redacted excerpt of a response", () => {
  it.each(spellings)("holds nothing personal of an echo %s, cut anywhere [DELIV-5, PII-2]", (name, spell) => {
    fc.assert(
      fc.property(payload, fc.integer({ min: 20, max: 1024 }), (data, cutAt) => {
        const kept = redacted(`error in ${spell(data)}`, data, cutAt)!
        for (const leaf of leaves(data)) {
          const spelled = name === "in capitals" ? leaf.toUpperCase() : leaf
          if (leaf.length >= 8) expect([leaf, kept.includes(spelled)]).toEqual([leaf, false])
        }
      }),
      { numRuns: cases(300) }
    )
  })

  // Nobody reads an escape in capitals.
  const readable = spellings.filter(([name]) => name !== "in capitals")

  it.each(readable)(
    "holds nothing personal with control characters of an echo %s [DELIV-5, PII-2]",
    (_, spell) => {
      const headline = "Head\b of\u0001 Purchasing\u001f at Northwind\u0085"
      // By its number HTML means another character with each of these two.
      const data = { lead2: { id: 7, name: "Ada\bExample", headline, username: "wolf\u0085gang\u0080" } }
      const kept = redacted(`error in ${spell(data)}`, data)!.toLowerCase()
      for (const part of ["ada", "example", "purchasing", "northwind", "wolf", "gang"])
        expect(kept).not.toContain(part)
      expect(redacted(`no ${headline}, Ada\bExample`, data)).toBe("no […], […]")
    }
  )

  it("holds nothing personal of an echo in another encoding or form of Unicode, or without accents [DELIV-5, PII-2]", () => {
    const people = ["Zoë Müller-Ångström", "Łukasz Żółć", "Αλέξης Παπαδόπουλος", "Анна Иванова", "李小龙"]
    const latin = people[0]!
    const spelled: ReadonlyArray<readonly [string, string | Buffer]> = [
      ...people.flatMap((name): Array<[string, string | Buffer]> => [
        [name, `no ${name.normalize("NFD")}.`],
        [name.normalize("NFD"), `no ${name}.`],
        // UTF-8 that the receiver took for another encoding, by the newer and the older form of that.
        [name, `no ${new TextDecoder("windows-1252").decode(Buffer.from(name))}.`],
        [name, `no ${Buffer.from(name).toString("latin1")}.`]
      ]),
      [latin, Buffer.from(`no ${latin}.`, "latin1")],
      [
        latin,
        `no ${[...Buffer.from(latin, "latin1")].map((byte) => (byte < 128 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`)).join("")}.`
      ],
      [latin, "no Zo&euml; M&uuml;ller-&Aring;ngstr&ouml;m."],
      [latin, "no Zo\\xc3\\xab M\\xc3\\xbcller-\\xc3\\x85ngstr\\xc3\\xb6m."],
      [latin, "no Zo\\u{eb} M\\u{fc}ller-\\u{c5}ngstr\\u{f6}m."],
      [latin, "no Zo=C3=AB M=C3=BCller-=C3=85ngstr=C3=B6m."],
      [latin, "no Zo=c3=ab M=\r\n=c3=bcller-=c3=85ng=\nstr=c3=b6m."],
      [latin, "no Zo\\303\\253 M\\303\\274ller-\\303\\205ngstr\\303\\266m."],
      [latin, `no ${Buffer.from(latin).toString("base64")}.`],
      [`${latin}?`, `no ${Buffer.from(`${latin}?`).toString("base64")}.`],
      [latin, `no ${Buffer.from(latin).toString("hex").toUpperCase()}.`],
      [latin, `no 0x${Buffer.from(latin).toString("hex")}.`],
      [latin, "no Zoe Mueller-Aangstroem."],
      [latin, "no Zoe Muller-Angstrom."],
      [latin, "no ZOË MÜLLER-ÅNGSTRÖM."],
      // What its encoding lacks a receiver writes as question marks.
      [latin, "no Zo? M?ller-?ngstr?m."],
      [latin.normalize("NFD"), "no Zo? M?ller-?ngstr?m."],
      [latin.normalize("NFD"), "no Zoe? Mu?ller-A?ngstro?m."],
      ["Łukasz Müller", Buffer.from("no ?ukasz Müller.", "latin1")],
      ["Ada \u{1d4d0}\u{1d4d1}", "no Ada ??."],
      ["Ada \u{1d4d0}\u{1d4d1}", "no Ada ????."],
      [
        people[2]!,
        "no &Alpha;&lambda;&#941;&xi;&eta;&sigmaf; &Pi;&alpha;&pi;&alpha;&delta;&#972;&pi;&omicron;&upsilon;&lambda;&omicron;&sigmaf;."
      ]
    ]
    for (const [name, answer] of spelled)
      expect([String(answer), redacted(answer, { lead2: { id: 7, name } })]).toEqual([
        String(answer),
        "no […]."
      ])
  })

  it("holds nothing personal of JSON that gateways quote in JSON of their own, again and again [DELIV-5, PII-2]", () => {
    for (const headline of [
      "one\ntwo\r\nthree\tfour",
      'a "b" \\ c',
      String.raw`C:\new`,
      "R&amp;amp;D <x>",
      "Doe\\"
    ]) {
      const data = { lead2: { headline, username: "ada.q" } }
      let answer = JSON.stringify(data)
      for (let layer = 0; layer < 6; layer++) {
        expect(redacted(answer, data)).toBe('{"lead2":{"headline":"[…]","username":"[…]"}}')
        answer = JSON.stringify(answer).slice(1, -1)
      }
      answer = unicodeEscaped(JSON.stringify(JSON.stringify(data)))
      expect(redacted(answer, data)).toContain('"headline":"[…]","username":"[…]"')
    }
  })

  it("holds nothing personal of a form whose texts have spaces or plus signs side by side [DELIV-5, PII-2]", () => {
    for (const headline of [
      "a\u00a0b\u200bc\u2060d\ufeff b0",
      "Ada  Li",
      "Ada + Li",
      "C++ Lead",
      "+49 170",
      "Li C++"
    ]) {
      const data = { lead2: { headline } }
      for (const answer of [
        headline.replaceAll(" ", "+"),
        encodeURIComponent(headline).replaceAll("%20", "+")
      ]) {
        const kept = redacted(`headline=${answer}&QJ`, data)
        expect([headline, kept!.replaceAll("+", "")]).toEqual([headline, "headline=[…]&QJ"])
      }
    }
    expect(redacted("no Ada++Li", { lead2: { name: "Ada Lithe" } }, 9)).toBe("no […]")
  })

  it("holds no hexadecimal digits of an echo that a database prints, or before which or behind which words stand [DELIV-5, PII-2]", () => {
    const hexadecimal = (text: string) => Buffer.from(text).toString("hex")
    const accented = "Zoë Müller-Ångström"
    const longName = "Johannes of thirty-two characters"
    for (const [name, answer, kept] of [
      ["Johannes", `no \\x${hexadecimal("Johannes")}.`, "no \\[…]."],
      [accented, `no \\x${hexadecimal(accented)}.`, "no \\[…]."],
      [longName, `bad ${hexadecimal(longName)} is invalid.`, "bad […] invalid."],
      [longName, `bad ${hexadecimal(longName)}, which is invalid.`, "bad […], which is invalid."]
    ] as const)
      expect([answer, redacted(answer, { lead2: { name } })]).toEqual([answer, kept])
  })

  const withLines = (digits: string) => digits.replace(/.{76}/g, "$&\r\n")
  const encodings: ReadonlyArray<readonly [string, (text: string) => string, (run: string) => Buffer]> = [
    ["base64", (text) => Buffer.from(text).toString("base64"), (run) => Buffer.from(run, "base64")],
    [
      "the base64 of URLs",
      (text) => Buffer.from(text).toString("base64url"),
      (run) => Buffer.from(run, "base64")
    ],
    [
      "lines of base64",
      (text) => withLines(Buffer.from(text).toString("base64")),
      (run) => Buffer.from(run, "base64")
    ],
    ["hexadecimal digits", (text) => Buffer.from(text).toString("hex"), (run) => Buffer.from(run, "hex")]
  ]
  it.each(encodings)(
    "holds nothing that could be made of an echo in %s, cut anywhere and begun anywhere before the data [DELIV-5, PII-2]",
    (_, encode, decode) => {
      fc.assert(
        fc.property(payload, fc.nat(9), fc.integer({ min: 40, max: 1024 }), (data, begun, cutAt) => {
          const kept = redacted(`error in ${encode(JSON.stringify(data)).slice(begun)}`, data, cutAt)!
          for (const run of kept.replace(/(?<=[\w+/]{40})\s/g, "").match(/[\w+/-]{8,}/g) ?? []) {
            for (let offset = 0; offset < 4; offset++) {
              const made = decode(run.slice(offset)).toString()
              for (const leaf of leaves(data))
                if (leaf.length >= 8) expect([leaf, made.includes(leaf)]).toEqual([leaf, false])
            }
          }
        }),
        { numRuns: cases(300) }
      )
    }
  )

  it("keeps runs of letters and digits that stand for nothing, or for nothing of the payload, and values behind equals signs [DELIV-5]", () => {
    const data = { lead2: { name: "Ada Example" } }
    const token = Buffer.from("this is about nobody").toString("base64")
    const hash = "3f2b8c9d0e1f2a3b4c5d6e7f8091a2b3"
    const answer = `${hash}: token ${token}, size=3D, n=20, supercalifragilistic, name=`
    expect(redacted(`${answer}ADA EXAMPLE`, data)).toBe(`${answer}[…]`)
  })

  it("holds nothing personal of an echo in digits that was cut within a character [DELIV-5, PII-2]", () => {
    const name = "Annalésa李"
    for (const encoding of ["base64", "base64url", "hex"] as const) {
      // Within é, and behind each byte of 李.
      for (const bytes of [16, 20, 21]) {
        const run = Buffer.from(`not here: ${name}`).subarray(0, bytes).toString(encoding).replace(/=+$/, "")
        expect(redacted(`bad ${run}, or it is gone`, { lead2: { name } }, 4 + run.length)).toBe("bad […]")
      }
    }
  })

  it("holds nothing personal of an echo without accents that no composed letter has, nor without vowel points [DELIV-5, PII-2]", () => {
    for (const [name, echo] of [
      ["Adébáyọ̀", "Adebayo"],
      ["Adébáyọ̀", "ADEBAYO"],
      ["Adébáyọ̀", "Adébáyọ"],
      ["Ọlá", "Ola"],
      ["Ė̃glė", "Egle"],
      ["שָׁלוֹם", "שלום"],
      ["مُحَمَّد", "محمد"]
    ] as const)
      expect([echo, redacted(`no ${echo}.`, { lead2: { name: `${name} Q` } })]).toEqual([echo, "no […]."])
  })

  it("keeps a word that a name would be without its vowel signs [DELIV-5]", () => {
    expect(redacted("no: रम", { lead2: { name: "रीमा Q" } })).toBe("no: रम")
  })

  it("keeps words that a short name would be with two letters for its accented one [DELIV-5]", () => {
    expect(redacted("no boeing for Bö", { lead2: { name: "Bö Q" } })).toBe("no boeing for […]")
  })

  it("keeps question marks in which a name has none of its letters left [DELIV-5]", () => {
    const answer = "what?? no ??? Wu, why?"
    expect(redacted(answer, { lead2: { id: 7, name: "李小龙 Wu" } })).toBe(answer)
  })

  it("holds nothing personal of an echo in a case that has other letters, or by the names of more letters [DELIV-5, PII-2]", () => {
    for (const [name, echo] of [
      ["İlker", "ILKER"],
      ["İlker", "ilker"],
      ["İlker", "İlker".toLowerCase()],
      ["Işık", "IŞIK"],
      ["Işık", "isik"],
      ["Οδυσσεύς", "ΟΔΥΣΣΕΎΣ"],
      ["Groß", "GROSS"],
      ["Łukasz", "Lukasz"],
      ["Søren", "Soren"],
      ["Ægir", "Aegir"],
      ["Łukasz", "&Lstrok;ukasz"],
      ["Zięba", "Zi&eogon;ba"],
      ["Ёлкина", "&IOcy;&lcy;&kcy;&icy;&ncy;&acy;"]
    ] as const)
      expect([echo, redacted(`no ${echo}.`, { lead2: { name: `${name} Q` } })]).toEqual([echo, "no […]."])
  })

  const alphabets = ["aıiİŞşğçÖüßæŒøłĐñéÅčžęő", "αΣςσάΐύΰώ", "аЁйЇ"]
  const anyName = fc.oneof(
    ...alphabets.map((letters) => fc.array(fc.constantFrom(...letters), { minLength: 3, maxLength: 9 }))
  )
  const withoutMarks = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "")
  const cased: ReadonlyArray<readonly [string, (name: string) => string]> = [
    ["in capitals", (name) => name.toUpperCase()],
    ["in lower case", (name) => name.toLowerCase()],
    ["in Turkish capitals", (name) => name.toLocaleUpperCase("tr")],
    ["in Turkish lower case", (name) => name.toLocaleLowerCase("tr")],
    ["without marks, in capitals", (name) => withoutMarks(name).toUpperCase()],
    ["in lower case, without marks", (name) => withoutMarks(name.toLowerCase())]
  ]
  it.each(cased)("holds nothing of a name of any letters %s [DELIV-5, PII-2]", (_, spell) => {
    fc.assert(
      fc.property(anyName, (drawn) => {
        const name = drawn.join("")
        expect(redacted(`no ${spell(name)}.`, { lead2: { name: `${name} Li` } })).toBe("no […].")
      }),
      { numRuns: cases(200) }
    )
  })

  it("keeps what has no accent where a short name is nothing without its own [DELIV-5]", () => {
    const data = { lead2: { name: "Émile É Bö" } }
    expect(redacted("The request is refused: no body", data)).toBe("The request is refused: no body")
    expect(redacted("no É, no e\u0301, no BÖ, no e", data)).toBe("no […], no […], no […], no e")
  })
})
