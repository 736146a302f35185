/** Which due deliveries go in one post. */
import { Batches, DeliveryIds } from "@lead-signals/domain"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const now = 1_000_000
const due = (failures: ReadonlyArray<number>, dueAt = now) =>
  failures.map((each, i) => ({ i, dueAt, failures: each, isTest: false }))
const sizes = ({ batches }: Batches.Formed<unknown>) => batches.map(({ length }) => length)

describe("batches", () => {
  it("have 1 MiB at most as an array, and not a byte more [BATCH-4]", () => {
    const [one, two] = [JSON.stringify("x".repeat(524_284)), JSON.stringify("x".repeat(524_285))]
    expect(`[${one},${two}]`.length).toBe(Batches.maxBatchBytes)
    expect([Batches.fitting([one, two]), Batches.fitting([two, two])]).toEqual([2, 1])
  })

  it("hold each delivery that is sent once, in order, and no more than each of them allows [BATCH-1, BATCH-3]", () => {
    const delivery = fc.record({
      dueAt: fc.integer({ min: now - 400_000, max: now }),
      failures: fc.integer({ min: 0, max: 4 }),
      isTest: fc.boolean()
    })
    const settings = fc.record({
      maxBatch: fc.integer({ min: 1, max: 100 }),
      maxWait: fc.integer({ min: 0, max: 300 })
    })
    fc.assert(
      fc.property(fc.array(delivery), settings, (unsorted, webhook) => {
        const all = unsorted.toSorted((a, b) => a.dueAt - b.dueAt)
        const { batches, readyAt } = Batches.form(all, webhook, now)
        const sent = batches.flat()
        expect(sent).toEqual(all.slice(0, sent.length))
        const waiting = all.slice(sent.length)
        expect(readyAt).toBe(waiting.length === 0 ? null : waiting[0]!.dueAt + webhook.maxWait * 1000)
        if (readyAt !== null) expect(readyAt).toBeGreaterThan(now)
        expect(waiting.some(({ isTest }) => isTest)).toBe(false)
        for (const batch of [...batches, waiting]) {
          for (const { failures } of batch) {
            expect(batch.length).toBeLessThanOrEqual(
              Math.max(1, Math.floor(webhook.maxBatch / 4 ** failures))
            )
          }
        }
      })
    )
  })

  it("wait only where they are not full [BATCH-2]", () => {
    const webhook = { maxBatch: 4, maxWait: 10 }
    expect(Batches.form(due([0, 0, 0]), webhook, now)).toEqual({ batches: [], readyAt: now + 10_000 })
    expect(sizes(Batches.form(due([0, 0, 0]), webhook, now + 10_000))).toEqual([3])
    expect(sizes(Batches.form(due([0, 0, 0, 0, 0]), webhook, now))).toEqual([4])
    expect(sizes(Batches.form(due([1, 1, 0]), webhook, now))).toEqual([1, 1])
    expect(sizes(Batches.form(due([0, 0, 0]), { maxBatch: 1, maxWait: 10 }, now))).toEqual([1, 1, 1])
  })

  it("are read in whole ones, at most 500 deliveries [BATCH-1]", () => {
    expect([1, 2, 70, 100].map((maxBatch) => Batches.rowsFor({ maxBatch }, 32))).toEqual([32, 64, 490, 500])
    expect(Batches.rowsFor({ maxBatch: 100 }, 1)).toBe(100)
  })

  it("have 1 MiB in bytes at most, commas and brackets included, and one form [BATCH-4, FMT-3]", () => {
    const body = (bytes: number) => `"${"é".repeat((bytes - 2) / 2)}"`
    const half = Batches.maxBatchBytes / 2
    expect(Batches.fitting([body(half - 2), body(half - 2)])).toBe(2)
    expect(Batches.fitting([body(half - 2), `${body(half - 2)}  `])).toBe(1)
    expect(Batches.fitting([body(2 * Batches.maxBatchBytes), body(4)])).toBe(1)
    expect(Batches.fitting([null, body(4), null])).toBe(3)
    expect(Batches.fitting(["{}", '{"specversion":"1.0"}'])).toBe(1)
  })

  it("leave to a later post what does not fit, and take nothing from deliveries without a batch [BATCH-4]", () => {
    const half = `"${"x".repeat(Batches.maxBatchBytes / 2)}"`
    const taken = [
      { id: 1, batch: null, body: half },
      { id: 2, batch: 1, body: half },
      { id: 3, batch: 1, body: half },
      { id: 4, batch: 2, body: half },
      { id: 5, batch: 2, body: null },
      { id: 6, batch: null, body: null },
      { id: 7, batch: null, body: half }
    ]
    expect(Batches.withoutOverflow(taken).map(({ id }) => id)).toEqual([1, 2, 4, 5, 6, 7])
    expect(Batches.withoutOverflow([])).toEqual([])
  })

  it("have an id that their deliveries and the order of these decide [BATCH-5]", () => {
    const id = DeliveryIds.batchId(["wh_1", "wh_2"])
    expect(id).toMatch(/^wb_[0-9a-f]{32}$/)
    expect(DeliveryIds.batchId(["wh_1", "wh_2"])).toBe(id)
    for (const other of [["wh_2", "wh_1"], ["wh_1"], ["wh_1", "wh_2", "wh_3"], ["wh_1wh_2"]])
      expect(DeliveryIds.batchId(other)).not.toBe(id)
  })
})
