/** What the API says of itself: the OpenAPI document, and a page to read it on. Made when first asked for, and kept. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiSwagger from "@effect/platform/HttpApiSwagger"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import { Context, Effect, Layer } from "effect"
import * as Answers from "./Answers.ts"
import { Api, openApi } from "./contract/Api.ts"

const page = Effect.gen(function* () {
  const { router } = yield* HttpApiBuilder.Router
  return HttpRouter.toHttpApp(yield* router)
}).pipe(
  Effect.flatten,
  Effect.provide(
    HttpApiSwagger.layer({ path: "/docs" }).pipe(
      Layer.provideMerge(HttpApiBuilder.Router.Live),
      Layer.provide(
        Layer.succeed(HttpApi.Api, {
          // The tag is of an API with any groups, and its type lets none stand for another.
          api: Api as unknown as (typeof HttpApi.Api.Service)["api"],
          context: Context.empty()
        })
      )
    )
  )
)

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const document = yield* Effect.cached(Effect.sync(() => Answers.json(openApi())))
    // Two megabytes of script that a program which starts need not wait for.
    const docs = yield* Effect.cached(page)
    yield* router.get("/openapi.json", document)
    yield* router.get("/docs", Effect.flatten(docs) as HttpApp.Default)
  })
)
