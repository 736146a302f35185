/** The OpenAPI document as a judge of answers. It is stricter than published: no object may have a further field. */
import { openApi } from "@lead-signals/http"
import { type ValidatorOf, validatorsOf } from "./SchemaValidators.ts"

type Json = Record<string, any>

const strict = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== "object" || schema === null) return schema
  const copy: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]))
  if (copy["properties"] !== undefined && copy["type"] === "object") copy["additionalProperties"] = false
  return copy
}

/** The OpenAPI document as it is published, as one text. */
export const documentText: string = JSON.stringify(openApi())

/** The OpenAPI document in which no object may have a field that it does not name. */
const document = strict(JSON.parse(documentText)) as Json

const validator: ValidatorOf = validatorsOf(document)

const escaped = (key: string): string => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))

const responsePointer = (path: string, method: string, status: number | string): string =>
  `/paths/${escaped(path)}/${method}/responses/${status}/content/${escaped("application/json")}/schema`

/** The places of all schemas that a value can be judged by. */
export const pointers = (): ReadonlyArray<string> => [
  ...Object.keys(document["components"].schemas).map((name) => `/components/schemas/${name}`),
  ...Object.entries<Json>(document["paths"]).flatMap(([path, item]) =>
    Object.entries<Json>(item).flatMap(([method, operation]) =>
      Object.entries<Json>(operation["responses"] ?? {}).flatMap(([status, response]) =>
        response["content"]?.["application/json"] === undefined ? [] : [responsePointer(path, method, status)]
      )
    )
  )
]

/** Judges a body: why it is not allowed, or null. */
type BodyJudge = (body: unknown) => string | null

const judgeOf = (path: string | null, method: string, status: number): BodyJudge => {
  const operation =
    path === null ? undefined : document["paths"][path]?.[method.toLowerCase().replace("head", "get")]
  const response = operation?.responses[status]
  if (response === undefined && status < 400) return () => `no ${status} for ${method} ${path}`
  // A page of text.
  if (response?.content !== undefined && response.content["application/json"] === undefined)
    return (body) => (body === null ? null : `${method} ${path} is answered with JSON`)
  const pointer =
    response?.content === undefined
      ? "/components/schemas/Error"
      : responsePointer(path!, method.toLowerCase().replace("head", "get"), status)
  const validate = validator(pointer)
  return (body) => (validate(body) ? null : JSON.stringify(validate.errors?.slice(0, 3)))
}

/** By operation and status: to find the schema costs as much as to judge a small body by it. */
const judges = new Map<string, BodyJudge>()

/**
 * Why the document does not allow this body for the operation and status; null when it does. `path` is the route's
 * pattern.
 */
export const problemOf = (
  path: string | null,
  method: string,
  status: number,
  body: unknown
): string | null => {
  const answer = `${status} ${method} ${path}`
  const known = judges.get(answer)
  if (known !== undefined) return known(body)
  const judge = judgeOf(path, method, status)
  judges.set(answer, judge)
  return judge(body)
}

/** Why the value does not fit the named schema of the document; null when it does. */
export const validate = (schema: string, value: unknown): string | null => {
  const validateIt = validator(`/components/schemas/${schema}`)
  return validateIt(value) ? null : JSON.stringify(validateIt.errors?.slice(0, 3))
}

export { document }
