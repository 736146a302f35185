/**
 * Each page of the feed of changes has the leads that changed after its cursor, each once, at its newest change, in the order of commits, as
 * the reference has them; and a cursor goes on where its page ended. Behind a cursor each removal of the last 90 days
 * is listed; an older one is listed, too, or the cursor has expired. [CHG-1, CHG-2, CHG-3, CHG-5, CHG-7]
 */
import type { ReferenceModel } from "@lead-signals/store-contract/reference"
import type { Answered, Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import type { StoreMethod } from "../world/StorePorts.ts"
import type { Checks } from "./Checks.ts"
import { difference } from "./Difference.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"
import { queryOf } from "./Requests.ts"

/** Where keys read the feed: only they may wait. [CHG-6] */
const routeOfKeys = "/signals/changes"
const routes = new Set([routeOfKeys, "/operator/brands/{brandId}/changes"])

/** Milliseconds for which a store keeps removals. [CHG-5] */
const removedMillis = 90 * 86_400_000
const maxOnPage = 100
const maxWithEngagements = 25
const maxCursorLength = 200

/** What can let a store forget removals. */
const writing: ReadonlySet<StoreMethod> = new Set([
  "leads.commit",
  "leads.update",
  "leads.erase",
  "pruning.prune"
])

type Change = ReferenceModel["changes"][number]

/** What a call has read so far. */
interface Page {
  /** What the page must have, by the id of the lead. */
  readonly entries: Map<number, Json>
  hasMore: boolean
  next: string
}

const isTrue = (text: string | null): boolean => text !== null && text.toLowerCase() === "true"

const instance = (facts: KnownFacts, checks: Checks): OracleInstance => {
  const reads = checks.rule("each read of what changed")
  const pages = checks.rule("each page of the feed of changes")
  const places = new WeakMap<Change, number>()
  /** The place of the last change that a reader at a position has seen, by brand and position. */
  const seen = new Map<string, number>()
  /** The place of the last change before the reading began, by brand and position: of leads that were gone then the reader never had any. */
  const begun = new Map<string, number>()
  /** How often the store was written to. */
  let writes = 0
  /** How often before the first reading began that came to the position, by brand and position. */
  const writtenBefore = new Map<string, number>()
  /** Calls that must be told that their cursor has expired. */
  const expired = new WeakSet<Call>()
  /** Positions by the cursors that were answered. */
  const cursors = new Map<string, string>()
  const ofCalls = new WeakMap<Call, Page>()
  /** Requests that wait, whose own reads can't be told from those of the watch that one of them began. */
  const unclear = new WeakSet<Call>()
  const deleted = new Set<string>()
  let placed = 0
  let isTailLost = false

  /** The changes of the brand with their places in the order of commits: those that are new have the next ones. */
  const placedOf = ({ changes }: ReferenceModel): ReadonlyArray<readonly [change: Change, place: number]> =>
    changes.map((change) => {
      const place = places.get(change) ?? ++placed
      places.set(change, place)
      return [change, place]
    })

  const requested = (call: Call) => {
    const query = queryOf(call)
    const engagements = !isTrue(query.get("includeEngagements"))
      ? "none"
      : isTrue(query.get("includeEngagementDetail"))
        ? "detailed"
        : "plain"
    const max = engagements === "none" ? maxOnPage : maxWithEngagements
    const pageSize = query.get("pageSize")
    return {
      cursor: query.get("cursor") ?? "",
      limit: Math.min(max, pageSize === null ? maxOnPage : Number(pageSize)),
      engagements,
      waits: call.route === routeOfKeys && Number(query.get("wait") ?? 0) > 0
    } as const
  }

  const entryOf = (
    reference: ReferenceModel,
    { id, removedAt }: Change,
    engagements: "none" | "plain" | "detailed"
  ) =>
    removedAt === null
      ? { type: "lead", lead: reference.listed(id, engagements) }
      : { type: "removed", id, removedAt: new Date(removedAt).toISOString() }

  /** What is wrong with what the store answers; keeps what the call must answer of it. */
  const read = (call: Call | null, { answer, args, serviceNow: now }: Stored): string | null => {
    const [brandId, after, { engagements, limit }] = args
    const brand = facts.brandOf(brandId)
    if (brand === undefined || deleted.has(brandId) || isTailLost) {
      reads.weaken("nobody knows what the brand has: it is being deleted, or a failover lost commits")
      return null
    }
    const position = `${brandId} ${JSON.stringify(after)}`
    const from = after === null ? 0 : seen.get(position)
    if (from === undefined) return `the feed is read after ${JSON.stringify(after)}, where nobody was sent`
    const changes = placedOf(brand.reference)
    const since = after === null ? placed : begun.get(position)!
    const isOld = (removedAt: number | null): boolean => removedAt !== null && removedAt < now - removedMillis
    reads.judged++
    if (answer.isExpired) {
      if (!changes.some(([{ removedAt }, place]) => place > from && isOld(removedAt)))
        return `what changed after ${JSON.stringify(after)} is expired`
      // What was forgotten before a reader began concerns leads that it never had.
      if (after !== null && writtenBefore.get(position) === writes)
        return `what changed after ${JSON.stringify(after)} is expired, and nothing was written since its reader began`
      if (call !== null) expired.add(call)
      return null
    }
    const found: ReadonlyArray<Json> = answer.changes
    const answeredIds = new Set(
      found.map((change) => (change.type === "lead" ? change.read.lead.id : change.id))
    )
    const due = changes.filter(
      ([{ id, removedAt }, place]) =>
        place > from && (!isOld(removedAt) || place > since || answeredIds.has(id))
    )
    const right = due.slice(0, found.length).map(([{ id, removedAt }]) => [id, removedAt])
    const got = found.map((change) =>
      change.type === "lead" ? [change.read.lead.id, null] : [change.id, change.removedAt]
    )
    if (found.length > limit) return `${found.length} changes are read, and ${limit} were requested`
    if (JSON.stringify(got) !== JSON.stringify(right))
      return `the changes are ${JSON.stringify(got)}, not ${JSON.stringify(right)}`
    if (!answer.hasMore && due.length > found.length)
      return `nothing more is said to have changed after ${found.length} of ${due.length} changes`
    const last = answer.hasMore ? (due[found.length - 1]?.[1] ?? from) : placed
    const next = JSON.stringify(answer.next)
    const nextPosition = `${brandId} ${next}`
    const writesBefore = after === null ? writes : writtenBefore.get(position)!
    seen.set(nextPosition, last)
    begun.set(nextPosition, Math.min(since, begun.get(nextPosition) ?? since))
    writtenBefore.set(nextPosition, Math.min(writesBefore, writtenBefore.get(nextPosition) ?? writesBefore))
    if (call === null) return null
    const { cursor, waits, ...wanted } = requested(call)
    const page = ofCalls.get(call)
    const left = wanted.limit - (page?.entries.size ?? 0)
    // The watch that a waiting request began looks for others, too: by single changes, after positions of theirs.
    if (waits && limit === 1 && engagements === "none") {
      if (left === 1 && wanted.engagements === "none") unclear.add(call)
      return null
    }
    if (page === undefined) {
      const goesOn = cursor === "" ? "null" : cursors.get(cursor)
      if (goesOn !== JSON.stringify(after))
        return `a page goes on after ${JSON.stringify(after)}, and its cursor says ${goesOn}`
    } else if (page.next !== JSON.stringify(after))
      return `a page goes on after ${JSON.stringify(after)}, and has read up to ${page.next}`
    if (limit !== left || engagements !== wanted.engagements)
      return `${limit} changes are requested with engagements ${engagements}, not ${left} with ${wanted.engagements}`
    const entries = page?.entries ?? new Map<number, Json>()
    for (const [change] of due.slice(0, found.length)) {
      entries.delete(change.id)
      entries.set(change.id, entryOf(brand.reference, change, engagements))
    }
    ofCalls.set(call, { entries, hasMore: answer.hasMore, next })
    return null
  }

  const answered = ({ body, call, response }: Answered): string | null => {
    if (!routes.has(call.route) || call.request.method !== "GET") return null
    if (expired.has(call) && response.status < 500 && response.status !== 410)
      return `${call.request.url}: its cursor has expired, and it is answered ${response.status}`
    if (response.status === 410 && facts.isStoreSeen && !expired.has(call))
      return `${call.request.url}: its cursor has not expired, and it is answered 410`
    if (response.status !== 200 || !facts.isStoreSeen) return null
    const page = ofCalls.get(call)
    if (page === undefined || unclear.has(call)) {
      facts.compared.add(call)
      pages.weaken("it waited for a single change, or nobody knows what the brand has")
      return null
    }
    pages.judged++
    facts.compared.add(call)
    const { cursor, hasMore, warnings: _, ...more } = body.meta
    const what = `${call.request.method} ${call.request.url}`
    if (Object.keys(more).length > 0) return `${what}: meta has ${Object.keys(more).join()}`
    if (typeof cursor !== "string" || cursor === "" || cursor.length > maxCursorLength)
      return `${what}: the cursor is ${cursor}`
    const known = cursors.get(cursor)
    if (known !== undefined && known !== page.next)
      return `${what}: one cursor stands for ${known} and ${page.next}`
    cursors.set(cursor, page.next)
    if (hasMore !== page.hasMore) return `${what}: hasMore is ${hasMore}, not ${page.hasMore}`
    if (body.data.length > 0) facts.coverageMarks.add("a page of changes was compared")
    const [actual, right] = [body.data, [...page.entries.values()]].map((all) => JSON.stringify(all))
    return actual === right ? null : `${what}: ${difference(actual!, right!)}`
  }

  return {
    stored: (fact) => {
      const { args, call, method } = fact
      if (method === "brands.startDeletion") deleted.add(args[0])
      if (writing.has(method)) writes++
      return method === "leads.changesAfter" ? read(call, fact) : null
    },
    answered,
    tailLost: () => {
      isTailLost = true
    }
  }
}

/** [CHG-1, CHG-2, CHG-3, CHG-5, CHG-7] */
export const feedOfChanges: Oracle = {
  name: "feed of changes",
  instantiate: instance
}
