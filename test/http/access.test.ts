import { KeyFormat, KeyStore } from "@lead-signals/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { observation, observe, operatorToken, startApi, startBrand } from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()

const makeKey = async (json: object) =>
  (await api.operate("POST", `/operator/brands/${brand.id}/keys`, { label: "k", ...json })).body.data

describe("API keys", () => {
  it("open every reading call, with the scheme in any letter case [AUTH-1]", async () => {
    for (const path of [
      "/signals/leads",
      "/signal-leads",
      "/signals/leads/1",
      "/signal-leads/1",
      "/campaign/1/metrics"
    ]) {
      expect((await api.call(path)).status).toBe(401)
      for (const scheme of ["Bearer", "bearer", "BEARER"]) {
        const { status } = await api.call(path, { headers: { authorization: `${scheme} ${brand.key}` } })
        expect(status).not.toBe(401)
      }
    }
  })

  it("that are missing, malformed, unknown or revoked get the same 401 [AUTH-2]", async () => {
    const revoked = await makeKey({})
    await api.operate("DELETE", `/operator/brands/${brand.id}/keys/${revoked.id}`)
    const unknown = KeyFormat.fromRandom(crypto.getRandomValues(new Uint8Array(128)))
    const headers = [
      {},
      { authorization: "" },
      { authorization: "Bearer" },
      { authorization: `Basic ${brand.key}` },
      { authorization: brand.key },
      { authorization: "Bearer nonsense" },
      { authorization: `Bearer ${brand.key}x` },
      { authorization: `Bearer ${unknown}` },
      { authorization: `Bearer ${revoked.key}` },
      { authorization: `Bearer ${operatorToken}` }
    ]
    const answers = await Promise.all(
      headers.map((each) => api.call("/signals/leads", { headers: each as Record<string, string> }))
    )
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.text).toBe(answers[0]!.text)
      expect(answer.body.error.code).toBe("invalid_api_key")
      expect(answer.headers.get("www-authenticate")).toBe("Bearer")
      expect(answer.headers.get("x-ratelimit-limit")).toBeNull()
    }
  })

  it("are shown once; afterwards only their hash is there [AUTH-4, AUTH-8]", async () => {
    const made = await makeKey({ label: "shown" })
    const { text, body } = await api.operate("GET", `/operator/brands/${brand.id}/keys`)
    expect(text).not.toContain(made.key)
    expect(body.data.find((key: any) => key.id === made.id)).toEqual({
      id: made.id,
      label: "shown",
      start: made.key.slice(0, 12),
      requestsPerMinute: 60,
      createdAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
      expiresAt: null,
      scopes: ["leads", "metrics"],
      allowedAddresses: null
    })
    const stored = await api.run(
      Effect.flatMap(KeyStore, (keyStore) => keyStore.findByHash(KeyFormat.hash(made.key)))
    )
    expect(JSON.stringify(stored)).not.toContain(made.key)
  })

  it("work side by side, and stop at once when revoked [AUTH-5, AUTH-6]", async () => {
    const [old, fresh] = [await makeKey({}), await makeKey({})]
    const status = async (key: string) => (await api.call("/signals/leads", { token: key })).status
    expect([await status(old.key), await status(fresh.key)]).toEqual([200, 200])
    expect((await api.operate("DELETE", `/operator/brands/${brand.id}/keys/${old.id}`)).status).toBe(204)
    expect([await status(old.key), await status(fresh.key)]).toEqual([401, 200])
  })

  it("show when they were last used, to the minute [AUTH-8]", async () => {
    const made = await makeKey({})
    const before = Date.now()
    await api.call("/signals/leads", { token: made.key })
    const { body } = await api.operate("GET", `/operator/brands/${brand.id}/keys`)
    const { lastUsedAt } = body.data.find((key: any) => key.id === made.id)
    expect(lastUsedAt).toMatch(/:00\.000Z$/)
    expect(Date.parse(lastUsedAt)).toBeGreaterThan(before - 60_000)
    expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now())
  })
})

