/** What an operator does with a lead: amends, exports, erases it. */
import { describe, expect, it } from "vitest"
import { observation, observe, startBrand } from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()

const inBrand = (path: string): string => `/operator/brands/${brand.id}${path}`

describe("a lead", () => {
  it("is amended, field by field, and only what is named [OPER-5]", async () => {
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

  it("is exported whole, beyond the window [PII-5]", async () => {
    const seen = Array.from({ length: 30 }, (_, i) => observation(brand.signalId, "ex", `ex-${i}`))
    const [{ leadId }] = (await observe(api, brand, ...seen)) as [any]
    const { body } = await api.operate("GET", inBrand(`/leads/${leadId}/export`))
    expect(body.data.lead.extId).toBe("ex")
    expect(body.data.engagements).toHaveLength(30)
    expect(body.data.company.id).toBe("12")
    expect(body.data.posts).toEqual([])
  })

  it("is exported with the posts in which others were seen, each once, and not with others' [PII-5]", async () => {
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
