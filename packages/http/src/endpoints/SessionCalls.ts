/** Sign-in of browsers: a credential is exchanged for a session cookie. [SES-1, SES-2, SES-5, SES-8, AUD-7] */
import { Brands, formatInstant, KeyFormat, Keys } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, FiberRef, Schema } from "effect"
import { Attention } from "../Attention.ts"
import { receiveAtMost } from "../Body.ts"
import { fromAllowedAddress, operatorOf, operatorOfSession, spend } from "../Authentication.ts"
import { type Origin, originOf } from "../ClientAddress.ts"
import { created, data } from "../contract/Envelopes.ts"
import { Forbidden, InvalidCredential, PayloadTooLarge, RateLimitFailure } from "../contract/Failures.ts"
import { SessionBody, SignIn } from "../contract/SessionSchemas.ts"
import { currentRecord } from "../RequestRecord.ts"
import { json } from "../Responses.ts"
import {
  hasSameOriginProof,
  isCrossOrigin,
  type Session,
  type SessionAccess,
  Sessions,
  setCookie
} from "../Sessions.ts"
import { recordSession, RefusedCredentials } from "../SessionTrail.ts"
import * as Target from "../Target.ts"
import { endpoint } from "./Endpoint.ts"
import { metaOf } from "./Views.ts"
import { allIgnored } from "./Warnings.ts"

/** What the credential opens. A one-time code is used up, and a key spends one request of its window. [SES-8] */
const accessOf = (credential: string, origin: Origin) =>
  Effect.gen(function* () {
    const operator = yield* operatorOf(credential)
    if (operator !== null) {
      const tokenHash = operator.actor.type === "environment" ? null : KeyFormat.hash(credential)
      return { kind: "operator", tokenHash, actor: operator.actor } as const
    }
    if (KeyFormat.isWellFormed(credential)) {
      const key = yield* Effect.flatMap(Keys.authenticate(credential), (found) =>
        fromAllowedAddress(found, origin)
      )
      const { brandId, id } = yield* spend(key, yield* Attention, yield* FiberRef.get(currentRecord))
      const actor = { type: "key", id } as const
      return { kind: "brand", brandId, keyHash: KeyFormat.hash(credential), actor } as const
    }
    const sessions = yield* Sessions
    if (!(yield* sessions.redeemCode(credential))) return yield* new InvalidCredential()
    return { kind: "operator", tokenHash: null, actor: { type: "environment", id: null } } as const
  }).pipe(Effect.catchTag("@lead-signals/domain/InvalidApiKey", () => Effect.fail(new InvalidCredential())))

/** What a credential opens; null when it opens nothing any more: it is revoked or has expired, or its brand is gone. [SES-3] */
const openedBy = (access: SessionAccess, origin: Origin) =>
  Effect.gen(function* () {
    if (access.kind === "brand") {
      yield* Effect.flatMap(Keys.authenticateHash(access.keyHash), (key) => fromAllowedAddress(key, origin))
      const { id, name } = yield* Brands.get(access.brandId)
      return { access: access.kind, brand: { id, name }, scopes: null, brandIds: null }
    }
    const operator = yield* operatorOfSession(access.tokenHash)
    if (operator === null) return null
    const { brandIds, scopes } = operator
    return { access: access.kind, brand: null, scopes, brandIds }
  }).pipe(
    Effect.catchTags({
      "@lead-signals/domain/InvalidApiKey": () => Effect.succeed(null),
      "@lead-signals/domain/NotFound": () => Effect.succeed(null)
    })
  )

const viewOf = <A extends object>({ expiresAt }: Session, opened: A) => ({
  ...opened,
  expiresAt: formatInstant(expiresAt)
})

/** Whose session it is, as the audit log names them. */
const trailOf = (access: SessionAccess) => ({
  actor: access.actor,
  brandId: access.kind === "brand" ? access.brandId : null
})

const headersOf = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => headers)