describe("rate limits", () => {
  it("are 60 a minute unless the key has its own [RATE-1]", async () => {
    expect((await makeKey({})).requestsPerMinute).toBe(60)
    const made = await makeKey({ requestsPerMinute: 3 })
    const { headers } = await api.call("/signals/leads", { token: made.key })
    expect(headers.get("x-ratelimit-limit")).toBe("3")
  })

  it("stand on every authenticated answer, errors too [RATE-2, ERR-9]", async () => {
    const made = await makeKey({ requestsPerMinute: 50 })
    const calls: Array<[string, string]> = [
      ["GET", "/signals/leads"],
      ["GET", "/signals/leads?sort=x"],
      ["GET", "/signals/leads/999"],
      ["GET", "/signals/leads/x"],
      ["GET", "/campaign/999/metrics"],
      ["POST", "/signals/leads"],
      ["GET", "/nothing/here"]
    ]
    for (const [i, [method, path]] of calls.entries()) {
      const { headers } = await api.call(path, { method, token: made.key })
      expect(headers.get("x-ratelimit-limit")).toBe("50")
      expect(headers.get("x-ratelimit-remaining")).toBe(String(49 - i))
      const reset = Number(headers.get("x-ratelimit-reset"))
      expect(reset - Date.now() / 1000).toBeGreaterThan(0)
      expect(reset - Date.now() / 1000).toBeLessThanOrEqual(61)
    }
  })

  it("answer 429 with Retry-After past the limit, and are each key's own [RATE-3, RATE-4, ERR-2]", async () => {
    const [made, neighbour] = [
      await makeKey({ requestsPerMinute: 2 }),
      await makeKey({ requestsPerMinute: 2 })
    ]
    const call = (key: string) => api.call("/signals/leads", { token: key })
    expect([(await call(made.key)).status, (await call(made.key)).status]).toEqual([200, 200])
    for (let i = 0; i < 3; i++) {
      const { body, headers, status } = await call(made.key)
      expect([status, body.error.code]).toEqual([429, "rate_limit_exceeded"])
      expect(headers.get("retry-after")).toMatch(/^[1-9]\d?$/)
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60)
      expect(headers.get("x-ratelimit-remaining")).toBe("0")
    }
    expect((await call(neighbour.key)).status).toBe(200)
  })

  it("are not spent by requests without a key, nor by health checks [RATE-4, HEALTH-1, DOC-1]", async () => {
    const made = await makeKey({ requestsPerMinute: 2 })
    await api.call("/signals/leads", { token: "nonsense" })
    await api.call("/health", { token: made.key })
    await api.call("/health/ready", { token: made.key })
    await api.call("/openapi.json", { token: made.key })
    const { headers } = await api.call("/signals/leads", { token: made.key })
    expect(headers.get("x-ratelimit-remaining")).toBe("1")
  })

  it("count what runs at once exactly [RATE-3]", async () => {
    const made = await makeKey({ requestsPerMinute: 10 })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => api.call("/signals/leads", { token: made.key }))
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
  })
})

describe("the operator's token", () => {
  it("opens /operator, and nothing else does [OPER-1]", async () => {
    for (const token of [null, "wrong", brand.key, operatorToken.slice(1), `${operatorToken}x`]) {
      const { body, headers, status } = await api.call("/operator/brands", { token })
      expect([status, body.error.code]).toEqual([401, "invalid_operator_token"])
      expect(headers.get("www-authenticate")).toBe("Bearer")
    }
    expect((await api.call("/operator/brands", { token: operatorToken })).status).toBe(200)
  })
})

describe("health", () => {
  it("answers without a key [HEALTH-1]", async () => {
    const { body, status } = await api.call("/health")
    expect([status, body]).toEqual([200, { status: "ok" }])
  })

  it("is ready while the store answers, and not while draining [HEALTH-2, HEALTH-3]", async () => {
    let draining = false
    const own = await startApi({ draining: () => draining })
    const { body: ready } = await own.call("/health/ready")
    expect(ready).toEqual({ status: "ok", reads: true, writes: true, reason: null })
    draining = true
    const { body, status } = await own.call("/health/ready")
    expect([status, body.error.code]).toEqual([503, "unavailable"])
    expect((await own.call("/health")).status).toBe(200)
  })
})

describe("what is said of a request", () => {
  it("has the request id of the answer in the log [ERR-4]", async () => {
    const answers = await Promise.all(
      ["/signals/leads", "/nope", "/health", "/signals/leads?sort=x"].map((path) =>
        api.call(path, { token: brand.key })
      )
    )
    const requestIds = answers.map(({ headers }) => headers.get("x-request-id"))
    expect(new Set(requestIds).size).toBe(4)
    for (const id of requestIds)
      expect(api.log.filter((line) => line.includes(`"${id}"`)).length).toBeGreaterThan(0)
  })

  it("holds no personal data, key or token, whatever happened [PII-2, ERR-3]", async () => {
    const secret = ["Zaphod-Secret", "zaphod-headline", "zaphod-comment"]
    await observe(api, brand, {
      ...observation(brand.signalId, "zaphod-ext", "z-1", { commentText: "zaphod-comment" }),
      person: { extId: "zaphod-ext", name: "Zaphod-Secret", headline: "zaphod-headline" }
    })
    const bodies = [
      await api.call("/signals/leads?search=Zaphod-Secret", { token: brand.key }),
      await api.call("/signals/leads?createdAfter=Zaphod-Secret", { token: brand.key }),
      await api.call("/signals/leads/Zaphod-Secret", { token: brand.key }),
      await api.call("/Zaphod-Secret", { token: brand.key }),
      await api.operate("POST", `/operator/brands/${brand.id}/observations`, {
        observations: "Zaphod-Secret"
      }),
      await api.operate("POST", `/operator/brands/${brand.id}/observations`, {
        observations: [
          {
            signalId: "Zaphod-Secret",
            person: { extId: 5, name: ["Zaphod-Secret"] },
            engagement: { id: "z-2", type: "Zaphod-Secret" }
          }
        ]
      }),
      await api.operate("PATCH", `/operator/brands/${brand.id}/leads/1`, { score1: "Zaphod-Secret" }),
      await api
        .operate("POST", "/operator/brands", { name: 5, "Zaphod-Secret": 1 })
        .then((answer) => ({ ...answer, text: "" }))
    ]
    const errors = bodies.filter(({ status }) => status >= 400).map(({ text }) => text)
    expect(errors.length).toBeGreaterThan(4)
    for (const text of [...errors, ...api.log]) {
      for (const word of [...secret, brand.key, operatorToken, "zaphod-ext"]) expect(text).not.toContain(word)
    }
    expect(bodies[5]!.text).toContain('"rejected"')
    expect(bodies[5]!.text).not.toContain("Zaphod-Secret")
  })
})
