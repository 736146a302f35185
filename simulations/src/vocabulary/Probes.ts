/**
 * The vocabulary: every form of every field of every operation, and every form of whole requests. A probe is one of them, by
 * a name that plans and counterexamples keep.
 */
import { absent, type Form, invalid, otherTypes, presence, refused, taken, unchanged } from "./Form.ts"
import {
  brandFilterForms,
  brandIdsForms,
  observedSignalForms,
  pathIdForms,
  querySignalForms,
  webhookIdForms
} from "./Ids.ts"
import {
  booleanForms,
  choiceForms,
  choicesForms,
  integerForms,
  numberForms,
  pageSizeForms,
  queryBooleanForms,
  queryChoiceForms,
  queryIntegerForms,
  waitForms,
  sortForms
} from "./Numbers.ts"
import { type Field, type Operation, operations } from "./Operations.ts"
import { addressesForms, changeCursorForms, cursorForms } from "./OperatorForms.ts"
import { lineForms } from "./LineForms.ts"
import { missingField } from "./ContractFields.ts"
import {
  bodyForms,
  credentialForms,
  methodForms,
  equalsSignForms,
  misspeltParameters,
  parametersOfOthers,
  type RequestForm,
  spanForms,
  targetForms,
  unknownFieldForms,
  unknownParameterForms
} from "./RequestForms.ts"
import { commentForms, digitForms, searchForms, sourceValueForms, textForms } from "./Texts.ts"
import { webhookUrlForms } from "./TargetUrls.ts"
import { unknownObservedForms } from "./UnknownFieldForms.ts"
import { dayForms, endForms, spanDayForms, timestampForms, unshowable } from "./Times.ts"

/** A correct request with one field in another form. */
export interface FieldProbe {
  /** What is probed. */
  readonly of: "field"
  /** Operation, field and form in one text. */
  readonly name: string
  /** The operation that is called. */
  readonly operation: Operation
  /** The field of path, query or body. */
  readonly field: Field
  /** Its value, and what the contract says of it. */
  readonly form: Form
}

/** A request that is in another form as a whole. */
export interface RequestProbe {
  /** What is probed. */
  readonly of: "request"
  /** Operation and form in one text. */
  readonly name: string
  /** The operation that is called. */
  readonly operation: Operation
  /** How the request differs from a correct one, and what the contract says of it. */
  readonly form: RequestForm
}

/** A request, and what the contract says of its answer. */
export type Probe = FieldProbe | RequestProbe

/** An instant among those at which leads come into being. */
const instant = Date.UTC(2026, 0, 5, 8, 4, 30, 250)

/** A webhook's URL has a bound of its own. [OBS-3] */
const longestTarget = 2048

const objectForms = (operation: Operation, { path }: Field): ReadonlyArray<Form> => {
  const required = operation.fields.find(
    (each) =>
      each.isRequired && each.path.startsWith(`${path}.`) && !each.path.slice(path.length + 1).includes(".")
  )
  const isObservation = path.startsWith("observations[]")
  const unknown = { within: { [`${path}.colour`]: "red" } }
  return [
    required === undefined
      ? taken("an empty object", {})
      : refused("an empty object", {}, { ...invalid, names: required.path }),
    // Scrapers send more than the service takes.
    isObservation
      ? taken("an unknown member", unchanged, unknown)
      : refused("an unknown member", unchanged, { ...invalid, names: `${path}.colour` }, unknown),
    ...otherTypes("an object")
  ]
}

const itemsForms = (max: number): ReadonlyArray<Form> => [
  taken("empty", []),
  taken(
    "the most",
    Array.from({ length: max }, () => ({}))
  ),
  refused(
    "one too many",
    Array.from({ length: max + 1 }, () => ({}))
  ),
  ...otherTypes("an array")
]

const bodyFormsOf = (operation: Operation, field: Field): ReadonlyArray<Form> => {
  const { format, kind } = field
  const max = kind.is === "text" ? kind.max : null
  switch (format?.is) {
    case "timestamp":
      return [
        ...(format.mustCome === true ? endForms : timestampForms(instant, false)),
        ...(format.mustShow ? unshowable : []),
        ...otherTypes("a text")
      ]
    case "comment":
      return commentForms(max!)
    case "digits":
      return digitForms(max!)
    case "source value":
      return sourceValueForms(max!)
    case "target URL":
      return webhookUrlForms(max ?? longestTarget)
    case "id":
      return format.kind === "signal" ? observedSignalForms : webhookIdForms
    default:
  }
  if (kind.is === "texts")
    return format?.is === "brand ids" ? brandIdsForms(kind.max!) : addressesForms(kind.max!)
  switch (kind.is) {
    case "text":
      return textForms(kind)
    case "integer":
      return integerForms(kind)
    case "number":
      return numberForms(kind)
    case "boolean":
      return booleanForms
    case "choice":
      return choiceForms(kind.of)
    case "choices":
      return choicesForms(kind.of)
    case "items":
      return itemsForms(kind.max!)
    case "object":
      return objectForms(operation, field)
  }
}

/** Texts of a path: no JSON, and nothing that percent-encoding cannot write. */
const inPath = (forms: ReadonlyArray<Form>): ReadonlyArray<Form> =>
  forms.filter(
    ({ name, value }) =>
      typeof value === "string" && value.isWellFormed() && value !== "" && name !== "a text"
  )

