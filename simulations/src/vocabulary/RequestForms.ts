/** Forms of whole requests: credentials, methods, paths, targets, media types and bodies as bytes. [AUTH-1, ERR-2, ERR-5] */
import type { Arrival } from "../world/BodyPieces.ts"
import type { Refusal } from "./Form.ts"

/** How a request differs from a correct one. What is absent stays as it is. */
export interface RequestForm {
  readonly name: string
  readonly refusal: Refusal | null
  readonly method?: string
  /** The header Authorization, of the valid credential; null: none. */
  readonly authorization?: (credentials: Credentials) => string | null
  readonly path?: (path: string) => string
  /** Appended to the query. */
  readonly query?: string
  readonly contentType?: string
  /** The bytes of the body, of the correct body as JSON. */
  readonly bytes?: (json: string) => Uint8Array
  /** How the body arrives; as its length says, and at once, unless given. */
  readonly arrival?: Arrival
  /** What the answer must show, by path. */
  readonly warns?: ReadonlyArray<string>
}

interface Credentials {
  /** What the operation takes. */
  readonly right: string
  /** A valid credential of the other kind. */
  readonly other: string
}

const badRequest = (names: string | null): Refusal => ({ status: 400, code: "invalid_parameter", names })
const nothingThere: Refusal = { status: 404, code: "not_found", names: null }

/** Credentials that are refused, and those that are not. [AUTH-1, AUTH-2, OPER-1] */
export const credentialForms = (access: "key" | "operator"): ReadonlyArray<RequestForm> => {
  const refusal: Refusal = {
    status: 401,
    code: access === "key" ? "invalid_api_key" : "invalid_operator_token",
    names: null
  }
  const wrong = (name: string, authorization: (of: Credentials) => string | null): RequestForm => ({
    name,
    refusal,
    authorization
  })
  return [
    { name: "scheme in lower case", refusal: null, authorization: ({ right }) => `bearer ${right}` },
    { name: "scheme in mixed case", refusal: null, authorization: ({ right }) => `bEARER ${right}` },
    wrong("no Authorization", () => null),
    wrong("an empty Authorization", () => ""),
    wrong("a scheme alone", () => "Bearer"),
    wrong("a credential without scheme", ({ right }) => right),
    wrong("another scheme", ({ right }) => `Basic ${right}`),
    wrong("a longer scheme", ({ right }) => `Bearers ${right}`),
    wrong("two credentials", ({ right }) => `Bearer ${right} ${right}`),
    wrong("two credentials with a comma", ({ right }) => `Bearer ${right},${right}`),
    wrong("the other kind of credential", ({ other }) => `Bearer ${other}`),
    wrong("cut short", ({ right }) => `Bearer ${right.slice(0, -1)}`),
    wrong("with more behind it", ({ right }) => `Bearer ${right}x`),
    wrong(
      "with another letter at its end",
      ({ right }) => `Bearer ${right.slice(0, -1)}${right.endsWith("a") ? "b" : "a"}`
    ),
    wrong("in upper case", ({ right }) => `Bearer ${right.toUpperCase()}`),
    wrong("nothing that could be one", () => "Bearer x")
  ]
}

/** Paths that nothing is at, and targets that cannot be read. [ERR-5, ERR-9] */
export const targetForms: ReadonlyArray<RequestForm> = [
  { name: "a slash at the end", refusal: nothingThere, path: (path) => `${path}/` },
  { name: "a slash twice", refusal: nothingThere, path: (path) => `/${path}` },
  {
    name: "a path in upper case",
    refusal: nothingThere,
    path: (path) => path.replace(/^\/\w+/, (part) => part.toUpperCase())
  },
  { name: "further segments", refusal: nothingThere, path: (path) => `${path}/more/more` },
  { name: "broken percent-encoding", refusal: badRequest("target"), query: "x=%zz" },
  { name: "percent-encoding cut short", refusal: badRequest("target"), query: "x=%4" },
  { name: "a surrogate in percent-encoding", refusal: badRequest("target"), query: "x=%ED%A0%80" },
  { name: "an overlong percent-encoding", refusal: badRequest("target"), query: "x=%C0%AF" },
  { name: "another encoding than UTF-8", refusal: badRequest("target"), query: "x=%E4" },
  {
    name: "broken percent-encoding in the path",
    refusal: badRequest("target"),
    path: (path) => `${path}%zz`
  },
  {
    name: "another encoding than UTF-8 in the path",
    refusal: badRequest("target"),
    path: (path) => `${path}%E4`
  },
  {
    name: "a character beyond ASCII in the path",
    refusal: badRequest("target"),
    path: (path) => `${path}\u00e9`
  },
  { name: "a fragment", refusal: badRequest("target"), path: (path) => `${path}#x` },
  { name: "too long a target", refusal: badRequest("target"), query: `x=${"x".repeat(17_000)}` }
]

