/** Completes the OpenAPI document that the platform makes of the endpoints. */
import { documented, type DocumentedRow } from "./Documentation.ts"
import { envelopes, webhooks } from "./EventSchemas.ts"
import { LiveEventBody } from "./LiveSchemas.ts"
import { ObservationBody } from "./ObservationSchema.ts"
import { errorCodes, InvalidParameterBody, OtherError } from "./Failures.ts"

const header = (description: string, schema: object, example: unknown) => ({ description, schema, example })

const text = { type: "string" }
const count = { type: "integer" }

const requestId = header("The request's id, as in the server's log", text, "jSs93ih6jC43Esr_")

const rateHeaders = {
  "X-RateLimit-Limit": header("Requests a minute that the key may make", count, 60),
  "X-RateLimit-Remaining": header("Requests left in the current window", count, 59),
  "X-RateLimit-Reset": header("When the window ends, Unix seconds", count, 1767607260)
}

const retryAfter = header("Seconds to wait", { type: "integer", minimum: 1 }, 37)
const authenticate = header("Bearer", text, "Bearer")
const allow = header("The methods that the path takes", text, "GET, HEAD")
const warnings = header(
  "Unknown parameters, which were ignored, as a JSON array of sentences; absent where there are none",
  text,
  '["The parameter \\"colour\\" is unknown and was ignored."]'
)

type Json = Record<string, any>

/** Whether an answer has a form without `meta`, where warnings stand in a header. [LIST-10] */
const warnsInHeader = ({ content = {} }: Json): boolean =>
  Object.keys(content).some((type) => type !== "application/json") || Object.keys(content).length === 0

const errorContent = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } }

/** What every operation can answer without declaring it. */
const undeclaredStatuses: Readonly<Record<string, string>> = {
  "405": "A method that is not in Allow",
  "431": "More headers than the service accepts",
  "500": "A defect of the service"
}

const listOfErrorCodes = (): string =>
  errorCodes()
    .map(({ code, status }) => `${code} (${status})`)
    .join(", ")

/** Schemas of the platform's own failure for bad input, which cannot occur: the domain's rules decode instead. */
const foreign = ["HttpApiDecodeError", "Issue", "PropertyKey"]

/** The fields of an object's schema, or of the object in a nullable schema. */
const fieldsOf = (schema: Json): Json =>
  schema["properties"] ?? schema["anyOf"].find((each: Json) => "properties" in each).properties

/** Marks the fields that are marked in any of the others, by their names. */
const markAs = (schema: Json, rendered: ReadonlyArray<Json>): void => {
  for (const [name, field] of Object.entries<Json>(fieldsOf(schema))) {
    if (rendered.some((each) => fieldsOf(each)[name]?.["x-pii"] === true)) field["x-pii"] = true
  }
}

/** Marks the personal fields of observations as in answers: the domain's own schema has no marks. [PII-1] */
const markObservation = (schemas: Json): void => {
  const { AuthoredPost, Company, Engagement, Lead, LeadCompany } = schemas
  // Fields of one type share their schema.
  schemas["Observation"] = JSON.parse(JSON.stringify(schemas["Observation"]))
  const { engagement, person } = schemas["Observation"].properties
  markAs(person, [Lead])
  markAs(person.properties.company, [Company, LeadCompany])
  markAs(engagement, [Engagement])
  markAs(engagement.properties.postAuthorDetail, [AuthoredPost.properties.postAuthorDetail])
}

/**
 * Says of each operation what holds for all: the headers, that the target itself can be malformed, and that a defect of
 * ours has the same shape.
 */
export const completed = (spec: Json, rows: Readonly<Record<string, DocumentedRow>>): Json => {
  for (const name of foreign) delete spec.components.schemas[name]
  for (const path of Object.values(spec.paths as Json)) {
    for (const operation of Object.values(path as Json)) {
      const authenticated = operation.security.some((scheme: object) => "apiKey" in scheme)
      // A sign-in spends a request of a key's window where its credential is one. [SES-8]
      const spends = (status: string): boolean =>
        authenticated ? status !== "401" : "429" in operation.responses && ["201", "429"].includes(status)
      operation.responses["400"] = {
        description: "A parameter, a field of the body, or the target itself can't be read",
        content: { "application/json": { schema: { $ref: "#/components/schemas/InvalidParameterError" } } }
      }
      for (const [status, description] of Object.entries(undeclaredStatuses)) {
        operation.responses[status] ??= { description, content: errorContent }
      }
      for (const [status, response] of Object.entries(operation.responses as Json)) {
        response.headers = {
          "X-Request-Id": requestId,
          ...(spends(status) ? rateHeaders : {}),
          ...(status === "429" ? { "Retry-After": retryAfter } : {}),
          ...(status === "401" ? { "WWW-Authenticate": authenticate } : {}),
          ...(status === "405" ? { Allow: allow } : {}),
          ...(status.startsWith("2") && warnsInHeader(response) ? { "X-Warnings": warnings } : {})
        }
      }
    }
  }
  const batch = spec.paths["/operator/brands/{brandId}/observations"].post.requestBody
  batch.content["application/json"].schema.properties.observations.items = {
    $ref: "#/components/schemas/Observation"
  }
  markObservation(spec.components.schemas)
  for (const parameter of spec.paths["/signals/leads"].get.parameters) {
    // It takes part of a person's name.
    if (parameter.name === "search") parameter.schema = { ...parameter.schema, "x-pii": true }
  }
  // What the library's own types can't say.
  spec.info.license.identifier = "UNLICENSED"
  spec.info.description += ` Error codes: ${listOfErrorCodes()}.`
  return documented({ ...spec, webhooks: structuredClone(webhooks) }, rows)
}

/** Schemas of the document that no endpoint declares. */
export const additionalSchemas = [
  OtherError,
  InvalidParameterBody,
  ObservationBody,
  LiveEventBody,
  ...envelopes
]
