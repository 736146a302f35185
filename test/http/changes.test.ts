/** The feed of changes over HTTP: pages, cursors, waits and their ends. */
import { createClient } from "@lead-signals/client"
import { LeadStore, StoreUnavailable } from "@lead-signals/domain"
import { ChangeWaitLimits } from "@lead-signals/http"
import * as MemoryStore from "@lead-signals/store-memory"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { observation, observe, operatorToken, setUpBrand, startApi } from "../harness/HttpServers.ts"

/** Limits under which the store is looked into often; and whether so many requests have asked for a place to wait, which they got or not. */
const countedWaits = (given: Partial<typeof ChangeWaitLimits.Service> = {}) => {
  const limits = { ...ChangeWaitLimits.defaultValue(), pollMillis: 50, keyMillis: 100, ...given }
  let requested = 0
  return {
    waitLimits: {
      ...limits,
      /** Read once for each request, when it enters. */
      get maxPerKey() {
        requested++
        return limits.maxPerKey
      }
    },
    haveRequested: (count: number) =>
      expect.poll(() => requested, { interval: 5 }).toBeGreaterThanOrEqual(count)
  }
}

const setUp = async (people = 0, requestsPerMinute = 600) => {
  const { haveRequested, waitLimits } = countedWaits()
  const api = await startApi({ waitLimits })
  const brand = await setUpBrand(api, requestsPerMinute)
  const all = Array.from({ length: people }, (_, i) => observation(brand.signalId, `p${i}`, `e${i}`))
  if (people > 0) await observe(api, brand, ...all)
  const read = async (query = "") => {
    const response = await fetch(`${api.url}/signals/changes${query}`, {
      headers: { authorization: `Bearer ${brand.key}` }
    })
    return { status: response.status, body: (await response.json()) as any, headers: response.headers }
  }
  return { api, brand, haveRequested, read }
}

describe("GET /signals/changes of a fetch handler", () => {
  it("waits until the time is over, and no longer than its client [CHG-6]", async () => {
    const { api, brand, haveRequested } = await setUp()
    const ask = (seconds: number, signal: AbortSignal | null = null) =>
      api.fetch(
        new Request(`http://host/signals/changes?wait=${seconds}`, {
          headers: { authorization: `Bearer ${brand.key}` },
          signal
        })
      )
    expect((await ask(1)).status).toBe(200)
    const client = new AbortController()
    const left = ask(30, client.signal)
    await haveRequested(2)
    client.abort()
    expect((await left).status).toBe(499)
  })
})

