import { ResponseRedactor } from "@lead-signals/webhook"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { counted } from "../harness/CountedSteps.ts"
import { cases, isThorough } from "../harness/Thoroughness.ts"

const redacted = (
  answer: string | Buffer,
  payload: unknown,
  cutAt = 1024,
  by: Pick<typeof ResponseRedactor, "redact"> = ResponseRedactor
): string | null => {
  const bytes = Buffer.from(answer)
  return by.redact(bytes.subarray(0, cutAt), bytes.length > cutAt, [JSON.stringify({ data: payload })])
}

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

  it("holds no end of a text whose beginning another text has, too [DELIV-5, PII-2]", () => {
    const [page, picture] = ["https://network.example/in/", "https://media.network.example/in/b0-p1.png"]
    const answer = `bad: ${picture.slice(11)}"`
    expect(redacted(answer, { lead2: { liProfileUrl: `${page}x`, profileImgUrl: picture } })).toBe(
      'bad: […]"'
    )
  })

  it("keeps the end of a cut response that has all of a name but its first letter [DELIV-5]", () => {
    const answer = "no such user: aaab"
    expect(redacted(`${answer}, or it is gone`, { lead2: { name: "aaaab" } }, answer.length)).toBe(answer)
  })

  it("is the answer as it came, when it repeats nothing [DELIV-5]", () => {
    const data = {
      lead2: { id: 7, name: "Ada Example", headline: "Head of R&D" },
      engagements: [{ id: "e1", type: "comment" }]
    }
    for (const text of [
      "ok",
      '{"error":"no\\u0020such list","id":"e1"}',
      "a%20b &amp; c\n\td",
      "comment 7"
    ]) {
      expect(redacted(text, data)).toBe(text)
    }
    expect(redacted("", data)).toBeNull()
    // A byte that is no UTF-8 is read as of western Europe.
    expect(redacted(Buffer.from([0x41, 0xff, 0x07, 0x42]), data)).toBe("AÿB")
    expect(redacted("a\ufffdb", data)).toBe("a\ufffdb")
  })

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

  it("shows bytes that are no UTF-8 as windows-1252 has them, on every Node [DELIV-5]", () => {
    const answer = Buffer.from([0x93, 0x4a, 0x56, 0x94, 0x20, 0x80, 0x9f, 0x8e, 0x81, 0xdf])
    expect(redacted(answer, { lead2: { name: "Ada Example" } })).toBe("“JV” €ŸŽß")
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

  it("holds no half of a character that a repetition ends within [DELIV-5]", () => {
    const data = { lead2: { headline: "Head of Purchasing 😀" } }
    expect(redacted("no Head of Purchasing 😁!", data)).toBe("no […]!")
  })

  it("holds nothing personal of an echo that was cut within a character [DELIV-5, PII-2]", () => {
    const name = "Grete Grün und Ännchen Weiß"
    const bytes = Buffer.concat([
      Buffer.from("no "),
      Buffer.from(name).subarray(0, 9),
      Buffer.from(", "),
      Buffer.from(name)
    ])
    expect(redacted(bytes, { lead2: { id: 7, name } })).toBe("no […] GrÃ, […]")
  })

  it("ends with the last character that a cut left whole, also where other bytes are no UTF-8 [DELIV-5]", () => {
    const characters = fc.constantFrom("a", "é", "\u07ff", "\u0800", "李", "\ud7ff", "ａ", "😀", "\u{10fffd}")
    fc.assert(
      fc.property(fc.array(characters, { minLength: 1, maxLength: 6 }), fc.nat(24), (text, cut) => {
        const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from(`.${text.join("")}!`)])
        const cutAt = Math.min(2 + cut, bytes.length - 1)
        let [whole, end] = ["ÿ.", 2]
        for (const character of text) {
          end += Buffer.from(character).length
          if (end <= cutAt) whole += character
        }
        expect(redacted(bytes, {}, cutAt)).toBe(whole)
      }),
      { numRuns: cases(4000) }
    )
  })

  it("resolves escapes where it repeats something, and at its end only what a cut left incomplete [DELIV-5]", () => {
    const data = { lead2: { name: "Ada <Q> Li" } }
    expect(redacted("no Ada &lt;Q&gt; Li: 100%", data)).toBe("no […]: 100%")
    expect(redacted("no Ada &lt;Q&gt; Li: 100%41", data, 25)).toBe("no […]: 100")
  })

  it("holds no beginning of a name that the cut leaves, also where that begins within itself [DELIV-5]", () => {
    expect(redacted("answer aaaabcdef", { lead2: { name: "aaabcdef" } }, 11)).toBe("answer a[…]")
  })

  it("holds nothing personal of an echo that the receiver shortened itself [DELIV-5, PII-2]", () => {
    const comment = "I left my employer last week because of my health, please call me at home on 030 1234567"
    const data = {
      lead2: { id: 7, name: "Ada Example", headline: "Head of Purchasing & Logistics at Northwind, Lisbon" },
      engagements: [{ id: "e1", type: "comment", commentText: comment }]
    }
    for (const [answer, kept] of [
      [`DETAIL: row (7, ${comment.slice(0, 64)}...)`, "DETAIL: row (7, […]...)"],
      [`token near "${comment.slice(20, 60)}" not understood`, 'token near "[…]" not understood'],
      [`bad: ${JSON.stringify(data).slice(20, 90)}… (truncated)`, "… (truncated)"],
      [`bad: Head of Purchasing &amp; Logi… (truncated)`, "bad: […]… (truncated)"]
    ]) {
      const redactedText = redacted(answer!, data)!
      expect(redactedText).toContain(kept)
      for (const word of ["employer", "health", "Purchasing", "Northwind"])
        expect(redactedText).not.toContain(word)
    }
  })

  it("takes about as much work for runs of one character as for ordinary text", async () => {
    const { module, stepsOf } = await counted<typeof ResponseRedactor>(
      "packages/webhook/src/ResponseRedactor.ts"
    )
    const lines = (line: (i: number) => string) =>
      Array.from({ length: 60 }, (_, i) => line(i).padEnd(990, i === 0 ? "x" : line(i))).join("\n")
    const payloadOf = (text: string) => ({
      engagements: Array.from({ length: isThorough ? 20 : 4 }, () => ({ postContent: text }))
    })
    const work = (data: unknown): number => stepsOf(() => void redacted("a".repeat(2000), data, 1024, module))
    const ordinary = work(payloadOf(lines((i) => `what was said in line ${i} of this text, `)))
    const runs = work(payloadOf(lines((i) => "a".repeat(i + 1))))
    expect(runs / ordinary).toBeLessThan(2)
  })

  it("takes about as much work for many runs of base64 as for ordinary text", async () => {
    const { module, stepsOf } = await counted<typeof ResponseRedactor>(
      "packages/webhook/src/ResponseRedactor.ts"
    )
    const data = {
      engagements: Array.from({ length: 400 }, (_, i) => ({
        commentText: `what was said in comment ${i} of this post, and by whom`
      }))
    }
    const work = (answer: string): number => stepsOf(() => void redacted(answer, data, 1024, module))
    // Each stands for four texts, one for each place of the data at which it may begin.
    const runs = Array.from({ length: 60 }, (_, i) =>
      [..."V".repeat(16)].with(i % 16, "STUWXYZ"[i % 7]!).join("")
    )
    expect(work(runs.join(" ")) / work("an answer ".repeat(102))).toBeLessThan(4.5)
  })

  it("is withheld when a payload has too many texts to be compared [DELIV-5]", () => {
    const data = {
      lead2: { headline: Array.from({ length: 20_000 }, (_, i) => `line number ${i}`).join("\n") }
    }
    expect(redacted("line number 19999", data)).toContain("withheld")
    const lines = (count: number) => ({
      lead2: { headline: Array.from({ length: count }, (_, i) => `the line ${i}`).join("\n") }
    })
    expect(redacted("no: the line 4990", lines(4_995))).toBe("no: […]")
    expect(redacted("no: the line 4990", lines(5_001))).toContain("withheld")
  })
})
