/** What a thread keeps of brands' texts, in every order in which searches, readings and losses may meet. */
import { SortOrder, StoreUnavailable } from "@lead-signals/domain"
import { type JobKind, SearchTexts } from "@lead-signals/store-sqlite/internal"
import { Effect, Either } from "effect"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { cases } from "../harness/Thoroughness.ts"

interface QueuedJob {
  readonly kind: JobKind
  readonly input: () => unknown
  readonly end: (output: unknown) => void
  readonly fail: () => void
}

interface ThreadBrand {
  isLoading: boolean
  /** It loses the brand when it looks at it next. */
  isWorn: boolean
  bytes: number
}

const pieces = 3
const leadsOfBrand = 6

/** A thread as `TextMemory` is one, whose jobs run when the test says. Jobs of one brand run in their order, those of several in any. */
class Thread {
  readonly brands = new Map<string, ThreadBrand>()
  readonly queues = new Map<string, Array<QueuedJob>>()

  readonly read = (key: string, kind: JobKind, input: () => unknown) =>
    Effect.async<unknown, StoreUnavailable>((resume) => {
      const job: QueuedJob = {
        kind,
        input,
        end: (output) => resume(Effect.succeed(output)),
        fail: () => resume(Effect.fail(new StoreUnavailable({ reason: "the thread ended" })))
      }
      this.queues.set(key, [...(this.queues.get(key) ?? []), job])
    })

  take(n: number): QueuedJob | undefined {
    const waiting = [...this.queues.values()].filter((queue) => queue.length > 0)
    return waiting.length === 0 ? undefined : waiting[n % waiting.length]!.shift()
  }

  run({ end, input, kind }: QueuedJob): void {
    const given = input()
    switch (kind) {
      case "searchLeads": {
        const { brandId } = given as { readonly brandId: string }
        if (this.brands.get(brandId)?.isWorn === true) this.brands.delete(brandId)
        const isLost = !this.brands.has(brandId)
        return end({ page: isLost ? null : {}, isLost })
      }
      case "rememberLeads":
        return end(this.remember(given as { readonly brandId: string; readonly after: number | null }))
      case "followLeads": {
        const loaded = [...this.brands].filter(([, { isLoading }]) => !isLoading)
        const lost = loaded.flatMap(([brandId, { isWorn }]) => (isWorn ? [brandId] : []))
        for (const brandId of lost) this.brands.delete(brandId)
        const bytes = new Map([...this.brands].map(([brandId, each]) => [brandId, each.bytes]))
        return end({ lost, isBehind: false, bytes })
      }
      case "forgetLeads":
        for (const brandId of given as ReadonlyArray<string>) this.brands.delete(brandId)
        return end(undefined)
      default:
        throw new Error(`no job ${kind} is expected`)
    }
  }

  private remember({ after, brandId }: { readonly brandId: string; readonly after: number | null }) {
    if (after === null) this.brands.set(brandId, { isLoading: true, isWorn: false, bytes: 0 })
    const brand = this.brands.get(brandId)
    if (brand === undefined) return { last: null, leads: 0, bytes: 0 }
    const piece = (after ?? 0) + 1
    brand.bytes += 600
    if (piece === pieces) brand.isLoading = false
    return { last: piece === pieces ? null : piece, leads: piece * 2, bytes: brand.bytes }
  }
}

