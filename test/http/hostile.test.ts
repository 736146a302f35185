/**
 * A hundred thousand requests (three and a half thousand unless the run is thorough), good and hostile, over real sockets: none may give a
 * 5xx, and every body must be one that the OpenAPI document gives its operation and status. A thorough run sends some to the SQL stores, too, which
 * read less than JavaScript does: no U+0000, and no integers of more than 64 bits.
 */
import { Prng } from "@lead-signals/simulation-kernel"
import { OpenApiDocument } from "@lead-signals/simulations"
import { expect, it } from "vitest"
import type { StorePorts, StoreUnavailable } from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import * as SqliteStore from "@lead-signals/store-sqlite"
import * as PostgresStore from "@lead-signals/store-postgres"
import type { Layer } from "effect"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { observation, observe, setUpBrand, startApi } from "../harness/HttpServers.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { make } from "./HostileRequests.ts"
import { converse } from "./PipelinedConnection.ts"

const connections = 8

const stores = {
  memory: async () => MemoryStore.layer,
  SQLite: async () => SqliteStore.layer({ filename: emptyStoreFile(), synced: false }),
  Postgres: async () => PostgresStore.layer({ url: await migratedDatabase(), notifications: false })
} satisfies Readonly<Record<string, () => Promise<Layer.Layer<StorePorts, StoreUnavailable>>>>

const answer = async (store: keyof typeof stores, requests: number): Promise<void> => {
  const api = await startApi({ retryMillis: [1000], stores: await stores[store]() })
  const brand = await setUpBrand(api)
  await api.operate("POST", "/operator/brands/1/campaigns", { name: "C" })
  await observe(
    api,
    brand,
    ...Array.from({ length: 40 }, (_, i) => observation(brand.signalId, `p${i}`, `e${i}`))
  )
  const seed = 20_261_121
  const prng = Prng.of(seed, "hostile")
  const statuses = new Map<number, number>()
  const problems: Array<string> = []
  let made = 0
  await Promise.all(
    Array.from({ length: connections }, () =>
      converse(
        api,
        () => (made++ < requests ? make(prng, brand.key, brand.signalId) : null),
        (sent, { body, contentType, requestId, status }) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          const report = (problem: string): void =>
            void problems.push(`${problem} :: ${status} ${sent.summary} :: ${body.slice(0, 200)}`)
          if (status >= 500 || status < 200) return report("status")
          if (requestId === "") report("no request id")
          if (sent.method === "HEAD" || status === 204) return
          if (contentType.startsWith("application/x-ndjson")) return
          if (!contentType.startsWith("application/json")) return report(`content type ${contentType}`)
          const problem = OpenApiDocument.problemOf(sent.path, sent.method, status, JSON.parse(body))
          if (problem !== null) report(problem)
        }
      )
    )
  )
  expect(problems.slice(0, 5)).toEqual([])
  const answered = [...statuses.values()].reduce((sum, n) => sum + n, 0)
  expect(answered).toBe(requests)
  // The mix must have met them all, or it has proved little.
  for (const status of [200, 201, 400, 401, 404, 405, 415])
    expect([status, (statuses.get(status) ?? 0) > 0]).toEqual([status, true])
  expect((await api.call("/health")).status).toBe(200)
}

it("thousands of requests give no 5xx and no body outside the document [ERR-1, ERR-2, ERR-3, ERR-4, ERR-5]", () =>
  answer("memory", isThorough ? 100_000 : 3500))

it.runIf(isThorough)("nor do they over a SQLite file [ERR-1, ERR-2]", () => answer("SQLite", 15_000))

it.runIf(isThorough && !isWithoutPostgres)("nor do they over Postgres [ERR-1, ERR-2]", () =>
  answer("Postgres", 15_000)
)
