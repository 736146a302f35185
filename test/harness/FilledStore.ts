/** A server's database with something in every table: the demo, and what an operator changes. */
import { operatorToken, callJson, type ServerProcess, startServer } from "./ServerProcess.ts"
import { bundledServer } from "./BundledServer.ts"

export interface FilledStore {
  /** The key of the demo brand. */
  readonly key: string
  readonly otherKey: string
  /** The other brand. */
  readonly brandId: string
}

const environment = (database: string) => ({
  LEAD_SIGNALS_DATABASE: database,
  LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
  LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
  LEAD_SIGNALS_RATE_LIMIT: "1000000"
})

/** Starts a server on the database, without filling it. */
const startOn = (database: string): Promise<ServerProcess> =>
  startServer({ ...environment(database), LEAD_SIGNALS_DEMO: "false" }, bundledServer)

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/**
 * Fills an empty database by a server, which has ended when this answers: the demo brand, a second brand whose numbers lie among those of the
 * first, an erased lead, deleted and revoked things, and deliveries in each state with their attempts.
 */
export const fillStore = async (database: string, receiverUrl: string): Promise<FilledStore> => {
  const server = await startServer(environment(database), bundledServer)
  const key = /^Demo key +(\S+)/m.exec(server.out())![1]!
  const operate = async (method: string, path: string, json?: unknown) => {
    const { body, status } = await callJson(`${server.url}/operator${path}`, operatorToken, method, json)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
    return body?.data
  }
  const [{ id: demo }] = await operate("GET", "/brands")
  const other = await operate("POST", "/brands", { name: "Other “brand” 😀" })
  const revoked = await operate("POST", `/brands/${demo}/keys`, { label: "revoked" })
  await operate("DELETE", `/brands/${demo}/keys/${revoked.id}`)
  const { key: otherKey } = await operate("POST", `/brands/${other.id}/keys`, { label: "other" })
  const keyed = await fetch(`${server.url}/operator/brands/${other.id}/campaigns`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${operatorToken}`,
      "content-type": "application/json",
      "idempotency-key": '"of the filled store, once"'
    },
    body: JSON.stringify({ name: "made with a key" })
  })
  if (!keyed.ok) throw new Error(`POST with a key: ${keyed.status}`)
  await operate("POST", "/tokens", { name: "collector", scopes: ["ingest"], brandIds: [other.id] })
  const source = { type: "posts-with-keywords", value: "v" }
  const [kept, deleted] = [
    await operate("POST", `/brands/${other.id}/signals`, { name: "kept", signalType: "t", source }),
    await operate("POST", `/brands/${other.id}/signals`, { name: "deleted", signalType: "t", source })
  ]
  await operate("DELETE", `/brands/${other.id}/signals/${deleted.id}`)
  const events = ["lead2.created", "activity.detected"]
  const healthy = await operate("POST", `/brands/${other.id}/webhooks`, { url: `${receiverUrl}/ok`, events })
  const failing = await operate("POST", `/brands/${other.id}/webhooks`, {
    url: `${receiverUrl}/fails`,
    events
  })
  const observations = Array.from({ length: 30 }, (_, i) => ({
    signalId: kept.id,
    person: {
      extId: `other-${i % 10}`,
      name: `Ötherperson ${i % 10}\u2028`,
      headline: i % 2 === 0 ? null : "CTO"
    },
    engagement: { id: `of-other-${i}`, type: "comment", commentText: `“${i}”\n` }
  }))
  const recorded = await operate("POST", `/brands/${other.id}/observations`, { observations })
  const demoSignals = await operate("GET", `/brands/${demo}/signals`)
  await operate("POST", `/brands/${demo}/observations`, {
    observations: [
      { signalId: demoSignals[0].id, person: { extId: "late", name: "Late" }, engagement: { id: "late" } }
    ]
  })
  for (;;) {
    const delivered = await operate(
      "GET",
      `/brands/${other.id}/webhooks/${healthy.id}/deliveries?state=delivered`
    )
    const attempted = await operate("GET", `/brands/${other.id}/webhooks/${failing.id}/deliveries`)
    if (delivered.length === 25 && attempted.every(({ attempts }: any) => attempts > 0)) break
    await sleep(50)
  }
  // Nothing is delivered when the database is served again.
  for (const { id } of [healthy, failing]) {
    await operate("PATCH", `/brands/${other.id}/webhooks/${id}`, { enabled: false })
  }
  await operate("DELETE", `/brands/${other.id}/leads/${recorded[0].leadId}`)
  await server.end("SIGTERM")
  return { key, otherKey, brandId: other.id }
}

const queries = [
  "",
  "?pageSize=100&page=3&sort=name:asc",
  "?sort=score1:desc&pageSize=100",
  "?sort=updatedAt:asc&page=9",
  "?search=an&sort=createdAt:asc&pageSize=100",
  "?search=northwind&qualified=true",
  "?exported=true&isEmployee=false",
  "?signalId=1&sort=createdAt:desc",
  "?includeEngagements=true&includeEngagementDetail=true&pageSize=25"
]

/** What the API answers about everything that the store has: the same for two stores with the same content. */
export const answersOf = async (
  database: string,
  { brandId, key, otherKey }: FilledStore
): Promise<unknown> => {
  const server = await startOn(database)
  const read = async (path: string, token: string) => {
    const { body, status } = await callJson(`${server.url}${path}`, token)
    return [path, status, body]
  }
  const answers: Array<unknown> = []
  for (const query of queries) answers.push(await read(`/signals/leads${query}`, key))
  answers.push(await read("/signals/leads?search=o&includeEngagements=true", otherKey))
  answers.push(await read("/campaign/1/metrics?startDate=2020-01-01&endDate=2030-01-01", key))
  const brands = await callJson(`${server.url}/operator/brands`, operatorToken)
  answers.push(brands)
  for (const { id } of brands.body.data) {
    for (const part of ["keys", "signals", "campaigns", "webhooks"]) {
      answers.push(await read(`/operator/brands/${id}/${part}`, operatorToken))
    }
  }
  const webhooks = await callJson(`${server.url}/operator/brands/${brandId}/webhooks`, operatorToken)
  for (const { id } of webhooks.body.data) {
    const path = `/operator/brands/${brandId}/webhooks/${id}/deliveries`
    const listed = await callJson(`${server.url}${path}?pageSize=100`, operatorToken)
    answers.push(listed)
    for (const delivery of listed.body.data.slice(0, 5))
      answers.push(await read(`${path}/${delivery.id}`, operatorToken))
  }
  await server.end("SIGTERM")
  // What a request changes or is of this moment.
  return JSON.parse(
    JSON.stringify(answers, (name, value) => (["lastUsedAt", "requestId"].includes(name) ? undefined : value))
  )
}

/** Creates something of each kind, and answers the numbers that they got. */
export const numbersGiven = async (database: string): Promise<ReadonlyArray<unknown>> => {
  const server = await startOn(database)
  const post = async (path: string, json: unknown) =>
    (await callJson(`${server.url}/operator${path}`, operatorToken, "POST", json)).body.data
  const brand = await post("/brands", { name: "New" })
  const source = { type: "posts-with-keywords", value: "v" }
  const signal = await post(`/brands/${brand.id}/signals`, { name: "S", signalType: "t", source })
  const key = await post(`/brands/${brand.id}/keys`, { label: "k" })
  const [recorded] = await post(`/brands/${brand.id}/observations`, {
    observations: [{ signalId: signal.id, person: { extId: "p", name: "P" }, engagement: { id: "e" } }]
  })
  await server.end("SIGTERM")
  return [brand.id, signal.id, key.id, recorded.leadId]
}
