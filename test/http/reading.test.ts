import { beforeAll, describe, expect, it } from "vitest"
import { observation, observe, setUpBrand, startBrand } from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()
const other = await setUpBrand(api)

const ids: Record<string, number> = {}

beforeAll(async () => {
  for (let p = 0; p < 30; p++) {
    const [outcome] = await observe(api, brand, observation(brand.signalId, `p${p}`, `e${p}`))
    ids[`p${p}`] = outcome.leadId
  }
  const many = Array.from({ length: 24 }, (_, i) =>
    observation(brand.signalId, "p0", `m${String(i).padStart(2, "0")}`, {
      trackedAt: `2026-02-01T00:00:${String(i % 3)}0Z`
    })
  )
  await observe(api, brand, ...many)
  await observe(api, other, observation(other.signalId, "p0", "e0"))
})

const get = (path: string, key = brand.key) => api.call(path, { token: key })

describe("the list", () => {
  it("has data and meta, and meta.engagements always [LIST-1, SORT-4, PAGE-1, PAGE-2]", async () => {
    const { body, headers, status } = await get("/signals/leads")
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("application/json")
    expect(Object.keys(body)).toEqual(["data", "meta"])
    expect(body.data).toHaveLength(25)
    expect(body.meta).toEqual({
      pagination: { page: 1, pageSize: 25, pageCount: 2, total: 30 },
      sort: "createdAt:desc",
      engagements: { detailIncluded: false }
    })
  })

  it("shows a lead with the keys and types of the contract [LIST-8, ENG-1]", async () => {
    const { body } = await get("/signals/leads?search=of%20p7")
    expect(body.data).toEqual([
      {
        id: ids["p7"],
        extId: "p7",
        name: "Name of p7",
        headline: "Headline of p7",
        username: "user-p7",
        title1: "Title",
        liProfileUrl: "https://network.example/in/p7",
        profileImgUrl: "https://network.example/img/p7",
        leadCompany: { id: 12, name: "Employer", domain: "employer.example" },
        signalId: brand.signalId,
        signalIds: [brand.signalId],
        qualified: false,
        exported: false,
        isEmployee: false,
        score1: null,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }
    ])
  })

  it("answers the same under its second path [LIST-9]", async () => {
    for (const query of ["", "?pageSize=2&sort=name:asc&includeEngagements=true", "?nope=1"]) {
      expect((await get(`/signal-leads${query}`)).text).toBe((await get(`/signals/leads${query}`)).text)
    }
    const id = ids["p3"]
    expect((await get(`/signal-leads/${id}`)).text).toBe((await get(`/signals/leads/${id}`)).text)
  })

  it("caps the page size in silence and serves pages past the end empty [PAGE-3, PAGE-4]", async () => {
    expect((await get("/signals/leads?pageSize=5000")).body.meta.pagination).toMatchObject({
      pageSize: 100,
      pageCount: 1
    })
    expect(
      (await get("/signals/leads?pageSize=100&includeEngagements=TRUE")).body.meta.pagination
    ).toMatchObject({
      pageSize: 25,
      pageCount: 2
    })
    const past = await get("/signals/leads?page=9007199254740991&pageSize=100")
    expect([past.status, past.body.data, past.body.meta.pagination.total]).toEqual([200, [], 30])
  })

  it("holds at most 25 leads with at most 20 engagements, newest first, and says what was cut [ENG-1, ENG-5]", async () => {
    const { body } = await get("/signals/leads?pageSize=100&includeEngagements=true&sort=updatedAt:desc")
    expect(body.data).toHaveLength(25)
    const [first, second] = body.data
    expect([first.engagements.length, first.engagementsMeta]).toEqual([20, { truncated: true }])
    expect([second.engagements.length, second.engagementsMeta]).toEqual([1, { truncated: false }])
    const order = first.engagements.map((e: any) => `${e.trackedAt} ${e.id}`)
    expect(order).toEqual([...order].sort().reverse())
  })

  it("adds detail only together with engagements [ENG-3, ENG-4]", async () => {
    const { body: alone } = await get("/signals/leads?includeEngagementDetail=true&pageSize=1")
    expect(alone.meta.engagements.detailIncluded).toBe(false)
    expect(alone.data[0]).not.toHaveProperty("engagements")
    const { body: plain } = await get("/signals/leads?includeEngagements=true&pageSize=1")
    expect(Object.keys(plain.data[0].engagements[0])).toEqual([
      "id",
      "type",
      "reactionType",
      "commentText",
      "postUrl",
      "postContent",
      "postPostedAt",
      "postAuthor",
      "signal",
      "emittedAt",
      "trackedAt"
    ])
    const { body: detailed } = await get(
      "/signals/leads?includeEngagements=true&includeEngagementDetail=true&pageSize=1"
    )
    expect(detailed.meta.engagements.detailIncluded).toBe(true)
    expect(detailed.data[0].engagements[0]).toMatchObject({
      postAuthorDetail: { name: "Author" },
      source: { liCompanyId: "99" }
    })
  })

  it("names ignored parameters in meta.warnings, which is absent otherwise [LIST-7, LIST-10]", async () => {
    const { body, status } = await get("/signals/leads?page%5Bsize%5D=3&Sort=name:asc&pageSize=1")
    expect(status).toBe(200)
    expect(body.meta.warnings).toEqual([
      expect.stringContaining('"page[size]"'),
      expect.stringMatching(/"Sort".*Did you mean "sort"\?/)
    ])
    expect((await get("/signals/leads")).body.meta).not.toHaveProperty("warnings")
  })

  it.each([
    ["sort=name", "sort"],
    ["sort=name:asc&sort=name:asc", "sort"],
    ["page=0", "page"],
    ["page=", "page"],
    ["pageSize=1.5", "pageSize"],
    ["pageSize=-1", "pageSize"],
    ["qualified=1", "qualified"],
    ["exported=", "exported"],
    ["isEmployee=true&isEmployee=true", "isEmployee"],
    ["signalId=abc", "signalId"],
    ["createdAfter=1767225600", "createdAfter"],
    ["updatedBefore=2026-02-30", "updatedBefore"],
    [`search=${"x".repeat(201)}`, "search"]
  ])(
    "refuses ?%s and names the parameter [LIST-6, LIST-7, PAGE-5, SORT-3, TIME-3, TIME-4, ERR-3]",
    async (query, name) => {
      const { body, status } = await get(`/signals/leads?${query}`)
      expect([status, body.error.code]).toEqual([400, "invalid_parameter"])
      expect(body.error.message.startsWith(`${name} `)).toBe(true)
    }
  )

  it("reads + as a space, and says to encode it where it stood before an offset [TIME-2, TIME-7]", async () => {
    expect((await get("/signals/leads?createdAfter=2026-01-01+10:00")).status).toBe(200)
    expect((await get("/signals/leads?createdAfter=2026-01-01T10:00:00%2B02:00")).status).toBe(200)
    const { body } = await get("/signals/leads?createdAfter=2026-01-01T10:00:00+02:00")
    expect(body.error.message).toContain("%2B")
  })

  it("filters by flag, by signal, and by both with AND [LIST-2, LIST-3, LIST-5]", async () => {
    const source = { type: "posts-with-keywords", value: "second" }
    const second = (
      await api.operate("POST", `/operator/brands/${brand.id}/signals`, {
        name: "2",
        signalType: "t",
        source
      })
    ).body.data.id
    for (const person of ["p1", "p2"])
      await observe(api, brand, observation(second, person, `second-${person}`))
    await api.operate("PATCH", `/operator/brands/${brand.id}/leads/${ids["p2"]}`, {
      qualified: true,
      exported: true
    })
    const found = async (query: string) =>
      (await get(`/signals/leads?sort=name:asc&pageSize=100&${query}`)).body.data.map(
        (lead: any) => lead.extId
      )
    expect(await found(`signalId=${second}`)).toEqual(["p1", "p2"])
    expect(await found(`signalId=${second}&qualified=true`)).toEqual(["p2"])
    expect(await found(`signalId=${second}&exported=false`)).toEqual(["p1"])
    expect(await found("qualified=true&exported=true&isEmployee=false")).toEqual(["p2"])
    expect(await found("isEmployee=true")).toEqual([])
  })

  it("takes inclusive bounds at the millisecond [TIME-5]", async () => {
    const { createdAt, id } = (await get("/signals/leads?search=of%20p7")).body.data[0]
    const found = async (query: string) =>
      (await get(`/signals/leads?${query}`)).body.data.some((lead: any) => lead.id === id)
    const next = new Date(Date.parse(createdAt) + 1).toISOString()
    const before = new Date(Date.parse(createdAt) - 1).toISOString()
    expect(await found(`pageSize=100&createdAfter=${createdAt}&createdBefore=${createdAt}`)).toBe(true)
    expect(await found(`pageSize=100&createdAfter=${next}`)).toBe(false)
    expect(await found(`pageSize=100&createdBefore=${before}`)).toBe(false)
  })

  it("shows only the key's own brand [AUTH-3]", async () => {
    const { body } = await get("/signals/leads", other.key)
    expect(body.meta.pagination.total).toBe(1)
    expect(body.data[0].signalId).toBe(other.signalId)
    expect((await get(`/signals/leads?signalId=${brand.signalId}`, other.key)).body.data).toEqual([])
  })
})

