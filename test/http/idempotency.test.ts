/** Idempotency-Keys over HTTP: what is answered again, what is refused, and what is kept. */
import {
  Idempotency,
  IdempotencyRecords,
  IdempotencyRetention,
  StoreUnavailable,
  WebhookStore
} from "@lead-signals/domain"
import * as MemoryStore from "@lead-signals/store-memory"
import { Context, Effect, Layer } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, type Api, operatorToken, setUpBrand, startApi } from "../harness/HttpServers.ts"

let memory: MemoryStore.Memory
let api: Api
let brandId: string

beforeAll(async () => {
  memory = new MemoryStore.Memory()
  api = await startApi({ stores: MemoryStore.layerOver(memory), retryMillis: [1000] })
  brandId = (await setUpBrand(api)).id
})

let last = 0
const freshKey = () => `"test-key-number-${++last}"`

const post = (path: string, key: string, json?: unknown, token = operatorToken, of = api): Promise<Answer> =>
  of.call(path, {
    method: "POST",
    token,
    headers: { "idempotency-key": key },
    ...(json === undefined ? {} : { json })
  })

const ofBrand = (rest: string) => `/operator/brands/${brandId}${rest}`

const brandCount = async () => (await api.operate("GET", "/operator/brands")).body.data.length
const auditCount = async () =>
  (await api.operate("GET", "/operator/audit?pageSize=100")).body.data.length as number

const signal = {
  name: "S",
  signalType: "t",
  source: { type: "posts-with-keywords", value: "v" }
}
const webhook = { url: "http://127.0.0.1:9/hook", events: ["lead2.created"] }

