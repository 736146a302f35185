/**
 * What a process counts since its start and no store keeps: rejected observations, and requests that a key's window refused. Each start of
 * a process counts by itself. A call counts shortly before it is answered, so one that is under way may count or not. [OPER-13]
 */
import type { Answered, Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import type { SimulatedResponse } from "../world/RequestParts.ts"
import type { Checks } from "./Checks.ts"
import { operationOf, paramsOf } from "./Requests.ts"

const intake = "POST /operator/brands/{brandId}/observations"
const attention = "GET /operator/brands/{brandId}/attention"

/** Between which instants, by the clock of its process, something was counted, and when its call was answered, in true time. */
interface Counting {
  readonly from: number
  readonly to: number
  readonly answeredAt: number
}

interface Tally {
  count: number
  /** Calls that were under way at once: each of them may have been the last to count. */
  last: ReadonlyArray<Counting>
}

/** What one start of a process has counted, and the calls of it that may have counted already. */
interface Counts {
  readonly rejections: Map<string, Tally>
  readonly refusals: Map<string, Tally>
  readonly observing: Map<Call, string>
  readonly refusing: Map<Call, { readonly keyId: string; readonly from: number }>
}

/** Counts of an instant: those that were certain when the store was read. */
interface Snapshot {
  readonly rejected: Tally
  readonly refused: ReadonlyMap<string, Tally>
  readonly isAnyObserving: boolean
  readonly refusing: ReadonlySet<string>
}

const nothing: Tally = { count: 0, last: [] }

const copyOf = (tally: Tally | undefined): Tally => ({ ...(tally ?? nothing) })

const add = (tallies: Map<string, Tally>, id: string, n: number, counting: Counting, began: number): void => {
  const tally = tallies.get(id) ?? { ...nothing }
  tallies.set(id, tally)
  tally.count += n
  // What was answered before this call began was counted before.
  tally.last = [...tally.last.filter(({ answeredAt }) => answeredAt >= began), counting]
}

/** How many observations the request has at most, in lines or as JSON. */
const sizeOf = ({ request: { body, unusual } }: Call): number => {
  const isLines = /ndjson/i.test(unusual?.contentType ?? "")
  const lines = isLines ? new TextDecoder().decode(unusual?.bytes).split("\n").length : 0
  return lines + ((body as Json)?.observations?.length ?? 0)
}

/** What the answer says of each observation. Lines are counted as they are taken, also those before an error that ends the answer. [OBS-8] */
const outcomesOf = (response: SimulatedResponse, body: Json): ReadonlyArray<Json> =>
  response.status === 200
    ? (body?.data ?? [])
    : (response.outcomesBefore ?? []).map((line): Json => JSON.parse(line))

/** How many observations the outcome rejects: one without a reason of its own stands for several lines. [OBS-8] */
const rejectedBy = ({ count, outcome }: Json): number => (outcome === "rejected" ? (count ?? 1) : 0)

/** Hears of every answer, and judges those of `attention`. */
export const attentionReference = (facts: KnownFacts, checks: Checks) => {
  const rule = checks.rule("what each process has counted since its start")
  const counted = new Map<string, Counts>()
  const snapshots = new WeakMap<Call, Snapshot>()

  const countsOf = ({ handledBy, handledByStart }: Call): Counts => {
    const name = `${handledBy} ${handledByStart}`
    const known = counted.get(name) ?? {
      rejections: new Map(),
      refusals: new Map(),
      observing: new Map(),
      refusing: new Map()
    }
    counted.set(name, known)
    return known
  }

  const stored = ({ answer, args, call, method, process }: Stored): void => {
    if (call === null) return
    const counts = countsOf(call)
    if (method === "brands.get" && operationOf(call) === intake) counts.observing.set(call, args[0])
    if (method === "rateWindows.step" && answer.allowed === false)
      counts.refusing.set(call, { keyId: args[0], from: process.now })
    if (method === "keys.list" && operationOf(call) === attention)
      snapshots.set(call, {
        rejected: copyOf(counts.rejections.get(args[0])),
        refused: new Map([...counts.refusals].map(([id, tally]) => [id, copyOf(tally)])),
        isAnyObserving: [...counts.observing.values()].includes(args[0]),
        refusing: new Set([...counts.refusing.values()].map(({ keyId }) => keyId))
      })
  }

  /** A call that counts was answered, and has counted by now. */
  const count = ({ at, body, byClock, call, response }: Answered): void => {
    const counts = countsOf(call)
    const isSteady = !facts.incidents.touched(["clock"], call.handledAt, at, call.handledBy)
    const windowFrom = (from: number): Counting =>
      isSteady
        ? { from, to: byClock, answeredAt: at }
        : { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, answeredAt: at }
    const brandId = counts.observing.get(call)
    if (brandId !== undefined) {
      counts.observing.delete(call)
      const rejected = outcomesOf(response, body).reduce((sum, outcome) => sum + rejectedBy(outcome), 0)
      if (rejected > 0)
        add(counts.rejections, brandId, rejected, windowFrom(call.handledByClock), call.handledAt)
    }
    const refusing = counts.refusing.get(call)
    if (refusing === undefined) return
    counts.refusing.delete(call)
    // The store has refused it, and its answer was lost.
    if (response.status !== 429) return
    add(counts.refusals, refusing.keyId, 1, windowFrom(refusing.from), call.handledAt)
  }

  /** What is wrong with a tally in the answer, where nothing was under way. */
  const wrongTally = (what: string, answered: Json, { count, last }: Tally): string | null => {
    if (answered.count !== count) return `${what}: ${answered.count} are counted, not ${count}`
    if ((answered.lastAt === null) !== (count === 0))
      return `${what}: the last of ${count} was at ${answered.lastAt}`
    if (count === 0) return null
    const lastAt = Date.parse(answered.lastAt)
    return last.some(({ from, to }) => lastAt >= from && lastAt <= to)
      ? null
      : `${what}: the last was at ${answered.lastAt}, and none was counted then`
  }

  /** Where calls that count are under way, each of them may have counted or not. */
  const wrongCount = (what: string, { count }: Json, min: number, max: number): string | null =>
    count >= min && count <= max ? null : `${what}: ${count} are counted, not ${min} to ${max}`

  /** What is wrong with the answer; null where nothing is, and where it is none of what is counted. */
  const wrong = (
    fact: Answered,
    keys: ReadonlyArray<{ readonly id: string; readonly label: string }>
  ): string | null => {
    const { body, call, response } = fact
    const snapshot = snapshots.get(call)
    if (operationOf(call) !== attention || response.status !== 200 || snapshot === undefined) return null
    facts.compared.add(call)
    const now = countsOf(call)
    const { refusedRequests, rejectedObservations, since, ...more } = body.data
    const { brandId } = paramsOf(call)
    const [from, to] = call.startedByClock
    if (Object.keys(more).length > 0) return `attention shows ${Object.keys(more).join()}`
    const sinceAt = Date.parse(since)
    if (sinceAt < Math.min(from, to) || sinceAt > Math.max(from, to))
      return `the process counts since ${since}, and began at ${new Date(from).toISOString()}`
    const observing = [...now.observing].filter(([, id]) => id === brandId).map(([each]) => each)
    const after = copyOf(now.rejections.get(brandId!))
    rule.judged++
    // What began after the keys were read may have counted before the answer, at the same instant.
    const isSettled =
      !snapshot.isAnyObserving && observing.length === 0 && after.count === snapshot.rejected.count
    const most = after.count + observing.reduce((sum, each) => sum + sizeOf(each), 0)
    const said = isSettled
      ? wrongTally("rejected observations", rejectedObservations, snapshot.rejected)
      : wrongCount("rejected observations", rejectedObservations, snapshot.rejected.count, most)
    if (said !== null) return said
    const answeredKeys = new Map<string, Json>(refusedRequests.map((each: Json) => [each.keyId, each]))
    if (answeredKeys.size !== refusedRequests.length)
      return "a key is listed twice among those that were refused"
    const order = refusedRequests.map((each: Json) => each.keyId)
    const inOrder = keys.map(({ id }) => id).filter((id) => answeredKeys.has(id))
    if (JSON.stringify(order) !== JSON.stringify(inOrder))
      return `the keys that were refused are ${order.join()}, not ${inOrder.join()}`
    for (const { id, label } of keys) {
      const each = answeredKeys.get(id)
      const tally = snapshot.refused.get(id) ?? nothing
      if (each !== undefined && each.label !== label)
        return `key ${id} is listed as ${each.label}, not ${label}`
      rule.judged++
      const after = now.refusals.get(id)?.count ?? 0
      if (snapshot.refusing.has(id) || after !== tally.count) {
        const refusing = [...now.refusing.values()].filter(({ keyId }) => keyId === id).length
        const said = wrongCount(`refusals of key ${id}`, each ?? { count: 0 }, tally.count, after + refusing)
        if (said !== null) return said
        continue
      }
      if ((each === undefined) !== (tally.count === 0))
        return `key ${id} was refused ${tally.count} times, and is ${each === undefined ? "not " : ""}shown`
      const said = each === undefined ? null : wrongTally(`refusals of key ${id}`, each, tally)
      if (said !== null) return said
    }
    return null
  }

  return { stored, count, wrong }
}
