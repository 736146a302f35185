import { problemOf, validate } from "./OpenApiDocument.ts"
import type { Oracle } from "./Oracle.ts"

const schemas: Record<string, string> = {
  "lead2.created": "LeadCreatedEvent",
  "activity.detected": "ActivityDetectedEvent",
  "webhook.test": "TestEvent"
}

/** Every answer and every post is what the OpenAPI document says of it, and nothing more; each has its request id. [ERR-1, ERR-4, EVT-1, EVT-4] */
export const bodiesValid: Oracle = {
  name: "bodies valid",
  instantiate: () => ({
    answered: ({ body, call, response }) => {
      const { method } = call.request
      if (!response.headers["x-request-id"]) return `${method} ${call.route}: no X-Request-Id`
      if (response.status === 204) return null
      const problem = problemOf(call.route, method, response.status, body)
      return problem === null ? null : `${method} ${call.route}, ${response.status}: ${problem}`
    },
    posted: ({ envelope }) => {
      const schema = schemas[envelope.event]
      const problem = schema === undefined ? "no event of this name" : validate(schema, envelope)
      return problem === null ? null : `${envelope.event}: ${problem}`
    }
  })
}
