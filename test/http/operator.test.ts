import { beforeAll, describe, expect, it } from "vitest"
import {
  type Api,
  type BrandSetUp,
  observation,
  observe,
  operatorToken,
  setUpBrand,
  startApi
} from "../harness/HttpServers.ts"

let api: Api
let brand: BrandSetUp

beforeAll(async () => {
  api = await startApi()
  brand = await setUpBrand(api)
})

const inBrand = (path: string): string => `/operator/brands/${brand.id}${path}`
const lines = (body: BodyInit) =>
  api.call(inBrand("/observations"), {
    method: "POST",
    token: operatorToken,
    headers: { "content-type": "application/x-ndjson" },
    body
  })
const outcomes = (text: string): Array<any> =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

describe("setting up", () => {
  it("creates and lists brands, signals and campaigns [ERR-1]", async () => {
    const made = await api.operate("POST", "/operator/brands", { name: "Second" })
    expect([made.status, Object.keys(made.body.data)]).toEqual([
      201,
      ["id", "name", "createdAt", "deletionStartedAt"]
    ])
    expect((await api.operate("GET", "/operator/brands")).body.data).toContainEqual(made.body.data)
    const signals = (await api.operate("GET", inBrand("/signals"))).body.data
    expect(signals).toHaveLength(1)
    expect(signals[0]).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      source: { type: "li-company-mention", liCompanyId: "99" }
    })
    const campaign = await api.operate("POST", inBrand("/campaigns"), { name: "C" })
    expect((await api.operate("GET", inBrand("/campaigns"))).body.data).toEqual([campaign.body.data])
  })

  const badBodies: ReadonlyArray<readonly [path: string, body: unknown, message: string]> = [
    ["/operator/brands", {}, "name is required."],
    ["/operator/brands", { name: "" }, "name takes a text"],
    ["/operator/brands", { name: "x", nmae: "y" }, "nmae is not a field here."],
    ["/operator/brands", [], "The body takes"],
    ["/operator/brands", null, "The body takes"],
    ["/operator/brands", { name: "\ud800" }, "name takes a text"],
    ["/operator/brands", { name: "x".repeat(257) }, "name takes a text of 1 to 256 characters"],
    ["/operator/brands/1/campaigns", { name: "x".repeat(257) }, "name takes a text of 1 to 256 characters"],
    ["/operator/brands/1/keys", { label: "😀".repeat(257) }, "label takes a text of 1 to 256 characters"],
    [
      "/operator/brands/1/signals",
      { name: "s", signalType: "t", source: { type: "post-url", value: "x".repeat(4097) } },
      "source.value takes a text of 1 to 4096 characters"
    ],
    [
      "/operator/brands/1/signals",
      { name: "s", signalType: "x".repeat(257), source: { type: "post-url", value: "v" } },
      "signalType takes a text of 1 to 256 characters"
    ],
    [
      "/operator/brands/1/webhooks",
      { url: "https://receiver.example/", events: ["lead2.created"], description: "x".repeat(4097) },
      "description takes a text of at most 4096 characters"
    ],
    [
      "/operator/brands/1/keys",
      { label: "k", requestsPerMinute: 0 },
      "requestsPerMinute takes an integer from 1"
    ],
    [
      "/operator/brands/1/keys",
      { label: "k", requestsPerMinute: 1.5 },
      "requestsPerMinute takes an integer from 1"
    ],
    [
      "/operator/brands/1/signals",
      { name: "s", signalType: "t", source: { type: "page", value: "v" } },
      "source.type takes one of li-company-url"
    ],
    [
      "/operator/brands/1/signals",
      { name: "s", signalType: "t", source: { type: "post-url", value: "v", company: { id: 1 } } },
      "source.company does not go with"
    ],
    [
      "/operator/brands/1/signals",
      { name: "s", signalType: "t", source: { type: "li-profile-url", value: "v", liCompanyId: "1" } },
      "source.liCompanyId goes with"
    ],
    [
      "/operator/brands/1/signals",
      {
        name: "s",
        signalType: "t",
        source: { type: "li-company-mention", value: "v", liCompanyId: "Northwind" }
      },
      "source.liCompanyId takes a numeric company id"
    ],
    ...[
      ["li-company-url", "not a url"],
      ["li-company-url", "network.example/company/x"],
      ["li-company-url", "https://"],
      ["li-company-url", "https:///company/x"],
      ["li-profile-url", "ftp://network.example/in/x"],
      ["li-profile-url", " https://network.example/in/x"],
      ["post-url", "https://network.example/p/1\n"],
      ["post-url", "v"]
    ].map(
      ([type, value]) =>
        [
          "/operator/brands/1/signals",
          { name: "s", signalType: "t", source: { type, value } },
          `source.value takes an http or https URL for the source type ${type}`
        ] as const
    ),
    ...["li-company-mention", "posts-with-keywords"].map(
      (type) =>
        [
          "/operator/brands/1/signals",
          { name: "s", signalType: "t", source: { type, value: " \t" } },
          `source.value takes words for the source type ${type}`
        ] as const
    ),
    ["/operator/brands/1/observations", {}, "observations is required."],
    [
      "/operator/brands/1/observations",
      { observations: Array.from({ length: 1001 }, () => 1) },
      "observations takes an array of at most 1000"
    ]
  ]
  it.each(badBodies)(
    "says of a bad body to %s which field it is and what it takes: %#  [ERR-3, ENG-8]",
    async (path, body, message) => {
      const answer = await api.operate("POST", path, body)
      expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_parameter"])
      expect(answer.body.error.message).toContain(message)
    }
  )

  it("answers 404 for what is not in the brand [ERR-2, AUTH-3]", async () => {
    const calls: Array<[string, string, unknown?]> = [
      ["GET", "/operator/brands/999/keys"],
      ["POST", "/operator/brands/999/keys", { label: "k" }],
      ["GET", "/operator/brands/x/signals"],
      ["POST", "/operator/brands/999/observations", { observations: [] }],
      ["PATCH", "/operator/brands/999", { name: "x" }],
      ["PATCH", inBrand("/signals/999"), { name: "x" }],
      ["PATCH", inBrand("/campaigns/999"), { name: "x" }],
      ["DELETE", inBrand("/keys/999")],
      ["GET", inBrand("/leads/999")],
      ["PATCH", inBrand("/leads/999"), { qualified: true }],
      ["DELETE", inBrand("/leads/999")],
      ["GET", inBrand("/leads/999/export")],
      [
        "PUT",
        inBrand("/campaigns/999/posts/p/snapshots/2026-01-01"),
        { impressions: 1, reactions: 0, comments: 0, reposts: 0 }
      ]
    ]
    for (const [method, path, json] of calls) {
      const { body, status } = await api.operate(method, path, json)
      expect([path, status, body.error.code]).toEqual([path, 404, "not_found"])
    }
  })

  it("takes a source's value as it is written, when it is one of its type [ENG-8]", async () => {
    for (const [type, value] of [
      ["li-company-url", "https://network.example/company/rival?trk=a#b"],
      ["li-profile-url", "HTTP://www.network.example:8080/in/josé-例"],
      ["post-url", "https://network.example"],
      ["li-company-mention", " Rival & Co "],
      ["posts-with-keywords", "social signals, intent"]
    ]) {
      const made = await api.operate("POST", inBrand("/signals"), {
        name: "s",
        signalType: "t",
        source: { type, value }
      })
      expect([value, made.status, made.body.data?.source.value]).toEqual([value, 201, value])
    }
  })

  it("renames brands, signals and campaigns, and shows a signal's new name wherever it is shown [ENG-8]", async () => {
    const own = await setUpBrand(api)
    const of = `/operator/brands/${own.id}`
    await observe(api, own, observation(own.signalId, "renamed", "renamed"))
    const list = "/signals/leads?includeEngagements=true"
    const nameIn = async (path: string) => {
      const { data } = (await api.call(path, { token: own.key })).body
      return (Array.isArray(data) ? data[0] : data).engagements[0].signal.name
    }
    const { id } = (await api.call(list, { token: own.key })).body.data[0]
    const before = [await nameIn(list), await nameIn(`/signals/leads/${id}`)]
    const updatedAt = (await api.call(`/signals/leads/${id}`, { token: own.key })).body.data.updatedAt
    const renamed = await api.operate("PATCH", `${of}/signals/${own.signalId}`, { name: "Renamed" })
    expect([renamed.status, renamed.body.data.name]).toEqual([200, "Renamed"])
    expect((await api.operate("GET", `${of}/signals`)).body.data).toEqual([renamed.body.data])
    expect(before).not.toContain("Renamed")
    expect([await nameIn(list), await nameIn(`/signals/leads/${id}`)]).toEqual(["Renamed", "Renamed"])
    expect((await api.call(`/signals/leads/${id}`, { token: own.key })).body.data.updatedAt).toBe(updatedAt)

    const made = (await api.operate("POST", `${of}/campaigns`, { name: "C" })).body.data
    const campaign = await api.operate("PATCH", `${of}/campaigns/${made.id}`, { name: "D" })
    expect([campaign.status, campaign.body.data]).toEqual([200, { ...made, name: "D" }])
    const named = await api.operate("PATCH", of, { name: "Another" })
    expect([named.status, named.body.data.name]).toEqual([200, "Another"])
    expect((await api.operate("GET", "/operator/brands")).body.data).toContainEqual(named.body.data)
    // Another brand's are not found.
    for (const path of [`/signals/${own.signalId}`, `/campaigns/${made.id}`])
      expect((await api.operate("PATCH", inBrand(path), { name: "x" })).status).toBe(404)
    expect((await api.operate("PATCH", of, { name: "" })).body.error.message).toContain("name takes a text")
  })

  it("deletes signals, campaigns and brands, each of its brand alone [DEL-1, DEL-2, DEL-3]", async () => {
    const own = await setUpBrand(api)
    const of = `/operator/brands/${own.id}`
    await observe(api, own, observation(own.signalId, "d", "d"))
    const campaign = (await api.operate("POST", `${of}/campaigns`, { name: "C" })).body.data.id
    const list = (path: string) => api.call(path, { token: own.key })

    for (const path of [`/signals/${own.signalId}`, `/campaigns/${campaign}`])
      expect((await api.operate("DELETE", inBrand(path))).status).toBe(404)
    expect((await api.operate("DELETE", `${of}/signals/${own.signalId}`)).status).toBe(204)
    expect((await api.operate("GET", `${of}/signals`)).body.data).toEqual([])
    const [{ signal }] = (await list("/signals/leads?includeEngagements=true")).body.data[0].engagements
    expect(signal.id).toBe(own.signalId)
    const late = await api.operate("POST", `${of}/observations`, {
      observations: [observation(own.signalId, "e", "e")]
    })
    expect(late.body.data[0].outcome).toBe("rejected")
    expect((await api.operate("DELETE", `${of}/campaigns/${campaign}`)).status).toBe(204)
    expect((await list(`/campaign/${campaign}/metrics`)).status).toBe(404)

    const deleted = await api.operate("DELETE", of)
    expect([deleted.status, deleted.body]).toEqual([200, { data: { deleted: true, leadsLeft: 0 } }])
    expect((await list("/signals/leads")).status).toBe(401)
    for (const path of ["", "/signals", "/keys"])
      expect((await api.operate(path === "" ? "DELETE" : "GET", `${of}${path}`)).status).toBe(404)
    const brands = (await api.operate("GET", "/operator/brands")).body.data
    expect(brands.map(({ id }: { id: string }) => id)).not.toContain(own.id)
    for (const brand of brands) expect(brand.deletionStartedAt).toBeNull()
  })

  it("takes a snapshot's figures as cumulative integers from 0, and its day as a date [MET-5, MET-7]", async () => {
    const campaign = (await api.operate("POST", inBrand("/campaigns"), { name: "C" })).body.data.id
    const put = (day: string, json: unknown) =>
      api.operate("PUT", inBrand(`/campaigns/${campaign}/posts/p%2F1/snapshots/${day}`), json)
    const good = { impressions: 10, reactions: 1, comments: 1, reposts: 0 }
    expect((await put("2026-01-01", good)).body.data).toMatchObject({
      impressions: 10,
      engagementRate: 0.2,
      snapshotDate: "2026-01-01"
    })
    for (const day of ["2026-02-30", "today"]) expect((await put(day, good)).status).toBe(400)
    for (const impressions of [-1, 1.5, "1", null, 1e13]) {
      expect((await put("2026-01-01", { ...good, impressions })).body.error.message).toMatch(
        /^impressions takes an integer/
      )
    }
  })

  it("takes a post's id of any length that the request target has room for [MET-7]", async () => {
    const campaign = (await api.operate("POST", inBrand("/campaigns"), { name: "Long" })).body.data.id
    const figures = { impressions: 10, reactions: 1, comments: 1, reposts: 0 }
    for (const [i, length] of [100, 101, 2000, 15_000].entries()) {
      const path = inBrand(`/campaigns/${campaign}/posts/${"p".repeat(length)}/snapshots/2026-01-01`)
      const { body, status } = await api.operate("PUT", path, figures)
      // Each is a post of its own: the campaign's total grows by each.
      expect([length, status, body.data?.impressions]).toEqual([length, 200, 10 * (i + 1)])
    }
  })
})

