/** Compares what a version answered with what this one answers about the same content. */
import { createLeadSignals } from "@lead-signals/embedded"
import type { Answers, Call } from "./ReleaseContent.ts"

type Store = Parameters<typeof createLeadSignals>[0]["store"]

const operatorToken = "operator-token-of-the-upgrades"

/** Runs the work over the API of this version, whose store it closes afterwards. No webhook is sent. */
export const withApi = async <A>(
  store: Store,
  work: (call: Call, token: string) => Promise<A>
): Promise<A> => {
  const api = await createLeadSignals({ store, operatorToken, requestsPerMinute: 1_000_000 })
  try {
    return await work(async (method, path, token, body, given) => {
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...given
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const response = await api.fetch(request)
      const text = await response.text()
      return { status: response.status, body: text === "" ? null : JSON.parse(text) }
    }, operatorToken)
  } finally {
    await api.close()
  }
}

/** Fields that a read changes, or that later versions say otherwise on purpose. */
const ignored = new Set(["lastUsedAt"])

/** Where `now` lacks what `before` has: later versions add fields, and change none. */
const differences = (before: unknown, now: unknown, at: string): ReadonlyArray<string> => {
  if (Array.isArray(before)) {
    if (!Array.isArray(now)) return [`${at}: no array`]
    if (before.length !== now.length) return [`${at}: ${now.length} instead of ${before.length}`]
    return before.flatMap((each, i) => differences(each, now[i], `${at}[${i}]`))
  }
  if (typeof before === "object" && before !== null) {
    if (typeof now !== "object" || now === null) return [`${at}: ${JSON.stringify(now)}`]
    return Object.entries(before).flatMap(([name, value]) =>
      ignored.has(name) ? [] : differences(value, (now as Record<string, unknown>)[name], `${at}.${name}`)
    )
  }
  return before === now ? [] : [`${at}: ${JSON.stringify(now)} instead of ${JSON.stringify(before)}`]
}

/**
 * Moves the records of Idempotency-Keys to the present, where a table has them: they are kept for a day, and a fixture is older. The newest is
 * as old as `now` then.
 */
export const moveRecords = (table: string, now: string): string =>
  `UPDATE ${table} SET created_at = created_at + ${now} - (SELECT max(created_at) FROM ${table})`

/** Asks this version for all that the other one answered. Answers each difference, and nothing where all is as it was. */
export const comparedWith = async (
  { bodies, erased, keys, limited = [], repeated = [], revoked }: Answers,
  call: Call,
  token: string
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { body, brandId, path } of bodies) {
    const answer = await call("GET", path, path.startsWith("/operator") ? token : keys[brandId]!)
    if (answer.status !== 200) found.push(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    else found.push(...differences(body, answer.body, path))
  }
  for (const { body, key, path, request, status } of repeated) {
    const answer = await call("POST", path, token, request, { "idempotency-key": `"${key}"` })
    if (answer.status !== status) found.push(`${path} again: ${answer.status} instead of ${status}`)
    found.push(...differences(body, answer.body, `${path} again`))
    const other = await call("POST", path, token, { name: "Other" }, { "idempotency-key": `"${key}"` })
    if (other.status !== 422) found.push(`${path} with the key of another call: ${other.status}`)
  }
  for (const { path, status, token: limitedToken } of limited) {
    const answer = await call("GET", path, limitedToken)
    if (answer.status !== status)
      found.push(`${path} with a limited credential: ${answer.status} instead of ${status}`)
  }
  const refused = await call("GET", "/signals/leads", revoked)
  if (refused.status !== 401) found.push(`a revoked key gets ${refused.status}`)
  const [brandId] = Object.keys(keys) as [string]
  const [signal] = (await call("GET", `/operator/brands/${brandId}/signals`, token)).body.data
  const observations = erased.map((extId) => ({
    signalId: signal.id,
    person: { extId, name: "Back again" },
    engagement: { id: `back-${extId}` }
  }))
  const { body } = await call("POST", `/operator/brands/${brandId}/observations`, token, { observations })
  for (const { outcome } of body.data)
    if (outcome !== "suppressed") found.push(`an erased person is ${outcome}`)
  return found
}
