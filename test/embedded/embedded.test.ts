/** The service behind promises, for hosts that don't use Effect. */
import {
  Closed,
  createLeadSignals,
  InvalidParameter,
  type LogLine,
  NotFound,
  StoreUnavailable
} from "@lead-signals/embedded"
import { createClient } from "@lead-signals/client"
import * as Domain from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Layer } from "effect"
import { BrandStore, LeadStore } from "@lead-signals/domain"
import { nodeListener } from "@lead-signals/embedded/node"
import * as Webhooks from "@lead-signals/webhook/node"
import { EventEmitter, once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { seen, signal, withLeads } from "./ObservedBrand.ts"

const folder = temporaryFolder()

describe("the options of createLeadSignals", () => {
  const store = MemoryStore.layer
  it.each([
    ["nothing", undefined, "options", "takes an object with the option store"],
    ["no store", {}, "store", "the option store is required: it takes a layer"],
    ["a layer's function", { store: SqliteStore.layer }, "store", "this is a function: call it"],
    ["a path", { store: "leads.sqlite" }, "store", "SqliteStore.layer({ filename })"],
    ["a short token", { store, operatorToken: "short" }, "operatorToken", "at least 16 characters"],
    ["no requests", { store, requestsPerMinute: 0 }, "requestsPerMinute", "from 1 to 1000000"],
    ["a log that is no function", { store, log: console }, "log", "a function of one line"],
    ["uncalled webhooks", { store, webhooks: () => Layer.empty }, "webhooks", "this is a function: call it"],
    ["a misspelt option", { store, webhook: Layer.empty }, "webhook", "the options are store, operatorToken"]
  ])("are refused by name: %s [ERR-3]", async (_, options, parameter, message) => {
    const failure = await createLeadSignals(options as never).then(
      () => null,
      (error: unknown) => error
    )
    expect(failure).toBeInstanceOf(InvalidParameter)
    expect(failure).toMatchObject({ parameter, message: expect.stringContaining(message) })
    expect(String(failure)).not.toContain("short.")
  })

  it("may be left out, or undefined, but for the store", async () => {
    const service = await createLeadSignals({ store, log: undefined as never, webhooks: undefined as never })
    expect(await service.brands()).toEqual([])
    await service.close()
  })
})

describe("the service behind promises", () => {
  it("says how webhooks are switched on when one is created without them [ERR-3]", async () => {
    const { brand, service } = await withLeads(1)
    const webhook = {
      url: "https://example.com/",
      events: ["lead2.created"],
      description: null,
      enabled: true
    } as const
    await expect(service.run(Domain.Webhooks.create(brand.id, webhook))).rejects.toMatchObject({
      parameter: "url",
      message: "url takes no value here: webhooks are off. Give createLeadSignals the option webhooks."
    })
    await service.close()
  })

  it("takes a source that is one of its type, and renames brands, signals and campaigns [OPER-6, OPER-7]", async () => {
    const { brand, service } = await withLeads(1)
    const refused = {
      name: "S",
      signalType: "post",
      source: { type: "post-url" as const, value: "not a url" }
    }
    await expect(service.createSignal(brand.id, refused)).rejects.toMatchObject({
      parameter: "source.value",
      message: expect.stringContaining("source.value takes an http or https URL for the source type post-url")
    })
    const campaign = await service.createCampaign(brand.id, "C")
    await service.renameBrand(brand.id, "Renamed")
    await service.renameSignal(brand.id, "1", "Relaunch")
    await service.renameCampaign(brand.id, campaign.id, "D")
    expect(await service.brands()).toEqual([{ id: brand.id, name: "Renamed" }])
    const { engagements } = await service.detail(brand.id, 1)
    expect(engagements[0]!.signal.name).toBe("Relaunch")
    await expect(service.renameSignal(brand.id, "99", "x")).rejects.toBeInstanceOf(NotFound)
    await expect(service.renameCampaign(brand.id, campaign.id, "")).rejects.toBeInstanceOf(InvalidParameter)
    await service.close()
  })

  it("deletes signals, campaigns and brands [DEL-1, DEL-2, DEL-3]", async () => {
    const { brand, service } = await withLeads(3)
    const campaign = await service.createCampaign(brand.id, "C")
    await service.deleteCampaign(brand.id, campaign.id)
    await expect(service.deleteCampaign(brand.id, campaign.id)).rejects.toBeInstanceOf(NotFound)
    await service.deleteSignal(brand.id, "1")
    await expect(service.deleteSignal(brand.id, "1")).rejects.toBeInstanceOf(NotFound)
    const progress: Array<number> = []
    await service.deleteBrand(brand.id, { onProgress: (leadsLeft) => progress.push(leadsLeft) })
    expect(progress).toEqual([0])
    expect(await service.brands()).toEqual([])
    await expect(service.deleteBrand(brand.id)).rejects.toBeInstanceOf(NotFound)
    await service.close()
  })

  it("shows nothing of a brand any more whose deletion has begun [DEL-1]", async () => {
    const { brand, service } = await withLeads(3)
    const campaign = await service.createCampaign(brand.id, "C")
    expect((await service.list(brand.id)).data).toHaveLength(3)
    await service.run(Effect.flatMap(BrandStore, (store) => store.startDeletion(brand.id, 1)))
    const { data, meta } = await service.list(brand.id)
    expect([data, meta.pagination.total]).toEqual([[], 0])
    await expect(service.detail(brand.id, 1)).rejects.toBeInstanceOf(NotFound)
    await expect(service.metrics(brand.id, campaign.id)).rejects.toBeInstanceOf(NotFound)
    await service.deleteBrand(brand.id)
    await service.close()
  })

  it("lists, shows and counts as the API does, which it mounts [LIST-1, DET-1, MET-2, AUTH-1]", async () => {
    const { brand, service } = await withLeads(130)
    const query = { search: "buyer", sort: "name:asc" as const, pageSize: 3, includeEngagements: true }
    const page = await service.list(brand.id, { ...query, createdAfter: new Date("2020-01-01") })
    const key = await service.createKey(brand.id, { label: "k" })
    const ask = async (path: string): Promise<unknown> => {
      const request = new Request(`http://host${path}`, { headers: { authorization: `Bearer ${key.value}` } })
      return (await service.fetch(request)).json()
    }
    const parameters = "search=buyer&sort=name:asc&pageSize=3&includeEngagements=true"
    expect(page).toEqual(await ask(`/signals/leads?${parameters}&createdAfter=2020-01-01`))
    expect(page.meta.pagination).toMatchObject({ total: 65, pageCount: 22 })
    const detail = await service.detail(brand.id, 7, { includeEngagementDetail: true })
    expect({ data: detail }).toEqual(await ask("/signals/leads/7?includeEngagementDetail=true"))
    const campaign = await service.createCampaign(brand.id, "Spring")
    const metrics = await service.metrics(brand.id, campaign.id, { endDate: "2030-01-01" })
    expect({ data: metrics }).toEqual(await ask(`/campaign/${campaign.id}/metrics?endDate=2030-01-01`))
    await service.revokeKey(brand.id, key.id)
    expect(await ask("/signals/leads")).toMatchObject({ error: { code: "invalid_api_key" } })
    await service.close()
  })

  it("is called as the platform's fetch is, so that a client reads from it [LIST-1, AUTH-1]", async () => {
    const { brand, service } = await withLeads(2)
    const { value } = await service.createKey(brand.id, { label: "client" })
    const client = createClient({ url: "http://embedded", key: value, fetch: service.fetch })
    expect((await client.listLeads()).data).toHaveLength(2)
    expect((await service.fetch(new URL("http://embedded/health"), { method: "DELETE" })).status).toBe(405)
    // Frameworks hand over values of their own beside the request.
    const mounted: (request: Request, env: { readonly method: string }) => Promise<Response> = service.fetch
    expect((await mounted(new Request("http://embedded/health"), { method: "of the host" })).status).toBe(200)
    await service.close()
    expect((await service.fetch("http://embedded/health")).status).toBe(503)
  })

  it("leaves an answer alone that its host has begun, and gives up one that can't be written [ERR-1]", async () => {
    // No lead is read before the host has begun its answer, however soon the service looks at the request.
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const waiting = Layer.effect(
      LeadStore,
      Effect.map(LeadStore, (store) => {
        const { getRendered: _, listRendered: __, ...plain } = store
        const get: typeof store.get = (...given) =>
          Effect.zipRight(
            Effect.promise(() => begun),
            store.get(...given)
          )
        return LeadStore.of({ ...plain, get })
      })
    )
    const { brand, service } = await withLeads(
      1,
      Layer.merge(MemoryStore.layer, Layer.provide(waiting, MemoryStore.layer))
    )
    const { value } = await service.createKey(brand.id, { label: "k" })
    const api = await nodeListener(service)
    const server = createServer((request, response) => {
      if (request.headers["x-host"] === "breaks") {
        response.writeHead = () => {
          throw new Error("taken apart")
        }
      }
      api(request, response)
      if (request.headers["x-host"] === "answers") {
        response.writeHead(503)
        begin()
        setImmediate(() => setImmediate(() => response.end("too late")))
      }
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/signals/leads/1`
    const ask = (host: string): Promise<number | string> =>
      fetch(url, { headers: { authorization: `Bearer ${value}`, "x-host": host } }).then(
        ({ status }) => status,
        () => "broken off"
      )
    expect(await Promise.all(["answers", "breaks", "waits", "waits"].map(ask))).toEqual([
      503,
      "broken off",
      200,
      200
    ])
    server.close()
    await service.close()
  })

  it("does nothing for a client that has gone before the host hands its request over [LIVE-4]", async () => {
    const reads = new Map<string, number>()
    const counting = Layer.effect(
      LeadStore,
      Effect.map(LeadStore, (store) =>
        LeadStore.of({
          ...store,
          eventsAfter: (brandId, ...given) =>
            Effect.suspend(() => {
              reads.set(brandId, (reads.get(brandId) ?? 0) + 1)
              return store.eventsAfter(brandId, ...given)
            })
        })
      )
    )
    const operatorToken = "a-token-of-sixteen-characters"
    const store = Layer.merge(MemoryStore.layer, Layer.provide(counting, MemoryStore.layer))
    const service = await createLeadSignals({ store, operatorToken })
    const [gone, there] = [await service.createBrand("Gone"), await service.createBrand("There")]
    const pathOf = ({ id }: { readonly id: string }) => `/operator/brands/${id}/events`
    const headers = { authorization: `Bearer ${operatorToken}` }
    const api = await nodeListener(service)
    const arrived = new EventEmitter()
    const server = createServer(async (request, response) => {
      arrived.emit("request")
      await once(response, "close")
      api(request, response)
      arrived.emit("handed over")
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const [hasArrived, isHandedOver] = [once(arrived, "request"), once(arrived, "handed over")]
    const leaving = new AbortController()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathOf(gone)}`
    const left = fetch(url, { headers, signal: leaving.signal })
    await hasArrived
    leaving.abort()
    await expect(left).rejects.toThrow()
    await isHandedOver
    const aborted = new Request(`http://host${pathOf(gone)}`, { headers, signal: leaving.signal })
    expect((await service.fetch(aborted)).status).toBe(499)
    // A client that is there is served meanwhile.
    const served = await service.fetch(new Request(`http://host${pathOf(there)}`, { headers }))
    const reader = served.body!.getReader()
    await reader.read()
    await expect.poll(() => reads.get(there.id) ?? 0, { timeout: 30_000 }).toBeGreaterThan(1)
    expect(reads.has(gone.id)).toBe(false)
    await reader.cancel()
    server.close()
    await service.close()
  })

  it("hands its log over, which holds nobody's data [PII-2]", async () => {
    const lines: Array<object> = []
    const service = await createLeadSignals({ store: MemoryStore.layer, log: (line) => lines.push(line) })
    await service.fetch(new Request("http://host/signals/leads?search=Ada%20Example"))
    expect(lines).toMatchObject([{ level: "info", message: "request", route: "/signals/leads", status: 401 }])
    expect(JSON.stringify(lines)).not.toContain("Ada")
    await service.close()
  })

  it("goes on when the host's log throws or rejects [ERR-1, DELIV-2]", async () => {
    const logs: ReadonlyArray<(line: LogLine) => void> = [
      () => {
        throw new Error("the host's disk is full")
      },
      () => Promise.reject(new Error("the host's collector is away"))
    ]
    for (const log of logs) {
      const lines: Array<string> = []
      let posts = 0
      const receiver = createServer((_, response) => void response.writeHead(++posts === 1 ? 400 : 204).end())
      receiver.listen(0, "127.0.0.1")
      await once(receiver, "listening")
      const operatorToken = "a-token-of-sixteen-characters"
      const service = await createLeadSignals({
        store: MemoryStore.layer,
        webhooks: Webhooks.layer({ allowed: ["127.0.0.0/8"], scheduleMillis: [1, 1] }),
        operatorToken,
        log: (line) => {
          lines.push(line.message)
          return log(line)
        }
      })
      const brand = await service.createBrand("Mine")
      await service.createSignal(brand.id, signal)
      const ask = async (path: string, init: RequestInit = {}) => {
        const headers = { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" }
        const response = await service.fetch(
          new Request(`http://host/operator/brands/${brand.id}/webhooks${path}`, { ...init, headers })
        )
        return [response.status, await response.json()] as const
      }
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
      const [status, { data: webhook }] = await ask("", {
        method: "POST",
        body: JSON.stringify({ url, events: ["lead2.created"] })
      })
      expect(status).toBe(201)
      await service.observe(brand.id, [seen(1)])
      // A failed attempt, of which the log has a line, and the one that follows it are recorded.
      await expect
        .poll(async () => (await ask(`/${webhook.id}/deliveries`))[1].data[0]?.state, { timeout: 30_000 })
        .toBe("delivered")
      expect(lines).toEqual(expect.arrayContaining(["request", "delivery attempted"]))
      await service.close()
      receiver.close()
    }
  })

  it("changes and erases, and says of each observation what became of it [PII-3, EVT-8]", async () => {
    const { brand, service } = await withLeads(2)
    await service.amend(brand.id, 1, { qualified: true, score1: 4 })
    expect(await service.detail(brand.id, 1)).toMatchObject({ qualified: true, score1: 4 })
    await service.erase(brand.id, 2)
    const mixed = [seen(1), seen(2), { nothing: true }, seen(3, "9")]
    const outcomes = await service.observeUnknown(brand.id, mixed)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      "duplicate",
      "suppressed",
      "rejected",
      "rejected"
    ])
    expect((await service.brands()).map(({ name }) => name)).toEqual(["Mine"])
    await service.close()
  })

  it("stops when its signal is aborted, and rejects with the signal's reason", async () => {
    const begun: Array<string> = []
    const hanging = Layer.effect(
      LeadStore,
      Effect.map(LeadStore, (store) =>
        LeadStore.of({
          ...store,
          list: () =>
            Effect.zipRight(
              Effect.sync(() => begun.push("list")),
              Effect.never
            )
        })
      )
    )
    const slow = Layer.merge(MemoryStore.layer, Layer.provide(hanging, MemoryStore.layer))
    const service = await createLeadSignals({ store: slow })
    const brand = await service.createBrand("Mine")
    const abort = new AbortController()
    const listed = service.list(brand.id, {}, { signal: abort.signal })
    await expect.poll(() => begun, { interval: 1 }).toHaveLength(1)
    const reason = new Error("no longer wanted")
    abort.abort(reason)
    await expect(listed).rejects.toBe(reason)
    await expect(service.list(brand.id, {}, { signal: abort.signal })).rejects.toBe(reason)
    expect(begun).toHaveLength(1)

    // Closing ends what is under way.
    const cut = service.list(brand.id)
    await expect.poll(() => begun, { interval: 1 }).toHaveLength(2)
    const closed = expect(cut).rejects.toBeInstanceOf(Closed)
    await service.close()
    await closed
    await expect(service.brands()).rejects.toBeInstanceOf(Closed)
    await service.close()
  })

  it("takes many calls at once, and answers 503 when it is closed [ERR-2]", async () => {
    const { brand, service } = await withLeads(1)
    const warnings: Array<Error> = []
    const listen = (warning: Error): void => void warnings.push(warning)
    process.on("warning", listen)
    await Promise.all(Array.from({ length: 40 }, () => service.list(brand.id)))
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off("warning", listen)
    expect(warnings).toEqual([])
    const server = createServer(await nodeListener(service)).listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`
    expect((await fetch(url)).status).toBe(200)
    await service.close()
    const refused = await fetch(url)
    server.close()
    expect([refused.status, (await refused.json()).error.code]).toEqual([503, "unavailable"])
    const response = await service.fetch(new Request("http://host/health"))
    expect([response.status, await response.json()]).toMatchObject([503, { error: { code: "unavailable" } }])
  })

  it("ends live events and requests that wait when it is closed [CHG-6, LIVE-3]", async () => {
    const operatorToken = "a token of sixteen characters".replaceAll(" ", "-")
    const service = await createLeadSignals({ store: MemoryStore.layer, operatorToken })
    const { id } = await service.createBrand("Mine")
    const { value } = await service.createKey(id, { label: "reads" })
    const ask = (path: string, token: string) =>
      service.fetch(new Request(`http://host${path}`, { headers: { authorization: `Bearer ${token}` } }))
    const events = (await ask(`/operator/brands/${id}/events`, operatorToken)).body!.getReader()
    await events.read()
    const waiting = ask("/signals/changes?wait=30", value)
    // It waits, or is about to: in either case closing answers it.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await service.close()
    expect((await waiting).status).toBe(200)
    expect((await events.read()).done).toBe(true)
  })

  it("is rejected when the store can't be opened, and says why [STORE-4]", async () => {
    const filename = join(folder, "foreign.sqlite")
    writeFileSync(filename, "no database at all, and long enough to be looked at".repeat(40))
    const failure = await createLeadSignals({ store: SqliteStore.layer({ filename }) }).catch(
      (reason: unknown) => reason
    )
    expect(failure instanceof StoreUnavailable).toBe(true)
    expect(String(failure)).toContain("damaged or is not a SQLite file")
  })
})
