/** Responses of one iteration of the event loop are written together. */
import { describe, expect, it } from "vitest"
import { ResponseBatcher } from "@lead-signals/http/internal"

const nextIteration = () => new Promise<void>((resolve) => setImmediate(resolve))

describe("responses that are ready in one iteration", () => {
  it("are written at its end, in their order, each once [ERR-10]", async () => {
    const written: Array<number> = []
    const batcher = new ResponseBatcher(Number.POSITIVE_INFINITY)
    for (const n of [1, 2, 3]) batcher.add(() => written.push(n))
    batcher.flushOverdue()
    expect(written).toEqual([])
    await nextIteration()
    expect(written).toEqual([1, 2, 3])
    batcher.add(() => written.push(4))
    await nextIteration()
    await nextIteration()
    expect(written).toEqual([1, 2, 3, 4])
  })

  it("wait no longer for others than they may", async () => {
    const written: Array<number> = []
    const batcher = new ResponseBatcher(0)
    batcher.add(() => written.push(1))
    const start = performance.now()
    while (performance.now() === start);
    batcher.flushOverdue()
    expect(written).toEqual([1])
    await nextIteration()
    expect(written).toEqual([1])
  })
})
