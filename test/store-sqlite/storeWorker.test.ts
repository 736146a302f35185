/** Threads of the store: that they begin with a job, go on with another one after they end, and take none once they are closed. */
import { StoreWorker } from "@lead-signals/store-sqlite/internal"
import { describe, expect, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"

describe("a thread of the store", () => {
  it("runs jobs until it is closed, and then says that it was [STORE-2]", async () => {
    const worker = new StoreWorker(emptyStoreFile(), { readonly: false, busyMillis: 1000, pragmas: [] })
    expect(worker.isIdle).toBe(true)
    const checkpoint = () => worker.run("checkpoint", "PASSIVE")
    expect(await Promise.all([checkpoint(), checkpoint()])).toMatchObject([{ busy: 0 }, { busy: 0 }])
    expect(worker.isIdle).toBe(false)
    await worker.close()
    await expect(checkpoint()).rejects.toMatchObject({ reason: "a thread of the store ended (closed)" })
  })
})
