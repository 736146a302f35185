/**
 * What the API says of itself: the OpenAPI document, a page to read it on, and the schemas of events. All work wherever the API is mounted, and load
 * nothing from elsewhere. Made on the first request, and cached. [DOC-1, DOC-3, FMT-4]
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiSwagger from "@effect/platform/HttpApiSwagger"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Layer } from "effect"
import { eventDocumentNames, eventDocuments } from "./contract/EventDocuments.ts"
import { openApi } from "./endpoints/Api.ts"
import { type Document, document, immutable, madeOnce, revalidated, serve } from "./StaticDocument.ts"

const pagePaths = [
  "/",
  "/openapi.json",
  "/docs",
  "/docs/swagger-ui.css",
  "/docs/swagger-ui.js",
  "/favicon.ico"
] as const

type PagePath = (typeof pagePaths)[number]

/** Where the documents are; each takes GET and HEAD. [DOC-1, FMT-4] */
export const documentPaths: ReadonlyArray<string> = [
  ...pagePaths,
  ...eventDocumentNames.map((name) => `/events/${name}`)
]

/* The page: Swagger UI, which the platform has only as one page with everything in it */

/** The platform's page for an API without a call. */
const platformPage = Effect.gen(function* () {
  const { router } = yield* HttpApiBuilder.Router
  const app = HttpRouter.toHttpApp(yield* router)
  const answer = HttpApp.toWebHandler(Effect.flatten(app) as HttpApp.Default)
  return yield* Effect.promise(async () => (await answer(new Request("http://localhost/docs"))).text())
}).pipe(
  Effect.provide(
    HttpApiSwagger.layer({ path: "/docs" }).pipe(
      Layer.provideMerge(HttpApiBuilder.Router.Live),
      Layer.provide(
        Layer.succeed(HttpApi.Api, {
          // The tag's type holds the failures of one API, and lets none stand for another.
          api: HttpApi.make("none") as unknown as (typeof HttpApi.Api.Service)["api"],
          context: Context.empty()
        })
      )
    )
  )
)

const [style, script] = ["<style>", "<script>"]

/** Its style sheet, less the place of a map that is not served, and its script, less how it begins. */
const parts = (html: string): { readonly css: string; readonly js: string } => ({
  css: html
    .slice(html.indexOf(style) + style.length, html.indexOf("</style>"))
    .replace(/\/\*# sourceMappingURL=[^*]*\*\//, ""),
  js: html.slice(html.indexOf(script) + script.length, html.lastIndexOf("window.onload = "))
})

/** Without `validatorUrl` it would send the document's URL to a service of its makers. */
const begin = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#swagger-ui", validatorUrl: null })`

const page = ({ css, js }: { readonly css: Document; readonly js: Document }): string =>
  `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Lead Signals API</title>
  <link rel="icon" href="favicon.ico">
  <link rel="stylesheet" href="docs/swagger-ui.css?v=${css.tag}">
</head>
<body>
  <div id="swagger-ui"></div>
  <noscript>The OpenAPI document is at <a href="openapi.json">openapi.json</a>.</noscript>
  <script src="docs/swagger-ui.js?v=${js.tag}"></script>
</body>
</html>
`

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="3" fill="#1a7f5a"/><path d="M3 3a7 7 0 0 0 0 10M13 3a7 7 0 0 1 0 10" fill="none" stroke="#1a7f5a" stroke-width="1.5"/></svg>`

/** Swagger UI sets styles of its own, and has its signs as data URLs. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** Relative, as the API can be mounted anywhere. */
const toDocs = HttpServerResponse.text(
  "The documentation is at docs, the OpenAPI document at openapi.json.\n",
  {
    status: 302,
    headers: { location: "docs" }
  }
)

/**
 * Adds the routes of the OpenAPI document, its page, the schemas of events and the icon. Each is rendered at its first request, and kept.
 * [DOC-1]
 */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const json = yield* madeOnce(
      Effect.suspend(() => document("application/json", JSON.stringify(openApi())))
    )
    const favicon = yield* madeOnce(document("image/svg+xml", icon))
    // Megabytes of script that a program which starts need not wait for.
    const swagger = yield* madeOnce(
      Effect.gen(function* () {
        const { css, js } = parts(yield* platformPage)
        return {
          css: yield* document("text/css; charset=utf-8", css),
          js: yield* document("text/javascript; charset=utf-8", `${js};${begin}\n`)
        }
      })
    )
    const docs = yield* madeOnce(
      Effect.flatMap(swagger, (assets) => document("text/html; charset=utf-8", page(assets)))
    )
    const assetOf = (name: "css" | "js") => Effect.map(swagger, (assets) => assets[name])
    const handlers: Readonly<Record<PagePath, ReturnType<typeof serve>>> = {
      "/": Effect.succeed(toDocs),
      "/openapi.json": serve(json, revalidated),
      "/docs": serve(docs, { ...revalidated, "content-security-policy": policy }),
      "/docs/swagger-ui.css": serve(assetOf("css"), immutable),
      "/docs/swagger-ui.js": serve(assetOf("js"), immutable),
      "/favicon.ico": serve(favicon, revalidated)
    }
    for (const path of pagePaths) yield* router.get(path, handlers[path])
    for (const name of eventDocumentNames) {
      const schema = yield* madeOnce(
        Effect.suspend(() =>
          document("application/schema+json", JSON.stringify(eventDocuments(openApi())[name]))
        )
      )
      yield* router.get(`/events/${name}`, serve(schema, revalidated))
    }
  })
)
