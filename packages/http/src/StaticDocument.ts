/** Documents that are served as they are: compressed once, with an entity tag. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"

/** What is served under a path, the same for everyone. */
export interface Document {
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly gzipped: Uint8Array
  /** A hash of the content. */
  readonly tag: string
}

const gzip = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const plain = new Response(bytes as Uint8Array<ArrayBuffer>).body!
    return new Uint8Array(await new Response(plain.pipeThrough(new CompressionStream("gzip"))).arrayBuffer())
  })

/** Hex digits of a tag. */
export const tagLength = 16

/** A document of a text. */
export const document = (contentType: string, text: string): Effect.Effect<Document> => {
  const bytes = utf8ToBytes(text)
  const tag = bytesToHex(sha256(bytes)).slice(0, tagLength)
  return Effect.map(gzip(bytes), (gzipped) => ({ contentType, bytes, gzipped, tag }))
}

/**
 * Makes something when it is first needed, and keeps it; what could not be made is tried again when it is needed next. It is made apart from the
 * request that needs it: a client that goes away meanwhile takes it from nobody else, as it would with `Effect.cached`, which keeps an interruption, too.
 */
export const madeOnce = <A>(make: Effect.Effect<A>): Effect.Effect<Effect.Effect<A>> =>
  Effect.sync(() => {
    let made: Promise<A> | undefined
    const begin = (): Promise<A> => {
      const begun = Effect.runPromise(make)
      begun.catch(() => (made = undefined))
      return begun
    }
    return Effect.promise(() => (made ??= begin()))
  })

/** `gzip;q=0` refuses it. */
const takesGzip = (acceptEncoding = ""): boolean =>
  acceptEncoding.split(",").some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$)|$)/i.test(coding))

/** `*` stands for whatever the client has. */
const isKnown = (ifNoneMatch = "", tag: string): boolean =>
  ifNoneMatch.trim() === "*" ||
  ifNoneMatch.split(",").some((known) => known.trim().replace(/^W\//, "") === tag)

/** Headers of what a browser asks for again each time, and gets only if it has changed. */
export const revalidated = { "cache-control": "no-cache" }
/** Its URL names its content. */
export const immutable = { "cache-control": "public, max-age=31536000, immutable" }

/** Answers with the document, or that the client has it; compressed where the client takes that. */
export const serve = (found: Effect.Effect<Document>, more: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const { bytes, contentType, gzipped, tag } = yield* found
    const isGzipped = takesGzip(headers["accept-encoding"])
    const etag = isGzipped ? `"${tag}-gzip"` : `"${tag}"`
    const common = { ...more, etag, vary: "Accept-Encoding" }
    if (isKnown(headers["if-none-match"], etag)) {
      return HttpServerResponse.empty({ status: 304, headers: common })
    }
    return HttpServerResponse.uint8Array(isGzipped ? gzipped : bytes, {
      contentType,
      headers: isGzipped ? { ...common, "content-encoding": "gzip" } : common
    })
  })