describe("GET /signals/changes", () => {
  it("pages through all leads, then tells each change and removal once [CHG-1, CHG-2, CHG-3]", async () => {
    const { api, brand, read } = await setUp(5)
    const first = await read("?pageSize=3")
    expect(first.status).toBe(200)
    expect(first.body.data.map((change: any) => [change.type, change.lead.extId])).toEqual(
      ["p0", "p1", "p2"].map((extId) => ["lead", extId])
    )
    expect(first.body.meta.hasMore).toBe(true)
    const rest = await read(`?pageSize=3&cursor=${first.body.meta.cursor}&wiat=3`)
    expect(rest.body.data.map(({ lead }: any) => lead.extId)).toEqual(["p3", "p4"])
    expect(rest.body.meta).toMatchObject({ hasMore: false, warnings: [expect.stringContaining('"wait"')] })
    const [gone, changed] = [...first.body.data, ...rest.body.data].map(({ lead }: any) => lead.id)
    await api.operate("PATCH", `/operator/brands/${brand.id}/leads/${changed}`, { qualified: true })
    await api.operate("DELETE", `/operator/brands/${brand.id}/leads/${gone}`)
    await api.operate("PATCH", `/operator/brands/${brand.id}/leads/${changed}`, { exported: true })
    const then = await read(`?cursor=${rest.body.meta.cursor}&includeEngagements=true`)
    expect(then.body.data).toEqual([
      { type: "removed", id: gone, removedAt: expect.any(String) },
      { type: "lead", lead: expect.objectContaining({ id: changed, qualified: true, exported: true }) }
    ])
    expect(then.body.data[1].lead.engagements).toHaveLength(1)
    expect((await read(`?cursor=${then.body.meta.cursor}`)).body.data).toEqual([])
  })

  it("refuses what is no cursor of the brand, and names the parameter [CHG-4, ERR-3]", async () => {
    const { api, read } = await setUp(1)
    const { cursor } = (await read()).body.meta
    const other = await setUpBrand(api)
    const swapped = cursor.slice(0, 5) + (cursor[5] === "A" ? "B" : "A") + cursor.slice(6)
    for (const hostile of [
      "x",
      swapped,
      `${cursor}AAAA`,
      "'; DROP TABLE lead",
      "A".repeat(5000),
      "%00",
      "é"
    ]) {
      const { body, status } = await read(`?cursor=${encodeURIComponent(hostile)}`)
      expect([status, body.error.code, body.error.message.startsWith("cursor takes")]).toEqual([
        400,
        "invalid_parameter",
        true
      ])
    }
    // Each part of a cursor by itself is none; an empty one begins anew.
    for (let length = 1; length < cursor.length; length += 3) {
      expect((await read(`?cursor=${cursor.slice(0, length)}`)).status).toBe(400)
    }
    expect((await read("?cursor=")).body.data).toHaveLength(1)
    const elsewhere = await fetch(`${api.url}/signals/changes?cursor=${cursor}`, {
      headers: { authorization: `Bearer ${other.key}` }
    })
    expect(elsewhere.status).toBe(400)
    for (const query of [
      "?wait=31",
      "?wait=-1",
      "?wait=soon",
      "?wait=",
      "?wait=1.5",
      "?wait=1e1",
      "?wait=%2B5",
      "?wait=9999999999",
      "?wait=1&wait=1",
      "?pageSize=0",
      `?cursor=${cursor}&cursor=${cursor}`
    ])
      expect((await read(query)).status).toBe(400)
  })

  it("is for keys that may read leads, and for no operator [AUTH-2, AUTH-10]", async () => {
    const { api, brand, read } = await setUp(1)
    const { cursor } = (await read()).body.meta
    const { body } = await api.operate("POST", `/operator/brands/${brand.id}/keys`, {
      label: "figures",
      scopes: ["metrics"]
    })
    const ask = (token: string | null) => api.call(`/signals/changes?cursor=${cursor}&wait=30`, { token })
    const refused = await ask(body.data.key)
    expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"])
    const unknown = brand.key.slice(0, -1) + (brand.key.endsWith("x") ? "y" : "x")
    for (const token of [null, operatorToken, unknown]) expect((await ask(token)).status).toBe(401)
  })

  it("is the same for an operator, whose cursors and keys' go on in each other, without a wait [CHG-7, AUD-1]", async () => {
    const { api, brand, read } = await setUp(5)
    const operate = (query: string, of = brand.id) =>
      api.operate("GET", `/operator/brands/${of}/changes${query}`)
    const detailed = "?pageSize=2&includeEngagements=true&includeEngagementDetail=true"
    const first = await operate(detailed)
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(first.body).toEqual((await read(detailed)).body)
    expect(first.body.data[0].lead.engagements[0].source).toBeDefined()
    const rest = (cursor: string) => `?cursor=${cursor}&pageSize=10`
    const then = await operate(rest(first.body.meta.cursor))
    expect(then.body).toEqual((await read(rest(first.body.meta.cursor))).body)
    expect([then.body.data.length, then.body.meta.hasMore]).toEqual([3, false])
    const [{ lead }] = first.body.data
    await api.operate("DELETE", `/operator/brands/${brand.id}/leads/${lead.id}`)
    const began = performance.now()
    const gone = await operate(`?cursor=${then.body.meta.cursor}&wait=30`)
    expect(gone.body.data).toEqual([{ type: "removed", id: lead.id, removedAt: expect.any(String) }])
    expect(gone.body.meta.warnings).toEqual([expect.stringContaining("wait")])
    // Nothing follows, and it does not wait for it.
    expect((await operate(`?cursor=${gone.body.meta.cursor}&wait=30`)).body.data).toEqual([])
    expect(performance.now() - began).toBeLessThan(20_000)
    const [entry] = (await api.operate("GET", "/operator/audit")).body.data
    expect(entry).toMatchObject({ operation: "operatorChanges", brandId: brand.id, status: 200 })

    const other = await setUpBrand(api)
    for (const refused of [
      await operate(`?cursor=${gone.body.meta.cursor}`, other.id),
      await operate("?cursor=x"),
      await operate("?pageSize=0")
    ])
      expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_parameter"])
    expect((await operate("", "99")).status).toBe(404)
    const token = async (json: object) =>
      (await api.operate("POST", "/operator/tokens", { name: "t", ...json })).body.data.token
    const path = `/operator/brands/${brand.id}/changes`
    const statuses = [
      await api.call(path, { token: await token({ scopes: ["read"], brandIds: [brand.id] }) }),
      await api.call(path, { token: await token({ scopes: ["read"], brandIds: [other.id] }) }),
      await api.call(path, { token: await token({ scopes: ["ingest"] }) }),
      await api.call(path, { token: brand.key })
    ].map(({ status }) => status)
    expect(statuses).toEqual([200, 404, 403, 401])
  })

  it("waits for a change, and answers as soon as there is one [CHG-6]", async () => {
    const { api, brand, haveRequested, read } = await setUp(1)
    const { cursor } = (await read()).body.meta
    const began = performance.now()
    const waiting = read(`?cursor=${cursor}&wait=30`)
    await haveRequested(1)
    await observe(api, brand, observation(brand.signalId, "late", "late"))
    const { body } = await waiting
    expect(body.data.map(({ lead }: any) => lead.extId)).toEqual(["late"])
    expect(performance.now() - began).toBeLessThan(20_000)
    expect((await read(`?cursor=${body.meta.cursor}&wait=1`)).body).toMatchObject({
      data: [],
      meta: { hasMore: false }
    })
  })

  it("ends a wait when its key is revoked, and answers the fifth of a key at once [CHG-6, AUTH-5]", async () => {
    const { api, brand, haveRequested, read } = await setUp(1)
    const { cursor } = (await read()).body.meta
    const waiting = Array.from({ length: 4 }, () => read(`?cursor=${cursor}&wait=30`))
    await haveRequested(4)
    const fifth = await Promise.race([
      read(`?cursor=${cursor}&wait=30`),
      ...waiting.map((each) => each.then(() => "a wait ended first"))
    ])
    expect(fifth).toMatchObject({ status: 200, body: { data: [] } })
    const { body: keys } = await api.operate("GET", `/operator/brands/${brand.id}/keys`)
    await api.operate("DELETE", `/operator/brands/${brand.id}/keys/${keys.data[0].id}`)
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(401)
  })

  it("frees the place of a client that goes away [CHG-6]", async () => {
    const { api, brand, haveRequested, read } = await setUp(1)
    let { cursor } = (await read()).body.meta
    const leaving = new AbortController()
    const gone = Array.from({ length: 4 }, () =>
      fetch(`${api.url}/signals/changes?cursor=${cursor}&wait=30`, {
        headers: { authorization: `Bearer ${brand.key}` },
        signal: leaving.signal
      }).catch(() => null)
    )
    await haveRequested(4)
    leaving.abort()
    await Promise.all(gone)
    // The server hears of it a moment later: until then a request is answered at once, without the change that follows it.
    let answered = { data: [], meta: { cursor } }
    for (let requested = 5; answered.data.length === 0; requested++) {
      ;({ cursor } = (await read(`?cursor=${answered.meta.cursor}`)).body.meta)
      const waiting = read(`?cursor=${cursor}&wait=30`)
      await haveRequested(requested)
      await observe(api, brand, observation(brand.signalId, `next${requested}`, `next${requested}`))
      answered = (await waiting).body
    }
    expect(answered.data).toHaveLength(1)
  })
})

