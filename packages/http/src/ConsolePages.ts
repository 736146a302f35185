/**
 * The console: the files of a web application, which a host can bring. A path below `/console` that names no file
 * is answered with `index.html`, whose script shows the page of that path. [SES-6]
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect } from "effect"
import { unknownPath } from "./Respond.ts"
import * as Responses from "./Responses.ts"
import { type Document, immutable, madeOnce, revalidated, serve, tagLength } from "./StaticDocument.ts"

/** A file that a host serves as a part of its web application. */
export interface ConsoleFile {
  /** Below `/console/`, such as `index.html`. Names of files below `assets/` change with their content. */
  readonly path: string
  /** The `Content-Type` that it is served with. */
  readonly contentType: string
  /** The content, compressed with gzip. */
  readonly gzipped: Uint8Array
}

/** The files of the console, which the first request for one loads. Without this service there is no console. */
export class ConsoleFiles extends Context.Tag("@lead-signals/http/ConsoleFiles")<
  ConsoleFiles,
  Effect.Effect<ReadonlyArray<ConsoleFile>>
>() {}

/** How the log and the metrics name all of its paths. */
export const pattern = "/console/*"

/** Its scripts, styles and calls are of this origin, and no page may frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const pageHeaders = {
  ...revalidated,
  "content-security-policy": policy,
  "referrer-policy": "no-referrer"
}

const decompressed = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const stream = new Response(bytes as Uint8Array<ArrayBuffer>).body!.pipeThrough(
      new DecompressionStream("gzip")
    )
    return new Uint8Array(await new Response(stream).arrayBuffer())
  })

const documentOf = ({ contentType, gzipped }: ConsoleFile): Effect.Effect<Document> =>
  Effect.map(decompressed(gzipped), (bytes) => ({
    contentType,
    bytes,
    gzipped,
    tag: bytesToHex(sha256(gzipped)).slice(0, tagLength)
  }))

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** Answers a request for the console; null when it is for something else. */
export type Pages = (request: HttpServerRequest.HttpServerRequest, path: string) => Answer | null

const notFound = Responses.error(unknownPath.status, unknownPath.code, unknownPath.message)

const notAllowed = HttpServerResponse.setHeader(
  Responses.error(405, "method_not_allowed", Responses.methodNotAllowedMessage("GET, HEAD")),
  "allow",
  "GET, HEAD"
)

/** Relative, as the API can be mounted anywhere. `/` answers others than browsers with the documentation. */
const toConsole = HttpServerResponse.empty({
  status: 302,
  headers: { location: "console/", vary: "Accept" }
})

/** The console's reference of the API stands in the place of the page that hosts without a console have. */
const toReference = HttpServerResponse.empty({
  status: 302,
  headers: { location: "console/api", vary: "Accept" }
})

const takesHtml = (accept = ""): boolean => /(^|,)\s*text\/html\s*(;|,|$)/i.test(accept)

const isFile = (path: string): boolean => /\.[a-z0-9]+$/.test(path)

const answerFrom =
  (documents: Effect.Effect<ReadonlyMap<string, Effect.Effect<Document>>>) =>
  (path: string): Answer =>
    Effect.flatMap(documents, (found) => {
      const file = isFile(path) ? path : "index.html"
      const wanted = found.get(file)
      if (wanted === undefined) return Effect.succeed(notFound)
      return serve(wanted, file.startsWith("assets/") ? immutable : pageHeaders)
    })

/**
 * The console's pages from the files that the host provides by `ConsoleFiles`, read at the first request; without that service every path
 * is answered null, as if there were no console.
 */
export const make: Effect.Effect<Pages> = Effect.gen(function* () {
  const files = yield* Effect.serviceOption(ConsoleFiles)
  if (files._tag === "None") return () => null
  const documents = yield* madeOnce(
    Effect.flatMap(files.value, (all) =>
      Effect.map(
        Effect.forEach(all, (file) =>
          Effect.map(madeOnce(documentOf(file)), (made) => [file.path, made] as const)
        ),
        (entries) => new Map(entries)
      )
    )
  )
  const answer = answerFrom(documents)
  const pages: Pages = ({ headers, method }, path) => {
    const isRead = method === "GET" || method === "HEAD"
    const isPage = isRead && takesHtml(headers["accept"])
    if (path === "/") return isPage ? Effect.succeed(toConsole) : null
    if (path === "/docs") return isPage ? Effect.succeed(toReference) : null
    if (path !== "/console" && !path.startsWith("/console/")) return null
    if (!isRead) return Effect.succeed(notAllowed)
    return path === "/console" ? Effect.succeed(toConsole) : answer(path.slice("/console/".length))
  }
  return pages
})
