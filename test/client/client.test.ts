/** The client against a real server, and against services that refuse, delay and break off, on a clock of the test's own. */
import { createClient, InvalidCursor, RequestRefused } from "@lead-signals/client"
import { makeClient, type TransportResponse } from "@lead-signals/client/effect"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { observation, observe, setUpBrand, startApi } from "../harness/HttpServers.ts"
import { cases, isThorough } from "../harness/Thoroughness.ts"

const setUp = async (people: number, requestsPerMinute?: number) => {
  const api = await startApi()
  const brand = await setUpBrand(api, requestsPerMinute)
  const all = Array.from({ length: people }, (_, i) => observation(brand.signalId, `p${i}`, `e${i}`))
  for (let from = 0; from < all.length; from += 400) await observe(api, brand, ...all.slice(from, from + 400))
  return { api, brand, client: createClient({ url: api.url, key: brand.key }) }
}

const all = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const value of values) found.push(value)
  return found
}

describe("the client", () => {
  it("reads pages, a lead and metrics as the API answers them [LIST-1, DET-1, MET-2, PAGE-1]", async () => {
    const { api, brand, client } = await setUp(230)
    const plain = async (path: string) => (await api.call(path, { token: brand.key })).body
    const page = await client.listLeads({ search: "name of p1", sort: "name:asc", pageSize: 7, page: 2 })
    expect(page).toEqual(await plain("/signals/leads?search=name%20of%20p1&sort=name:asc&pageSize=7&page=2"))
    const found = await all(client.leads({ createdAfter: new Date("2020-01-01"), pageSize: 100 }))
    expect(new Set(found.map(({ id }) => id)).size).toBe(230)
    const detail = await client.getLead(3, { includeEngagementDetail: true })
    expect({ data: detail }).toEqual(await plain("/signals/leads/3?includeEngagementDetail=true"))
    const campaign = await api.operate("POST", `/operator/brands/${brand.id}/campaigns`, { name: "c" })
    const { id } = campaign.body.data
    expect({ data: await client.campaignMetrics(id) }).toEqual(await plain(`/campaign/${id}/metrics`))
  })

  it("says what was refused, and by which request [ERR-1, ERR-3, AUTH-2]", async () => {
    const { api, client } = await setUp(1)
    const failures = await Promise.all(
      [
        client.listLeads({ pageSize: 0 }),
        client.getLead(99),
        createClient({ url: api.url, key: "none" }).listLeads()
      ].map((call) =>
        call.then(
          () => null,
          (failure: RequestRefused) => failure
        )
      )
    )
    expect(
      failures.map((failure) => [failure instanceof RequestRefused, failure?.status, failure?.code])
    ).toEqual([
      [true, 400, "invalid_parameter"],
      [true, 404, "not_found"],
      [true, 401, "invalid_api_key"]
    ])
    expect(failures[0]!.message).toContain("pageSize takes")
    expect(api.log.some((line) => line.includes(failures[0]!.requestId!))).toBe(true)
  })

  it("gives a refusal without the service's body the code unknown, and its status in words [ERR-2]", async () => {
    for (const text of ["", "<html>", "[]", '{"error":{"code":7}}', '{"error":null}']) {
      const client = makeClient({
        url: "http://before",
        key: "k",
        transport: () => Effect.succeed({ status: 403, headers: {}, text })
      })
      const { code, message, requestId, status } = (await Effect.runPromise(
        Effect.flip(client.listLeads())
      )) as RequestRefused
      expect([status, code, message, requestId]).toEqual([403, "unknown", "The service answered 403.", null])
    }
  })

  it("reads the next page only when the loop asks for it [PAGE-1]", async () => {
    const { api, client } = await setUp(30)
    const before = api.log.length
    const leads = client.leads({ pageSize: 10 })
    for (let i = 0; i < 10; i++) expect((await leads.next()).done).toBe(false)
    // Time in which a page that nobody wants would be read.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(api.log.length - before).toBe(1)
    expect(await all(leads)).toHaveLength(20)
    expect(api.log.length - before).toBe(3)
  })

  it("stops a loop that is left, and a call whose signal is aborted", async () => {
    const { api, client } = await setUp(60)
    const before = api.log.length
    for await (const lead of client.leads({ pageSize: 10 })) if (lead.id > 0) break
    expect(api.log.length - before).toBe(1)
    const reason = new Error("enough")
    const hanging = createClient({ url: api.url, key: "k", fetch: () => new Promise(() => {}) })
    await expect(hanging.listLeads({}, { signal: AbortSignal.timeout(20) })).rejects.toThrow(/timeout/i)
    const abort = new AbortController()
    const read = all(hanging.changes({}, { signal: abort.signal }))
    setTimeout(() => abort.abort(reason), 20)
    await expect(read).rejects.toBe(reason)
  })
})

