/** Sessions of browsers: sign-in, what a session opens, how long it lasts, and the proof of origin. */
import { AccessTokenStore, AuditLog, type BrandId, StoreUnavailable } from "@lead-signals/domain"
import { makeSessions, Sessions, webCrypto } from "@lead-signals/http"
import { maxSessionsOfCredential, sessionSeconds } from "@lead-signals/http/internal"
import { Context, Effect, Layer, TestClock, TestContext } from "effect"
import * as MemoryStore from "@lead-signals/store-memory"
import { gzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import {
  type Answer,
  observation,
  observe,
  operatorToken,
  startApi,
  startBrand
} from "../harness/HttpServers.ts"

const page = "<!doctype html><title>Console</title>"
const consoleFiles = [
  { path: "index.html", contentType: "text/html; charset=utf-8", gzipped: gzipSync(page) },
  { path: "assets/a-1.js", contentType: "text/javascript; charset=utf-8", gzipped: gzipSync("1") }
]

const { api, brand } = await startBrand({ consoleFiles })

beforeAll(async () => {
  await observe(
    api,
    brand,
    observation(brand.signalId, "ada", "e-1"),
    observation(brand.signalId, "bo", "e-2")
  )
})

const sameOrigin = { "sec-fetch-site": "same-origin" }

const signIn = (credential: unknown, headers: Record<string, string> = sameOrigin) =>
  api.call("/session", { method: "POST", json: { credential }, headers })

const cookieOf = ({ headers }: Answer): string => headers.get("set-cookie")!.split(";")[0]!

const signedIn = async (credential: string) => ({ cookie: cookieOf(await signIn(credential)) })

const leadsPath = (query = "") => `/operator/brands/${brand.id}/leads${query}`

const environment = {
  kind: "operator",
  tokenHash: null,
  actor: { type: "environment", id: null }
} as const

describe("sign-in", () => {
  it("takes the operator token and an API key, and nothing else [SES-1]", async () => {
    const operator = await signIn(operatorToken)
    expect([operator.status, operator.body.data]).toEqual([
      201,
      {
        access: "operator",
        brand: null,
        scopes: ["read", "ingest", "webhooks", "metrics", "admin"],
        brandIds: null,
        expiresAt: expect.any(String)
      }
    ])
    const ofKey = await signIn(brand.key)
    expect([ofKey.status, ofKey.body.data]).toMatchObject([
      201,
      { access: "brand", brand: { id: brand.id, name: "Brand" } }
    ])
    const unknown = brand.key.slice(0, -1) + (brand.key.endsWith("x") ? "y" : "x")
    for (const credential of ["", "wrong", `${operatorToken}x`, unknown]) {
      const { body, headers, status } = await signIn(credential)
      expect([status, body.error.code]).toEqual([401, "invalid_credential"])
      expect(headers.get("set-cookie")).toBeNull()
    }
    expect((await signIn(7)).status).toBe(400)
  })

  it("takes a body of at most 4 KiB [ERR-5]", async () => {
    const post = (bytes: number) => {
      const body = JSON.stringify({ credential: operatorToken }).padEnd(bytes)
      return api.call("/session", {
        method: "POST",
        headers: { ...sameOrigin, "content-type": "application/json" },
        body
      })
    }
    expect((await post(4096)).status).toBe(201)
    const { body, status } = await post(4097)
    expect([status, body.error.code, body.error.message]).toEqual([
      413,
      "payload_too_large",
      "The body of a sign-in takes at most 4 KiB."
    ])
  })

  it("sets a cookie that scripts can't read and other sites don't send, for twelve hours [SES-2]", async () => {
    const attributes = async (headers: Record<string, string>) =>
      (await signIn(operatorToken, headers)).headers.get("set-cookie")!.split("; ").slice(1)
    const always = ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"]
    expect(await attributes(sameOrigin)).toEqual(always)
    expect(await attributes({ ...sameOrigin, origin: "https://leads.example" })).toEqual([
      ...always,
      "Secure"
    ])
  })

  it("shows the session of a cookie, and null without one [SES-1]", async () => {
    const headers = await signedIn(brand.key)
    expect((await api.call("/session", { headers })).body.data.brand.id).toBe(brand.id)
    for (const cookie of [
      "",
      "lead_signals_session=",
      "lead_signals_session=x",
      `other=1; ${headers.cookie}x`
    ]) {
      const { body, status } = await api.call("/session", { headers: { cookie } })
      expect([status, body]).toEqual([200, { data: null }])
    }
    const twice = { cookie: `${headers.cookie}; ${headers.cookie}` }
    expect((await api.call("/session", { headers: twice })).body.data).toBeNull()
  })

  it("ends at sign-out, which removes the cookie [SES-1]", async () => {
    const headers = await signedIn(operatorToken)
    expect((await api.call("/operator/brands", { headers })).status).toBe(200)
    const out = await api.call("/session", { method: "DELETE", headers: { ...headers, ...sameOrigin } })
    expect([out.status, out.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")])
    expect((await api.call("/operator/brands", { headers })).status).toBe(401)
  })
})

describe("a session", () => {
  it("of the operator opens every operator call [SES-3]", async () => {
    const headers = await signedIn(operatorToken)
    expect((await api.call(leadsPath(), { headers })).body.meta.pagination.total).toBe(2)
    const created = await api.call("/operator/brands", {
      method: "POST",
      headers: { ...headers, ...sameOrigin },
      json: { name: "By a session" }
    })
    expect(created.status).toBe(201)
    // It names no brand, and so is no key.
    expect((await api.call("/signals/leads", { headers })).status).toBe(401)
  })

  it("of a key reads its brand within its window, and ends when it is revoked [SES-3]", async () => {
    const { body } = await api.operate("POST", `/operator/brands/${brand.id}/keys`, {
      label: "sales",
      requestsPerMinute: 3
    })
    const headers = await signedIn(body.data.key)
    const first = await api.call("/signals/leads", { headers })
    expect([first.status, first.headers.get("x-ratelimit-remaining")]).toEqual([200, "1"])
    expect((await api.call("/nothing/here", { headers })).headers.get("x-ratelimit-remaining")).toBe("0")
    expect((await api.call("/signals/leads/1", { headers })).status).toBe(429)
    await api.operate("DELETE", `/operator/brands/${brand.id}/keys/${body.data.id}`)
    expect((await api.call("/signals/leads", { headers })).status).toBe(401)
  })

  it("is shown no longer than its credential opens it [SES-1, SES-3]", async () => {
    const accessOf = async (headers: Record<string, string>) =>
      (await api.call("/session", { headers })).body.data?.access ?? null
    const revoked = (await api.operate("POST", `/operator/brands/${brand.id}/keys`, { label: "k" })).body.data
    const ofRevoked = await signedIn(revoked.key)
    expect(await accessOf(ofRevoked)).toBe("brand")
    await api.operate("DELETE", `/operator/brands/${brand.id}/keys/${revoked.id}`)
    expect(await accessOf(ofRevoked)).toBeNull()
    const token = (await api.operate("POST", "/operator/tokens", { name: "t", scopes: ["read"] })).body.data
    const ofToken = await signedIn(token.token)
    expect(await accessOf(ofToken)).toBe("operator")
    await api.operate("DELETE", `/operator/tokens/${token.id}`)
    expect(await accessOf(ofToken)).toBeNull()
  })

  it("of a key spends a request to begin: a key fills neither the sessions nor the audit log [SES-8, RATE-3]", async () => {
    const operator = await signedIn(operatorToken)
    const key = (
      await api.operate("POST", `/operator/brands/${brand.id}/keys`, { label: "k", requestsPerMinute: 1 })
    ).body.data
    const first = await signIn(key.key)
    expect([first.status, first.headers.get("x-ratelimit-remaining")]).toEqual([201, "0"])
    const refused = await Promise.all(Array.from({ length: 20 }, () => signIn(key.key)))
    for (const { body, headers, status } of refused) {
      expect([status, body.error.code]).toEqual([429, "rate_limit_exceeded"])
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
      expect([headers.get("x-ratelimit-limit"), headers.get("set-cookie")]).toEqual(["1", null])
    }
    expect((await api.call("/operator/brands", { headers: operator })).status).toBe(200)
    const { data } = (await api.operate("GET", "/operator/audit?pageSize=100")).body
    const ofKey = data.filter((entry: any) => entry.operation === "signIn" && entry.actor.id === key.id)
    expect(ofKey).toHaveLength(1)
    const attention = await api.operate("GET", `/operator/brands/${brand.id}/attention`)
    expect(attention.body.data.refusedRequests).toContainEqual(
      expect.objectContaining({ keyId: key.id, count: 20 })
    )
  })

  it("of a key opens no operator call [SES-4]", async () => {
    const headers = { ...(await signedIn(brand.key)), ...sameOrigin }
    for (const [method, path] of [
      ["GET", leadsPath()],
      ["GET", "/metrics"],
      ["DELETE", leadsPath("/1")]
    ] as const) {
      const { body, status } = await api.call(path, { method, headers })
      expect([path, status, body.error.code]).toEqual([path, 403, "forbidden"])
    }
    expect((await api.operate("GET", leadsPath("/1"))).status).toBe(200)
  })

  it("does not help a request whose Authorization is wrong, and does not hinder a right one [SES-3]", async () => {
    const operator = await signedIn(operatorToken)
    expect((await api.call("/operator/brands", { headers: operator, token: "wrong" })).status).toBe(401)
    const ofKey = await signedIn(brand.key)
    expect((await api.call("/operator/brands", { headers: ofKey, token: operatorToken })).status).toBe(200)
    expect((await api.call("/signals/leads", { headers: ofKey, token: "wrong" })).status).toBe(401)
  })

  it("changes something only with a proof of its origin [SES-5]", async () => {
    const headers = await signedIn(operatorToken)
    const { host } = new URL(api.url)
    const rename = (more: Record<string, string>) =>
      api.call(`/operator/brands/${brand.id}`, {
        method: "PATCH",
        headers: { ...headers, ...more },
        json: { name: "Brand" }
      })
    const refused: ReadonlyArray<Record<string, string>> = [
      {},
      { "sec-fetch-site": "same-site", origin: `http://${host}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "none" },
      { origin: "http://127.0.0.1:1" },
      { origin: "null" },
      { origin: host }
    ]
    for (const more of refused) {
      const { body, status } = await rename(more)
      expect([more, status, body.error.code]).toEqual([more, 403, "forbidden"])
    }
    expect((await rename(sameOrigin)).status).toBe(200)
    expect((await rename({ origin: `http://${host}` })).status).toBe(200)
    // A page elsewhere can't sign its reader in, or out.
    expect((await signIn(operatorToken, { "sec-fetch-site": "cross-site" })).status).toBe(403)
    expect((await signIn(operatorToken, {})).status).toBe(201)
    expect((await api.call("/session", { method: "DELETE", headers })).status).toBe(403)
  })

  it("is kept out of the log, with its credential [SES-2]", async () => {
    const { cookie } = await signedIn(operatorToken)
    await api.call("/operator/brands", { headers: { cookie } })
    for (const secret of [cookie.split("=")[1]!, operatorToken, brand.key])
      expect(api.log.join()).not.toContain(secret)
  })
})

describe("a sign-in that comes to nothing", () => {
  type Ports = AccessTokenStore | AuditLog

  /** A server on whose store such ports are, and a token of it with as many sessions as there may be. */
  const fullOfSessions = async (ports: Layer.Layer<Ports, never, Ports>) => {
    const own = await startApi({
      stores: ports.pipe(Layer.provideMerge(MemoryStore.layer)) as typeof MemoryStore.layer
    })
    const { body } = await own.operate("POST", "/operator/tokens", { name: "t", scopes: ["read"] })
    const json = { credential: body.data.token }
    const signInHere = () => own.call("/session", { method: "POST", json, headers: sameOrigin })
    const oldest = cookieOf(await signInHere())
    for (let i = 1; i < maxSessionsOfCredential; i++) expect((await signInHere()).status).toBe(201)
    const isOldestOpen = async () =>
      (await own.call("/operator/brands", { headers: { cookie: oldest } })).status === 200
    return { own, json, signInHere, isOldestOpen }
  }

  it("since the store fails ends no other session of its credential [SES-8]", async () => {
    let looksUntilFailure = Number.POSITIVE_INFINITY
    const ports = Layer.effectContext(
      Effect.map(Effect.context<Ports>(), (context) => {
        const store = Context.get(context, AccessTokenStore)
        const findByHash: typeof store.findByHash = (hash) =>
          Effect.suspend(() =>
            --looksUntilFailure < 0
              ? Effect.fail(new StoreUnavailable({ reason: "full" }))
              : store.findByHash(hash)
          )
        return Context.add(context, AccessTokenStore, { ...store, findByHash })
      })
    )
    const { isOldestOpen, signInHere } = await fullOfSessions(ports)
    // The first look finds the token, and the second one fails.
    looksUntilFailure = 1
    expect((await signInHere()).status).toBe(503)
    looksUntilFailure = Number.POSITIVE_INFINITY
    expect(await isOldestOpen()).toBe(true)
    expect((await signInHere()).status).toBe(201)
    expect(await isOldestOpen()).toBe(false)
  })

  it("since its client goes away ends no other session of its credential [SES-8]", async () => {
    let waits = false
    const writing = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const waiting = Effect.sync(() => writing.resolve()).pipe(
      Effect.zipRight(Effect.never),
      Effect.onInterrupt(() => Effect.sync(() => ended.resolve()))
    )
    const ports = Layer.effectContext(
      Effect.map(Effect.context<Ports>(), (context) => {
        const log = Context.get(context, AuditLog)
        const append: typeof log.append = (entry) =>
          Effect.suspend(() => (waits && entry.operation === "signIn" ? waiting : log.append(entry)))
        return Context.add(context, AuditLog, { ...log, append })
      })
    )
    const { isOldestOpen, json, own, signInHere } = await fullOfSessions(ports)
    waits = true
    const client = new AbortController()
    const leaving = fetch(`${own.url}/session`, {
      method: "POST",
      headers: { ...sameOrigin, "content-type": "application/json" },
      body: JSON.stringify(json),
      signal: client.signal
    })
    await writing.promise
    client.abort()
    await expect(leaving).rejects.toThrow()
    await ended.promise
    waits = false
    expect(await isOldestOpen()).toBe(true)
    expect((await signInHere()).status).toBe(201)
    expect(await isOldestOpen()).toBe(false)
  })
})

describe("sessions in memory", () => {
  const inTime = <A>(work: Effect.Effect<A, never, Sessions>) =>
    Effect.runPromise(
      work.pipe(
        Effect.provideServiceEffect(Sessions, makeSessions),
        Effect.provide(webCrypto),
        Effect.provide(TestContext.TestContext)
      )
    )
  const cookie = (token: string) => `lead_signals_session=${token}`

  it("end after twelve hours [SES-2]", () =>
    inTime(
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { expiresAt, token } = yield* sessions.begin(environment)
        expect(expiresAt).toBe(sessionSeconds * 1000)
        yield* TestClock.adjust(sessionSeconds * 1000 - 1)
        expect(yield* sessions.find(cookie(token))).not.toBeNull()
        yield* TestClock.adjust(1)
        expect(yield* sessions.find(cookie(token))).toBeNull()
      })
    ))

  it("are at most a hundred of a credential: its oldest ends, and nobody else's [SES-8]", () =>
    inTime(
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const ofKey = (keyHash: string) =>
          ({ kind: "brand", brandId: "1" as BrandId, keyHash, actor: { type: "key", id: keyHash } }) as const
        const others = yield* Effect.forEach(
          [environment, { ...environment, tokenHash: "t" }, ofKey("other")],
          sessions.begin
        )
        const isThere = ({ token }: { readonly token: string }) =>
          Effect.map(sessions.find(cookie(token)), (session) => session !== null)
        const begun = yield* Effect.replicateEffect(sessions.begin(ofKey("k")), maxSessionsOfCredential + 2)
        expect(yield* Effect.forEach(begun, isThere)).toEqual(begun.map((_, i) => i >= 2))
        expect(yield* Effect.forEach(others, isThere)).toEqual([true, true, true])
        // One that has signed out makes room.
        yield* sessions.end(cookie(begun[2]!.token))
        const next = yield* sessions.begin(ofKey("k"))
        expect(yield* Effect.forEach([begun[3]!, next], isThere)).toEqual([true, true])
        // So do those that have expired.
        yield* TestClock.adjust(sessionSeconds * 1000)
        const later = yield* Effect.replicateEffect(sessions.begin(ofKey("k")), maxSessionsOfCredential)
        expect(yield* Effect.forEach(later, isThere)).toEqual(later.map(() => true))
      })
    ))

  it("begin by a code once, within an hour [SES-7]", () =>
    inTime(
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const [used, late] = [yield* sessions.createCode, yield* sessions.createCode]
        expect(yield* sessions.redeemCode("another")).toBe(false)
        expect(yield* sessions.redeemCode(used)).toBe(true)
        expect(yield* sessions.redeemCode(used)).toBe(false)
        yield* TestClock.adjust("1 hour")
        expect(yield* sessions.redeemCode(late)).toBe(false)
      })
    ))
})