/** The body of a sign-in, which anybody may send: longer ones are not kept, and not parsed. [ERR-5] */
const received = receiveAtMost(
  4096,
  new PayloadTooLarge({ message: "The body of a sign-in takes at most 4 KiB." })
)

/** /session: begin, read and end the browser's session. None takes an Authorization header. */
export const sessionCalls = {
  signIn: endpoint(
    HttpApiEndpoint.post("signIn", "/session")
      .setPayload(SignIn)
      .addSuccess(data(SessionBody), created)
      .addError(RateLimitFailure),
    {
      summary: "Sign a browser in: exchange a credential for a session cookie",
      description:
        "The session lasts 12 hours. Its cookie is HttpOnly and SameSite=Strict, and stands for the operator's token, or for the API key on what a brand's key reads. A sign-in with a key spends one request of its window. A credential has 100 sessions at most: a further one ends its oldest. A call from a page of another origin is refused.",
      body: "One credential",
      fields: {
        credential: [
          "An operator's token, an API key, or a one-time code that the server printed; with a key, the session reads what the key reads, within its rate window",
          "lsk_dFF2GVZTlnxOkGQc4tEXjIhksozk5ir71E9AaB"
        ]
      },
      answer: "The session; its cookie is in Set-Cookie",
      handle: ({ decodeBody, request }) =>
        Effect.gen(function* () {
          if (isCrossOrigin(request.headers)) return yield* new Forbidden({ reason: "origin" })
          const { credential } = yield* Effect.flatMap(received, decodeBody)
          const origin = originOf(request)
          const refused = yield* RefusedCredentials
          const { access, opened } = yield* Effect.gen(function* () {
            const access = yield* accessOf(credential, origin)
            const opened = yield* openedBy(access, origin)
            // The credential can be revoked at the same moment.
            return opened === null ? yield* new InvalidCredential() : { access, opened }
          }).pipe(Effect.tapErrorTag("@lead-signals/http/InvalidCredential", () => refused.note("signIn")))
          yield* recordSession({ ...trailOf(access), viaSession: false, operation: "signIn", status: 201 })
          // Last: a sign-in that fails, or whose client goes away, ends no other session of its credential.
          const session = yield* Effect.flatMap(Sessions, ({ begin }) => begin(access))
          const view = viewOf(session, opened)
          return HttpServerResponse.setHeader(
            json({ data: view, ...metaOf(allIgnored(Target.parametersOf(request.url))) }, 201),
            "set-cookie",
            setCookie(session.token, request.headers)
          )
        })
    }
  ),
  session: endpoint(HttpApiEndpoint.get("session", "/session").addSuccess(data(Schema.NullOr(SessionBody))), {
    summary: "The session of the request's cookie",
    description: "Needs no credential: without a session the data is null.",
    answer: "The session; null when there is none, or it has ended",
    handle: ({ request }) =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const session = yield* sessions.find(request.headers["cookie"])
        const opened = session === null ? null : yield* openedBy(session.access, originOf(request))
        return { data: session === null || opened === null ? null : viewOf(session, opened) }
      })
  }),
  signOut: endpoint(HttpApiEndpoint.del("signOut", "/session"), {
    summary: "Sign out: end the session of the request's cookie",
    description: "Ends the session and removes its cookie. A call from a page of another origin is refused.",
    answer: "There is no session any more",
    handle: () =>
      Effect.gen(function* () {
        const [headers, sessions] = yield* Effect.all([headersOf, Sessions])
        const session = yield* sessions.find(headers["cookie"])
        if (session !== null && !hasSameOriginProof(headers))
          return yield* new Forbidden({ reason: "origin" })
        yield* sessions.end(headers["cookie"])
        if (session !== null)
          yield* recordSession({
            ...trailOf(session.access),
            viaSession: true,
            operation: "signOut",
            status: 204
          })
        return HttpServerResponse.empty({ status: 204, headers: { "set-cookie": setCookie("", headers) } })
      })
  })
}
