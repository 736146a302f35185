/** How a page of the feed of changes is read from a store that looks at few rows in a call. */
import { Parameters, type Brand, BrandStore, LeadChanges, LeadStore } from "@lead-signals/domain"
import { Effect, Layer, Option } from "effect"
import { expect, it } from "vitest"

const brand = { id: "1", suppressionSecret: "00".repeat(32), deletionStartedAt: null } as unknown as Brand
const query = {
  cursor: null,
  limit: 5,
  waitSeconds: 0,
  engagements: "none",
  ignored: Parameters.noneIgnored
} as const

/** A store whose n-th call answers the n-th of these removals, or the last; the page after it exists unless `endsAt` says so. */
const read = (calls: ReadonlyArray<ReadonlyArray<number>>, endsAt = Number.POSITIVE_INFINITY) => {
  const limits: Array<number> = []
  const stores = Layer.merge(
    Layer.mock(BrandStore, { get: () => Effect.succeed(Option.some(brand)) }),
    Layer.mock(LeadStore, {
      changesAfter: (_brandId, after, { limit }) =>
        Effect.sync(() => {
          limits.push(limit)
          const call = limits.length
          const ids = calls[Math.min(call, calls.length) - 1]!
          return {
            isExpired: false as const,
            changes: ids.map((id) => ({ type: "removed" as const, id, removedAt: call })),
            next: { epoch: "", position: (after?.position ?? 0) + 1, since: 0 },
            hasMore: call < endsAt
          }
        })
    })
  )
  const page = Effect.runPromise(Effect.provide(LeadChanges.read(brand.id, query), stores))
  return page.then(({ changes, hasMore, next }) => ({
    found: changes.map((change) => (change.type === "removed" ? [change.id, change.removedAt] : [])),
    hasMore,
    position: next.position,
    limits
  }))
}

it("reads on until a page is full, with room for as many as are missing [CHG-1, CHG-2]", async () => {
  expect(await read([[1, 2], [], [3], [4, 5]])).toEqual({
    found: [
      [1, 1],
      [2, 1],
      [3, 3],
      [4, 4],
      [5, 4]
    ],
    hasMore: true,
    position: 4,
    limits: [5, 3, 3, 2]
  })
})

it("tells a lead that changes between two reads of a page once, where it is last [CHG-1]", async () => {
  const { found } = await read([[1, 2], [1], []], 3)
  expect(found).toEqual([
    [2, 1],
    [1, 2]
  ])
})

it("ends a page with what it has after twenty reads, and says that there is more [CHG-2]", async () => {
  expect(await read([[]])).toMatchObject({ found: [], hasMore: true, position: 20 })
  expect(await read([[]], 3)).toMatchObject({ found: [], hasMore: false, position: 3 })
})