const query = {
  filter: { search: "ada" },
  sort: Either.getOrThrow(SortOrder.parse("name:asc")),
  page: { page: 1, pageSize: 10 },
  engagements: "none" as const
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const run = async (
  steps: ReadonlyArray<readonly [step: string, n: number]>,
  maxBytes: number,
  { elapsedMillis = (): number => 0, pauseMillis = 0 } = {}
) => {
  const thread = new Thread()
  const changes = { follower: null as { readonly changedUnrecorded: () => void } | null }
  const texts = new SearchTexts(
    { searchingWorker: thread, read: () => Effect.succeed(leadsOfBrand) } as never,
    changes as never,
    { minLeads: 1, maxBytes, pauseMillis, pieceLeads: 2 },
    elapsedMillis
  )
  const look = (brandId: string): void => {
    if (texts.has(brandId, query.filter)) Effect.runFork(texts.search("searchLeads", brandId, query as never))
    else texts.want(brandId, query.filter)
  }
  const runOne = async (n: number): Promise<boolean> => {
    const job = thread.take(n)
    if (job !== undefined) thread.run(job)
    await settled()
    return job !== undefined
  }
  const actions: Readonly<Record<string, (n: number) => unknown>> = {
    look: (n) => look(`${n % 2}`),
    run: (n) => runOne(n),
    erase: () => changes.follower!.changedUnrecorded(),
    wear: (n) => {
      const brand = thread.brands.get(`${n % 2}`)
      if (brand?.isLoading === false) brand.isWorn = true
    },
    grow: (n) => {
      const brand = thread.brands.get(`${n % 2}`)
      if (brand !== undefined) brand.bytes += 1500
    },
    die: (n) => {
      thread.brands.clear()
      thread.take(n)?.fail()
    }
  }
  for (const [step, n] of steps) {
    await actions[step]!(n)
    await settled()
  }
  const drain = async () => {
    for (let n = 0; await runOne(n); n++) expect(n).toBeLessThan(500)
  }
  await drain()
  return { thread, texts, drain, look, erase: () => changes.follower!.changedUnrecorded() }
}

describe("the texts that a thread keeps", () => {
  const lost = [
    ["look", 0],
    ...Array.from({ length: 4 }, () => ["run", 0] as const),
    ["look", 0],
    ["look", 0],
    ["wear", 0],
    ["run", 0],
    ["look", 0],
    ["run", 0]
  ] as const

  it("are read anew where two searches found the brand lost [LIST-4, PII-3]", async () => {
    const { texts, thread } = await run(lost, 1_000_000)
    expect([...thread.brands.values()]).toEqual([{ isLoading: false, isWorn: false, bytes: 1800 }])
    expect(texts.has("0", query.filter)).toBe(true)
  })

  it("are read anew after a pause that a clock which is set neither ends nor prolongs [LIST-4]", async () => {
    const wall = vi.spyOn(Date, "now").mockReturnValue(1_000_000_000)
    try {
      let elapsed = 0
      const pause = { pauseMillis: 60_000, elapsedMillis: () => elapsed }
      const { drain, look, texts } = await run(lost, 1_000_000, pause)
      const isReadAnew = async (): Promise<boolean> => {
        look("0")
        await settled()
        await drain()
        return texts.has("0", query.filter)
      }
      expect(await isReadAnew()).toBe(false)
      wall.mockReturnValue(2_000_000_000)
      elapsed = 59_999
      expect(await isReadAnew()).toBe(false)
      wall.mockReturnValue(0)
      elapsed = 60_000
      expect(await isReadAnew()).toBe(true)
    } finally {
      wall.mockRestore()
    }
  })

  it("are within reach of erasures and of the bound, in whatever order losses and searches come [PII-3]", async () => {
    const step = fc.tuple(
      fc.constantFrom("look", "look", "look", "run", "run", "run", "run", "erase", "wear", "grow", "die"),
      fc.nat(5)
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 60 }),
        fc.constantFrom(1_000_000, 4000),
        async (steps, maxBytes) => {
          const { drain, erase, look, texts, thread } = await run(steps, maxBytes)
          // What a follow passes over would be what it holds half read, and nobody counts what is not ready.
          for (const [brandId, { isLoading }] of thread.brands) {
            expect(isLoading).toBe(false)
            expect(texts.has(brandId, query.filter)).toBe(true)
          }
          if (maxBytes === 4000) return
          // No reading is given up for good.
          for (let n = 0; n < 3; n++) {
            look("0")
            await settled()
            await drain()
          }
          expect(texts.has("0", query.filter)).toBe(true)
          // Nor is following, whatever has failed before.
          erase()
          await settled()
          expect([...thread.queues.values()].flat().map(({ kind }) => kind)).toEqual(["followLeads"])
        }
      ),
      { numRuns: cases(6000) }
    )
  })
})
