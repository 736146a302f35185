/** Answers of one turn of the event loop are written together. */
import { describe, expect, it } from "vitest"
import { RepliesTogether } from "../../packages/http/src/RepliesTogether.ts"

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe("answers that are ready in one turn", () => {
  it("are written at its end, in their order, each once [ERR-1]", async () => {
    const written: Array<number> = []
    const replies = new RepliesTogether(Number.POSITIVE_INFINITY)
    for (const n of [1, 2, 3]) replies.add(() => written.push(n))
    replies.writeOverdue()
    expect(written).toEqual([])
    await turn()
    expect(written).toEqual([1, 2, 3])
    replies.add(() => written.push(4))
    await turn()
    await turn()
    expect(written).toEqual([1, 2, 3, 4])
  })

  it("wait no longer for others than they may [ERR-1]", async () => {
    const written: Array<number> = []
    const replies = new RepliesTogether(0)
    replies.add(() => written.push(1))
    const start = performance.now()
    while (performance.now() === start);
    replies.writeOverdue()
    expect(written).toEqual([1])
    await turn()
    expect(written).toEqual([1])
  })
})
