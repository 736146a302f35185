/** Request bodies: read up to a limit, as well-formed UTF-8, as JSON of a schema. [ERR-5] */
import { Decoder, InvalidParameter } from "@lead-signals/domain"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, type Schema, Stream } from "effect"
import { BodyPace, Pace, paced } from "./BodyPace.ts"
import { PayloadTooLarge, type RequestTimeout, UnsupportedMediaType } from "./contract/Failures.ts"

const maxJsonBytes = 1024 * 1024

/**
 * How much of an oversized body is read and thrown away: a client that is still sending does not see an answer that
 * comes before the end, so the refusal waits for it this long.
 */
export const maxDiscardedBytes = 64 * 1024 * 1024

/** The refusal of a JSON body of more than 1 MiB. [ERR-5] */
export const jsonTooLarge = new PayloadTooLarge({
  message:
    "A JSON body takes at most 1 MiB; send more as application/x-ndjson where the operation takes that."
})

/** The refusal of a body of another media type, or of another charset than UTF-8. */
export const notJson = new UnsupportedMediaType({
  message: "The body takes Content-Type application/json, in UTF-8."
})

/** The refusal of a body that is compressed. */
const encoded = new UnsupportedMediaType({ message: "The body takes no Content-Encoding: send it as it is." })

/** Fails for a body with a content coding, such as gzip: the service would read the compressed bytes as the body. [ERR-2] */
export const checkCoding = ({
  headers
}: HttpServerRequest.HttpServerRequest): Effect.Effect<void, UnsupportedMediaType> => {
  const coding = (headers["content-encoding"] ?? "").trim().toLowerCase()
  return coding === "" || coding === "identity" ? Effect.void : Effect.fail(encoded)
}

/** The media type of a Content-Type header, without its parameters, in lower case. */
export const mediaType = (header: string | undefined): string =>
  (header ?? "").split(";")[0]!.trim().toLowerCase()

const takesUtf8 = (header: string | undefined): boolean =>
  /charset/i.test(header ?? "") ? /charset\s*=\s*"?utf-?8"?/i.test(header ?? "") : true

const malformed = (message: string) => new InvalidParameter({ parameter: "body", message })

/** Strict: an encoding error must not pass as U+FFFD. A fatal decoder keeps no state between calls. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

/** The text of the bytes; a byte order mark before it is left out. Throws a `TypeError` where they are no well-formed UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes)

/** The bytes of a body of any media type; fails with `tooLarge` where there are more than `maxBytes`. */
const readBytes = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes = maxJsonBytes,
  tooLarge = jsonTooLarge
) =>
  Effect.gen(function* () {
    const announced = Number(request.headers["content-length"] ?? 0)
    if (announced > maxDiscardedBytes) return yield* tooLarge
    const { limits } = yield* BodyPace
    const chunks: Array<Uint8Array> = []
    let size = 0
    const body = Stream.mapError(request.stream, () =>
      malformed("The server could not read the body to its end.")
    )
    yield* Stream.runForEach(
      paced(body, limits && new Pace("The body", limits.json)),
      (chunk): Effect.Effect<void, PayloadTooLarge> => {
        size += chunk.length
        if (size <= maxBytes) chunks.push(chunk)
        return size > maxDiscardedBytes ? tooLarge : Effect.void
      }
    )
    if (size > maxBytes) return yield* tooLarge
    const bytes = new Uint8Array(size)
    let at = 0
    for (const chunk of chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return bytes
  })

/** The bytes of a body of a call that takes none. */
export const receiveAny = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => readBytes(request))

type Received = Effect.Effect<
  Uint8Array,
  InvalidParameter | PayloadTooLarge | RequestTimeout | UnsupportedMediaType,
  HttpServerRequest.HttpServerRequest
>

/** The bytes of a body that says that it is JSON; fails with `tooLarge` where it has more than `maxBytes`. */
export const receiveAtMost = (maxBytes: number, tooLarge: PayloadTooLarge): Received =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const contentType = request.headers["content-type"]
    if (!["application/json", ""].includes(mediaType(contentType)) || !takesUtf8(contentType)) {
      return yield* notJson
    }
    yield* checkCoding(request)
    return yield* readBytes(request, maxBytes, tooLarge)
  })

/** The bytes of a body that says that it is JSON, at most 1 MiB. */
export const receive: Received = receiveAtMost(maxJsonBytes, jsonTooLarge)

/** Decodes JSON by the schema; a field that the schema does not name is an error. */
export const decoding = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Decoder.decode(schema, { whole: "The body", strict: true })
  return (bytes: Uint8Array): Effect.Effect<A, InvalidParameter> =>
    Effect.gen(function* () {
      const text = yield* Effect.try({
        try: () => decodeUtf8(bytes),
        catch: () => malformed("The body takes JSON in well-formed UTF-8.")
      })
      const value = yield* Effect.try({
        try: () => JSON.parse(text) as unknown,
        catch: () =>
          malformed(
            text.trim() === ""
              ? "The body takes JSON; it is empty."
              : "The body takes JSON; this is not JSON."
          )
      })
      return yield* decode(value)
    })
}
