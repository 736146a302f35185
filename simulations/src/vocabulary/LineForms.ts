/** Forms of x-ndjson: how its lines may be written, and what is rejected or refused. [OBS-4, OBS-6] */
import type { RequestForm } from "./RequestForms.ts"

/** A body of x-ndjson. */
export interface LineForm extends RequestForm {
  /** How often the correct observation is in it; the first is recorded, the others are duplicates. */
  readonly observations?: number
  /** How the message of each rejected line begins, in order; of a body that is all wrong. */
  readonly rejections?: ReadonlyArray<string>
  /** The unknown fields that each outcome must name, in order; empty: it must name none. [OBS-11] */
  readonly reports?: ReadonlyArray<ReadonlyArray<string>>
  /** The observation as it is meant, where the bytes have more than the correct one. */
  readonly alters?: (observation: any) => any
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const contentType = "application/x-ndjson"
const refusal = { status: 400, code: "invalid_parameter" }

const good = (name: string, observations: number, text: (line: string) => string): LineForm => ({
  name,
  refusal: null,
  contentType,
  bytes: (line) => utf8(text(line)),
  observations
})

const bad = (name: string, rejections: ReadonlyArray<string>, bytes: () => Uint8Array): LineForm => ({
  name,
  refusal: null,
  contentType,
  bytes,
  rejections
})

const no = (
  name: string,
  bytes: (line: string) => Uint8Array,
  names = "none of the first 20 lines begins with {"
): LineForm => ({
  name,
  refusal: { ...refusal, names },
  contentType,
  bytes
})

const oneDocument = "this is one JSON document"

const mark: ReadonlyArray<number> = [0xef, 0xbb, 0xbf]

const behindMark = (text: string): Uint8Array => Uint8Array.of(...mark, ...utf8(text))

/** Where nothing that says what the body is comes in its first pieces. [OBS-6] */
const inPieces: ReadonlyArray<LineForm> = [
  {
    ...no("an array behind a piece with a line break", (line) => utf8(`\n[${line}]`), oneDocument),
    arrival: { cuts: [1] }
  },
  {
    ...no(
      "an array behind blanks, each of them a piece",
      (line) => utf8(`\r\n \t[\n${line}\n]\n`),
      oneDocument
    ),
    arrival: { cuts: [1, 2, 3, 4, 5] }
  },
  {
    ...no("an array behind a byte order mark in two pieces", (line) => behindMark(`[${line}]`), oneDocument),
    arrival: { cuts: [1] }
  },
  {
    ...no("an array behind a byte order mark of its own", (line) => behindMark(`\n[${line}]`), oneDocument),
    arrival: { cuts: [3, 4] }
  },
  {
    ...no("an array behind empty pieces", (line) => utf8(` [${line}]`), oneDocument),
    arrival: { cuts: [0, 0, 1] }
  },
  {
    ...no(
      "an object over lines, a byte at a time",
      () => utf8('\n{\r\n"observations":[]\r\n}\r\n'),
      oneDocument
    ),
    arrival: { cuts: [1, 2, 3, 4, 5, 6] }
  },
  {
    ...good("a line behind a byte order mark in three pieces", 1, (line) => `${line}\n`),
    bytes: (line) => behindMark(`${line}\n`),
    arrival: { cuts: [1, 2] }
  },
  {
    ...good("lines whose breaks come in two pieces", 2, (line) => `\r\n${line}\r\n${line}`),
    arrival: { cuts: [0, 1, 1, 2, 3, 9] }
  },
  { ...good("lines in seven pieces", 2, (line) => `${line}\r\n${line}\r\n`), arrival: { cuts: 7 } }
]

/** Lines that come slowly: each has a minute, also a blank one. [ERR-6] */
const comingSlowly: ReadonlyArray<LineForm> = [
  {
    ...good("three lines, each after 40 seconds", 3, (line) => `${line}\n`.repeat(3)),
    arrival: { cuts: "lines", pauses: [40_000, 40_000, 40_000] }
  },
  {
    ...good("a blank line each 50 seconds", 1, (line) => `\n\n\n${line}\n`),
    arrival: { cuts: "lines", pauses: [50_000, 50_000, 50_000, 50_000] }
  },
  {
    ...good("a line in pieces that come within a minute", 1, (line) => `${line}\n`),
    arrival: { cuts: 3, pauses: [15_000, 20_000, 20_000] }
  },
  ...[
    [0, 35_000, 40_000],
    [70_000, 0, 0]
  ].map((pauses, i): LineForm => ({
    ...good(
      i === 0 ? "a line whose pieces take too long" : "a line that begins too late",
      1,
      (line) => `${line}\n`
    ),
    refusal: { status: 408, code: "request_timeout", names: "A line of x-ndjson" },
    arrival: { cuts: 3, pauses }
  }))
]

const mebibyte = 1024 * 1024

/** Two lines without an object, of the given number of bytes together without their ends. */
const withoutObject = (bytes: number): Uint8Array => {
  const line = "x".repeat(bytes / 2)
  return utf8(`${line}\n${line.padEnd(bytes - line.length, "x")}\n`)
}

/** Values of another type than a text, which all texts of an observation are at once. */
const wrongThroughout: ReadonlyArray<readonly [name: string, wrong: (text: string) => unknown]> = [
  ["arrays", (text) => [text]],
  ["objects with a length", (text) => ({ length: text.length })],
  ["numbers", () => 7]
]

/** The value with each text in it as `wrong` makes it. */
const throughout = (value: unknown, wrong: (text: string) => unknown): unknown => {
  if (typeof value === "string") return wrong(value)
  if (Array.isArray(value)) return value.map((inner) => throughout(inner, wrong))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, throughout(inner, wrong)]))
}