describe("observations", () => {
  it("are answered one by one, in order, and a bad one does not reject its neighbours [EVT-8]", async () => {
    const good = observation(brand.signalId, "a", "a-1")
    const answers = await observe(
      api,
      brand,
      good,
      good,
      { ...good, signalId: "999" },
      7,
      { ...good, person: { extId: "b" } },
      observation(brand.signalId, "b", "b-1")
    )
    expect(answers.map(({ outcome }: any) => outcome)).toEqual([
      "recorded",
      "duplicate",
      "rejected",
      "rejected",
      "rejected",
      "recorded"
    ])
    expect(answers.map(({ engagementId }: any) => engagementId)).toEqual([
      "a-1",
      "a-1",
      "a-1",
      null,
      "a-1",
      "b-1"
    ])
    expect(answers[4].message).toBe("person.name is required.")
    expect(answers[1].leadId).toBe(answers[0].leadId)
  })

  it.each([
    [{ engagement: { id: "x", type: "like" } }, "engagement.type takes one of comment, reaction, repost"],
    [{ engagement: { id: "x", trackedAt: "1767225600" } }, "engagement.trackedAt takes YYYY-MM-DD"],
    [
      { engagement: { id: "x", trackedAt: "0000-01-01T00:00+01:00" } },
      "engagement.trackedAt takes a time in the years"
    ],
    [{ person: { extId: "x", name: "a\u0000b" } }, "person.name takes a text"],
    [
      { person: { extId: "x", name: "a", headline: "\u0315\u0300".repeat(50_000) } },
      "person.headline takes a text of at most 512 characters"
    ],
    [{ person: { extId: "x", name: "a", company: { name: "no id" } } }, "person.company.id is required"],
    [{ person: { extId: "x", name: "a", company: { id: 0 } } }, "person.company.id takes an integer"],
    [{ signalId: 7 }, "signalId takes a signal's id"]
  ])(
    "that can't be read are rejected with the field and what it takes: %# [ERR-3]",
    async (part, message) => {
      const [answer] = await observe(api, brand, { ...observation(brand.signalId, "x", "x"), ...part })
      expect(answer.outcome).toBe("rejected")
      expect(answer.message).toContain(message)
    }
  )

  it("come as lines of any number, cut anywhere, answered a line each [ERR-5]", async () => {
    const sent = Array.from({ length: 2500 }, (_, i) =>
      JSON.stringify(observation(brand.signalId, `n${i % 50}`, `n${i}`))
    )
    sent.splice(700, 0, "{broken", "", "  ")
    const bytes = new TextEncoder().encode(sent.join("\r\n"))
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7919) controller.enqueue(bytes.slice(at, at + 7919))
        controller.close()
      }
    })
    const { headers, status, text } = await lines(body)
    expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson"])
    const all = outcomes(text)
    expect(all).toHaveLength(2501)
    expect(all.filter(({ outcome }) => outcome === "recorded")).toHaveLength(2500)
    expect(all[700]).toEqual({
      engagementId: null,
      outcome: "rejected",
      leadId: null,
      message: "Line 701 takes one observation as JSON, in well-formed UTF-8."
    })
    expect(all[2500].engagementId).toBe("n2499")
  })

  it("as lines are rejected one by one for broken UTF-8 [ERR-5]", async () => {
    const broken = Buffer.concat([
      Buffer.from('{"signalId":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}\n')
    ])
    const good = Buffer.from(`${JSON.stringify(observation(brand.signalId, "u", "u-1"))}\n`)
    const all = outcomes((await lines(Buffer.concat([broken, good]))).text)
    expect(all.map(({ outcome }) => outcome)).toEqual(["rejected", "recorded"])
  })

  it("as a line over 16 MiB are 413, and an empty body is no observations [ERR-5]", async () => {
    const piece = new Uint8Array(1024 * 1024).fill(120)
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        if (sent++ > 40) controller.close()
        else controller.enqueue(piece)
      }
    })
    const answer = await lines(endless)
    expect([answer.status, answer.body.error.code]).toEqual([413, "payload_too_large"])
    const empty = await lines("")
    expect([empty.status, empty.text]).toEqual([200, ""])
  })
})