describe("the detail", () => {
  it("has the list's fields, company, engagements and engagementsMeta [DET-1, DET-4, ENG-7, ENG-8, ENG-10]", async () => {
    const id = ids["p5"]
    const listed = (await get("/signals/leads?search=of%20p5")).body.data[0]
    const { body } = await get(`/signals/leads/${id}?includeEngagementDetail=true`)
    const { company, engagements, engagementsMeta, ...fields } = body.data
    expect(Object.keys(body)).toEqual(["data"])
    expect(fields).toEqual(listed)
    expect(company).toEqual({
      id: "12",
      name: "Employer",
      url: null,
      homepageUrl: null,
      logoUrl: null,
      industry: null,
      staffCountRange: null,
      staffCount: 40,
      location: null,
      country: null,
      city: null,
      username: null,
      description: null
    })
    expect(engagementsMeta).toEqual({ truncated: false })
    expect(engagements[0].postAuthorDetail).toEqual({
      name: "Author",
      firstName: "Au",
      lastName: "Thor",
      headline: null,
      username: null,
      linkedinProfileUrl: null,
      profileImageUrl: null,
      company: null,
      leadId: null
    })
    expect(Object.keys(engagements[0].source)).toEqual(["id", "type", "value", "liCompanyId", "company"])
    expect(engagements[0].source.value).toBe("https://rival.example/")
  })

  it("leaves detail out unless asked [DET-2, ENG-3]", async () => {
    const [engagement] = (await get(`/signals/leads/${ids["p5"]}`)).body.data.engagements
    expect(engagement).not.toHaveProperty("postAuthorDetail")
    expect(engagement).not.toHaveProperty("source")
  })

  it("answers another brand's lead exactly as one that does not exist [DET-3, AUTH-3]", async () => {
    const theirs = await get(`/signals/leads/${ids["p5"]}`, other.key)
    const nobodys = await get("/signals/leads/999999", other.key)
    expect([theirs.status, theirs.body.error.code]).toEqual([404, "not_found"])
    expect(theirs.text).toBe(nobodys.text)
  })

  it.each(["0", "-1", "1.5", "abc", "9007199254740992", "%F0%9F%98%80"])(
    "refuses the id %s [DET-3]",
    async (id) => {
      const { body, status } = await get(`/signals/leads/${id}`)
      expect([status, body.error.code, body.error.message.startsWith("id ")]).toEqual([
        400,
        "invalid_parameter",
        true
      ])
    }
  )

  it("shows an author's company and lead id once the author is a lead [ENG-7]", async () => {
    await observe(
      api,
      brand,
      observation(brand.signalId, "late", "late-1", { postAuthorDetail: { extId: "p9", name: "P9" } })
    )
    const { body } = await get(
      "/signals/leads?search=of%20late&includeEngagements=true&includeEngagementDetail=true"
    )
    expect(body.data[0].engagements[0].postAuthorDetail).toMatchObject({
      leadId: String(ids["p9"]),
      company: { id: "12" }
    })
  })

  it("never shows what was stored for internal use [ENG-9]", async () => {
    const { text } = await get(
      "/signals/leads?pageSize=25&includeEngagements=true&includeEngagementDetail=true"
    )
    expect(text).not.toContain("internal-scrape")
    expect(text).not.toContain("profileTimes")
  })
})
