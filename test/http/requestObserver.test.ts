/** What a host learns of each request. */
import { type AnsweredRequest, RequestObserver } from "@lead-signals/http"
import * as MemoryStore from "@lead-signals/store-memory"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { startApi, startBrand } from "../harness/HttpServers.ts"
import { settableWallClock } from "../harness/SettableWallClock.ts"

const answered: Array<AnsweredRequest> = []
const observer = Layer.succeed(RequestObserver, {
  around: (_, work) => work,
  answered: (request) => Effect.sync(() => void answered.push(request))
})

const { api, brand } = await startBrand({ stores: Layer.merge(MemoryStore.layer, observer) })

const observed = async (path: string): Promise<AnsweredRequest> => {
  answered.length = 0
  await api.call(path, { token: brand.key })
  expect(answered).toHaveLength(1)
  return answered[0]!
}

it.each([
  [
    "/signals/leads",
    "createdAfter createdBefore exported includeEngagementDetail includeEngagements isEmployee page pageSize qualified search signalId sort updatedAfter updatedBefore"
  ],
  ["/signals/leads/1", "includeEngagementDetail"],
  ["/campaign/1/metrics", "endDate startDate"]
])(
  "learns which parameters of %s were given, and neither values nor other names [PII-2]",
  async (path, names) => {
    const given = names.split(" ")
    const query = ["Ada", ...given.toReversed(), ...given].map((name) => `${name}=Ada`).join("&")
    expect((await observed(`${path}?${query}`)).parameters).toEqual(given)
    expect((await observed(path)).parameters).toEqual([])
  }
)

it("learns the route and the status, not the path [PII-2]", async () => {
  const { durationMillis, method, requestId, route, status } = await observed("/signals/leads/77")
  expect([method, route, status]).toEqual(["GET", "/signals/leads/:id", 404])
  expect(requestId).not.toBe("")
  expect(durationMillis).toBeGreaterThanOrEqual(0)
  expect((await observed("/Ada")).route).toBe(null)
})

it("learns how long a request took, whatever the machine's clock is set to meanwhile", async () => {
  const wall = settableWallClock()
  const durations: Array<number> = []
  const setting = Layer.succeed(RequestObserver, {
    around: (_, work) => {
      wall.set(-3_600_000)
      return work
    },
    answered: ({ durationMillis }) => Effect.sync(() => void durations.push(durationMillis))
  })
  const own = await startApi({ stores: Layer.merge(MemoryStore.layer, setting), clock: wall.clock })
  await own.call("/health")
  await own.call("/signals/leads")
  expect(durations).toHaveLength(2)
  for (const millis of durations) {
    expect(millis).toBeGreaterThanOrEqual(0)
    expect(millis).toBeLessThan(600_000)
  }
})
