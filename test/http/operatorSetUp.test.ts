/** What an operator sets up: brands, signals, campaigns and figures. */
import { BrandStore } from "@lead-signals/domain"
import { openApi } from "@lead-signals/http"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { observation, observe, setUpBrand, startApi, startBrand } from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()

const inBrand = (path: string): string => `/operator/brands/${brand.id}${path}`

describe("setting up", () => {
  it("creates and lists brands, signals and campaigns [OPER-2]", async () => {
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
    [
      "/operator/brands",
      { name: "x", nmae: "y" },
      'nmae is not a field of this request. Did you mean "name"?'
    ],
    [
      "/operator/brands/1/keys",
      { label: "k", x: 1 },
      "x is not a field of this request. It takes label, requestsPerMinute, scopes, expiresAt, allowedAddresses."
    ],
    [
      "/operator/brands/1/signals",
      { name: "s", signalType: "t", source: { type: "post-url", valeu: "v" } },
      'source.valeu is not a field of this request. Did you mean "value"?'
    ],
    [
      "/operator/brands/1/signals",
      { name: "s", signalType: "t", source: { type: "post-url", address: "v" } },
      "source.address is not a field of this request. source takes type, value, liCompanyId, company."
    ],
    [
      "/operator/brands/1/signals",
      { name: "s", signalType: "t", source: { type: "li-company-mention", value: "v", liCompanyId: 12 } },
      "source.liCompanyId takes a numeric company id: at most 512 decimal digits, as a string, or null."
    ],
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
    "says of a bad body to %s which field it is and what it takes: %#  [OPER-4, OPER-7, OBS-3, ERR-3, ENG-8]",
    async (path, body, message) => {
      const answer = await api.operate("POST", path, body)
      expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_parameter"])
      expect(answer.body.error.message).toContain(message)
    }
  )

  it("answers 404 for what is not in the brand [OPER-3, ERR-2, AUTH-3]", async () => {
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

  it("takes a source's value as it is written, when it is one of its type [OPER-7, ENG-8]", async () => {
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

  it("renames brands, signals and campaigns, and shows a signal's new name wherever it is shown [OPER-6]", async () => {
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

  it("deletes signals, campaigns and brands, each of its brand alone [DEL-1, DEL-2, DEL-3, DEL-4, DEL-5]", async () => {
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

  it("answers 404 to every call for a brand that is being deleted, but to its deletion [DEL-5]", async () => {
    const own = await startApi()
    const leaving = await setUpBrand(own)
    await observe(own, leaving, observation(leaving.signalId, "d", "d"))
    await own.operate("POST", `/operator/brands/${leaving.id}/campaigns`, { name: "C" })
    await own.run(Effect.flatMap(BrandStore, (store) => store.startDeletion(leaving.id, 1)))
    const values: Readonly<Record<string, string>> = {
      brandId: leaving.id,
      id: "1",
      keyId: "1",
      deliveryId: `wh_${"0".repeat(32)}`,
      postId: "p",
      day: "2026-01-05"
    }
    const ofBrand = "/operator/brands/{brandId}"
    for (const [path, item] of Object.entries<Record<string, any>>(openApi().paths)) {
      if (!path.startsWith(ofBrand)) continue
      for (const [method, { requestBody }] of Object.entries(item)) {
        if (path === ofBrand && method === "delete") continue
        const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!)
        const body = requestBody?.content["application/json"].example
        const { status } = await own.operate(method.toUpperCase(), filled, body)
        expect([method, path, status]).toEqual([method, path, 404])
      }
    }
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

  it("takes a post's id of 1 to 512 characters without U+0000 [MET-7, OBS-3]", async () => {
    const campaign = (await api.operate("POST", inBrand("/campaigns"), { name: "Long" })).body.data.id
    const figures = { impressions: 10, reactions: 1, comments: 1, reposts: 0 }
    const put = (post: string) =>
      api.operate(
        "PUT",
        inBrand(`/campaigns/${campaign}/posts/${encodeURIComponent(post)}/snapshots/2026-01-01`),
        figures
      )
    for (const [i, post] of ["p", "p".repeat(101), "p".repeat(512), "\u{1d4b3}".repeat(512)].entries()) {
      const { body, status } = await put(post)
      // Each is a post of its own: the campaign's total grows by each.
      expect([post.length, status, body.data?.impressions]).toEqual([post.length, 200, 10 * (i + 1)])
    }
    for (const post of ["p".repeat(513), "p".repeat(15_000), "\u{1d4b3}".repeat(513), "a\u0000b"]) {
      const { body, status } = await put(post)
      expect([status, body.error.code]).toEqual([400, "invalid_parameter"])
      expect(body.error.message).toMatch(/^postId takes a text of 1 to 512 characters/)
    }
  })

  it("takes a post's id in any script, also one that is longer in lower case [MET-7]", async () => {
    const campaign = (await api.operate("POST", inBrand("/campaigns"), { name: "Scripts" })).body.data.id
    const figures = { impressions: 10, reactions: 1, comments: 1, reposts: 0 }
    for (const [i, post] of ["İstanbul", "STRASSE", "straße", "\u{1d4b3}", "a/b", "POST"].entries()) {
      const path = inBrand(`/campaigns/${campaign}/posts/${encodeURIComponent(post)}/snapshots/2026-01-01`)
      const { body, status } = await api.operate("PUT", path, figures)
      expect([post, status, body.data?.impressions]).toEqual([post, 200, 10 * (i + 1)])
    }
  })
})