/** Unknown parameters of an operation that reads a query. [LIST-7, LIST-10] */
export const unknownParameterForms: ReadonlyArray<RequestForm> = [
  {
    name: "an unknown parameter",
    refusal: null,
    query: "colour=red",
    warns: [`The parameter "colour" is unknown and was ignored.`]
  },
  { name: "an unknown parameter twice", refusal: null, query: "colour=red&colour=blue", warns: ["colour"] },
  { name: "an unknown parameter without value", refusal: null, query: "colour", warns: ["colour"] },
  { name: "two unknown parameters", refusal: null, query: "colour=red&shade=1", warns: ["colour", "shade"] },
  {
    name: "an unknown parameter with a strange name",
    refusal: null,
    query: `${encodeURIComponent("\u{1d4b3}\u202e<b>")}=1`,
    warns: ["\u{1d4b3}\u202e<b>"]
  },
  {
    name: "an unknown parameter with the longest name that is shown",
    refusal: null,
    query: `${"q".repeat(40)}=1`,
    warns: [`"${"q".repeat(40)}"`]
  },
  {
    name: "an unknown parameter with a longer name",
    refusal: null,
    query: `${"q".repeat(41)}=1`,
    warns: [`"${"q".repeat(40)}…"`]
  },
  {
    name: "ten unknown parameters",
    refusal: null,
    query: Array.from({ length: 10 }, (_, i) => `zz_zzzz${i}=1`).join("&"),
    warns: Array.from({ length: 10 }, (_, i) => `"zz_zzzz${i}"`)
  },
  {
    name: "twelve unknown parameters",
    refusal: null,
    query: Array.from({ length: 12 }, (_, i) => `zz_zzzz${i}=1`).join("&"),
    warns: [
      ...Array.from({ length: 9 }, (_, i) => `"zz_zzzz${i}"`),
      "3 more parameters are unknown and were ignored."
    ]
  },
  { name: "empty parts of a query", refusal: null, query: "&&", warns: [] }
]

/** Days that do not go together, of an operation that takes a first and a last one. [MET-2, SERIES-2] */
export const spanForms = (names: ReadonlyArray<string>): ReadonlyArray<RequestForm> => {
  if (!names.includes("startDate") || !names.includes("endDate")) return []
  const form = (name: string, query: string, refusal: Refusal | null): RequestForm => ({
    name,
    query,
    refusal
  })
  return [
    form("a day after the last one", "startDate=2026-01-05&endDate=2026-01-04", badRequest("startDate")),
    form("a year after the last one", "startDate=2027-01-04&endDate=2026-01-04", badRequest("startDate")),
    ...(names.includes("interval")
      ? [
          form(
            "one day more than are shown",
            "startDate=2024-12-01&endDate=2026-01-05",
            badRequest("startDate")
          ),
          form("as many days as are shown", "startDate=2024-12-02&endDate=2026-01-05", null),
          form("the last day of today", "startDate=2026-01-05&endDate=2026-01-05", null)
        ]
      : [])
  ]
}

/**
 * Names that no other parameter's is like, so that a misspelt one can mean nothing else, each with a value that it takes. Every operation that reads
 * a query has one of them.
 */
const distinct = {
  pageSize: "1",
  interval: "day",
  startDate: "2026-01-04",
  includeEngagementDetail: "true",
  unknownFields: "ignore"
}

const distinctIn = (names: ReadonlyArray<string>): readonly [name: string, value: string] | undefined =>
  Object.entries(distinct).find(([name]) => names.includes(name))

