/**
 * Transactions on what belongs to a brand beside its leads, of two nodes, stepped statement by statement: whatever the order, the answers
 * and the end state are those of one after the other.
 *
 * @slow hundreds of interleavings in thorough runs
 */
import { describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { deletedDirectoryMethods, directoryMethods } from "./DirectoryMethods.ts"
import { checkPair, steppedStoreOf } from "./Interleavings.ts"

/** Each the names of methods that may bear on each other, beside the brand's. */
const rooms = [/signal$/, /campaign$|reading/, /key$/, /webhook$/, /Idempotency/, /audited/]
const names = Object.keys(directoryMethods.methods)
const isOfBrand = (name: string): boolean => /brand/.test(name)
const pairs = names.flatMap((a, i) =>
  names
    .slice(i)
    .filter((b) => isOfBrand(a) || isOfBrand(b) || rooms.some((room) => room.test(a) && room.test(b)))
    .map((b) => [a, b] as const)
)

describe.skipIf(isWithoutPostgres || !isThorough)("transactions on a brand's directory", () => {
  const store = steppedStoreOf(directoryMethods, 2)

  it.each(pairs)("%s and %s end as one after the other", { timeout: 300_000 }, async (a, b) => {
    expect(await checkPair(store, [a, b], [1, 2, 100])).toBeGreaterThan(1)
  })
})

describe.skipIf(isWithoutPostgres || !isThorough)("transactions on a brand that is being deleted", () => {
  const store = steppedStoreOf(deletedDirectoryMethods, 2)

  it.each(names)(
    "%s and the end of the deletion end as one after the other",
    { timeout: 300_000 },
    async (name) => {
      const runs = await checkPair(store, [name, "end of the brand's deletion"], [1, 100])
      expect(runs).toBeGreaterThan(1)
    }
  )
})