/** Follows the changes of a service that answers the n-th request so, until that fails. */
const followFailing = async (
  answer: (nth: number) => { readonly status: number; readonly text: string }
): Promise<{ readonly failure: unknown; readonly paths: ReadonlyArray<string> }> => {
  const paths: Array<string> = []
  const client = makeClient({
    url: "http://service",
    key: "k",
    transport: ({ url }) => Effect.sync(() => ({ ...answer(paths.push(new URL(url).pathname)), headers: {} }))
  })
  const failure = await Effect.runPromise(Effect.flip(Stream.runDrain(client.changes())))
  return { failure, paths }
}

describe("an incremental sync", () => {
  /** By the service's feed, and with a filter, which all leads pass, by time. */
  const ways = [
    ["by the feed", {}],
    ["by time", { createdAfter: new Date("2020-01-01") }]
  ] as const

  it.each(ways)(
    "gives everything once %s, then what has changed, and nothing twice [LIST-5, TIME-5]",
    async (_, filter) => {
      const { api, brand, client } = await setUp(430)
      const first = await all(client.changes({ ...filter, pageSize: 50 }))
      expect(first.flatMap(({ leads }) => leads)).toHaveLength(430)
      const cursor = first.at(-1)!.cursor
      const again = await all(client.changes({ ...filter, cursor }))
      expect(again.map(({ leads }) => leads.length)).toEqual([0])
      await api.operate("PATCH", `/operator/brands/${brand.id}/leads/5`, { qualified: true })
      await observe(api, brand, observation(brand.signalId, "new", "new"))
      const changed = await all(client.changes({ ...filter, cursor }))
      expect(changed.flatMap(({ leads }) => leads.map(({ id }) => id))).toEqual([5, 431])
      // Half way is a place to go on from, too.
      const rest = await all(client.changes({ ...filter, cursor: first[2]!.cursor, pageSize: 100 }))
      const missing = new Set(first.slice(3).flatMap(({ leads }) => leads.map(({ id }) => id)))
      const given = new Set(rest.flatMap(({ leads }) => leads.map(({ id }) => id)))
      for (const id of missing) expect(given).toContain(id)
    }
  )

  it.runIf(isThorough)("keeps a cursor short, whatever has changed at once [LIST-5]", async () => {
    const { client } = await setUp(5000)
    for (const [, filter] of ways) {
      const found = new Set<number>()
      let cursor: string | undefined
      for await (const page of client.changes(filter)) {
        for (const { id } of page.leads) found.add(id)
        cursor = page.cursor
        expect(cursor.length).toBeLessThan(150_000)
      }
      expect(found.size).toBe(5000)
      const again = await all(client.changes({ ...filter, cursor }))
      // The latest are known; the older of the replay window come again.
      expect(again.flatMap(({ leads }) => leads).length).toBeLessThanOrEqual(3100)
    }
  })

  it("is by time where the service has no feed, and after no other refusal [CHG-1]", async () => {
    const requested = async (status: number) => (await followFailing(() => ({ status, text: "{}" }))).paths
    expect(await requested(404)).toEqual(["/signals/changes", "/signals/leads"])
    for (const status of [400, 401, 403, 410]) expect(await requested(status)).toEqual(["/signals/changes"])
  })

  it("takes no refusal for one of its cursor where it sent none [CHG-5]", async () => {
    const text = '{"error":{"code":"invalid_parameter","message":"cursor takes a cursor."}}'
    const { failure } = await followFailing(() => ({ status: 400, text }))
    expect(failure).toMatchObject({ _tag: "RequestRefused", status: 400 })
  })

  it("names no lead in the cursor of a page by time that it can't read again [LIST-5]", async () => {
    const leads = Array.from({ length: 60 }, (_, i) => ({
      id: i + 1,
      updatedAt: new Date(1_000_000_000_000 + i * 1000).toISOString()
    }))
    const client = makeClient({
      url: "http://service",
      key: "k",
      transport: ({ url }) =>
        Effect.sync(() => {
          const after = new URL(url).searchParams.get("updatedAfter") ?? ""
          const found = leads.filter(({ updatedAt }) => updatedAt >= after)
          const meta = { pagination: { pageCount: Math.ceil(found.length / 10) } }
          return { status: 200, headers: {}, text: JSON.stringify({ data: found.slice(0, 10), meta }) }
        })
    })
    const options = { createdAfter: new Date(0), pageSize: 10, replayWindow: 0 }
    const pages = await Effect.runPromise(Stream.runCollect(client.changes(options)))
    const lengths = Array.from(pages, ({ cursor }) => cursor.length)
    expect(lengths.length).toBeGreaterThan(6)
    expect(Math.max(...lengths)).toBeLessThan(100)
  })

  it("does not become one by time between two pages of the feed: no removal would be told any more [CHG-1, CHG-3]", async () => {
    const page = { data: [{ type: "lead", lead: { id: 1 } }], meta: { cursor: "c", hasMore: true } }
    const { failure, paths } = await followFailing((nth) =>
      nth === 1 ? { status: 200, text: JSON.stringify(page) } : { status: 404, text: "default backend - 404" }
    )
    expect(failure).toMatchObject({ _tag: "RequestRefused", status: 404 })
    expect(paths).toEqual(["/signals/changes", "/signals/changes"])
  })

  it("refuses a cursor that is none", async () => {
    const { client } = await setUp(1)
    for (const cursor of ["", "x", "W10", Buffer.from("[2,null,[]]").toString("base64url")]) {
      await expect(all(client.changes({ cursor }))).rejects.toBeInstanceOf(InvalidCursor)
    }
  })

  it("leaves a good cursor alone where the base path is wrong [CHG-5]", async () => {
    const { api, brand, client } = await setUp(2)
    const cursor = (await all(client.changes())).at(-1)!.cursor
    const astray = createClient({ url: `${api.url}/elsewhere`, key: brand.key })
    await expect(all(astray.changes({ cursor }))).rejects.toMatchObject({
      _tag: "RequestRefused",
      status: 404
    })
    // A refusal of anything else, by whatever stands before the service.
    for (const [status, text] of [
      [404, ""],
      [400, "<html>cursor "],
      [400, '{"error":{"code":"bad_request","message":"cursor and all"}}'],
      [403, '{"error":{"code":"invalid_parameter","message":"cursor takes"}}']
    ] as const) {
      const before = makeClient({
        url: api.url,
        key: brand.key,
        transport: () => Effect.succeed({ status, headers: {}, text })
      })
      const failure = await Effect.runPromise(Effect.flip(Stream.runDrain(before.changes({ cursor }))))
      expect(failure).toMatchObject({ _tag: "RequestRefused", status })
    }
    expect((await all(client.changes({ cursor }))).flatMap(({ leads }) => leads)).toEqual([])
  })

  it("ends with what there is, whatever moves between its pages [LIST-5, SORT-5]", async () => {
    const change = fc.record({
      at: fc.nat(30),
      lead: fc.nat(24),
      tick: fc.constantFrom(0, 0, 0, 1, 5),
      // Erased, or no longer within the filter: of which a sync learns nothing, but which moves all the others.
      leaves: fc.constantFrom(false, false, true)
    })
    const moves = (lead: number, at: number, tick: number) => ({ at, lead, tick, leaves: false })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 1, maxLength: 24 }),
        fc.array(change, { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (gaps, changes, pageSize) => {
          let now = 1_000_000_000_000
          const leads = gaps.map((gap, i) => ({
            id: i + 1,
            state: 0,
            updatedAt: (now += gap),
            isThere: true
          }))
          let answered = 0
          const client = makeClient({
            url: "http://service",
            key: "k",
            transport: ({ url }) =>
              Effect.sync((): TransportResponse => {
                // A service of before the feed of changes.
                if (new URL(url).pathname === "/signals/changes")
                  return { status: 404, headers: {}, text: "{}" }
                for (const { at, lead, leaves, tick } of changes) {
                  const its = leads[lead]
                  if (at !== answered || its === undefined) continue
                  now += tick
                  if (leaves) its.isThere = false
                  its.state++
                  its.updatedAt = now
                }
                answered++
                const query = new URL(url).searchParams
                const after = Date.parse(query.get("updatedAfter") ?? "1970-01-01")
                const before = Date.parse(query.get("updatedBefore") ?? "2970-01-01")
                const found = leads
                  .filter(({ isThere, updatedAt }) => isThere && updatedAt >= after && updatedAt <= before)
                  .sort((a, b) => a.updatedAt - b.updatedAt || a.id - b.id)
                const size = Number(query.get("pageSize"))
                const from = (Number(query.get("page")) - 1) * size
                const data = found
                  .slice(from, from + size)
                  .map((each) => ({ ...each, updatedAt: new Date(each.updatedAt).toISOString() }))
                const pageCount = Math.ceil(found.length / size)
                return {
                  status: 200,
                  headers: {},
                  text: JSON.stringify({ data, meta: { pagination: { pageCount } } })
                }
              })
          })
          const mirror = new Map<number, any>()
          let cursor: string | undefined
          // The second time nothing moves any more.
          for (let round = 0; round < 2; round++) {
            if (round === 1) answered = 1000
            await Effect.runPromise(
              client.changes({ cursor, pageSize, replayWindow: 0 }).pipe(
                Stream.runForEach((page) =>
                  Effect.sync(() => {
                    for (const lead of page.leads) mirror.set(lead.id, lead)
                    cursor = page.cursor
                  })
                )
              )
            )
          }
          const there = leads.filter(({ isThere }) => isThere)
          expect(there.map(({ id }) => [id, mirror.get(id)?.state])).toEqual(
            there.map(({ id, state }) => [id, state])
          )
        }
      ),
      {
        numRuns: cases(300),
        examples: [
          // Two leads that leave an instant while it is read once more, and one that slips by them.
          [[0, 0, 0, 0, 0, 0, 1, 0], [moves(0, 10, 5), moves(2, 7, 0), moves(1, 6, 0)], 1],
          // Leads that change within the present instant, which passes before all of it is read.
          [[0, 0, 1, 1, 0, 1, 0, 0], [moves(1, 13, 0), moves(0, 13, 1)], 2],
          [[0, 2, 1, 2, 1, 0, 0], [moves(0, 20, 1), moves(0, 19, 0)], 1]
        ]
      }
    )
  })
})