/** Texts that are looked for alone: any may be. */
const soughtTextForms = inPath(textForms({ min: 0, max: null })).map((form) => ({ ...form, refusal: null }))

const queryFormsOf = ({ format, kind, path }: Field): ReadonlyArray<Form> => {
  switch (format?.is) {
    case "timestamp":
      return timestampForms(instant, true)
    case "day":
      return dayForms
    case "post id":
      return soughtTextForms
    case "day of a span":
      return spanDayForms
    case "sort":
      return sortForms
    case "search":
      return kind.is === "text" ? searchForms(kind.max!) : []
    case "id":
      return [...querySignalForms, ...queryIntegerForms.filter(({ refusal }) => refusal !== null)]
    case "brand":
      return brandFilterForms
    case "cursor":
      return cursorForms
    case "cursor of changes":
      return changeCursorForms
    default:
  }
  if (path === "pageSize") return pageSizeForms
  if (path === "wait") return waitForms
  if (kind.is === "boolean") return queryBooleanForms
  return kind.is === "choice" ? queryChoiceForms(kind.of) : queryIntegerForms
}

const pathFormsOf = ({ format, kind }: Field): ReadonlyArray<Form> => {
  if (format?.is === "id") return pathIdForms(format.kind)
  if (format?.is === "day") return dayForms.filter(({ value }) => value !== "")
  return kind.is === "text" && kind.max !== null ? inPath(textForms(kind)) : soughtTextForms
}

const queryNames = ({ fields }: Operation): ReadonlyArray<string> =>
  fields.flatMap(({ path, place }) => (place === "query" ? [path] : []))

/** Fields of the body itself. */
const bodyNames = ({ fields }: Operation): ReadonlyArray<string> =>
  fields.flatMap(({ path, place }) => (place === "body" && !/[.[]/.test(path) ? [path] : []))

/** Parameters of queries that other operations take. */
const namesOfOthers = (operation: Operation): ReadonlyArray<string> => {
  const own = queryNames(operation)
  return [...new Set(operations.flatMap(queryNames))].filter((name) => !own.includes(name)).sort()
}

const isWithoutQuery = ({ fields }: Operation): boolean => fields.every(({ place }) => place !== "query")

/** Names of a form that is the field given twice. */
const givenTwice = (field: Field): ReadonlyArray<Form> => {
  const first = queryFormsOf(field).find(({ refusal }) => refusal === null)!
  return [refused("given twice", [first.value, first.value])]
}

const formsOf = (operation: Operation, field: Field): ReadonlyArray<Form> => {
  const { isNullable, isRequired, place } = field
  switch (place) {
    case "path":
      return pathFormsOf(field)
    case "query":
      return [...queryFormsOf(field), ...givenTwice(field), taken("absent", absent)]
    case "body":
      return [
        ...bodyFormsOf(operation, field),
        ...presence(isRequired, isNullable).filter(
          ({ value }) => value !== absent || !field.path.endsWith("[]")
        )
      ]
  }
}

const fieldProbes = (operation: Operation): ReadonlyArray<Probe> =>
  operation.fields.flatMap((field) =>
    formsOf(operation, field).map((form): Probe => ({
      of: "field",
      name: `${operation.id} ${field.path}: ${form.name}`,
      operation,
      field,
      form
    }))
  )

/** The first operation of a path stands for the path. */
const requestProbes = (operation: Operation): ReadonlyArray<Probe> => {
  const { access, hasBody, id, route } = operation
  const ofRoute = operations.filter((each) => each.route === route)
  const forms: ReadonlyArray<RequestForm> = [
    { name: "as it should be", refusal: null },
    ...(access === "none" ? [] : credentialForms(access)),
    ...(ofRoute[0] === operation
      ? [...methodForms(ofRoute.map(({ method }) => method)), ...targetForms]
      : []),
    ...(isWithoutQuery(operation)
      ? []
      : [
          ...unknownParameterForms,
          ...misspeltParameters(queryNames(operation)),
          ...equalsSignForms(queryNames(operation)),
          ...spanForms(queryNames(operation)),
          ...parametersOfOthers(namesOfOthers(operation))
        ]),
    ...(hasBody
      ? [...bodyForms(id === "recordObservations"), ...unknownFieldForms(bodyNames(operation))]
      : []),
    ...(id === "recordObservations" ? [...lineForms, ...unknownObservedForms] : [])
  ]
  return forms.map((form) => ({ of: "request", name: `${id}: ${form.name}`, operation, form }))
}

let all: ReadonlyMap<string, Probe> | null = null

/** Every probe by its name. Made at the first call, since there are thousands. Throws an `Error` where the document lacks a field of the contract. */
export const probes = (): ReadonlyMap<string, Probe> => (all ??= allProbes())

const allProbes = (): ReadonlyMap<string, Probe> => {
  const missing = missingField(operations)
  if (missing !== null) throw new Error(`The OpenAPI document lacks ${missing}.`)
  return new Map(
    operations
      .flatMap((operation) => [...fieldProbes(operation), ...requestProbes(operation)])
      .map((probe) => [probe.name, probe])
  )
}

/** Whether the contract refuses it. */
export const isRefused = ({ form }: Probe): boolean => form.refusal !== null
