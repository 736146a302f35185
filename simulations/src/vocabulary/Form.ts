/**
 * Forms: the ways in which a value can be written, each with what the contract says of it. They are data, written from
 * docs/specification.md and the bounds of the OpenAPI document, and share no code with the decoders that they judge.
 */

/** The kinds of things that have ids. */
export type IdKind = "brand" | "key" | "signal" | "campaign" | "lead" | "webhook" | "delivery" | "token"

/** Stands for an id that exists only in the run. `own`: of the brand in the path. */
export class IdOf {
  constructor(
    readonly kind: IdKind,
    readonly whose: "own" | "foreign" | "deleted",
    /** How the id is written. */
    readonly write: (id: string) => unknown = (id) => id
  ) {}
}

/** A JSON text that no JavaScript value is written as, such as `1e400`. */
export class Raw {
  constructor(readonly text: string) {}
}

/** The field is left out. */
export const absent: unique symbol = Symbol("absent")
/** The field stays as it is; the form is in what stands `within`. */
export const unchanged: unique symbol = Symbol("unchanged")

/** The error that the contract demands. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number
  /** The code of the error. [ERR-2] */
  readonly code: string
  /** The text that the message must hold instead of the field's name; null: none. */
  readonly names?: string | null
}

/** One way to write a value. */
export interface Form {
  /** What is particular about it, unique within its field. */
  readonly name: string
  /** As it is sent. Holds `IdOf` or `Raw` where the value is not known beforehand, or `absent`. */
  readonly value: unknown
  /** Null: the contract accepts it. */
  readonly refusal: Refusal | null
  /** The meaning of an accepted value where that is not the value itself. */
  readonly means?: unknown
  /** Other fields of the body that the form needs, by path. */
  readonly within?: Readonly<Record<string, unknown>>
  /** Whether a setting of the simulated host decides over it: it is sent to no other host. */
  readonly isOfHost?: true
}

/** The refusal of a value that breaks its contract; the message names the field. */
export const invalid: Refusal = { status: 400, code: "invalid_parameter" }

/** The refusal of an id that nothing has; the message names no field. */
export const notFound: Refusal = { status: 404, code: "not_found", names: null }

type Rest = Pick<Form, "means" | "within" | "isOfHost">

/** A form that the contract accepts. */
export const taken = (name: string, value: unknown, rest: Rest = {}): Form => ({
  name,
  value,
  refusal: null,
  ...rest
})

/** A form that the contract refuses, as an invalid parameter unless said. */
export const refused = (name: string, value: unknown, refusal: Refusal = invalid, rest: Rest = {}): Form => ({
  name,
  value,
  refusal,
  ...rest
})

/** Values of other JSON types than the field's, refused. */
export const otherTypes = (...own: ReadonlyArray<string>): ReadonlyArray<Form> =>
  [
    ["a text", "text"],
    ["a number", 7],
    ["true", true],
    ["an array", []],
    ["an array of a text", ["text"]],
    ["an object", {}],
    ["an object with a length", { length: 4 }]
  ].flatMap(([name, value]) =>
    own.some((kind) => (name as string).startsWith(kind)) ? [] : [refused(name as string, value)]
  )

/** Null and no field at all, by what the schema says of them. */
export const presence = (isRequired: boolean, isNullable: boolean): ReadonlyArray<Form> => [
  isNullable ? taken("null", null) : refused("null", null),
  isRequired ? refused("absent", absent) : taken("absent", absent)
]
