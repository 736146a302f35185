/** The brand's events as they are committed. [LIVE-1, LIVE-2, LIVE-3, LIVE-4] */
import {
  type AccessTokenStore,
  type BrandId,
  Brands,
  LeadStore,
  maxPositionsBehind,
  Pruning,
  resumeEvents,
  StoreUnavailable
} from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import { Effect, FiberId, Stream } from "effect"
import { type Credentials, operatorNow, type OperatorToken } from "../Authentication.ts"
import { reaches } from "../CurrentOperator.ts"
import { DrainState } from "../DrainState.ts"
import { EventStreams } from "../EventStreams.ts"
import * as Responses from "../Responses.ts"
import { Sessions } from "../Sessions.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"
import { ofBrand } from "./Paths.ts"

const answer = "The events, one block each, for as long as both sides stay"

const headers = {
  "cache-control": "no-store",
  // Proxies that collect a response before they pass it on would keep the events back.
  "x-accel-buffering": "no"
}

/** No schema says of a text what the lines in it hold; the keyword for what a text encodes comes nearest. */
const withEvents = (operation: Record<string, any>): Record<string, any> => {
  operation.responses["200"].content["text/event-stream"].schema = {
    type: "string",
    description: "Blocks of `id`, `event` and `data`; each `data` but that of a gap is a LiveEvent",
    contentMediaType: "text/event-stream",
    contentSchema: { $ref: "#/components/schemas/LiveEvent" }
  }
  return operation
}

/** Interrupts the work on this request from elsewhere. */
const interruptRequest = Effect.withFiberRuntime<Effect.Effect<void>>((fiber) =>
  Effect.succeed(Effect.sync(() => fiber.unsafeInterruptAsFork(FiberId.none)))
)

/** Whether the credential still stands for an operator who reads the brand: it may have expired or been revoked meanwhile. [LIVE-3] */
const stillReads = (credentials: Pick<Credentials, "authorization" | "cookie">, brandId: BrandId) =>
  Effect.map(
    operatorNow(credentials),
    (operator) => operator !== null && operator.scopes.includes("read") && reaches(operator, brandId)
  )

/** GET /operator/brands/:brandId/events: server-sent events without an end. Needs the scope read. */
export const liveEvents = {
  liveEvents: operatorEndpoint(
    HttpApiEndpoint.get("liveEvents", "/operator/brands/:brandId/events")
      .setPath(ofBrand)
      .addSuccess(
        HttpApiSchema.Text({ contentType: "text/event-stream" }).annotations({ description: answer })
      )
      .annotate(OpenApi.Transform, withEvents),
    {
      scope: "read",
      audited: "read",
      summary: "The brand's events as they are committed, as server-sent events",
      description: `Begins with what is new, or after the event whose id the header Last-Event-ID names. Each event has its type as \`event\` and a LiveEvent as \`data\`. An event \`gap\` says that events may be missing: the id is unknown, more than ${maxPositionsBehind} events behind, or older than the retention of events. A comment every 15 s shows that the connection stands. The stream ends with the token or session, the brand or the server, and when its client takes 30 s to read; connect again with Last-Event-ID. A server has 100 streams at most; further ones get 503.`,
      answer,
      handle: ({ path, request }) =>
        Effect.gen(function* () {
          const { id: brandId } = yield* Brands.get(path.brandId)
          const [streams, draining, store, sessions, pruning] = yield* Effect.all([
            EventStreams,
            DrainState,
            LeadStore,
            Sessions,
            Pruning
          ])
          if (yield* draining.isDraining)
            return yield* new StoreUnavailable({ reason: "the server is draining" })
          if (!(yield* streams.hasRoom)) return Responses.tooManyStreams
          // It takes no place: nobody reads its stream.
          if (request.method === "HEAD")
            return HttpServerResponse.stream(Stream.empty, { contentType: "text/event-stream", headers })
          const { position: newest } = yield* store.eventsAfter(brandId, null, 0)
          const newestPruned = yield* pruning.newestPrunedEvent
          const { authorization, cookie } = request.headers
          const credentials = yield* Effect.context<OperatorToken | AccessTokenStore>()
          const stream = yield* streams.stream({
            brandId,
            resumption: resumeEvents(request.headers["last-event-id"], { newest, newestPruned }),
            isAllowed: stillReads({ authorization, cookie }, brandId).pipe(
              Effect.provideService(Sessions, sessions),
              Effect.provide(credentials),
              // The stream ends, and its client learns of the store when it connects again.
              Effect.orElseSucceed(() => false)
            ),
            disconnect: yield* interruptRequest
          })
          // Others can have taken the last place while the store was read.
          if (stream === null) return Responses.tooManyStreams
          const context = yield* Effect.context<LeadStore>()
          return HttpServerResponse.stream(
            Stream.encodeText(Stream.provideContext(stream, context as never)),
            {
              contentType: "text/event-stream",
              headers
            }
          )
        })
    }
  )
}