/** A value ends with the parameter: an equals sign in it is a part of it. [ERR-5] */
export const equalsSignForms = (names: ReadonlyArray<string>): ReadonlyArray<RequestForm> => {
  const found = distinctIn(names)
  if (found === undefined) return []
  const [name, value] = found
  return [
    { name: "a value with an equals sign", refusal: badRequest(name), query: `${name}=${value}=x` },
    { name: "a value with an equals sign at its end", refusal: badRequest(name), query: `${name}=${value}=` },
    { name: "a value that begins with an equals sign", refusal: badRequest(name), query: `${name}==${value}` }
  ]
}

const ignored = (name: string, meant: string | null): string =>
  `The parameter "${name}" is unknown and was ignored.${meant === null ? "" : ` Did you mean "${meant}"?`}`

/** Parameters that are misspelt by up to two letters, which a warning offers, and by three. [LIST-10] */
export const misspeltParameters = (names: ReadonlyArray<string>): ReadonlyArray<RequestForm> => {
  const found = distinctIn(names)
  if (found === undefined) return []
  const [meant] = found
  const [a, b, ...rest] = meant
  const exchanged = [b, a, ...rest].join("")
  const misspelt: ReadonlyArray<readonly [how: string, name: string, isNear: boolean]> = [
    ["in capitals", meant.toUpperCase(), true],
    ["with an underscore", `_${meant}`, true],
    ["with a letter missing", meant.slice(0, -1), true],
    ["with two letters missing", meant.slice(2), true],
    ["with three letters missing", meant.slice(3), false],
    ["with letters exchanged", exchanged, true],
    ["with letters exchanged and one missing", exchanged.slice(0, -1), true],
    ["with another letter", `z${meant.slice(1)}`, true],
    ["with two other letters", `zz${meant.slice(2)}`, true],
    ["with three other letters", `zzz${meant.slice(3)}`, false],
    ["with a letter more and one missing", `z${meant.slice(0, -1)}`, true],
    ["with two more letters", `${meant}zz`, true],
    ["with three more letters", `${meant}zzz`, false]
  ]
  const many = Array.from({ length: 12 }, (_, i) => `zz_zzzz${i}`)
  const last = meant.toUpperCase()
  return [
    ...misspelt.map(([how, name, isNear]): RequestForm => ({
      name: `a parameter ${how}`,
      refusal: null,
      query: `${name}=1`,
      warns: [ignored(name, isNear ? meant : null)]
    })),
    {
      name: "a misspelt parameter behind twelve unknown ones",
      refusal: null,
      query: [...many, last].map((name) => `${name}=1`).join("&"),
      warns: [
        ignored(last, meant),
        ...many.slice(0, 8).map((name) => ignored(name, null)),
        "4 more parameters are unknown and were ignored."
      ]
    }
  ]
}

/** A body with a field that is misspelt, and with one that is like none. [ERR-3] */
export const unknownFieldForms = (names: ReadonlyArray<string>): ReadonlyArray<RequestForm> => {
  const [first] = names
  if (first === undefined) return []
  const withField = (name: string) => (json: string) =>
    utf8(`{"${name}":1${json === "{}" ? "" : ","}${json.slice(1)}`)
  return [
    {
      name: "a misspelt field",
      refusal: badRequest(`Did you mean "${first}"?`),
      bytes: withField(`${first}x`)
    },
    {
      name: "an unknown field like none",
      refusal: badRequest(`It takes ${names.join(", ")}.`),
      bytes: withField("zzzzzzzz")
    }
  ]
}

/** The most parameters that warnings name; behind them is a count. [LIST-10] */
const namedAtMost = 10

/** Parameters that other operations take and this one does not. [LIST-7, LIST-10] */
export const parametersOfOthers = (names: ReadonlyArray<string>): ReadonlyArray<RequestForm> =>
  Array.from({ length: Math.ceil(names.length / namedAtMost) }, (_, i) => {
    const part = names.slice(i * namedAtMost, (i + 1) * namedAtMost)
    return {
      name: `parameters of other operations from ${part[0]}`,
      refusal: null,
      query: part.map((name) => `${name}=1`).join("&"),
      warns: part.map((name) => `"${name}"`)
    }
  })

const allMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** Methods that the path does not take. [ERR-2] */
export const methodForms = (taken: ReadonlyArray<string>): ReadonlyArray<RequestForm> =>
  allMethods
    .filter((method) => !taken.includes(method))
    .map((method) => ({
      name: `method ${method}`,
      method,
      refusal: { status: 405, code: "method_not_allowed", names: taken[0]! }
    }))

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const mebibyte = 1024 * 1024
const body = badRequest("The body")
const unsupported: Refusal = { status: 415, code: "unsupported_media_type", names: "application/json" }

/** Bodies that are no JSON of an object, and media types. [ERR-2, ERR-5] */
export const bodyForms = (takesLines: boolean): ReadonlyArray<RequestForm> => [
  { name: "an empty body", refusal: body, bytes: () => new Uint8Array() },
  { name: "a body of spaces", refusal: body, bytes: () => ascii(" \n ") },
  { name: "no JSON", refusal: body, bytes: () => ascii("name=x") },
  { name: "JSON cut short", refusal: body, bytes: (json) => utf8(json.slice(0, -1)) },
  { name: "JSON twice", refusal: body, bytes: (json) => utf8(json + json) },
  { name: "JSON with a comma at the end", refusal: body, bytes: (json) => utf8(`${json.slice(0, -1)},}`) },
  { name: "JSON with single quotes", refusal: body, bytes: (json) => utf8(json.replaceAll('"', "'")) },
  { name: "null as the body", refusal: body, bytes: () => ascii("null") },
  { name: "a text as the body", refusal: body, bytes: () => ascii('"x"') },
  { name: "a number as the body", refusal: body, bytes: () => ascii("1") },
  { name: "an array as the body", refusal: body, bytes: (json) => utf8(`[${json}]`) },
  {
    name: "no UTF-8",
    refusal: body,
    bytes: (json) => Uint8Array.of(...utf8(json.slice(0, -1)), 0x2c, 0x22, 0xe4, 0x22, 0x3a, 0x31, 0x7d)
  },
  {
    name: "UTF-16",
    refusal: body,
    bytes: (json) => Uint8Array.from(Array.from(json).flatMap((character) => [character.charCodeAt(0), 0]))
  },
  {
    name: "an unknown field",
    refusal: badRequest("colour"),
    bytes: (json) => utf8(`{"colour":1${json === "{}" ? "" : ","}${json.slice(1)}`)
  },
  {
    name: "an unknown field named __proto__",
    refusal: badRequest("__proto__"),
    bytes: (json) => utf8(`{"__proto__":1${json === "{}" ? "" : ","}${json.slice(1)}`)
  },
  {
    name: "spaces around JSON",
    refusal: null,
    bytes: (json) => utf8(`\n\t ${json} \r\n`)
  },
  {
    name: "as large as a body may be",
    refusal: null,
    bytes: (json) => {
      const bytes = new Uint8Array(mebibyte).fill(0x20)
      bytes.set(utf8(json))
      return bytes
    }
  },
  {
    name: "one byte too large",
    refusal: { status: 413, code: "payload_too_large", names: "1 MiB" },
    bytes: (json) => {
      const bytes = new Uint8Array(mebibyte + 1).fill(0x20)
      bytes.set(utf8(json))
      return bytes
    }
  },
  { name: "JSON with a charset", refusal: null, contentType: "application/json; charset=utf-8" },
  { name: "JSON with a charset in quotes", refusal: null, contentType: 'Application/JSON; charset="UTF-8"' },
  { name: "another charset", refusal: unsupported, contentType: "application/json; charset=iso-8859-1" },
  { name: "text", refusal: unsupported, contentType: "text/plain" },
  { name: "a form", refusal: unsupported, contentType: "application/x-www-form-urlencoded" },
  { name: "XML", refusal: unsupported, contentType: "application/xml" },
  { name: "a media type like JSON's", refusal: unsupported, contentType: "application/jsonp" },
  ...(takesLines
    ? []
    : [
        {
          name: "lines of JSON",
          refusal: unsupported,
          contentType: "application/x-ndjson"
        } satisfies RequestForm
      ])
]
