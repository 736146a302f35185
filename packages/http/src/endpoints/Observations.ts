/** Observations: a JSON batch, or x-ndjson of any length. */
import { Brands } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as OpenApi from "@effect/platform/OpenApi"
import { Effect, Schema } from "effect"
import { Admission } from "../Admission.ts"
import { Attention } from "../Attention.ts"
import { overload } from "../Responses.ts"
import * as Body from "../Body.ts"
import { list } from "../contract/Envelopes.ts"
import { parameter } from "../contract/Fields.ts"
import {
  maxBatchLength,
  maxFullRejections,
  ObservationBatch,
  OutcomeBody
} from "../contract/OperatorSchemas.ts"
import * as Target from "../Target.ts"
import { answerLines } from "./ObservationLines.ts"
import { fieldModes, readFieldQuery, watchFields } from "./ObservedFields.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { ofBrand } from "./Paths.ts"
import { metaOf } from "./Views.ts"
import { withWarnings } from "./Warnings.ts"

const decodeBatch = Body.decoding(ObservationBatch)

const lines = (description: string) => ({
  "application/x-ndjson": { schema: { type: "string", description } }
})

/** The observations' other form, which no schema of one JSON value can say. */
const withLines = (operation: Record<string, any>): Record<string, any> => {
  Object.assign(operation.requestBody.content, lines("One observation a line, as JSON"))
  Object.assign(operation.responses["200"].content, lines("One outcome a line, as JSON"))
  return operation
}
/** POST /operator/brands/:brandId/observations. Needs the scope ingest. [OBS-4] */
export const observations = {
  recordObservations: operatorEndpoint(
    HttpApiEndpoint.post("recordObservations", "/operator/brands/:brandId/observations")
      .setPath(ofBrand)
      .setUrlParams(
        Schema.Struct({
          unknownFields: parameter(
            { type: "string", enum: [...fieldModes], default: "ignore" },
            "What becomes of fields that an observation has and the service does not take, such as misspelt ones: `ignore` drops them, `report` names them in the outcome, `reject` rejects the observation"
          )
        })
      )
      .setPayload(ObservationBatch)
      .addSuccess(list(OutcomeBody))
      .annotate(OpenApi.Transform, withLines),
    {
      scope: "ingest",
      audited: "none",
      // The ids of engagements make it safe to repeat, in lines of any number, too.
      takesKey: false,
      summary: "Feed observations",
      description: `At most ${maxBatchLength} observations as JSON, or any number as application/x-ndjson, one a line, answered as application/x-ndjson while the server reads: one outcome a line, in order. Of many rejected lines it answers the first ${maxFullRejections} in full, and then a count for each run of them. When the store fails midway, the last line is an error body.`,
      body: "The observations",
      fields: {
        observations: ["The observations: at most 1,000, in the order in which to record them"]
      },
      answer: "The outcome of each, in order",
      handle: ({ bodyBytes, checkPermission, path, request }) =>
        Effect.gen(function* () {
          const { ignored, mode } = yield* readFieldQuery(Target.parametersOf(request.url))
          const brand = yield* Brands.get(path.brandId)
          const [admission, attention] = yield* Effect.all([Admission, Attention])
          const feed = yield* admission.enter(brand)
          if (feed === null) return overload
          if (Body.mediaType(request.headers["content-type"]) === "application/x-ndjson") {
            yield* Body.checkCoding(request)
            const answer = yield* answerLines({
              brand,
              body: request.stream,
              feed,
              attention,
              mode,
              checkPermission
            })
            return withWarnings(answer, ignored)
          }
          const bytes = yield* bodyBytes
          let watched = watchFields(mode, [])
          const decoded = Effect.map(decodeBatch(bytes), ({ observations }) => {
            watched = watchFields(mode, observations)
            return watched.values
          })
          const recorded = yield* feed.record(bytes.length, decoded)
          const outcomes = watched.answer(recorded)
          yield* attention.noteOutcomes(brand.id, outcomes)
          return { data: outcomes, ...metaOf(ignored) }
        })
    }
  )
}
