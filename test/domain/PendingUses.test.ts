/** Uses of keys and tokens that are written behind requests, beside reads of the credentials. */
import { type Instant, type LastUse, PendingUses, StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import { expect, it } from "vitest"

interface Credential {
  readonly id: string
  readonly lastUsedAt: Instant | null
}

/** The credential 1 as a table has it, and the pending uses that are written there. */
const storedCredential = () => {
  const table = { row: { id: "1", lastUsedAt: null } as Credential }
  const pending = new PendingUses((uses: ReadonlyArray<LastUse>) =>
    Effect.sync(() => {
      for (const [id, minute] of uses) table.row = { id, lastUsedAt: minute }
    })
  )
  return { table, pending }
}

it("has a use that is written after the rows were read and before they are returned [AUTH-8, OPER-11]", async () => {
  const { pending, table } = storedCredential()
  const rowsThenWrite = Effect.gen(function* () {
    const rows = [table.row]
    yield* pending.writeAll
    return rows
  })
  const listed = await Effect.runPromise(
    Effect.gen(function* () {
      yield* pending.note("1", 60_000)
      return yield* pending.withUses(rowsThenWrite)
    })
  )
  expect([listed, table.row]).toEqual([[{ id: "1", lastUsedAt: 60_000 }], { id: "1", lastUsedAt: 60_000 }])
})

it("keeps the later of a use in the row and one that is not written [AUTH-8]", async () => {
  const { pending } = storedCredential()
  const rows: ReadonlyArray<Credential> = [
    { id: "1", lastUsedAt: 120_000 },
    { id: "2", lastUsedAt: null }
  ]
  const listed = await Effect.runPromise(
    Effect.zipRight(pending.note("1", 60_000), pending.withUses(Effect.succeed(rows)))
  )
  expect(listed).toEqual(rows)
})

it("writes a use whose write failed together with the next one [AUTH-8, OPER-11]", async () => {
  const written: Array<ReadonlyArray<LastUse>> = []
  let isFull = true
  const pending = new PendingUses((uses) =>
    Effect.suspend(() => {
      if (isFull) return Effect.fail(new StoreUnavailable({ reason: "the disk is full" }))
      written.push(uses)
      return Effect.void
    })
  )
  await Effect.runPromise(
    Effect.gen(function* () {
      yield* pending.note("1", 60_000)
      yield* Effect.yieldNow()
      isFull = false
      yield* pending.note("2", 60_000)
      yield* Effect.yieldNow()
    })
  )
  expect(written).toEqual([
    [
      ["1", 60_000],
      ["2", 60_000]
    ]
  ])
})
