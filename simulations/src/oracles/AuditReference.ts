/**
 * The audit log that there must be: an entry before each change of an operator and around each list and export, with the status that
 * was answered, and a log that lists what it was given. [AUD-1, AUD-2, AUD-4]
 */
import type { Answered, Call, Json } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import { operationOf } from "./Requests.ts"

/** Intake, which has no entries. */
const unaudited = new Set([
  "POST /operator/brands/{brandId}/observations",
  "PUT /operator/brands/{brandId}/campaigns/{id}/posts/{postId}/snapshots/{day}"
])

/** Reads of leads in bulk. */
const auditedReads = new Set([
  "GET /operator/brands/{brandId}/leads",
  "GET /operator/brands/{brandId}/leads/{id}/export"
])

const isAudited = (call: Call): boolean => {
  const operation = operationOf(call)
  if (!call.route.startsWith("/operator")) return false
  return call.request.method === "GET" ? auditedReads.has(operation) : !unaudited.has(operation)
}

const order = (a: Json, b: Json): number => b.at - a.at || Number(b.id) - Number(a.id)

export const auditReference = (checks: Checks) => {
  const kept = checks.rule("each entry of the audit log")
  const entries = new Map<string, Json>()
  const ofCalls = new WeakMap<Call, Json>()
  return {
    appended: (call: Call, id: string, entry: Json): string | null => {
      if (entries.has(id)) return `the audit log gives the id ${id} again`
      const added = { ...entry, id }
      entries.set(id, added)
      ofCalls.set(call, added)
      return isAudited(call) ? null : `${operationOf(call)} has an entry in the audit log`
    },
    completed: (id: string, outcome: Json): null => {
      const entry = entries.get(id)
      if (entry?.status === null) Object.assign(entry, outcome)
      return null
    },
    listed: ({ after, brandIds, limit, since }: Json, answer: Json): string | null => {
      const right = [...entries.values()]
        .filter(
          (entry) =>
            (brandIds === null || brandIds.includes(entry.brandId)) &&
            (since === null || entry.at >= since) &&
            (after === null || order(after, entry) < 0)
        )
        .sort(order)
        .slice(0, limit)
      const [listed, wanted] = [answer, right].map((all: ReadonlyArray<Json>) =>
        JSON.stringify(all.map(({ id, status }) => [id, status]))
      )
      return listed === wanted ? null : `the audit log lists ${listed}, not ${wanted}`
    },
    answered: ({ call, response }: Answered): string | null => {
      if (!isAudited(call) || [401, 405].includes(response.status)) return null
      const entry = ofCalls.get(call)
      // A path that nothing is at, or a target that can't be read, never became an operation.
      if (entry === undefined)
        return response.status === 400 || response.status === 404
          ? null
          : `${operationOf(call)} was answered ${response.status} and is not in the audit log`
      if (entry.status === null && call.struck.has("auditLog.complete")) {
        kept.weaken("the store failed as the outcome was written")
        return null
      }
      kept.judged++
      return entry.status === response.status
        ? null
        : `the audit log has ${entry.status} of ${operationOf(call)}, which was answered ${response.status}`
    }
  }
}