describe("an Idempotency-Key", () => {
  it("gets the same answer again, and nothing is done twice [IDEM-1, IDEM-2]", async () => {
    const key = freshKey()
    const first = await post("/operator/brands", key, { name: "Once" })
    expect(first.status).toBe(201)
    expect(first.headers.get("idempotent-replayed")).toBeNull()
    const brands = await brandCount()
    const again = await post("/operator/brands", key, { name: "Once" })
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(again.headers.get("content-type")).toBe("application/json")
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"))
    expect(await brandCount()).toBe(brands)
  })

  it("is refused with another body where the call takes none [IDEM-2]", async () => {
    const { id } = (await api.operate("POST", ofBrand("/webhooks"), webhook)).body.data
    const key = freshKey()
    const test = (body?: string, of = key) =>
      api.call(ofBrand(`/webhooks/${id}/test`), {
        method: "POST",
        token: operatorToken,
        headers: { "idempotency-key": of },
        ...(body === undefined ? {} : { body })
      })
    expect((await test("aaa")).status).toBe(202)
    expect((await test("aaa")).headers.get("idempotent-replayed")).toBe("true")
    for (const other of ["bbb", undefined]) {
      const { body, status } = await test(other)
      expect([other, status, body.error.code]).toEqual([other, 422, "idempotency_key_reused"])
    }
    expect((await test(undefined, freshKey())).status).toBe(202)
    expect((await test("x".repeat(1024 * 1024 + 1), freshKey())).status).toBe(413)
  })

  it("is refused with another body, and does nothing [IDEM-2]", async () => {
    const key = freshKey()
    await post("/operator/brands", key, { name: "A" })
    const brands = await brandCount()
    for (const json of [{ name: "B" }, { name: "A ", x: 1 }, undefined]) {
      const other = await post("/operator/brands", key, json)
      expect([other.status, other.body.error.code]).toEqual([422, "idempotency_key_reused"])
    }
    expect((await post("/operator/brands?a=1", key, { name: "A" })).status).toBe(422)
    expect(await brandCount()).toBe(brands)
  })

  it("is another key of another operator, and on another path [IDEM-1]", async () => {
    const key = freshKey()
    const created = await api.operate("POST", "/operator/tokens", { name: "t", scopes: ["admin"] })
    const answers = [
      await post("/operator/brands", key, { name: "Mine" }),
      await post("/operator/brands", key, { name: "Theirs" }, created.body.data.token),
      await post(ofBrand("/campaigns"), key, { name: "C" })
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map(({ headers }) => headers.get("idempotent-replayed")))).toEqual(new Set([null]))
  })

  it("counts on every POST of operators but observations [IDEM-1]", async () => {
    const hook = await post(ofBrand("/webhooks"), freshKey(), webhook)
    expect(hook.status).toBe(201)
    const item = ofBrand(`/webhooks/${hook.body.data.id}`)
    const calls: ReadonlyArray<readonly [path: string, json?: unknown]> = [
      ["/operator/brands", { name: "B" }],
      ["/operator/tokens", { name: "t", scopes: ["metrics"] }],
      [ofBrand("/keys"), { label: "k" }],
      [ofBrand("/signals"), signal],
      [ofBrand("/campaigns"), { name: "C" }],
      [ofBrand("/webhooks"), webhook],
      [`${item}/rotate-secret`],
      [`${item}/test`],
      [`${item}/recover`, { since: "2026-01-31T10:00:00Z" }],
      [`${item}/deliveries/wh_00000000000000000000000000000000/resend`],
      [ofBrand("/leads/1/resend"), { webhookId: hook.body.data.id, event: "lead2.created" }]
    ]
    for (const [path, json] of calls) {
      const key = freshKey()
      const first = await post(path, key, json)
      const again = await post(path, key, json)
      expect([path, again.status, again.text]).toEqual([path, first.status, first.text])
      expect([path, again.headers.get("idempotent-replayed")]).toEqual([path, "true"])
    }
    const observed = { observations: [] }
    const key = freshKey()
    for (const json of [observed, observed]) {
      const answer = await post(ofBrand("/observations"), key, json)
      expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, null])
    }
  })

  it("keeps refusals that follow from the data, and no others [IDEM-4]", async () => {
    const missing = freshKey()
    const path = "/operator/brands/987654/keys"
    expect((await post(path, missing, { label: "k" })).status).toBe(404)
    expect((await post(path, missing, { label: "k" })).headers.get("idempotent-replayed")).toBe("true")
    const invalid = freshKey()
    const refused = await post("/operator/brands", invalid, { name: "" })
    expect(refused.status).toBe(400)
    const again = await post("/operator/brands", invalid, { name: "" })
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([refused.text, "true"])
    const forbidden = freshKey()
    const { body } = await api.operate("POST", "/operator/tokens", { name: "t", scopes: ["read"] })
    for (let i = 0; i < 2; i++) {
      const answer = await post("/operator/brands", forbidden, { name: "A" }, body.data.token)
      expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([403, null])
    }
  })

  it("takes a string of RFC 8941, or the same bare, of 16 to 255 characters [IDEM-1]", async () => {
    const json = { name: "Spelt" }
    const first = await post("/operator/brands", '"spelt-in-many-ways"', json)
    for (const key of ["spelt-in-many-ways", ' "spelt-in-many-ways";v=1 ']) {
      expect((await post("/operator/brands", key, json)).text).toBe(first.text)
    }
    expect((await post("/operator/brands", '"with \\"quotes\\" and \\\\ in"', json)).status).toBe(201)
    expect((await post("/operator/brands", "x".repeat(255), json)).status).toBe(201)
    const brands = await brandCount()
    for (const key of [
      "",
      '""',
      "too-short-by-one",
      '"unterminated-string',
      "two words that are bare",
      '"first-of-two-keys", "second-of-two-keys"',
      '"a bad escape \\n in it"',
      "x".repeat(256)
    ].map((each) => (each === "too-short-by-one" ? each.slice(1) : each))) {
      const answer = await post("/operator/brands", key, json)
      expect([key, answer.status]).toEqual([key, 400])
      expect(answer.body.error.message).toMatch(/^Idempotency-Key takes/)
    }
    expect(await brandCount()).toBe(brands)
  })

  it("repeats an answer that held a secret, which no store has in the clear [IDEM-5]", async () => {
    const key = freshKey()
    const first = await post(ofBrand("/keys"), key, { label: "secret" })
    expect((await post(ofBrand("/keys"), key, { label: "secret" })).body.data.key).toBe(first.body.data.key)
    const hookKey = freshKey()
    const hook = await post(ofBrand("/webhooks"), hookKey, webhook)
    const kept = JSON.stringify([...memory.idempotencyRecords.values()])
    for (const each of [
      first.body.data.key,
      hook.body.data.secret,
      key,
      "test-key-number",
      "secret",
      "127.0.0.1"
    ])
      expect(kept).not.toContain(each)
  })

  it("makes one of many calls at once, and refuses or answers the others [IDEM-3]", async () => {
    const key = freshKey()
    const before = await brandCount()
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => post("/operator/brands", key, { name: "Raced" }))
    )
    expect(await brandCount()).toBe(before + 1)
    const made = answers.filter(({ status }) => status === 201)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    for (const { body, headers, status } of answers.filter((each) => !made.includes(each))) {
      expect([status, body.error.code]).toEqual([409, "idempotency_key_in_use"])
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    }
  })

  it("has one entry in the audit log, of the call that did it [AUD-1, IDEM-2]", async () => {
    const key = freshKey()
    const before = await auditCount()
    for (let i = 0; i < 3; i++) await post("/operator/brands", key, { name: "Audited" })
    await post("/operator/brands", key, { name: "Other" })
    expect(await auditCount()).toBe(Math.min(100, before + 1))
  })
})

