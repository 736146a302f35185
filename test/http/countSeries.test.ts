/** Leads, engagements and deliveries over time, and what needs a hand. */
import { beforeAll, describe, expect, it } from "vitest"
import {
  type BrandSetUp,
  observation,
  observe,
  operatorToken,
  setUpBrand,
  startApi,
  startBrand
} from "../harness/HttpServers.ts"
import { startReceiver } from "../harness/Receiver.ts"

describe("a series of counts", async () => {
  const { api, brand } = await startBrand({ retryMillis: [] })
  const today = new Date().toISOString().slice(0, 10)

  const series = async (of: string, query = "") =>
    (await api.operate("GET", `/operator/brands/${brand.id}/series/${of}?${query}`)).body

  beforeAll(async () => {
    await observe(
      api,
      brand,
      observation(brand.signalId, "ada", "e-1", { trackedAt: "2026-01-04T23:59:59.999Z" }),
      observation(brand.signalId, "ada", "e-2", { trackedAt: "2026-01-05T00:00:00Z", type: "repost" }),
      observation(brand.signalId, "bo", "e-3", { trackedAt: "2026-01-05T13:00:00Z", type: null })
    )
  })

  it("counts engagements by when they were tracked, by hour, day and week [SERIES-1, SERIES-5]", async () => {
    const span = "startDate=2026-01-04&endDate=2026-01-05"
    expect(await series("engagements", span)).toEqual({
      data: {
        interval: "day",
        starts: ["2026-01-04T00:00:00.000Z", "2026-01-05T00:00:00.000Z"],
        series: [{ group: null, counts: [1, 2] }],
        rest: null
      }
    })
    expect((await series("engagements", `${span}&interval=week`)).data).toMatchObject({
      starts: ["2025-12-29T00:00:00.000Z", "2026-01-05T00:00:00.000Z"],
      series: [{ counts: [1, 2] }]
    })
    const { data } = await series("engagements", `${span}&interval=hour`)
    expect(data.starts).toHaveLength(48)
    const { counts } = data.series[0]
    expect([counts[23], counts[24], counts[37]]).toEqual([1, 1, 1])
    expect(counts.reduce((sum: number, n: number) => sum + n, 0)).toBe(3)
  })

  it("groups them by type and by signal [SERIES-5]", async () => {
    const span = "startDate=2026-01-04&endDate=2026-01-05"
    expect((await series("engagements", `${span}&by=type`)).data.series).toEqual([
      { group: null, counts: [0, 1] },
      { group: "comment", counts: [1, 0] },
      { group: "repost", counts: [0, 1] },
      { group: "reaction", counts: [0, 0] }
    ])
    expect((await series("engagements", `${span}&by=signal`)).data.series).toEqual([
      { group: brand.signalId, counts: [1, 2] }
    ])
  })

  it("counts leads by their creation [SERIES-5]", async () => {
    const { data } = await series("leads", `startDate=${today}`)
    expect(data.series).toEqual([{ group: null, counts: [2] }])
    expect((await series("leads", `startDate=${today}&by=signal`)).data.series).toEqual([
      { group: brand.signalId, counts: [2] }
    ])
  })

  it("counts deliveries that ended, by their state [SERIES-6]", async () => {
    const receiver = await startReceiver()
    const { body } = await api.operate("POST", `/operator/brands/${brand.id}/webhooks`, {
      url: receiver.url,
      events: ["lead2.created"]
    })
    await api.operate("POST", `/operator/brands/${brand.id}/webhooks/${body.data.id}/test`)
    await expect
      .poll(async () => (await series("deliveries", `startDate=${today}`)).data.series)
      .toEqual([
        { group: "delivered", counts: [1] },
        { group: "dead", counts: [0] }
      ])
  })

  it("refuses what it does not take [SERIES-2]", async () => {
    for (const [path, message] of [
      ["leads?by=type", "by takes one of signal."],
      ["engagements?by=lead", "by takes one of signal, type."],
      ["engagements?interval=minute", "interval takes one of hour, day, week."],
      [
        "engagements?interval=hour&startDate=2026-01-01&endDate=2026-01-17",
        "startDate takes a date from which there are at most 400 intervals up to endDate; there are 408."
      ]
    ]) {
      const { body, status } = await api.operate("GET", `/operator/brands/${brand.id}/series/${path}`)
      expect([status, body.error]).toEqual([400, { code: "invalid_parameter", message }])
    }
    expect((await series("deliveries", "by=state")).meta.warnings).toHaveLength(1)
  })

  it("is the operator's, of a brand that is there [OPER-1, OPER-3, SERIES-1]", async () => {
    for (const end of ["series/leads", "series/engagements", "series/deliveries", "attention"]) {
      const status = async (id: string, token: string) =>
        (await api.call(`/operator/brands/${id}/${end}`, { token })).status
      expect(await status(brand.id, brand.key)).toBe(401)
      expect(await status("99", operatorToken)).toBe(404)
    }
  })
})

describe("what needs a hand", () => {
  it("has rejected observations and refused requests of the brand's keys, since the start [OPER-13]", async () => {
    const started = Date.now()
    const api = await startApi()
    const [brand, other] = [await setUpBrand(api, 1), await setUpBrand(api, 1)]
    const attention = async ({ id }: BrandSetUp) =>
      (await api.operate("GET", `/operator/brands/${id}/attention`)).body.data
    const nothing = {
      since: expect.any(String),
      rejectedObservations: { count: 0, lastAt: null },
      refusedRequests: []
    }
    expect(await attention(brand)).toEqual(nothing)
    const wrong = { signalId: "no", person: { extId: "p", name: "Name of p" }, engagement: { id: "e" } }
    await observe(api, brand, wrong, observation(brand.signalId, "ada", "e-1"), {})
    await api.call(`/operator/brands/${brand.id}/observations`, {
      method: "POST",
      token: operatorToken,
      headers: { "content-type": "application/x-ndjson" },
      body: `${JSON.stringify(wrong)}\nno JSON\n`
    })
    for (let i = 0; i < 3; i++) await api.call("/signals/leads", { token: brand.key })
    const found = await attention(brand)
    expect(found).toEqual({
      since: expect.any(String),
      rejectedObservations: { count: 4, lastAt: expect.any(String) },
      refusedRequests: [{ keyId: brand.keyId, label: "k", count: 2, lastAt: expect.any(String) }]
    })
    expect(Date.parse(found.since)).toBeGreaterThanOrEqual(started)
    expect(await attention(other)).toEqual(nothing)
  })
})
