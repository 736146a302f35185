/** Many feeds at once: what is worked on at a time is bounded, brands alternate, and the rest gets 429 or 503. */
import { CommitSize, LeadStore } from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import { Effect, Layer } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { maxConcurrentCommits, maxOpenRequests } from "@lead-signals/http/internal"
import {
  type Api,
  type BrandSetUp,
  observation,
  operatorToken,
  setUpBrand,
  startApi
} from "../harness/HttpServers.ts"

type Commit = (typeof LeadStore.Service)["commit"]

const usualSize = Effect.runSync(CommitSize)

const startWith = (commitBy: (commit: Commit) => Commit, commitSize = usualSize) =>
  startApi({
    stores: Layer.effect(
      LeadStore,
      Effect.map(LeadStore, (store) => LeadStore.of({ ...store, commit: commitBy(store.commit) }))
    ).pipe(
      Layer.provideMerge(MemoryStore.layer),
      Layer.merge(Layer.succeed(CommitSize, commitSize))
    ) as typeof MemoryStore.layer
  })

const batch = (brand: BrandSetUp, name: string, count: number): ReadonlyArray<unknown> =>
  Array.from({ length: count }, (_, i) => observation(brand.signalId, `${name}-${i}`, `${name}-${i}`))

const post = (api: Api, brand: BrandSetUp, observations: ReadonlyArray<unknown>) =>
  api.operate("POST", `/operator/brands/${brand.id}/observations`, { observations })

const postLines = (api: Api, brand: BrandSetUp, observations: ReadonlyArray<unknown>) =>
  api.call(`/operator/brands/${brand.id}/observations`, {
    method: "POST",
    token: operatorToken,
    headers: { "content-type": "application/x-ndjson" },
    body: observations.map((each) => JSON.stringify(each)).join("\n")
  })

/** Reads what has been sent: server and test are one process, which looks at its sockets between two timers. */
const readAll = async (): Promise<void> => {
  for (let i = 0; i < 200; i++) await sleep(1)
}

describe("observations that are sent all at once", () => {
  it("are decoded and committed so many at a time, and the event loop runs in between [OBS-7, HEALTH-1]", async () => {
    let [atWork, max, committed, ticks] = [0, 0, 0, 0]
    const count = (): void => {
      ticks++
      if (committed < 32 * 60) setImmediate(count)
    }
    const api = await startWith((commit) => (brandId, proposals, ids) => {
      atWork += proposals.length
      max = Math.max(max, atWork)
      return commit(brandId, proposals, ids).pipe(
        Effect.tap(() => Effect.promise(() => sleep(1))),
        Effect.ensuring(
          Effect.sync(() => {
            atWork -= proposals.length
            committed += proposals.length
          })
        )
      )
    })
    const brand = await setUpBrand(api)
    setImmediate(count)
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        (i % 2 === 0 ? post : postLines)(api, brand, batch(brand, `r${i}`, 60))
      )
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(committed).toBe(32 * 60)
    expect(max).toBeLessThanOrEqual(maxConcurrentCommits * usualSize)
    expect(max).toBeGreaterThan(usualSize)
    expect(ticks).toBeGreaterThan((32 * 60) / (maxConcurrentCommits * usualSize))
  })

  it("are committed in pieces of the size that the store asks for [OBS-7]", async () => {
    const sizes: Array<number> = []
    const api = await startWith(
      (commit) => (brandId, proposals, ids) => {
        sizes.push(proposals.length)
        return commit(brandId, proposals, ids)
      },
      25
    )
    const brand = await setUpBrand(api)
    await post(api, brand, batch(brand, "json", 60))
    await postLines(api, brand, batch(brand, "lines", 60))
    // The last line has no newline, so it may be a piece of its own.
    expect(sizes.slice(0, 5)).toEqual([25, 25, 10, 25, 25])
  })

  it("of one brand do not keep another's waiting until they are done [OBS-7]", async () => {
    const order: Array<string> = []
    let open = (): void => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const api = await startWith((commit) => (brandId, proposals, ids) => {
      order.push(brandId)
      return Effect.zipRight(
        Effect.promise(() => opened),
        commit(brandId, proposals, ids)
      )
    })
    const [many, few] = [await setUpBrand(api), await setUpBrand(api)]
    const flood = Array.from({ length: 40 }, (_, i) => post(api, many, batch(many, `m${i}`, 48)))
    while (order.length === 0) await sleep(1)
    // The whole flood has come before the other brand's, and that before anything is committed.
    await readAll()
    const answer = post(api, few, batch(few, "f", 48))
    await readAll()
    open()
    expect((await answer).status).toBe(200)
    const last = order.lastIndexOf(few.id)
    expect(order.filter((brandId) => brandId === few.id)).toHaveLength(4)
    // Some pieces of the one's for each of the other's; the flood's are 160 in all.
    expect(last).toBeLessThan(80)
    await Promise.all(flood)
    expect(order.filter((brandId) => brandId === many.id)).toHaveLength(160)
  })

  it("beyond what may wait are 503 with Retry-After, of that brand alone, and nothing of them is recorded [OBS-7, ERR-2]", async () => {
    let open = (): void => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const api = await startWith(
      (commit) => (brandId, proposals, ids) =>
        Effect.zipRight(
          Effect.promise(() => opened),
          commit(brandId, proposals, ids)
        )
    )
    const [brand, other] = [await setUpBrand(api), await setUpBrand(api)]
    const answers: Array<Awaited<ReturnType<typeof post>>> = []
    const sent = Array.from({ length: maxOpenRequests + 10 }, (_, i) =>
      (i % 2 === 0 ? post : postLines)(api, brand, batch(brand, `w${i}`, 1)).then((answer) => {
        answers.push(answer)
      })
    )
    while (answers.length < 10) await sleep(5)
    for (const { body, headers, status } of answers) {
      expect([status, body.error.code, headers.get("retry-after")]).toEqual([503, "unavailable", "1"])
      expect(body.error.message).toContain("send it again")
    }
    const others = post(api, other, batch(other, "o", 1))
    open()
    await Promise.all(sent)
    expect((await others).status).toBe(200)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(maxOpenRequests)
    const { body } = await api.call("/signals/leads", { token: brand.key })
    expect(body.meta.pagination.total).toBe(maxOpenRequests)
    // There is room again.
    expect((await post(api, brand, batch(brand, "again", 1))).status).toBe(200)
  })

  it("and given up by their client give their room back [OBS-7]", async () => {
    const held: Array<string> = []
    let isHeld = true
    const api = await startWith((commit) => (brandId, proposals, ids) => {
      if (!isHeld) return commit(brandId, proposals, ids)
      held.push(brandId)
      return Effect.never
    })
    const brand = await setUpBrand(api)
    for (let round = 1; round <= 3; round++) {
      const enough = 4 * round
      const controller = new AbortController()
      const given = Array.from({ length: 20 }, (_, i) =>
        fetch(`${api.url}/operator/brands/${brand.id}/observations`, {
          method: "POST",
          headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
          body: JSON.stringify({ observations: batch(brand, `g${i}`, 12) }),
          signal: controller.signal
        }).catch(() => null)
      )
      // Room that is not given back would leave the next round without any.
      while (held.length < enough) await sleep(5)
      controller.abort()
      expect(new Set(await Promise.all(given))).toEqual(new Set([null]))
    }
    isHeld = false
    expect((await post(api, brand, batch(brand, "free", 60))).status).toBe(200)
  })
})
