/**
 * A stream of live events begins where its listener says, or says why it can't, and has every event of the brand that is committed from then
 * on, once, in the order of commits, as the reference has it when it is read. It shows in time that it stands, and ends with what began it.
 * [LIVE-1, LIVE-2, LIVE-3, LIVE-4]
 */
import type { ReferenceModel } from "@lead-signals/store-contract/reference"
import { isCalm, type Plan } from "../plan/Plan.ts"
import type { Answered, Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import type { TakenStream } from "../world/RequestParts.ts"
import type { StoreMethod } from "../world/StorePorts.ts"
import { latencyMillis } from "../world/StoreServer.ts"
import { accessOf } from "./AccessReference.ts"
import type { Checks } from "./Checks.ts"
import { difference } from "./Difference.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"
import { isViaSession, sessionsOf } from "./SessionReference.ts"

const route = "/operator/brands/{brandId}/events"

const heartbeatMillis = 15_000
const pollMillis = 250
const retryMillis = 1000
/** How long a client may take nothing of what it was sent, before it is disconnected. */
const stallMillis = 30_000
const maxBehind = 10_000
/** A read of fewer positions than this has all events of the brand in them; in more, a store need not look at all events of other brands. */
const scannedPositions = 1000
/** What calls of a slow store take, between two looks. */
const slowMillis = 4000

/**
 * What a read takes at most beyond its pause. Where nothing goes wrong, only the ways to a networked store and back: for a look at the
 * credential, and for the events.
 */
const readMillisOf = (plan: Plan): number =>
  isCalm(plan) ? (plan.networkedStore === true ? 4 * latencyMillis : 0) : slowMillis

type Fired = ReferenceModel["events"][number]

/** What the service read for one stream. */
interface Feed {
  /** The newest position, as the store said it when the stream began; null until then. */
  newest: number | null
  newestPruned: number
  readonly reads: Array<{ readonly at: number; readonly position: number; readonly text: string }>
  /** Looks at the token of the stream since the last read. */
  looks: number
  /** Nobody knows what the brand has. */
  isUnclear: boolean
}

/** A stream ends when one of these fails, and its listener comes back. [LIVE-3] */
const readsOfStream: ReadonlyArray<StoreMethod> = [
  "leads.eventsAfter",
  "brands.get",
  "accessTokens.findByHash",
  "pruning.newestPrunedEvent"
]

const block = (id: number, lines: ReadonlyArray<string>): string =>
  `${[`id: ${id}`, ...lines].join("\n")}\n\n`

const sameEvent = (fired: Fired, { event }: Json): boolean =>
  fired.event === event.event &&
  fired.brandId === event.brandId &&
  fired.leadId === event.leadId &&
  fired.engagementId === event.engagementId &&
  fired.isFirstActivity === event.isFirstActivity &&
  fired.occurredAt === event.occurredAt

/** Where the stream begins. [LIVE-2] */
const begun = (
  lastEventId: string | undefined,
  { newest: newestThere, newestPruned }: Feed
): { readonly position: number; readonly gap: string | null } => {
  const newest = Math.max(newestThere!, newestPruned)
  if (lastEventId === undefined || lastEventId === "") return { position: newest, gap: null }
  const position = Number(lastEventId)
  if (
    String(position) !== lastEventId ||
    !Number.isSafeInteger(position) ||
    position < 0 ||
    position > newest
  )
    return { position: newest, gap: "unknown" }
  return newest > position + maxBehind || newestPruned > position
    ? { position: newest, gap: "too_old" }
    : { position, gap: null }
}

const instance = (facts: KnownFacts, checks: Checks): OracleInstance => {
  const looks = checks.rule("each read of a brand's events")
  const streams = checks.rule("each stream of live events")
  const paces = checks.rule("how soon a stream shows that it stands")
  const ofSessions = checks.rule("each read of a stream that a session began")
  const access = accessOf(facts)
  const sessions = sessionsOf(facts)
  const feeds = new WeakMap<Call, Feed>()
  const places = new WeakMap<Fired, number>()
  /** The place of the last event that a reader at a position has seen, by brand and position. */
  const seen = new Map<string, number>()
  const deleted = new Set<string>()
  let placed = 0
  let isTailLost = false
  const exact = isCalm(facts.plan)
  const readMillis = readMillisOf(facts.plan)

  const feedOf = (call: Call): Feed => {
    const known = feeds.get(call)
    if (known !== undefined) return known
    const feed: Feed = { newest: null, newestPruned: 0, reads: [], looks: 0, isUnclear: false }
    feeds.set(call, feed)
    return feed
  }

  const placedOf = ({ events }: ReferenceModel): ReadonlyArray<readonly [fired: Fired, place: number]> =>
    events.map((fired) => {
      const place = places.get(fired) ?? ++placed
      places.set(fired, place)
      return [fired, place]
    })

  /** The engagement that fired it; undefined for a lead2.created whose engagement was pruned. [RET-6] */
  const engagementOf = ({ rows }: ReferenceModel, { engagementId, leadId }: Fired) =>
    rows.find(({ id }) => id === leadId)?.engagements.find(({ id }) => id === engagementId)

  const dataOf = (reference: ReferenceModel, fired: Fired): Json | null => {
    const lead = reference.listed(fired.leadId, "none") as Json
    const engagement = engagementOf(reference, fired)
    if (lead === null || engagement === undefined) return null
    const signal = reference.signals.find(({ id }) => id === engagement.signalId)!
    return {
      event: fired.event,
      occurredAt: new Date(fired.occurredAt).toISOString(),
      isFirstActivity: fired.isFirstActivity,
      lead: { id: fired.leadId, name: lead.name, headline: lead.headline },
      engagement: { id: fired.engagementId, type: engagement.type, reactionType: engagement.reactionType },
      signal: { id: signal.id, name: signal.name }
    }
  }

  /** A stream reads only for a token that opens it still, and looks at that before each read. [LIVE-3] */
  const wrongAccess = (call: Call, feed: Feed, now: number): string | null => {
    if (isViaSession(call)) {
      const isOver = sessions.hasEnded(call, now)
      if (isOver === undefined) ofSessions.weaken("the service stood still, or its clock was set")
      else ofSessions.judged++
      if (isOver === true) return "a stream goes on for a session that is over"
    }
    if (access.isUnclear(call, now)) return null
    const grant = access.grantOf(call)
    if (grant?.kind !== "token") return null
    if (feed.looks === 0) return `a stream goes on without a look at its token ${grant.id}`
    feed.looks = 0
    const look = access.lookUpOf(call)!
    return access.refusalOf(call, look.now) === null
      ? null
      : `a stream goes on for the token ${grant.id}, which opens it no more`
  }

  /** A stream begins after the newest event that was pruned, where that is newer than all that are left. */
  const notePruned = (call: Call, newestPruned: number): void => {
    const feed = feedOf(call)
    feed.newestPruned = newestPruned
    const place = seen.get(`${call.brand!.id} ${feed.newest}`)
    if (place !== undefined && newestPruned > feed.newest!)
      seen.set(`${call.brand!.id} ${newestPruned}`, place)
  }

  /** What is wrong with what the store answers; keeps what the stream must show of it. */
  const read = (call: Call | null, { answer, args, process }: Stored): string | null => {
    const [brandId, after, limit] = args
    const brand = facts.brandOf(brandId)
    const feed = call === null ? null : feedOf(call)
    const failed = call === null ? undefined : readsOfStream.find((method) => call.struck.has(method))
    if (failed !== undefined) return `a stream reads on, whose call of ${failed} has failed`
    if (after === null && feed !== null) feed.newest = answer.position
    if (brand === undefined || deleted.has(brandId) || isTailLost) {
      looks.weaken("nobody knows what the brand has: it is being deleted, or a failover lost commits")
      if (feed !== null) feed.isUnclear = true
      return null
    }
    const { reference } = brand
    const found: ReadonlyArray<Json> = answer.events
    const all = placedOf(reference)
    looks.judged++
    if (after === null) {
      seen.set(`${brandId} ${answer.position}`, placed)
      return found.length === 0 ? null : `${found.length} events are read, and none were requested`
    }
    const from = seen.get(`${brandId} ${after}`)
    if (from === undefined) return `the events are read after ${after}, where nobody was sent`
    if (found.length > limit) return `${found.length} events are read, and ${limit} were requested`
    const due = all.filter(([fired, place]) => place > from && engagementOf(reference, fired) !== undefined)
    let last = after
    const texts: Array<string> = []
    for (const [i, each] of found.entries()) {
      const fired = due[i]?.[0]
      if (fired === undefined || !sameEvent(fired, each))
        return `the event ${JSON.stringify(each.event)} is read, not ${JSON.stringify(fired)}`
      if (each.position <= last || each.position > answer.position)
        return `an event has the position ${each.position} between ${last} and ${answer.position}`
      last = each.position
      seen.set(`${brandId} ${last}`, due[i]![1])
      const data = dataOf(reference, fired)
      if (data === null) return `the event ${JSON.stringify(each.event)} is read, and its engagement is gone`
      texts.push(block(last, [`event: ${fired.event}`, `data: ${JSON.stringify(data)}`]))
    }
    const isWhole = found.length === due.length
    if (!isWhole && found.length < limit && answer.position - after < scannedPositions)
      return `${found.length} events are read after ${after} up to ${answer.position}, and there are ${due.length}`
    if (answer.position < after) return `after ${after} the events go on at ${answer.position}`
    seen.set(`${brandId} ${answer.position}`, isWhole ? placed : (due[found.length - 1]?.[1] ?? from))
    if (call === null || feed === null) return null
    const previous = feed.reads.at(-1)
    feed.reads.push({ at: facts.now(), position: answer.position, text: texts.join("") })
    const { takesMillis = 0 } = call.request.unusual ?? {}
    const waited = previous?.text === "" ? facts.now() - previous.at : 0
    // A heartbeat is shown between two reads of one instant, but for what the second takes.
    const isPaced = waited <= readMillis || (waited >= pollMillis && waited <= pollMillis + readMillis)
    if (exact && takesMillis === 0 && !isPaced)
      return `a stream looks for events ${waited} ms after it found none`
    return wrongAccess(call, feed, process.now)
  }

  /** What is wrong with the pieces after the first. */
  const wrongPieces = ({ isLeft, pieces }: TakenStream, { reads }: Feed): string | null => {
    let next = 0
    for (const { text } of pieces) {
      const beat = /^id: (\d+)\n:\n\n$/.exec(text)?.[1]
      const isPassed = ({ position, text: of }: Feed["reads"][number]): boolean =>
        of === "" && (beat === undefined || String(position) !== beat)
      while (reads[next] !== undefined && isPassed(reads[next]!)) next++
      const of = reads[next]
      if (of === undefined) return `nothing was read of what it shows: ${text.slice(0, 200)}`
      if (beat !== undefined && of.text !== "") return "events were read, and a heartbeat is shown"
      if (beat === undefined && of.text !== text) return difference(text, of.text)
      next++
    }
    const left = reads.slice(next).filter(({ text }) => text !== "").length
    return left > (isLeft ? 1 : 0) ? `${left} reads of events are not shown` : null
  }

  /** A piece comes at least every 15 s, and a heartbeat not before. [LIVE-3] */
  const wrongPace = (call: Call, { endedAt, isLeft, pieces }: TakenStream): string | null => {
    if ((call.request.unusual?.takesMillis ?? 0) > 0) return null
    if (facts.incidents.touched(["pause", "drift"], call.handledAt, facts.now(), call.handledBy)) {
      paces.weaken("the service stood still, or its clock drifted")
      return null
    }
    paces.judged++
    const ends = isLeft ? [...pieces, { at: endedAt, text: "" }] : pieces
    for (const [i, piece] of ends.slice(1).entries()) {
      const gap = piece.at - ends[i]!.at
      if (gap > heartbeatMillis + pollMillis + readMillis) return `nothing is shown for ${gap} ms`
      // It counts from before the read, which a slow store makes long.
      const min = heartbeatMillis - readMillis
      if (piece.text.endsWith("\n:\n\n") && gap < min) return `a heartbeat comes after ${gap} ms`
      if (piece.text.endsWith("\n:\n\n")) facts.coverageMarks.add("a stream showed that it stands")
    }
    return null
  }

  /** Whether the service may end the stream by itself. */
  const mayEnd = (call: Call): boolean =>
    isViaSession(call) ||
    call.struck.size > 0 ||
    deleted.has(call.brand!.id) ||
    access.refusalOf(call, access.lookUpOf(call)?.now ?? call.handledByClock) !== null

  const wrongStream = (call: Call, taken: TakenStream): string | null => {
    const feed = feedOf(call)
    const { isLeft, pieces } = taken
    const { leavesAfter = 0, takesMillis = 0 } = call.request.unusual ?? {}
    // The opening is the first that a client takes so slowly.
    const isStalled = takesMillis > stallMillis + pollMillis && leavesAfter > takesMillis
    const hasStoodStill = facts.incidents.touched(["pause"], call.handledAt, facts.now(), call.handledBy)
    if (feed.isUnclear)
      streams.weaken("nobody knows what the brand has: its opening, its end and its pace are judged")
    else if (isStalled && hasStoodStill) streams.weaken("the service stood still while a client took nothing")
    else streams.judged++
    if (!isLeft && !mayEnd(call)) return "it ends by itself"
    if (isStalled && !hasStoodStill) return "its client takes nothing, and is not disconnected"
    const [opening, ...rest] = pieces
    if (opening === undefined)
      return leavesAfter <= 1 || hasStoodStill || deleted.has(call.brand!.id) ? null : "it shows nothing"
    const lastEventId = call.request.unusual?.headers?.["last-event-id"]
    const { gap, position } = begun(lastEventId, feed)
    if (gap !== null) facts.coverageMarks.add("a listener asked for an event that is not there")
    if (gap === "too_old") facts.coverageMarks.add("a listener came back after events were pruned")
    if (gap === null && lastEventId) facts.coverageMarks.add("a listener went on where it had left")
    const wanted =
      block(position, [`retry: ${retryMillis}`]) +
      (gap === null ? "" : block(position, ["event: gap", `data: ${JSON.stringify({ reason: gap })}`]))
    if (opening.text !== wanted)
      return `it begins with ${JSON.stringify(opening.text)}, not ${JSON.stringify(wanted)}`
    if (rest.some(({ text }) => text.includes("event: "))) facts.coverageMarks.add("a listener got an event")
    const wrongRest = feed.isUnclear ? null : wrongPieces({ ...taken, pieces: rest }, feed)
    return wrongRest ?? wrongPace(call, taken)
  }

  return {
    stored: (fact) => {
      const { answer, args, call, method } = fact
      if (method === "brands.startDeletion") deleted.add(args[0])
      if (method === "accessTokens.findByHash" && call?.route === route) feedOf(call).looks++
      if (method === "pruning.newestPrunedEvent" && call !== null) notePruned(call, answer)
      return method === "leads.eventsAfter" ? read(call, fact) : null
    },
    answered: ({ call, response }: Answered) => {
      if (call.route !== route || response.stream === undefined || response.status !== 200) return null
      facts.compared.add(call)
      const wrong = wrongStream(call, response.stream)
      return wrong === null ? null : `the stream ${call.label}: ${wrong}`
    },
    tailLost: () => {
      isTailLost = true
    }
  }
}

/** [LIVE-1, LIVE-2, LIVE-3, LIVE-4] */
export const liveEvents: Oracle = {
  name: "live events",
  instantiate: instance
}
