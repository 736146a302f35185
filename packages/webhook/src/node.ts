/** Posts with undici, and resolves names without holding up anyone else's. */
import { Effect, Layer, Runtime } from "effect"
import { promises as dns } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import { Agent, buildConnector, type Dispatcher } from "undici"
import type { AttemptError } from "@lead-signals/domain"
import type { Scheme } from "./Addresses.ts"
import { Resolver, Unresolvable } from "./Resolver.ts"
import { greatestExcerptBytes, type PostAnswer, type PostRequest, Sender, SendFailed } from "./Sender.ts"
import * as TargetGuard from "./TargetGuard.ts"

/* Resolving */

const resolveMillis = 4000

/**
 * Asks the name servers without Node's four threads, which one hanging name server could take from everyone. Names that
 * no server knows may stand in the hosts file, which only the system's own resolver reads.
 */
const resolve = (hostname: string): Effect.Effect<ReadonlyArray<string>, Unresolvable> =>
  Effect.async<ReadonlyArray<string>, Unresolvable>((resume) => {
    const servers = new dns.Resolver({ timeout: resolveMillis, tries: 2 })
    void Promise.allSettled([servers.resolve4(hostname), servers.resolve6(hostname)]).then(
      async (answers) => {
        const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
        const isSlow = answers.some(
          (answer) => answer.status === "rejected" && (answer.reason as { code?: string }).code === "ETIMEOUT"
        )
        const addresses =
          found.length > 0 || isSlow
            ? found
            : await dns.lookup(hostname, { all: true }).then(
                (all) => all.map(({ address }) => address),
                () => []
              )
        resume(addresses.length > 0 ? Effect.succeed(addresses) : Effect.fail(new Unresolvable({ hostname })))
      }
    )
    return Effect.sync(() => servers.cancel())
  })

export const resolver: Layer.Layer<Resolver> = Layer.succeed(Resolver, Resolver.of({ resolve }))

/* Dialling */

class TargetRefused extends Error {
  readonly code = "TARGET_REFUSED"
}

class NameUnresolvable extends Error {
  readonly code = "ENOTFOUND"
}

type Connector = ReturnType<typeof buildConnector>

/** Dials only what the guard lets through: the addresses that it has judged are the ones that are dialled. */
const guarded = (
  options: TargetGuard.GuardOptions,
  addressesOf: (hostname: string) => Promise<ReadonlyArray<string>>
): Connector => {
  const lookup =
    (scheme: Scheme): LookupFunction =>
    (hostname, { all }, callback) => {
      addressesOf(hostname).then(
        (addresses) => {
          if (!TargetGuard.areAllPermitted(addresses, scheme, options)) {
            callback(new TargetRefused(), [])
            return
          }
          const found = addresses.map((address) => ({ address, family: isIP(address) }))
          if (all === true) callback(null, found)
          else callback(null, found[0]!.address, found[0]!.family)
        },
        () => callback(new NameUnresolvable(), [])
      )
    }
  const connectors: { readonly [scheme in Scheme]: Connector } = {
    "https:": buildConnector({ timeout: 0, lookup: lookup("https:") }),
    "http:": buildConnector({ timeout: 0, lookup: lookup("http:") })
  }
  return (target, callback) => {
    const scheme = target.protocol as Scheme
    const literal = target.hostname.replace(/^\[|\]$/g, "")
    // An address is dialled without being looked up.
    if (isIP(literal) !== 0 && !TargetGuard.areAllPermitted([literal], scheme, options)) {
      callback(new TargetRefused(), null)
      return
    }
    connectors[scheme](target, callback)
  }
}

/* Posting */

const errorOfCode: ReadonlyArray<readonly [RegExp, AttemptError]> = [
  [/^TARGET_REFUSED$/, "target_refused"],
  [/^(ENOTFOUND|EAI_AGAIN|ENODATA)$/, "unresolvable"],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, "timeout"],
  [/^(HTTPParserError|HPE_|UND_ERR_(HEADERS_OVERFLOW|RESPONSE|RES_|INVALID))/, "protocol"],
  [/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/, "tls"]
]

const codeOf = (cause: unknown): string => {
  const { code, errors, name } = cause as { code?: unknown; name?: string; errors?: ReadonlyArray<unknown> }
  if (typeof code === "string") return code
  return errors?.[0] === undefined ? (name ?? "") : codeOf(errors[0])
}

const errorOf = (cause: unknown): AttemptError =>
  errorOfCode.find(([pattern]) => pattern.test(codeOf(cause)))?.[1] ?? "connection"

const header = (headers: Dispatcher.ResponseData["headers"], name: string): string | null => {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

/** Reads as much as is kept, and gives the rest up with its connection. */
const readExcerpt = async (
  body: Dispatcher.ResponseData["body"]
): Promise<Pick<PostAnswer, "excerpt" | "truncated">> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > greatestExcerptBytes) break
  }
  return {
    excerpt: Buffer.concat(chunks).subarray(0, greatestExcerptBytes),
    truncated: size > greatestExcerptBytes
  }
}

const post = async (
  dispatcher: Dispatcher,
  { body, headers, url }: PostRequest,
  signal: AbortSignal
): Promise<PostAnswer> => {
  const { origin, pathname, search } = new URL(url)
  const answer = await dispatcher.request({
    origin,
    path: `${pathname}${search}`,
    method: "POST",
    headers,
    body,
    signal
  })
  return {
    status: answer.statusCode,
    retryAfter: header(answer.headers, "retry-after"),
    ...(await readExcerpt(answer.body))
  }
}

/** How much of an answer's head is read. */
const greatestHeadBytes = 16 * 1024

/** Posts over connections that are kept for a while; every one that is opened is judged first. */
export const sender = (options: TargetGuard.GuardOptions): Layer.Layer<Sender, never, Resolver> =>
  Layer.scoped(
    Sender,
    Effect.gen(function* () {
      const { resolve } = yield* Resolver
      const runPromise = Runtime.runPromise(yield* Effect.runtime<never>())
      const dispatcher = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new Agent({
              connect: guarded(options, (hostname) => runPromise(resolve(hostname))),
              maxHeaderSize: greatestHeadBytes,
              // The emitter limits the whole attempt.
              headersTimeout: 0,
              bodyTimeout: 0
            })
        ),
        (agent) => Effect.promise(() => agent.destroy())
      )
      return Sender.of({
        post: (request) =>
          Effect.tryPromise({
            try: (signal) => post(dispatcher, request, signal),
            catch: (cause) => new SendFailed({ error: errorOf(cause) })
          })
      })
    })
  )