describe("a store that fails", () => {
  /** A store whose creation of webhooks fails, before its transaction or after it. */
  const startFailing = async (when: "before" | "after" | "completing") => {
    const place = new MemoryStore.Memory()
    let isFailing = false
    const failed = Effect.fail(new StoreUnavailable({ reason: "simulated" }))
    const stores = Layer.map(MemoryStore.layerOver(place), (context) => {
      const webhooks = Context.get(context, WebhookStore)
      const records = Context.get(context, IdempotencyRecords)
      return context.pipe(
        Context.add(WebhookStore, {
          ...webhooks,
          create: (given) => {
            if (!isFailing || when === "completing") return webhooks.create(given)
            return when === "before" ? failed : Effect.zipRight(webhooks.create(given), failed)
          }
        }),
        Context.add(IdempotencyRecords, {
          ...records,
          complete: (...args) => (isFailing && when === "completing" ? failed : records.complete(...args))
        })
      )
    })
    const of = await startApi({ stores, retryMillis: [1000] })
    const { id } = await setUpBrand(of)
    isFailing = true
    const call = (key: string) => post(`/operator/brands/${id}/webhooks`, key, webhook, operatorToken, of)
    const count = async () => (await of.operate("GET", `/operator/brands/${id}/webhooks`)).body.data.length
    /** As if the process that held each key had ended long ago. */
    const forgetLeases = () => {
      for (const record of place.idempotencyRecords.values())
        place.idempotencyRecords.set(record.id, { ...record, leaseUntil: 0 })
    }
    return { call, count, forgetLeases, recover: () => (isFailing = false) }
  }

  it("leaves a key free under which nothing was committed [IDEM-3, IDEM-4]", async () => {
    const { call, count, recover } = await startFailing("before")
    const key = freshKey()
    expect((await call(key)).status).toBe(503)
    recover()
    expect((await call(key)).status).toBe(201)
    expect(await count()).toBe(1)
  })

  it("says that an answer is lost when the change was committed, and makes no second one [IDEM-3]", async () => {
    for (const when of ["after", "completing"] as const) {
      const { call, count, forgetLeases, recover } = await startFailing(when)
      const key = freshKey()
      expect((await call(key)).status).toBe(when === "after" ? 503 : 201)
      recover()
      expect((await call(key)).body.error.code).toBe("idempotency_key_in_use")
      forgetLeases()
      const again = await call(key)
      expect([again.status, again.body.error.code]).toEqual([409, "idempotency_answer_lost"])
      expect(await count()).toBe(1)
    }
  })
})

/** Adds records of the environment's operator. */
const addRecords = (place: MemoryStore.Memory, count: number, createdAt: number) => {
  for (let i = 0; i < count; i++) {
    const id = `record ${i}`
    place.idempotencyRecords.set(id, {
      id,
      actor: "environment",
      fingerprint: "",
      holder: "",
      state: "answered",
      createdAt,
      leaseUntil: createdAt,
      answer: ""
    })
  }
}

describe("an operator's keys", () => {
  it("are ten thousand at most, and those of others are counted apart [IDEM-6]", async () => {
    const place = new MemoryStore.Memory()
    const of = await startApi({ stores: MemoryStore.layerOver(place) })
    const now = Date.now()
    addRecords(place, 9_999, now)
    expect((await post("/operator/brands", freshKey(), { name: "A" }, operatorToken, of)).status).toBe(201)
    const refused = await post("/operator/brands", freshKey(), { name: "A" }, operatorToken, of)
    expect([refused.status, refused.body.error.code]).toEqual([429, "too_many_idempotency_keys"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    const created = await of.operate("POST", "/operator/tokens", { name: "t", scopes: ["admin"] })
    const theirs = await post("/operator/brands", freshKey(), { name: "A" }, created.body.data.token, of)
    expect(theirs.status).toBe(201)
    for (const record of place.idempotencyRecords.values())
      place.idempotencyRecords.set(record.id, { ...record, createdAt: now - Idempotency.keptMillis - 1 })
    await post("/operator/brands", freshKey(), { name: "B" }, created.body.data.token, of)
    // A new key takes ten that are over with it.
    expect(place.idempotencyRecords.size).toBe(10_000 + 2 - 10)
  })
  it("are free again after their day, also in a host that runs no retention [IDEM-6]", async () => {
    const place = new MemoryStore.Memory()
    const of = await startApi({ stores: MemoryStore.layerOver(place) })
    addRecords(place, 10_000, Date.now() - Idempotency.keptMillis - 1)
    const taken = await post("/operator/brands", freshKey(), { name: "A" }, operatorToken, of)
    expect(taken.status).toBe(201)
    expect(place.idempotencyRecords.size).toBe(10_000 - IdempotencyRetention.pieceSize + 1 - 10)
  })
})
