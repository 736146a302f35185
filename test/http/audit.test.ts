/** The audit log: what is in it, when, and what never is. */
import { type ApiKey, AuditLog, StoreUnavailable } from "@lead-signals/domain"
import { KeyReads } from "@lead-signals/http/internal"
import * as MemoryStore from "@lead-signals/store-memory"
import { Clock, Context, Effect, Layer } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import {
  observation,
  observe,
  operatorToken,
  setUpBrand,
  startApi,
  startBrand
} from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()

beforeAll(async () => {
  await observe(api, brand, observation(brand.signalId, "ada", "e-1"))
})

const entries = async (query = "?pageSize=100", of = api) =>
  (await of.operate("GET", `/operator/audit${query}`)).body

const newest = async (of = api) => (await entries("?pageSize=1", of)).data[0]

const path = (rest = "") => `/operator/brands/${brand.id}${rest}`

const environment = { type: "environment", id: null, name: null }

describe("the audit log", () => {
  it("has each change with who made it, what it made, and how it ended [AUD-1, AUD-3]", async () => {
    const { body } = await api.operate("POST", path("/signals"), {
      name: "S",
      signalType: "t",
      source: { type: "posts-with-keywords", value: "v" }
    })
    expect(await newest()).toEqual({
      id: expect.stringMatching(/^[1-9][0-9]*$/),
      at: expect.any(String),
      actor: environment,
      viaSession: false,
      operation: "createSignal",
      brandId: brand.id,
      subjectId: body.data.id,
      status: 201
    })
    await api.operate("DELETE", path(`/signals/${body.data.id}`))
    expect(await newest()).toMatchObject({ operation: "deleteSignal", subjectId: body.data.id, status: 204 })
    await api.operate("DELETE", path("/signals/999"))
    expect(await newest()).toMatchObject({ operation: "deleteSignal", subjectId: "999", status: 404 })
    await api.operate("POST", "/operator/brands", { name: "" })
    expect(await newest()).toMatchObject({ operation: "createBrand", brandId: null, status: 400 })
  })

  it("has lists and exports of leads, and no other read [AUD-1]", async () => {
    await api.operate("GET", path("/leads"))
    expect(await newest()).toMatchObject({ operation: "operatorLeads", brandId: brand.id, status: 200 })
    await api.operate("GET", path("/leads/1/export"))
    const exported = { operation: "exportLead", subjectId: "1", status: 200 }
    expect(await newest()).toMatchObject(exported)
    for (const rest of ["", "/keys", "/leads/1", "/webhooks"]) await api.operate("GET", path(rest))
    await observe(api, brand, observation(brand.signalId, "bo", "e-2"))
    expect(await newest()).toMatchObject(exported)
  })

  it("has what a browser's session of a key lists, and not what the key itself does [AUD-1]", async () => {
    await api.call("/signals/leads", { headers: { authorization: `Bearer ${brand.key}` } })
    expect((await newest()).actor.type).not.toBe("key")
    const begun = await api.call("/session", { method: "POST", json: { credential: brand.key } })
    const headers = { cookie: begun.headers.get("set-cookie")!.split(";")[0]! }
    expect((await api.call("/signals/leads", { headers })).status).toBe(200)
    expect(await newest()).toMatchObject({
      actor: { type: "key", id: expect.any(String), name: null },
      viaSession: true,
      operation: "listLeads",
      brandId: brand.id,
      status: 200
    })
  })

  it("has the first list of a day that a key itself gets, of each kind, where the host wants it [AUD-8]", async () => {
    const failing = { isOn: false }
    const broken = Layer.map(MemoryStore.layer, (context) => {
      const auditLog = Context.get(context, AuditLog)
      const append: (typeof auditLog)["append"] = (entry) =>
        failing.isOn ? Effect.fail(new StoreUnavailable({ reason: "full disk" })) : auditLog.append(entry)
      return Context.add(context, AuditLog, { ...auditLog, append })
    })
    const own = await startApi({ stores: broken, auditsKeyReads: true })
    const { key, keyId, ...made } = await setUpBrand(own)
    const read = async (target: string, token = key) =>
      (await own.call(target, { headers: { authorization: `Bearer ${token}` } })).status
    const ofKeys = async () =>
      (await entries("?pageSize=100", own)).data.filter(({ actor }: any) => actor.type === "key")
    expect(await read("/signals/leads?sort=wrong")).toBe(400)
    expect(await read("/signals/leads/1")).toBe(404)
    expect(await ofKeys()).toEqual([])
    const statuses = await Promise.all(
      Array.from({ length: 5 }, () => read("/signals/leads?search=Personal%20Name"))
    )
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    const entry = {
      id: expect.any(String),
      at: expect.any(String),
      actor: { type: "key", id: keyId, name: null },
      viaSession: false,
      operation: "listLeads",
      brandId: made.id,
      subjectId: null,
      status: 200
    }
    expect(await ofKeys()).toEqual([entry])
    expect(await read("/signals/changes")).toBe(200)
    expect((await ofKeys()).map(({ operation }: any) => operation)).toEqual(["listChanges", "listLeads"])
    // Keys go on reading while the log can't be written.
    const created = await own.operate("POST", `/operator/brands/${made.id}/keys`, { label: "other" })
    const other: string = created.body.data.key
    failing.isOn = true
    expect(await read("/signals/leads", other)).toBe(200)
    expect(await ofKeys()).toHaveLength(2)
  })

  it("tries an entry of a key's list again a minute after the store failed, or when the clock is set back [AUD-8]", async () => {
    const keyReads = new KeyReads()
    const key = { id: "7", brandId: "1" } as ApiKey
    let [at, isDown, tried] = [Date.UTC(2026, 0, 5, 12), true, 0]
    const append: (typeof AuditLog.Service)["append"] = () =>
      Effect.suspend(() => {
        tried++
        return isDown ? Effect.fail(new StoreUnavailable({ reason: "full disk" })) : Effect.succeed("1")
      })
    const log = Layer.succeed(AuditLog, { append } as typeof AuditLog.Service)
    const clock = Object.assign(Clock.make(), { currentTimeMillis: Effect.sync(() => at) })
    const note = (): Promise<void> =>
      Effect.runPromise(keyReads.note(key, "listLeads").pipe(Effect.provide(log), Effect.withClock(clock)))
    const triedAfter = async (millis: number): Promise<number> => {
      at += millis
      await note()
      return tried
    }
    expect([await triedAfter(0), await triedAfter(59_999), await triedAfter(1)]).toEqual([1, 1, 2])
    isDown = false
    expect([await triedAfter(-3_600_000), await triedAfter(7_200_000)]).toEqual([3, 3])
    expect(await triedAfter(-3_600_000)).toBe(3)
  })

  it("has sign-ins and sign-outs, by whom and of which brand [AUD-7]", async () => {
    const { body } = await api.operate("POST", "/operator/tokens", { name: "browser", scopes: ["read"] })
    const { token, id } = body.data
    const whole = { at: expect.any(String), id: expect.any(String), subjectId: null }
    const credentials = [
      [operatorToken, environment, null],
      [token, { type: "token", id, name: "browser" }, null],
      [brand.key, { type: "key", id: brand.keyId, name: null }, brand.id]
    ] as const
    for (const [credential, actor, brandId] of credentials) {
      const begun = await api.call("/session", { method: "POST", json: { credential } })
      const signedIn = { ...whole, actor, brandId, viaSession: false, operation: "signIn", status: 201 }
      expect(await newest()).toEqual(signedIn)
      const cookie = begun.headers.get("set-cookie")!.split(";")[0]!
      const headers = { cookie, "sec-fetch-site": "same-origin" }
      const signOut = () => api.call("/session", { method: "DELETE", headers })
      expect((await signOut()).status).toBe(204)
      const signedOut = { ...signedIn, viaSession: true, operation: "signOut", status: 204 }
      expect(await newest()).toEqual({ ...signedOut, at: expect.any(String), id: expect.any(String) })
      const { id: last } = await newest()
      expect((await signOut()).status).toBe(204)
      expect((await newest()).id).toBe(last)
    }
  })

  it("has one entry a minute of refused credentials, however many there are [AUD-7]", async () => {
    const refusing = await startApi()
    const tryAll = async () => {
      for (let i = 0; i < 5; i++) {
        await refusing.call("/session", { method: "POST", json: { credential: `canary-${i}` } })
        await refusing.call("/operator/brands", { headers: { authorization: `Bearer canary-${i}` } })
        await refusing.call("/operator/brands")
      }
    }
    const unknown = { type: "unknown", id: null, name: null }
    const started = Math.floor(Date.now() / 60_000)
    await tryAll()
    const { data } = await entries("", refusing)
    expect(data.at(-1)).toMatchObject({
      actor: unknown,
      operation: "signIn",
      status: 401,
      brandId: null,
      subjectId: null
    })
    // A minute may have ended meanwhile.
    expect(data.length).toBeLessThanOrEqual(1 + Math.floor(Date.now() / 60_000) - started)
    expect(JSON.stringify(data)).not.toContain("canary")
  })

  it("lets an operator sign in while it can't be written [AUD-7]", async () => {
    const down = Effect.fail(new StoreUnavailable({ reason: "the log is down" }))
    const stores = Layer.map(MemoryStore.layer, (context) =>
      Context.add(context, AuditLog, { ...Context.get(context, AuditLog), append: () => down })
    )
    const failing = await startApi({ stores })
    const signIn = (credential: string) => failing.call("/session", { method: "POST", json: { credential } })
    expect([(await signIn(operatorToken)).status, (await signIn("wrong")).status]).toEqual([201, 401])
    expect(failing.log.join()).toContain("no audit entry of a session")
  })

  it("has what a token was refused, by the token's name [AUD-4, AUD-6]", async () => {
    const { body } = await api.operate("POST", "/operator/tokens", { name: "reader", scopes: ["read"] })
    const headers = { authorization: `Bearer ${body.data.token}` }
    await api.call(path("/leads/1"), { method: "DELETE", headers })
    expect(await newest()).toMatchObject({
      actor: { type: "token", id: body.data.id, name: "reader" },
      operation: "eraseLead",
      subjectId: "1",
      status: 403
    })
  })

  it("is read page by page, of one brand, since a time, within the limits of a token [AUD-4]", async () => {
    const second = await setUpBrand(api)
    const all = (await entries()).data
    const seen = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const { data, meta } = await entries(`?pageSize=3${cursor === "" ? "" : `&cursor=${cursor}`}`)
      seen.push(...data)
      cursor = meta.nextCursor
    }
    expect(seen).toEqual(all)
    expect(all.length).toBeGreaterThan(6)
    const ofSecond = all.filter(({ brandId }: { brandId: string }) => brandId === second.id)
    expect(ofSecond.length).toBeGreaterThan(0)
    expect((await entries(`?brandId=${second.id}`)).data).toEqual(ofSecond)
    const { at } = all[2]
    const since = all.filter((each: { at: string }) => each.at >= at)
    expect((await entries(`?since=${encodeURIComponent(at)}&pageSize=100`)).data).toEqual(since)
    const limited = await api.operate("POST", "/operator/tokens", {
      name: "t",
      scopes: ["admin"],
      brandIds: [second.id]
    })
    const headers = { authorization: `Bearer ${limited.body.data.token}` }
    const ids = async (query: string) => (await api.call(`/operator/audit${query}`, { headers })).body.data
    expect(await ids("")).toEqual(ofSecond)
    expect(await ids(`?brandId=${brand.id}`)).toEqual([])
    expect((await entries("?cursor=x")).error.message).toMatch(/^cursor takes/)
    expect((await entries("?brandId=x")).error.message).toMatch(/^brandId takes/)
  })

  it("holds no personal data, no secret and no text of the caller's choice [AUD-3]", async () => {
    const canaries = ["canary-in-path", "canary-in-name", "canary-in-body", "canary-in-query"]
    const { body: key } = await api.operate("POST", path("/keys"), { label: "canary-in-name" })
    const { body: token } = await api.operate("POST", "/operator/tokens", {
      name: "canary-in-name-of-a-token",
      scopes: ["admin"]
    })
    await api.operate("DELETE", "/operator/brands/canary-in-path")
    await api.operate("DELETE", path("/leads/canary-in-path"))
    await api.operate("DELETE", path("/webhooks/1/deliveries/canary-in-path"))
    await api.operate("POST", path("/webhooks/canary-in-path/deliveries/wh_canary-in-path/resend"))
    await api.operate("PATCH", path("/leads/1"), { qualified: "canary-in-body" })
    await api.operate("GET", path("/leads?search=canary-in-query"))
    const kept = await api.run(
      Effect.flatMap(AuditLog, (log) => log.list({ brandIds: null, since: null, after: null, limit: 1000 }))
    )
    expect(kept.length).toBeGreaterThan(10)
    const text = JSON.stringify(kept)
    for (const secret of [...canaries, operatorToken, key.data.key, token.data.token, "Ada"])
      expect(text).not.toContain(secret)
  })

  it("names no brand by a number that no id can have [AUD-3]", async () => {
    const maxId = Number.MAX_SAFE_INTEGER
    for (const id of [maxId, 2 ** 53, 9_999_999_999_999_998]) {
      await api.operate("PATCH", `/operator/brands/${id}`, { name: "Renamed" })
      expect(await newest()).toMatchObject({
        operation: "renameBrand",
        brandId: id === maxId ? String(id) : null,
        status: 404
      })
    }
  })

  it("has the entry before the change, and refuses the call that it can't write of [AUD-2]", async () => {
    let isDown = false
    const seen: Array<number | null> = []
    const down = Effect.fail(new StoreUnavailable({ reason: "the log is down" }))
    const stores = Layer.map(MemoryStore.layer, (context) => {
      const log = Context.get(context, AuditLog)
      return Context.add(context, AuditLog, {
        ...log,
        append: (entry) =>
          Effect.suspend(() => {
            seen.push(entry.status)
            return isDown ? down : log.append(entry)
          }),
        complete: (id, outcome) => (isDown ? down : log.complete(id, outcome))
      })
    })
    const failing = await startApi({ stores })
    const own = await setUpBrand(failing)
    expect(new Set(seen)).toEqual(new Set([null]))
    isDown = true
    const rename = await failing.operate("PATCH", `/operator/brands/${own.id}`, { name: "Renamed" })
    const list = await failing.operate("GET", `/operator/brands/${own.id}/leads`)
    expect([rename.status, list.status, list.body.error.code]).toEqual([503, 503, "unavailable"])
    expect(seen.at(-1)).toBe(200)
    isDown = false
    const { body } = await failing.operate("GET", "/operator/brands")
    expect(body.data[0].name).not.toBe("Renamed")
  })
})
