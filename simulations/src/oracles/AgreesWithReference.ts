/**
 * Everything that is answered and posted is what the reference says. The reference is told what the store has done at the
 * instant at which it did it, but what that means it takes from what the client meant; a question is put to it at the
 * instant at which the store answers it. So every answer is compared to the byte, however requests come between each other.
 */
import type { ReferenceModel, Seen } from "@lead-signals/store-contract/reference"
import type { Answered, Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import { parsedBody } from "../world/PostedBodies.ts"
import type { StoreMethod } from "../world/StorePorts.ts"
import { accessOf } from "./AccessReference.ts"
import { difference } from "./Difference.ts"
import type { Oracle } from "./Oracle.ts"
import { isSome } from "./OutboxRecords.ts"
import { bodyOf, isTooSlow, operationOf, paramsOf } from "./Requests.ts"
import { instantOf } from "./Timestamps.ts"
import { withoutWarnings } from "./Warnings.ts"

const nothing = { headline: null, username: null, company: null }
const plain = {
  type: null,
  reactionType: null,
  commentText: null,
  postUrl: null,
  postAuthor: null,
  postAuthorDetail: null
}

const timeOf = (text: unknown): number | null => (typeof text === "string" ? instantOf(text) : null)

/** An observation as the reference takes it. */
const seenOf = (call: Call, i: number): Seen => {
  if (call.meaning.means !== "observe") throw new Error("No observation")
  const { engagement, person, signal } = call.meaning.seen[i]!
  const { emittedAt, postPostedAt, trackedAt } = engagement
  return {
    signalId: call.brand!.signalIds[signal]!,
    person: { ...nothing, ...person },
    engagement: {
      ...plain,
      ...engagement,
      postPostedAt: timeOf(postPostedAt),
      emittedAt: timeOf(emittedAt),
      trackedAt: timeOf(trackedAt)
    }
  } as Seen
}

/** The action of a client that each method of the store completes; null for one whose result other rules judge, or none. */
const meanings: Readonly<Record<StoreMethod, Call["meaning"]["means"] | null>> = {
  "leads.commit": "observe",
  "leads.list": "list",
  "leads.listRendered": "list",
  "leads.get": "detail",
  "leads.getRendered": "detail",
  "leads.exportData": "export",
  "leads.update": "amend",
  "leads.erase": "erase",
  "leads.eventsAfter": null,
  "leads.changesAfter": null,
  "leads.counts": null,
  "leads.removeSome": null,
  "brands.create": null,
  "brands.list": null,
  "brands.get": null,
  "brands.rename": null,
  "brands.startDeletion": null,
  "brands.finishDeletion": null,
  "keys.create": null,
  "keys.list": null,
  "keys.findByHash": null,
  "keys.revoke": null,
  "keys.markUsed": null,
  "signals.create": null,
  "signals.list": null,
  "signals.rename": null,
  "signals.delete": null,
  "campaigns.create": null,
  "campaigns.list": null,
  "campaigns.rename": null,
  "campaigns.delete": null,
  "campaigns.putReading": "reading",
  "campaigns.snapshot": "metrics",
  "campaigns.dayChanges": null,
  "campaigns.posts": null,
  "webhooks.create": null,
  "webhooks.list": null,
  "webhooks.get": null,
  "webhooks.update": null,
  "webhooks.delete": null,
  "outbox.lease": null,
  "outbox.record": null,
  "outbox.queued": null,
  "deliveries.list": null,
  "deliveries.get": null,
  "deliveries.queue": null,
  "deliveries.recover": null,
  "deliveries.counts": null,
  "rateWindows.step": null,
  "health.check": null,
  "accessTokens.create": null,
  "accessTokens.list": null,
  "accessTokens.findByHash": null,
  "accessTokens.revoke": null,
  "accessTokens.markUsed": null,
  "auditLog.append": null,
  "auditLog.complete": null,
  "auditLog.list": null,
  "auditLog.prune": null,
  "idempotency.reserve": null,
  "idempotency.complete": null,
  "idempotency.release": null,
  "idempotency.prune": null,
  "pruning.prune": null,
  "pruning.countDue": null,
  "pruning.newestPrunedEvent": null
}

const judgedMeanings = new Set(Object.values(meanings))

/** The part of a request's observations that one commit had: a service may commit them in as many pieces as it likes. */
interface Piece {
  readonly from: number
  readonly length: number
}

/**
 * Where the committed engagements stand among those that were meant, which can be there more than once: `after` those of
 * the piece before, or anywhere, since a request can be handled twice.
 */
const pieceOf = (call: Call, engagementIds: ReadonlyArray<string>, after: number): Piece => {
  const meant =
    call.meaning.means === "observe" ? call.meaning.seen.map(({ engagement }) => engagement.id) : []
  const isAt = (from: number) => engagementIds.every((id, i) => meant[from + i] === id)
  const places = meant.map((_, from) => from).filter(isAt)
  const from = places.find((place) => place >= after) ?? places[0]
  if (from === undefined) throw new Error("What was committed is not what was sent")
  return { from, length: engagementIds.length }
}

/** Tells the reference of the observations, and notes what it says of each. */
const observePiece = (
  call: Call,
  now: number,
  { from, length }: Piece,
  idOf: (i: number) => number | null
): void => {
  if (call.brand === null || call.meaning.means !== "observe") return
  const { reference } = call.brand
  const outcomes = call.meaning.seen.slice(from, from + length).map(({ engagement }, i) => ({
    engagementId: engagement.id,
    ...reference.observe(seenOf(call, from + i), now, () => idOf(i) ?? -1 - i)
  }))
  call.expected ??= { data: call.meaning.seen.map(() => null) }
  const { data } = call.expected as { readonly data: Array<unknown> }
  for (const [i, outcome] of outcomes.entries()) data[from + i] ??= outcome
}

/** Tells the reference, or asks it; `idOf` says which id a new lead got. */
const consult = (call: Call, now: number, idOf: (i: number) => number | null): void => {
  const { brand, meaning } = call
  if (brand === null) return
  const { campaign, reference } = brand
  switch (meaning.means) {
    case "observe":
      observePiece(call, now, { from: 0, length: meaning.seen.length }, idOf)
      return
    case "amend":
      reference.amend(meaning.id, meaning.change, now)
      call.expected ??= { data: reference.lead(meaning.id) }
      return
    case "erase":
      reference.erase(meaning.id, now)
      return
    case "list":
      call.expected ??= reference.list(meaning.query)
      return
    case "detail":
      call.expected ??= { data: reference.detail(meaning.id, meaning.withDetail) }
      return
    case "export":
      call.expected ??= { data: reference.exported(meaning.id) }
      return
    case "reading":
      campaign.put(meaning.post, meaning.day, meaning.totals)
      call.expected ??= { data: campaign.metrics(null, meaning.day) }
      return
    case "metrics":
      call.expected ??= { data: campaign.metrics(meaning.startDate, meaning.endDate) }
      return
    default:
  }
}

/** Tells the reference what a host did with a signal. Where the store is seen, `operator's answers` does. */
const changeSignal = (call: Call, reference: ReferenceModel): void => {
  const { id } = paramsOf(call)
  switch (operationOf(call)) {
    case "PATCH /operator/brands/{brandId}/signals/{id}":
      reference.renameSignal(id!, bodyOf(call).name)
      return
    case "DELETE /operator/brands/{brandId}/signals/{id}":
      reference.deleteSignal(id!)
  }
}

/** The CloudEvent of an envelope. [FMT-1, FMT-2] */
const cloudEventOf = ({ brandId, createdAt, data, event, id }: Json): Json => ({
  specversion: "1.0",
  id,
  source: `/brands/${brandId}`,
  type: event,
  subject: `${data.lead2.id}`,
  time: createdAt,
  datacontenttype: "application/json",
  data
})

/** The bodies that were made as the outbox gave them out for the first time. */
const bodies = (facts: KnownFacts, known: Map<string, string>, { answer }: Stored): string | null => {
  for (const { body, deliveryId, webhook } of answer.leases as ReadonlyArray<Json>) {
    if (known.has(deliveryId) || body === null) continue
    known.set(deliveryId, body)
    const parsed = parsedBody(body)
    const isCloudEvent = parsed.specversion !== undefined
    const envelope = isCloudEvent ? { event: parsed.type, data: parsed.data } : parsed
    if (envelope.event === "webhook.test") continue
    const brand = facts.brandOf(webhook.brandId)!
    const { data, event } = envelope
    const expected = brand.reference.post(deliveryId, event, data.lead2.id, data.engagements[0]?.id ?? null)
    if (expected === null) return `${event} of lead ${data.lead2.id} is posted, and there is no such event`
    const expectedBody = JSON.stringify(isCloudEvent ? cloudEventOf(expected) : expected)
    if (expectedBody !== body) return `the body of ${event}: ${difference(body, expectedBody)}`
  }
  return null
}

/** The statuses that a request can get which is as it should be: of these other oracles say when. */
const explained = new Set([401, 403, 404, 429])

/**
 * Whether the store answers a reading that its campaign is gone: before the reading was put, or between that and the metrics that
 * answer it. `operator's answers` judges whether the campaign is.
 */
const isOfDeletedCampaign = ({ answer, call, method }: Stored): boolean =>
  call?.meaning.means === "reading" &&
  (method === "campaigns.putReading" ? answer !== true : method === "campaigns.snapshot" && !isSome(answer))

/** Posts come in no order. [PII-5] */
const withSortedPosts = ({ data }: Json): Json => ({
  data: {
    ...data,
    posts: data.posts.toSorted((a: Json, b: Json) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
})

/** Which fields were not taken `errors clear` compares, where a probe asks for them. [OBS-11] */
const withoutReports = ({ data, ...rest }: Json): Json => ({
  ...rest,
  data: data.map((outcome: Json) => {
    const { unknownFields: _, ...others } = outcome
    return others
  })
})

/** Why something is rejected is said in words that can change; that it is, and where, is compared. */
const withoutMessages = ({ data }: Json): Json => ({
  data: data.map(({ message, ...outcome }: Json) =>
    outcome.outcome === "rejected" && typeof message === "string"
      ? outcome
      : { ...outcome, ...(message === undefined ? {} : { message }) }
  )
})

/** Needs a store that it sees; over a host of somebody's own the answers alone are compared. */
export const agreesWithReference: Oracle = {
  name: "reference",
  instantiate: (facts, checks) => {
    const rule = checks.rule("each answer about leads and figures")
    const posts = checks.rule("each body of a post")
    const made = new Map<string, string>()
    /** Where the next piece of each request's observations begins. */
    const committed = new WeakMap<Call, number>()
    /** Brands whose deletion has begun: a copy of a call that comes after that finds none. [DEL-5] */
    const deleted = new Set<string>()
    /** Lists that were let in before the deletion of their brand began, and read after: some of its leads may be removed by then. [DEL-1] */
    const listedMeanwhile = new WeakSet<Call>()
    return {
      posted: ({ body, id }) => {
        const leased = made.get(id) ?? body
        posts.judged++
        return leased === body ? null : `what was posted is not what was leased: ${difference(body, leased)}`
      },
      stored: (done) => {
        const { answer, args, call, method, serviceNow } = done
        if (method === "outbox.lease") return bodies(facts, made, done)
        if (method === "brands.startDeletion") deleted.add(args[0])
        if (call !== null && isOfDeletedCampaign(done)) {
          call.expected = { data: null }
          return null
        }
        // The metrics are read after the reading was put, and another one can come between.
        if (method === "campaigns.snapshot" && call?.meaning.means === "reading" && call.brand !== null) {
          call.expected = { data: call.brand.campaign.metrics(null, call.meaning.day) }
          return null
        }
        if (call === null || meanings[method] !== call.meaning.means) return null
        if (method === "leads.erase" && answer !== true) return null
        if (call.meaning.means === "list" && call.brand !== null && deleted.has(call.brand.id))
          listedMeanwhile.add(call)
        if (method === "leads.commit") {
          const ids = (args[1] as ReadonlyArray<Json>).map(({ engagementId }) => engagementId)
          const piece = pieceOf(call, ids, committed.get(call) ?? 0)
          committed.set(call, piece.from + piece.length)
          observePiece(call, serviceNow, piece, (i) => answer[i]?.leadId ?? null)
          return null
        }
        consult(call, serviceNow, (i) => answer[i]?.leadId ?? null)
        return null
      },
      answered: ({ body, call, response }: Answered) => {
        const { status } = response
        const { means } = call.meaning
        const isJudged = judgedMeanings.has(means)
        // `errors clear` says which body comes too slowly.
        if (isTooSlow({ call, response })) return null
        if (isJudged && status >= 400 && status < 500 && !explained.has(status))
          return `${means}, ${call.request.method} ${call.request.url} is answered ${status}: ${response.text.slice(0, 200)}`
        if (status >= 300 && status !== 404) return null
        // Nothing is there of a brand that its token does not reach. [OPER-12]
        if (status === 404 && accessOf(facts).isRefused(call, status)) return null
        if (!facts.isStoreSeen && status < 300 && call.brand !== null)
          changeSignal(call, call.brand.reference)
        // A host shows no calls of a store. `calls succeed` judges a reading that is answered 404, unless it came twice.
        if (!facts.isStoreSeen && means === "reading" && status === 404) return null
        if (
          call.expected === undefined &&
          status === 404 &&
          call.brand !== null &&
          deleted.has(call.brand.id)
        )
          call.expected = { data: null }
        // A host of its own has no store to watch: there it has happened by now.
        if (call.expected === undefined && isJudged) {
          consult(call, call.handledAt, (i) => body?.data?.[i]?.leadId ?? null)
        }
        if (call.expected === undefined) return null
        if (listedMeanwhile.has(call) && status === 200) {
          rule.weaken("the brand is being deleted: nobody knows what it still has")
          facts.compared.add(call)
          return null
        }
        rule.judged++
        const what = () => `${means}, ${call.request.method} ${decodeURIComponent(call.request.url)}`
        const isMissing = (call.expected as Json).data === null
        if (isMissing !== (response.status === 404))
          return `${what()} is answered ${response.status}, and is ${isMissing ? "not " : ""}there`
        if (isMissing) return null
        if (means === "detail" && body.data.engagementsMeta.truncated === true)
          facts.coverageMarks.add("a window was full")
        const reported = call.expects?.reports === undefined ? body : withoutReports(body)
        const answered = withoutWarnings(reported)
        const rendered =
          means === "export"
            ? withSortedPosts(answered)
            : means === "observe"
              ? withoutMessages(answered)
              : answered
        const expected = JSON.stringify(call.expected)
        facts.compared.add(call)
        // The same text needs no second look; another one can still be the same body in another spelling.
        if (rendered === body && response.text === expected) return null
        const actual = JSON.stringify(rendered)
        return actual === expected ? null : `${what()}: ${difference(actual, expected)}`
      }
    }
  }
}
