/**
 * Lead Signals in an Effect application with its own layers for log, configuration, server and router. The application
 * mounts the API and calls use cases beside it.
 */
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { LeadQueries, Leads } from "@lead-signals/domain"
import { app, DefaultRateLimit, OperatorToken, webCrypto } from "@lead-signals/http"
import * as MemoryStore from "@lead-signals/store-memory"
import { Config, Effect, Layer, Logger, Redacted } from "effect"
import { createServer } from "node:http"

const settings = Config.all({
  port: Config.integer("PORT").pipe(Config.withDefault(4001)),
  operatorToken: Config.redacted("OPERATOR_TOKEN").pipe(
    Config.withDefault(Redacted.make("a-token-of-your-own"))
  )
})

/** A route of the application's own over the same store. */
const newest = Effect.gen(function* () {
  const { brandId } = yield* HttpRouter.params
  const query = yield* LeadQueries.readList([["sort", "createdAt:desc"]])
  const page = yield* Leads.list(brandId ?? "", query)
  return yield* HttpServerResponse.json(page.leads.map(({ lead }) => lead.profile.name))
})

const routes = Effect.gen(function* () {
  const api = yield* app
  return HttpRouter.empty.pipe(
    HttpRouter.get("/newest/:brandId", newest),
    HttpRouter.mountApp("/lead-signals", api),
    HttpServer.serve()
  )
})

const main = Effect.gen(function* () {
  const { operatorToken, port } = yield* settings
  const service = Layer.mergeAll(
    MemoryStore.layer,
    webCrypto,
    Layer.succeed(OperatorToken, Redacted.value(operatorToken)),
    Layer.succeed(DefaultRateLimit, 600)
  )
  const server = Layer.unwrapEffect(routes).pipe(
    HttpServer.withLogAddress,
    Layer.provide(NodeHttpServer.layer(createServer, { port, host: "127.0.0.1" })),
    Layer.provide(service)
  )
  return yield* Layer.launch(server)
})

NodeRuntime.runMain(main.pipe(Effect.provide(Logger.structured)))
