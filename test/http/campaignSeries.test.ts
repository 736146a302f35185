/** Figures of campaigns over time. */
import { beforeAll, describe, expect, it } from "vitest"
import { setUpBrand, startBrand } from "../harness/HttpServers.ts"

describe("the series of a campaign", async () => {
  const { api, brand } = await startBrand()
  let path: string

  const put = (post: string, day: string, impressions: number, comments = 0) =>
    api.operate("PUT", `${path}/posts/${post}/snapshots/${day}`, {
      impressions,
      reactions: 0,
      comments,
      reposts: 0
    })
  const series = async (query: string) => (await api.operate("GET", `${path}/series?${query}`)).body
  const impressions = async (query: string) =>
    (await series(query)).data.points.map((point: any) => [point.start.slice(0, 10), point.impressions])

  beforeAll(async () => {
    const { body } = await api.operate("POST", `/operator/brands/${brand.id}/campaigns`, { name: "C" })
    path = `/operator/brands/${brand.id}/campaigns/${body.data.id}`
    await put("a", "2026-01-06", 100, 10)
    await put("b", "2026-01-07", 50)
    // A corrected total is smaller than the one before.
    await put("a", "2026-01-08", 90, 10)
  })

  it("has the cumulative figures at the end of each day, of all posts or of one [SERIES-1, SERIES-3]", async () => {
    const span = "startDate=2026-01-05&endDate=2026-01-08"
    expect(await impressions(span)).toEqual([
      ["2026-01-05", null],
      ["2026-01-06", 100],
      ["2026-01-07", 150],
      ["2026-01-08", 140]
    ])
    expect(await impressions(`${span}&postId=b`)).toEqual([
      ["2026-01-05", null],
      ["2026-01-06", null],
      ["2026-01-07", 50],
      ["2026-01-08", 50]
    ])
    expect((await series(span)).data).toMatchObject({ postId: null, interval: "day" })
    expect((await series(span)).data.points[1]).toEqual({
      start: "2026-01-06T00:00:00.000Z",
      impressions: 100,
      reactions: 0,
      comments: 10,
      reposts: 0,
      engagementRate: 0.1
    })
  })

  it("has weeks from Monday on, of which the last ends with endDate [SERIES-1, SERIES-3]", async () => {
    expect(await impressions("interval=week&startDate=2026-01-04&endDate=2026-01-07")).toEqual([
      ["2025-12-29", null],
      ["2026-01-05", 150]
    ])
  })

  it("refuses what it does not take, and warns of what it does not know [SERIES-2]", async () => {
    const refusals = [
      ["interval=hour", "interval takes one of day, week."],
      ["interval=", "interval takes one of day, week."],
      ["interval=day&interval=day", "interval may be given only once."],
      ["startDate=2026-02-30", "startDate takes a date as YYYY-MM-DD, such as 2026-01-31."],
      ["endDate=tomorrow", "endDate takes a date as YYYY-MM-DD, such as 2026-01-31."],
      ["startDate=2026-01-02&endDate=2026-01-01", "startDate takes a date that is not after endDate."],
      [
        "startDate=2025-01-01&endDate=2026-02-05",
        "startDate takes a date from which there are at most 400 intervals up to endDate; there are 401."
      ]
    ]
    for (const [query, message] of refusals) {
      const { body, status } = await api.operate("GET", `${path}/series?${query}`)
      expect([query, status, body.error]).toEqual([query, 400, { code: "invalid_parameter", message }])
    }
    const { data } = await series("startDate=2025-01-01&endDate=2026-02-04")
    expect(data.points).toHaveLength(400)
    expect((await series("intervall=week")).meta.warnings).toEqual([
      'The parameter "intervall" is unknown and was ignored. Did you mean "interval"?'
    ])
  })

  it("ends with today, and has no interval that has not begun [SERIES-2]", async () => {
    const today = new Date().toISOString().slice(0, 10)
    const points = await impressions("")
    expect(points).toHaveLength(30)
    expect(points.at(-1)![0] >= today).toBe(true)
    expect((await impressions("startDate=9998-01-01&endDate=9998-01-02")).length).toBe(0)
  })

  it("is of a campaign of the brand alone [OPER-3, SERIES-3, SERIES-4]", async () => {
    const other = await setUpBrand(api)
    const elsewhere = path.replace(`/brands/${brand.id}/`, `/brands/${other.id}/`)
    for (const each of [elsewhere, path.replace(/\d+$/, "99")])
      for (const end of ["series", "posts"])
        expect((await api.operate("GET", `${each}/${end}`)).status).toBe(404)
  })

  it("lists the posts with their last totals, the most impressions first [SERIES-4]", async () => {
    const { body } = await api.operate("GET", `${path}/posts`)
    expect(body.data).toEqual([
      {
        postId: "a",
        impressions: 90,
        reactions: 0,
        comments: 10,
        reposts: 0,
        engagementRate: 10 / 90,
        snapshotDate: "2026-01-08"
      },
      {
        postId: "b",
        impressions: 50,
        reactions: 0,
        comments: 0,
        reposts: 0,
        engagementRate: 0,
        snapshotDate: "2026-01-07"
      }
    ])
  })
})