/** Forms of a body of lines, given one correct line. */
export const lineForms: ReadonlyArray<LineForm> = [
  good("one line", 1, (line) => `${line}\n`),
  good("no line break at the end", 1, (line) => line),
  good("two lines", 2, (line) => `${line}\n${line}\n`),
  good("lines that end with CR LF", 2, (line) => `${line}\r\n${line}\r\n`),
  good("blank lines", 2, (line) => `\n${line}\n\n \t\n${line}\n\n`),
  good("spaces around a line", 1, (line) => `  ${line} \t\n`),
  good("no line", 0, () => ""),
  good("only blank lines", 0, () => "\n\n \n"),
  good("thirteen lines", 13, (line) => `${line}\n`.repeat(13)),
  {
    ...good("a media type in capitals", 1, (line) => `${line}\n`),
    contentType: "Application/X-NDJSON; charset=utf-8"
  },
  bad("a line cut short", ["Line 1 "], () => utf8('{"signalId":"1"\n')),
  bad("a line of two values", ["Line 1 "], () => utf8("{} {}\n")),
  bad("a line that is not UTF-8", ["Line 1 "], () =>
    Uint8Array.of(0x7b, 0x22, 0xe4, 0x22, 0x3a, 0x31, 0x7d, 0x0a)
  ),
  bad("a text, a number, an empty object", ["Line 1 ", "Line 2 ", "Line 3: "], () => utf8('"x"\n7\n{}\n')),
  bad("blank lines are counted", ["Line 3: ", "Line 5 "], () => utf8("\n\n{}\n\nx\n")),
  bad(
    "nineteen lines without an object",
    Array.from({ length: 19 }, (_, i) => `Line ${i + 1} `),
    () => utf8("x\n".repeat(19))
  ),
  bad(
    "more rejected lines than have a reason each",
    [...Array.from({ length: 1000 }, (_, i) => `Line ${i + 1}: `), "Lines 1001 to 1003: 3 are rejected"],
    () => utf8("{}\n".repeat(1003))
  ),
  bad(
    "rejected lines without a reason, and blank ones among them",
    [...Array.from({ length: 1000 }, (_, i) => `Line ${i + 1}: `), "Lines 1001 to 1004: 2 are rejected"],
    () => utf8(`${"{}\n".repeat(1001)}\n\nx\n`)
  ),
  no("an array", (line) => utf8(`[${line}]`), oneDocument),
  no("an array over lines", (line) => utf8(`[\n${line}\n]\n`), oneDocument),
  no("an object over lines", () => utf8('{\n"observations":[]\n}\n'), oneDocument),
  no("an object over lines that end with CR LF", () => utf8('{\r\n"observations":[]\r\n}\r\n'), oneDocument),
  no(
    "an object over lines, with blanks around its brace",
    () => utf8('\n \t{ \n"observations":[]\n}\n'),
    oneDocument
  ),
  no(
    "an object over lines, behind a byte order mark",
    () => Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8('{\n"observations":[]\n}\n')),
    oneDocument
  ),
  bad("a brace behind another line", ["Line 1 ", "Line 2 ", "Line 3 "], () => utf8("x\n{\n}\n")),
  no("twenty lines without an object", () => utf8("x\n".repeat(20))),
  bad("a mebibyte without an object", ["Line 1 ", "Line 2 "], () => withoutObject(mebibyte)),
  no("a byte more than a mebibyte without an object", () => withoutObject(mebibyte + 1)),
  ...inPieces,
  ...comingSlowly,
  // What fits no field in any of its parts.
  ...wrongThroughout.flatMap(([name, wrong]): ReadonlyArray<LineForm> => [
    {
      ...bad(`an observation of nothing but ${name}`, ["signalId"], () => new Uint8Array()),
      contentType: "application/json",
      bytes: (json) => utf8(JSON.stringify(throughout(JSON.parse(json), wrong)))
    },
    {
      ...bad(`a line of nothing but ${name}`, ["Line 1: signalId"], () => new Uint8Array()),
      bytes: (json) => utf8(`${JSON.stringify(throughout(JSON.parse(json), wrong))}\n`)
    }
  ])
]
