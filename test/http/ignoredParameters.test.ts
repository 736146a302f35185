/** Parameters that a call does not take: every call that succeeds has a warning of each, where its answer has a place for it. */
import { openApi } from "@lead-signals/http"
import { describe, expect, it } from "vitest"
import { EventStreamReader } from "../harness/EventStreamReader.ts"
import { observation, observe, operatorToken, startBrand } from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()

const inBrand = (path: string): string => `/operator/brands/${brand.id}${path}`

const [{ leadId }] = await observe(api, brand, observation(brand.signalId, "ada", "e-1"))
const campaignId: string = (await api.operate("POST", inBrand("/campaigns"), { name: "Spring" })).body.data.id

const unknown = 'The parameter "colour" is unknown and was ignored.'

const inHeader = ({ headers }: { readonly headers: Headers }): unknown =>
  JSON.parse(headers.get("x-warnings") ?? "null")

describe("parameters that a call does not take", () => {
  it("are named in meta.warnings of every read of JSON, whether it takes others or none [LIST-7, LIST-10, LIST-11]", async () => {
    const ids: Readonly<Record<string, string>> = { brandId: brand.id }
    const idOf = (path: string): string => (path.includes("campaign") ? campaignId : String(leadId))
    const reads = Object.entries(openApi().paths as Record<string, any>)
      .filter(([path, { get }]) => {
        const isJson = get?.responses["200"]?.content?.["application/json"] !== undefined
        // A webhook needs its network allowed; its calls are rows of the same table.
        return isJson && !path.startsWith("/health") && !path.includes("webhooks")
      })
      .map(([path]) => path)
    expect(reads.length).toBeGreaterThan(20)
    for (const path of reads) {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? idOf(path))
      const token = path.startsWith("/operator") ? operatorToken : brand.key
      const credential = path === "/session" ? {} : { token }
      const { body, headers, status } = await api.call(`${filled}?colour=red&colour=blue`, credential)
      expect([path, status, body.meta?.warnings]).toEqual([path, 200, [unknown]])
      expect([path, headers.get("x-warnings")]).toEqual([path, null])
      const plain = await api.call(filled, credential)
      expect([path, plain.body.meta?.warnings]).toEqual([path, undefined])
    }
  })

  it("are named by what a call makes, and by its repetition with the same key [LIST-10, IDEM-1]", async () => {
    const made = () =>
      api.call("/operator/brands?colour=red", {
        method: "POST",
        token: operatorToken,
        json: { name: "Other" },
        headers: { "idempotency-key": "made-once-by-a-test" }
      })
    const [first, second] = [await made(), await made()]
    expect([first.status, first.body.meta]).toEqual([201, { warnings: [unknown] }])
    expect(second.text).toBe(first.text)
    expect([inHeader(first), inHeader(second)]).toEqual([null, null])
    const signedIn = await api.call("/session?colour=red", {
      method: "POST",
      json: { credential: operatorToken },
      headers: { "sec-fetch-site": "same-origin" }
    })
    expect([signedIn.status, signedIn.body.meta]).toEqual([201, { warnings: [unknown] }])
    const refused = await api.operate("POST", "/operator/brands?colour=red", {})
    expect([refused.status, inHeader(refused), refused.body.meta]).toEqual([400, null, undefined])
  })

  it("are named in a header of answers without JSON: lines, texts, events and nothing at all [LIST-10, OBS-11]", async () => {
    const lines = (query: string) =>
      api.call(inBrand(`/observations${query}`), {
        method: "POST",
        token: operatorToken,
        headers: { "content-type": "application/x-ndjson" },
        body: `${JSON.stringify(observation(brand.signalId, "bo", "e-2"))}\n`
      })
    const misspelt = await lines("?unknownfield=reject&\u{1d4b3}%22=1")
    expect(misspelt.text.trim().split("\n")).toHaveLength(1)
    expect(inHeader(misspelt)).toEqual([
      'The parameter "unknownfield" is unknown and was ignored. Did you mean "unknownFields"?',
      'The parameter "\u{1d4b3}"" is unknown and was ignored.'
    ])
    expect(inHeader(await lines("?unknownFields=reject"))).toBeNull()
    const removed = await api.operate("DELETE", `${inBrand(`/campaigns/${campaignId}`)}?colour=red`)
    expect([removed.status, removed.text, inHeader(removed)]).toEqual([204, "", [unknown]])
    const stream = await EventStreamReader.open(`${api.url}${inBrand("/events")}?colour=red`, {
      authorization: `Bearer ${operatorToken}`
    })
    expect(JSON.parse(String(stream.response.headers["x-warnings"]))).toEqual([unknown])
    stream.close()
    const metrics = await api.operate("GET", "/metrics?colour=red")
    expect([metrics.status, inHeader(metrics)]).toEqual([200, [unknown]])
    const health = await api.call("/health?colour=red")
    expect([health.body, inHeader(health)]).toEqual([{ status: "ok" }, null])
  })
})
