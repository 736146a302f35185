/** Requests that are answered without the platform's request, router and response. */
import {
  type ApiKey,
  ChangeQueries,
  type Entropy,
  LeadQueries,
  type Parameters,
  StoreUnavailable
} from "@lead-signals/domain"
import { Effect, Either } from "effect"
import type { ErrorResponse } from "./contract/ErrorResponse.ts"
import { errorBody, Forbidden } from "./contract/Failures.ts"
import { aroundRead, idIn } from "./AuditTrail.ts"
import { type FastRow, fastRows } from "./endpoints/Api.ts"
import type { Attention } from "./Attention.ts"
import { admit, checkStillOpens, type Credentials, isViaSession } from "./Authentication.ts"
import type { ChangeWaits } from "./ChangeWaits.ts"
import type { KeyReads } from "./KeyReads.ts"
import { RequestObserver } from "./RequestObserver.ts"
import { newRecord, recordFrom, type RequestRecord } from "./RequestRecord.ts"
import type { Requirements } from "./Requirements.ts"
import { respond, type ResponseForm } from "./Respond.ts"
import { headersOf } from "./ResponseHeaders.ts"
import type { RawResponse, ResponseBody } from "./Responses.ts"
import * as Routes from "./Routes.ts"
import type { Sessions } from "./Sessions.ts"
import * as Target from "./Target.ts"

/** A request as it was sent. */
export interface RawRequest extends Credentials {
  readonly method: string
  readonly target: string
  /** A key that this process has authenticated already, and whose window the request has been counted in. */
  readonly admitted?: ApiKey
}

/** The response to what an API client reads; null when the request is another. */
export type FastPath = (request: RawRequest) => Effect.Effect<RawResponse, never, Requirements> | null

const knownParameters = new Set<string>([
  ...LeadQueries.listParameters,
  ...ChangeQueries.parameters,
  "includeEngagementDetail",
  "startDate",
  "endDate",
  "interval",
  "postId"
])

/** Names alone: values can be personal data, and so can a name that nobody knows. [PII-2] */
const namesOf = (entries: Parameters.Entries): ReadonlyArray<string> =>
  entries.length === 0
    ? []
    : [...new Set(entries.map(([name]) => name))].filter((name) => knownParameters.has(name)).sort()

const rawResponse = (record: RequestRecord, status: number, body: ResponseBody): RawResponse => ({
  status,
  headers: headersOf(status, record),
  body
})

const rawForm = (record: RequestRecord): ResponseForm<RawResponse> => ({
  statusOf: ({ status }) => status,
  fromError: ({ code, message, status }) =>
    rawResponse(record, status, JSON.stringify(errorBody(code, message)))
})

/** A browser's session reads leads in bulk for somebody who may not hold the key. [AUD-1] */
const audited = <E, R>({ brandId, id }: ApiKey, { name }: FastRow, read: Effect.Effect<RawResponse, E, R>) =>
  aroundRead(
    {
      actor: { type: "key", id },
      viaSession: true,
      operation: name,
      brandId: idIn(brandId),
      subjectId: null
    },
    read,
    ({ status }) => status
  )

/** What the fast path notes and asks beside the store. */
interface FastPathParts {
  readonly observer: typeof RequestObserver.Service
  readonly entropy: typeof Entropy.Service
  readonly sessions: typeof Sessions.Service
  readonly attention: typeof Attention.Service
  readonly waits: ChangeWaits
  /** Null where reads with keys have no entry in the audit log. [AUD-1] */
  readonly keyReads: KeyReads | null
}

/** The fast path over these parts; it answers null for whatever the platform's routes must serve. */
export const makeFastPath =
  ({ attention, entropy, keyReads, observer, sessions, waits }: FastPathParts): FastPath =>
  (request) => {
    const { method, target } = request
    if (method !== "GET" && method !== "HEAD") return null
    const parsed = Target.parse(target)
    if (Either.isLeft(parsed)) return null
    const { path, query } = parsed.right
    const match = Routes.match(method, path)
    const row = match.found === "route" ? fastRows.get(match.pattern) : undefined
    if (match.found !== "route" || row === undefined) return null
    return Effect.flatMap(recordFrom(entropy, method), (record) => {
      record.route = match.pattern
      const entries = Target.parameters(query)
      record.parameters = namesOf(entries)
      // Without generators: each step of one costs as much as a step of the work.
      const read = (key: ApiKey): Effect.Effect<RawResponse, unknown, Requirements> => {
        record.keyId = key.id
        if (!key.scopes.includes(row.scope)) return new Forbidden({ reason: "scope", scope: row.scope })
        const response = Effect.map(
          row.read({
            brandId: key.brandId,
            params: match.params,
            query: entries,
            keyId: key.id,
            checkKey: checkStillOpens(request, sessions, row.scope),
            waits
          }),
          (body) => rawResponse(record, 200, body)
        )
        if (!row.listsLeads) return response
        if (isViaSession(request)) return audited(key, row, response)
        return keyReads !== null && keyReads.isDue(key, row.name, record.startedAt)
          ? Effect.zipLeft(response, keyReads.note(key, row.name))
          : response
      }
      const work =
        request.admitted === undefined
          ? Effect.flatMap(admit(request, sessions, attention, record), read)
          : read(request.admitted)
      return respond<RawResponse, Requirements>(record, observer, work, rawForm(record))
    })
  }

/**
 * The response while there is no store yet: liveness, and 503 to all else. It looks up no key and reads no body. [HEALTH-1,
 * HEALTH-4]
 */
export const respondWhileStarting = ({
  method,
  target
}: Pick<RawRequest, "method" | "target">): Effect.Effect<RawResponse, never, Entropy> =>
  Effect.gen(function* () {
    const [observer, record] = yield* Effect.all([RequestObserver, newRecord(method)])
    const parsed = Target.parse(target)
    const match = Either.isRight(parsed) ? Routes.match(method, parsed.right.path) : null
    if (match?.found === "route") record.route = match.pattern
    const work =
      record.route === "/health"
        ? Effect.succeed(rawResponse(record, 200, JSON.stringify({ status: "ok" })))
        : Effect.fail(new StoreUnavailable({ reason: "the server is starting" }))
    return yield* respond(record, observer, work, rawForm(record))
  })

/** Refuses a request by its head alone: it looks up no key and reads no body. */
export const refuse = (
  { method, target }: Pick<RawRequest, "method" | "target">,
  refusal: ErrorResponse
): Effect.Effect<RawResponse, never, Entropy> =>
  Effect.gen(function* () {
    const [observer, record] = yield* Effect.all([RequestObserver, newRecord(method)])
    const match = Either.map(Target.parse(target), ({ path }) => Routes.match(method, path))
    if (Either.isRight(match) && match.right.found === "route") record.route = match.right.pattern
    const form = rawForm(record)
    return yield* respond(record, observer, Effect.succeed(form.fromError(refusal)), form)
  })