/** Counts the reads of changes of a store in memory, and does what a test wants before each. */
const countedStores = () => {
  const reads = { count: 0, before: Effect.void as Effect.Effect<void, StoreUnavailable> }
  const counted = Layer.effect(
    LeadStore,
    Effect.map(LeadStore, (store) =>
      LeadStore.of({
        ...store,
        changesAfter: (...query) =>
          Effect.suspend(() => {
            reads.count++
            return Effect.zipRight(reads.before, store.changesAfter(...query))
          })
      })
    )
  )
  return { reads, stores: Layer.provideMerge(counted, MemoryStore.layer) }
}

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe("requests that wait for changes of one brand", () => {
  const waitersOf = async ({
    stores,
    ...limits
  }: Partial<typeof ChangeWaitLimits.Service> &
    Pick<NonNullable<Parameters<typeof startApi>[0]>, "stores">) => {
    const { haveRequested, waitLimits } = countedWaits(limits)
    const api = await startApi({ waitLimits, ...(stores === undefined ? {} : { stores }) })
    const brand = await setUpBrand(api)
    await observe(api, brand, observation(brand.signalId, "first", "first"))
    const keys: Array<string> = []
    for (let i = 0; i < 10; i++) {
      const made = await api.operate("POST", `/operator/brands/${brand.id}/keys`, { label: "k" })
      keys.push(made.body.data.key)
    }
    const ask = async (key: string, query: string) => {
      const answer = await api.call(`/signals/changes?${query}`, { token: key })
      return { status: answer.status, body: answer.body }
    }
    const { cursor } = (await ask(brand.key, "")).body.meta as { readonly cursor: string }
    return { api, brand, keys, ask, cursor, haveRequested }
  }

  it("share one look into the store, and are all told of a change [CHG-6]", async () => {
    const { reads, stores } = countedStores()
    const { api, ask, brand, cursor, haveRequested, keys } = await waitersOf({ stores })
    const waiting = keys.flatMap((key) => [1, 2, 3, 4].map(() => ask(key, `cursor=${cursor}&wait=30`)))
    // Each looks once before it waits. After that it is one look for all of them, as often as the limits say.
    await haveRequested(40)
    const began = performance.now()
    reads.count = 0
    while (reads.count < 3) await sleep(5)
    expect(reads.count).toBeLessThanOrEqual(1 + (performance.now() - began) / 50)
    await observe(api, brand, observation(brand.signalId, "late", "late"))
    for (const { body } of await Promise.all(waiting))
      expect(body.data.map(({ lead }: any) => lead.extId)).toEqual(["late"])
  })

  it("go on beside those that went away, whoever began to wait first [CHG-6]", async () => {
    const { api, ask, brand, cursor, haveRequested, keys } = await waitersOf({})
    const leaving = new AbortController()
    const first = fetch(`${api.url}/signals/changes?cursor=${cursor}&wait=30`, {
      headers: { authorization: `Bearer ${keys[0]}` },
      signal: leaving.signal
    }).catch(() => "gone")
    await haveRequested(1)
    const second = ask(keys[1]!, `cursor=${cursor}&wait=30`)
    await haveRequested(2)
    leaving.abort()
    expect(await first).toBe("gone")
    await sleep(100)
    await observe(api, brand, observation(brand.signalId, "late", "late"))
    expect((await second).body.data).toHaveLength(1)
  })

  it("are answered at once beyond the limit of all keys, and wait again when there is room [CHG-6]", async () => {
    const { api, ask, brand, cursor, haveRequested, keys } = await waitersOf({ maxPerKey: 2, maxWaits: 3 })
    const ended: Array<string> = []
    const wait = (key: string, name: string) =>
      ask(key, `cursor=${cursor}&wait=30`).then((answer) => {
        ended.push(name)
        return answer
      })
    const waiting = [wait(keys[0]!, "first"), wait(keys[0]!, "second"), wait(keys[1]!, "third")]
    await haveRequested(3)
    await Promise.all([wait(keys[0]!, "third of a key"), wait(keys[2]!, "fourth of all")])
    expect([...ended].sort()).toEqual(["fourth of all", "third of a key"])
    await observe(api, brand, observation(brand.signalId, "late", "late"))
    const { body } = (await Promise.all(waiting))[0]!
    const next = ask(keys[2]!, `cursor=${body.meta.cursor}&wait=30`)
    await haveRequested(6)
    await observe(api, brand, observation(brand.signalId, "later", "later"))
    expect((await next).body.data).toHaveLength(1)
  })

  it("get 503 when the store fails meanwhile, and 401 in place of a change when their key has ended [CHG-6, AUTH-5]", async () => {
    const { reads, stores } = countedStores()
    const { api, ask, brand, cursor, haveRequested, keys } = await waitersOf({ stores, keyMillis: 60_000 })
    const failing = [1, 2].map(() => ask(keys[0]!, `cursor=${cursor}&wait=30`))
    await haveRequested(2)
    reads.before = Effect.fail(new StoreUnavailable({ reason: "gone", cause: null }))
    for (const { body, status } of await Promise.all(failing))
      expect([status, body.error.code]).toEqual([503, "unavailable"])
    reads.before = Effect.void
    const waiting = ask(brand.key, `cursor=${cursor}&wait=30`)
    await haveRequested(3)
    await api.operate("DELETE", `/operator/brands/${brand.id}/keys/${brand.keyId}`)
    await observe(api, brand, observation(brand.signalId, "secret", "secret"))
    const { body, status } = await waiting
    expect([status, JSON.stringify(body).includes("secret")]).toEqual([401, false])
  })
})

describe("the client's changes", () => {
  it("follow the feed with what is gone, and wait [CHG-1, CHG-3]", async () => {
    const { api, brand, haveRequested } = await setUp(3)
    const client = createClient({ url: api.url, key: brand.key })
    const copy = new Map<number, unknown>()
    let cursor: string | undefined
    const sync = async (wait?: number) => {
      for await (const page of client.changes({ cursor, pageSize: 2, wait })) {
        for (const lead of page.leads) copy.set(lead.id, lead)
        for (const { id } of page.removed) copy.delete(id)
        cursor = page.cursor
      }
    }
    await sync()
    const [id] = [...copy.keys()]
    const waiting = sync(30)
    await haveRequested(1)
    await api.operate("DELETE", `/operator/brands/${brand.id}/leads/${id}`)
    await waiting
    const { data } = await client.listLeads()
    expect([...copy.keys()].sort()).toEqual(data.map((lead) => lead.id).sort())
    expect(copy.size).toBe(2)
  })
})
