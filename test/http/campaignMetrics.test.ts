import { beforeAll, describe, expect, it } from "vitest"
import { setUpBrand, startBrand } from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()
const other = await setUpBrand(api)

const get = (path: string, key = brand.key) => api.call(path, { token: key })

describe("metrics", () => {
  let campaign: string
  const put = (post: string, day: string, n: number) =>
    api.operate("PUT", `/operator/brands/${brand.id}/campaigns/${campaign}/posts/${post}/snapshots/${day}`, {
      impressions: n * 10,
      reactions: n,
      comments: n,
      reposts: n
    })

  beforeAll(async () => {
    campaign = (await api.operate("POST", `/operator/brands/${brand.id}/campaigns`, { name: "C" })).body.data
      .id
    await put("a", "2026-01-01", 1)
    await put("b", "2026-01-03", 2)
    await put("a", "2026-01-05", 9)
    await put("a", "2026-01-05", 4)
  })

  it("sums the posts, latest snapshot in the span, a second reading replacing the first [MET-1, MET-2, MET-4, MET-7]", async () => {
    const metrics = async (query = "") => (await get(`/campaign/${campaign}/metrics${query}`)).body
    expect(await metrics()).toEqual({
      data: {
        campaignId: campaign,
        impressions: 60,
        reactions: 6,
        comments: 6,
        reposts: 6,
        engagementRate: 18 / 60,
        snapshotDate: "2026-01-05"
      }
    })
    expect((await metrics("?endDate=2026-01-04")).data).toMatchObject({
      impressions: 30,
      snapshotDate: "2026-01-03"
    })
    expect((await metrics("?startDate=2026-01-01&endDate=2026-01-01")).data.snapshotDate).toBe("2026-01-01")
    expect((await metrics("?startDate=2026-01-02")).data.snapshotDate).toBe("2026-01-05")
    expect((await metrics("?start_date=2026-01-02")).meta.warnings[0]).toContain("startDate")
  })

  it("is 200 with nulls where no snapshot lies in the span [MET-3]", async () => {
    const { body, status } = await get(`/campaign/${campaign}/metrics?endDate=2025-12-31`)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      campaignId: campaign,
      impressions: null,
      reactions: null,
      comments: null,
      reposts: null,
      engagementRate: null,
      snapshotDate: null
    })
  })

  it.each([
    "startDate=2026-02-30",
    "startDate=2026-1-1",
    "endDate=",
    "endDate=2026-01-01T00:00:00Z",
    "endDate=2026-01-01&endDate=2026-01-01",
    "startDate=2026-01-02&endDate=2026-01-01"
  ])("refuses ?%s [MET-5]", async (query) => {
    const { body, status } = await get(`/campaign/${campaign}/metrics?${query}`)
    expect([status, body.error.code]).toEqual([400, "invalid_parameter"])
    expect(body.error.message).toMatch(/^(startDate|endDate) /)
  })

  it("is the same for an operator: answers, warnings and errors [MET-9, MET-6]", async () => {
    for (const query of [
      "",
      "?endDate=2026-01-04",
      "?startDate=2026-01-01&endDate=2026-01-01",
      "?endDate=2025-12-31",
      "?start_date=2026-01-02",
      "?startDate=2026-02-30",
      "?startDate=2026-01-02&endDate=2026-01-01"
    ]) {
      const ofKey = await get(`/campaign/${campaign}/metrics${query}`)
      const path = `/operator/brands/${brand.id}/campaigns/${campaign}/metrics${query}`
      const { body, status } = await api.operate("GET", path)
      expect([query, status, body]).toEqual([query, ofKey.status, ofKey.body])
    }
    for (const path of [`${other.id}/campaigns/${campaign}`, `${brand.id}/campaigns/x`, `99/campaigns/1`]) {
      const { body, status } = await api.operate("GET", `/operator/brands/${path}/metrics`)
      expect([path, status, body.error.code]).toEqual([path, 404, "not_found"])
    }
  })

  it("is 404 for an unknown campaign and for another brand's [MET-6, AUTH-3]", async () => {
    const theirs = await get(`/campaign/${campaign}/metrics`, other.key)
    expect([theirs.status, theirs.body.error.code]).toEqual([404, "not_found"])
    for (const id of ["999", "x", "0", "%20"])
      expect((await get(`/campaign/${id}/metrics`, other.key)).text).toBe(theirs.text)
  })
})