describe("a lead", () => {
  it("is amended, field by field, and only what is named [LIST-3]", async () => {
    const [{ leadId }] = (await observe(api, brand, observation(brand.signalId, "am", "am-1"))) as [any]
    const patched = await api.operate("PATCH", inBrand(`/leads/${leadId}`), { qualified: true, score1: 12.5 })
    expect(patched.body.data).toMatchObject({ id: leadId, qualified: true, exported: false, score1: 12.5 })
    expect(
      (await api.operate("PATCH", inBrand(`/leads/${leadId}`), { score1: null })).body.data
    ).toMatchObject({ qualified: true, score1: null })
    for (const json of [{ qualified: "yes" }, { score1: "1" }, { unknown: 1 }, []]) {
      expect((await api.operate("PATCH", inBrand(`/leads/${leadId}`), json)).status).toBe(400)
    }
    expect((await api.operate("GET", inBrand(`/leads/${leadId}`))).body.data).toMatchObject({
      qualified: true,
      engagements: [{ source: {} }]
    })
  })

  it("is exported whole, beyond the window [PII-3]", async () => {
    const seen = Array.from({ length: 30 }, (_, i) => observation(brand.signalId, "ex", `ex-${i}`))
    const [{ leadId }] = (await observe(api, brand, ...seen)) as [any]
    const { body } = await api.operate("GET", inBrand(`/leads/${leadId}/export`))
    expect(body.data.lead.extId).toBe("ex")
    expect(body.data.engagements).toHaveLength(30)
    expect(body.data.company.id).toBe("12")
    expect(body.data.posts).toEqual([])
  })

  it("is exported with the posts in which others were seen, each once, and not with others' [PII-3]", async () => {
    const post = {
      postUrl: "https://network.example/posts/of-au",
      postContent: "written by Aurora",
      postAuthor: "Aurora",
      postAuthorDetail: { extId: "au", name: "Aurora" }
    }
    const [{ leadId }] = (await observe(
      api,
      brand,
      observation(brand.signalId, "au", "au-1"),
      observation(brand.signalId, "reader-1", "of-au-1", post),
      observation(brand.signalId, "reader-2", "of-au-2", post),
      observation(brand.signalId, "reader-2", "of-au-3", { ...post, postContent: "written later" })
    )) as [any]
    const { body, text } = await api.operate("GET", inBrand(`/leads/${leadId}/export`))
    expect(body.data.posts.map(({ postContent }: any) => postContent).sort()).toEqual([
      "written by Aurora",
      "written later"
    ])
    expect(body.data.posts[0].postAuthorDetail).toMatchObject({ extId: "au", name: "Aurora", headline: null })
    expect(text).not.toContain("reader-")
  })

  it("is none other than the path says: a semicolon ends no id [DET-3, PII-3]", async () => {
    const [{ leadId }] = (await observe(api, brand, observation(brand.signalId, "semi", "semi-1"))) as [any]
    for (const end of [";x", ";", "%3Bx"]) {
      for (const method of ["GET", "DELETE"]) {
        const { body, status } = await api.operate(method, inBrand(`/leads/${leadId}${end}`))
        expect([end, method, status, body.error.code]).toEqual([end, method, 400, "invalid_parameter"])
      }
    }
    expect((await api.operate("GET", inBrand(`/leads/${leadId}`))).status).toBe(200)
    expect((await api.operate("GET", "/operator/brands/1;/keys")).body.error.message).toContain("brand")
  })

  it("is erased: from the list, the detail, others' posts, and it is not seen as new again [PII-3, EVT-2]", async () => {
    const author = {
      postAuthor: "Erika Gone",
      postAuthorDetail: { extId: "er", name: "Erika Gone", username: "gone" },
      postContent: "written by Erika"
    }
    const [{ leadId }] = (await observe(api, brand, observation(brand.signalId, "er", "er-1"))) as [any]
    await observe(api, brand, observation(brand.signalId, "fan", "fan-1", author))
    expect((await api.operate("DELETE", inBrand(`/leads/${leadId}`))).status).toBe(204)
    expect((await api.operate("DELETE", inBrand(`/leads/${leadId}`))).status).toBe(404)
    await observe(api, brand, observation(brand.signalId, "fan", "fan-2", author))
    const again = await observe(
      api,
      brand,
      observation(brand.signalId, "er", "er-1"),
      observation(brand.signalId, "er", "er-2")
    )
    expect(again).toEqual([
      { engagementId: "er-1", outcome: "suppressed", leadId: null },
      { engagementId: "er-2", outcome: "suppressed", leadId: null }
    ])
    const everything = await Promise.all(
      [1, 2, 3].map((page) =>
        api.call(
          `/signals/leads?pageSize=100&page=${page}&includeEngagements=true&includeEngagementDetail=true`,
          { token: brand.key }
        )
      )
    )
    for (const { text } of everything) {
      for (const word of ["Erika", 'Name of er"', 'user-er"', "gone"]) expect(text).not.toContain(word)
    }
  })
})