describe("the operator's list of leads", () => {
  it("is that of a key of the brand, whatever the filter [OPER-9]", async () => {
    for (const query of [
      "",
      "?search=ADA&sort=name:asc",
      "?pageSize=1&page=2&includeEngagements=true",
      "?colour=1"
    ]) {
      const ofKey = await api.call(`/signals/leads${query}`, { token: brand.key })
      const ofOperator = await api.operate("GET", leadsPath(query))
      expect([ofOperator.status, ofOperator.text]).toEqual([200, ofKey.text])
      expect(ofOperator.headers.get("x-ratelimit-limit")).toBeNull()
    }
    expect((await api.operate("GET", leadsPath("?search=ADA"))).body.data.length).toBe(1)
  })

  it("refuses what a key's list refuses, and a brand that is not there [OPER-9, OPER-3]", async () => {
    expect((await api.operate("GET", leadsPath("?page=0"))).body.error.code).toBe("invalid_parameter")
    expect((await api.operate("GET", "/operator/brands/99/leads")).status).toBe(404)
    expect((await api.call(leadsPath(), { token: brand.key })).status).toBe(401)
  })
})

describe("the console", () => {
  it("is served under a strict policy, at any of its paths [SES-6]", async () => {
    for (const path of ["/console/", "/console/brands/1/leads"]) {
      const { headers, status, text } = await api.call(path)
      expect([path, status, text]).toEqual([path, 200, page])
      const policy = headers.get("content-security-policy")!
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain("unsafe")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
    }
    const asset = await api.call("/console/assets/a-1.js")
    expect([asset.text, asset.headers.get("cache-control")]).toEqual([
      "1",
      expect.stringContaining("immutable")
    ])
    expect((await api.call("/console/assets/a-2.js")).body.error.code).toBe("not_found")
    expect((await api.call("/console/", { method: "POST" })).status).toBe(405)
  })

  it("is where browsers go from / and /docs, and nobody else [SES-6, DOC-1]", async () => {
    const at = async (path: string, accept: string) => {
      const response = await fetch(`${api.url}${path}`, { headers: { accept }, redirect: "manual" })
      return [response.status, response.headers.get("location")]
    }
    expect(await at("/", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")).toEqual([302, "console/"])
    expect(await at("/", "*/*")).toEqual([302, "docs"])
    expect(await at("/", "application/json")).toEqual([302, "docs"])
    expect(await at("/console", "*/*")).toEqual([302, "console/"])
    expect(await at("/docs", "text/html,*/*;q=0.8")).toEqual([302, "console/api"])
    expect(await at("/docs", "*/*")).toEqual([200, null])
  })

  it("is not there where the host brings none [SES-6]", async () => {
    const bare = await startApi()
    expect((await bare.call("/console/")).status).toBe(404)
    const response = await fetch(bare.url, { headers: { accept: "text/html" }, redirect: "manual" })
    expect(response.headers.get("location")).toBe("docs")
  })
})
