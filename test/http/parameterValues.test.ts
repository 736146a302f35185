/**
 * Every parameter of every operation with values that one store reads and another does not: U+0000, integers of more than 64 bits, dates at the
 * ends of calendars. None may give a 5xx, and every body must be one that the OpenAPI document gives its operation and status.
 */
import type { StorePorts, StoreUnavailable } from "@lead-signals/domain"
import { OpenApiDocument } from "@lead-signals/simulations"
import * as MemoryStore from "@lead-signals/store-memory"
import * as PostgresStore from "@lead-signals/store-postgres"
import * as SqliteStore from "@lead-signals/store-sqlite"
import type { Layer } from "effect"
import { expect, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { observation, observe, operatorToken, setUpBrand, startApi } from "../harness/HttpServers.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"

/** Percent-encoded, as they stand in a target. */
const values = [
  "1",
  "0",
  "-1",
  "1.5",
  "1e3",
  "2147483648",
  "9007199254740993",
  "9223372036854775808",
  "9".repeat(400),
  "NaN",
  "%00",
  "a%00b",
  "%C2%85",
  "%EF%BF%BF",
  "%F0%9F%98%80",
  "%27%22%3B--",
  "%25%5F%5C",
  "..%2F..",
  "0000-01-01",
  "9999-12-31",
  "0000-01-01T00:00:00%2B14:00",
  "9999-12-31T23:59:59.999-14:00",
  "AAAA",
  "wh_1"
]

/** A body that the operation takes, by the last name in its path. */
const bodies: Readonly<Record<string, object>> = {
  brands: { name: "B" },
  "{brandId}": { name: "B" },
  keys: { label: "k" },
  signals: { name: "S", signalType: "t", source: { type: "post-url", value: "https://network.example/p/1" } },
  observations: { observations: [] },
  leads: { qualified: true },
  campaigns: { name: "C" },
  "{day}": { impressions: 1, reactions: 0, comments: 0, reposts: 0 },
  tokens: { name: "T", scopes: ["read"] },
  webhooks: { url: "https://hooks.example/", events: ["lead2.created"], enabled: false },
  test: { event: "lead2.created" },
  recover: { since: "2026-01-01" },
  resend: { webhookId: "1", event: "lead2.created" }
}

const bodyOf = (path: string): object => {
  const [last, ...others] = path.split("/").toReversed()
  // One of a collection takes what the collection takes.
  return bodies[last!] ?? bodies[last === "{id}" ? others[0]! : last!] ?? {}
}

interface Sent {
  readonly operation: string
  readonly path: string
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** Each operation with each value in each parameter; the others of its path are of what is there. */
const requests = (): ReadonlyArray<Sent> =>
  Object.entries<Record<string, any>>(OpenApiDocument.document["paths"]).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      (operation["parameters"] ?? []).flatMap(({ in: place, name }: { in: string; name: string }) =>
        values.flatMap((value): ReadonlyArray<Sent> => {
          const target = path.replaceAll(/\{(\w+)\}/g, (_, of: string) => (of === name ? value : "1"))
          // It would take away what the others are about, or wait.
          const isLeftOut =
            (method === "delete" && target === path.replaceAll(/\{\w+\}/g, "1")) ||
            (name === "wait" && value === "1") ||
            (place === "header" && value.includes("%"))
          if (isLeftOut) return []
          return [
            {
              operation: `${method.toUpperCase()} ${path} ${name}=${value.slice(0, 40)}`,
              path,
              method: method.toUpperCase(),
              target: place === "query" ? `${target}?${name}=${value}` : target,
              headers: place === "header" ? { [name]: value } : {}
            }
          ]
        })
      )
    )
  )

const connections = 8

const answer = async (stores: Layer.Layer<StorePorts, StoreUnavailable>): Promise<void> => {
  const api = await startApi({ retryMillis: [1000], stores })
  const brand = await setUpBrand(api)
  await observe(api, brand, observation(brand.signalId, "p1", "e1"), observation(brand.signalId, "p2", "e2"))
  const problems: Array<string> = []
  const statuses = new Set<number>()
  const all = requests()
  let next = 0
  const send = async (): Promise<void> => {
    for (let sent = all[next++]; sent !== undefined; sent = all[next++]) {
      const { headers, method, operation, path, target } = sent
      const hasBody = ["POST", "PUT", "PATCH"].includes(method)
      const leaving = new AbortController()
      const response = await fetch(`${api.url}${target}`, {
        method,
        signal: leaving.signal,
        headers: {
          authorization: `Bearer ${path.startsWith("/operator") ? operatorToken : brand.key}`,
          ...(hasBody ? { "content-type": "application/json" } : {}),
          ...headers
        },
        ...(hasBody ? { body: JSON.stringify(bodyOf(path)) } : {})
      })
      const { status } = response
      statuses.add(status)
      if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
        leaving.abort()
        continue
      }
      const text = await response.text()
      const problem =
        status >= 500
          ? text
          : text === ""
            ? null
            : OpenApiDocument.problemOf(path, method, status, JSON.parse(text))
      if (problem !== null) problems.push(`${operation}: ${status} ${problem.slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, send))
  expect(problems).toEqual([])
  for (const status of [200, 201, 400, 404]) expect(statuses).toContain(status)
}

const stores: Readonly<Record<string, () => Promise<Layer.Layer<StorePorts, StoreUnavailable>>>> = {
  memory: async () => MemoryStore.layer,
  "a SQLite file": async () => SqliteStore.layer({ filename: emptyStoreFile(), synced: false }),
  ...(isWithoutPostgres
    ? {}
    : { Postgres: async () => PostgresStore.layer({ url: await newDatabase(), notifications: false }) })
}

it.runIf(isThorough).each(Object.keys(stores))(
  "no value of a parameter gives a 5xx, or a body outside the document, over %s [ERR-1, ERR-2, ERR-3]",
  async (store) => answer(await stores[store]!())
)
