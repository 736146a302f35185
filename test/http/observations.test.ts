/** Observations, as JSON and as lines. */
import { describe, expect, it } from "vitest"
import { observation, observe, operatorToken, setUpBrand, startBrand } from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()

/** Two observations with fields that the service does not take, of persons of this name, around one without. */
const withStrangeFields = (name: string) => {
  const of = (n: number) => {
    const { engagement, person, signalId } = observation(brand.signalId, `${name}-${n}`, `${name}-${n}`)
    return { signalId, person, engagement }
  }
  const [first, plain, last] = [of(1), of(2), of(3)]
  return [
    { ...first, person: { ...first.person, headlin: "Chief secret" } },
    plain,
    { ...last, engagement: { ...last.engagement, typ: "comment" }, note: { headlin: "Chief secret" } }
  ]
}

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

describe("observations", () => {
  it("are answered one by one, in order, and a bad one does not reject its neighbours [OBS-1, EVT-8]", async () => {
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

  it("are told of fields that were ignored, or are rejected for them, as the request asks [OBS-11]", async () => {
    const asJson = async (query: string, name: string) => {
      const json = { observations: withStrangeFields(name) }
      const path = inBrand(`/observations${query}`)
      const { body, status } = await api.call(path, { method: "POST", token: operatorToken, json })
      expect(status).toBe(200)
      return body.data
    }
    const asLines = async (query: string, name: string) => {
      const answer = await api.call(inBrand(`/observations${query}`), {
        method: "POST",
        token: operatorToken,
        headers: { "content-type": "application/x-ndjson" },
        body: withStrangeFields(name)
          .map((each) => `${JSON.stringify(each)}\n`)
          .join("")
      })
      return outcomes(answer.text)
    }
    for (const [form, send] of [["json", asJson] as const, ["lines", asLines] as const]) {
      for (const [i, query] of ["", "?unknownFields=ignore", "?unknownField=report"].entries()) {
        const ignored = await send(query, `${form} ignored ${i}`)
        expect(ignored.map(({ outcome }: any) => outcome)).toEqual(["recorded", "recorded", "recorded"])
        expect(JSON.stringify(ignored)).not.toContain("unknownFields")
      }
      const reported = await send("?unknownFields=report", `${form} reported`)
      expect(reported.map(({ outcome, unknownFields }: any) => [outcome, unknownFields])).toEqual([
        ["recorded", ["person.headlin"]],
        ["recorded", undefined],
        ["recorded", ["engagement.typ", "note"]]
      ])
      const rejected = await send("?unknownFields=reject", `${form} rejected`)
      const at = (n: number): string => (form === "lines" ? `Line ${n}: ` : "")
      expect(rejected.map(({ message, outcome }: any) => [outcome, message])).toEqual([
        ["rejected", `${at(1)}person.headlin is not a field of an observation. Did you mean "headline"?`],
        ["recorded", undefined],
        ["rejected", `${at(3)}engagement.typ is not a field of an observation. Did you mean "type"?`]
      ])
      expect(rejected.map(({ engagementId }: any) => engagementId)).toEqual(
        [1, 2, 3].map((n) => `${form} rejected-${n}`)
      )
      expect(JSON.stringify([reported, rejected])).not.toContain("secret")
    }
    const misspelt = await api.operate("POST", inBrand("/observations?unknownField=reject"), {
      observations: []
    })
    expect(misspelt.body).toEqual({
      data: [],
      meta: {
        warnings: ['The parameter "unknownField" is unknown and was ignored. Did you mean "unknownFields"?']
      }
    })
    const refused = await api.operate("POST", inBrand("/observations?unknownFields=refuse"), {
      observations: []
    })
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      "unknownFields takes one of ignore, report, reject."
    ])
  })

  it("of another brand's signal are rejected as of one that does not exist [OBS-1, AUTH-3]", async () => {
    const other = await setUpBrand(api)
    const [theirs, nobodys] = await observe(
      api,
      brand,
      observation(other.signalId, "crossed", "crossed-1"),
      observation("999999", "crossed", "crossed-1")
    )
    expect([theirs.outcome, theirs.leadId]).toEqual(["rejected", null])
    expect(theirs.message.replace(other.signalId, "999999")).toBe(nobodys.message)
    for (const { key } of [brand, other]) {
      const { text } = await api.call("/signals/leads?search=crossed", { token: key })
      expect(JSON.parse(text).data).toEqual([])
    }
  })

  it.each([
    [{ engagement: { id: "x", type: "like" } }, "engagement.type takes one of comment, reaction, repost"],
    [
      { engagement: { id: "x", trackedAt: "1767225600" } },
      "engagement.trackedAt takes a date such as 2026-01-31, or a date and time such as"
    ],
    [
      { engagement: { id: "x", trackedAt: "0000-01-01T00:00+01:00" } },
      "engagement.trackedAt takes a time in the years"
    ],
    [
      { person: { extId: "x", name: "a\u0000b" } },
      "person.name takes a text of 1 to 256 characters, in well-formed Unicode without U+0000."
    ],
    [
      { person: { extId: "x", name: "a", headline: "\u0315\u0300".repeat(50_000) } },
      "person.headline takes a text of at most 512 characters"
    ],
    [{ person: { extId: "x", name: "a", company: { name: "no id" } } }, "person.company.id is required"],
    [
      { person: { extId: "x", name: "a", company: { id: 0 } } },
      "person.company.id takes an integer from 1 to 9007199254740991"
    ],
    [
      { person: { extId: "x", name: "a", company: { id: 2 ** 53 } } },
      "person.company.id takes an integer from 1 to 9007199254740991"
    ],
    [{ signalId: 7 }, "signalId takes a signal's id"]
  ])(
    "that can't be read are rejected with the field and what it takes: %# [OBS-2, OBS-3, ERR-3]",
    async (part, message) => {
      const [answer] = await observe(api, brand, { ...observation(brand.signalId, "x", "x"), ...part })
      expect(answer.outcome).toBe("rejected")
      expect(answer.message).toContain(message)
    }
  )

  it("come as lines of any number, cut anywhere, answered a line each [OBS-4]", async () => {
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

  it("as lines are rejected one by one for broken UTF-8 [OBS-4, ERR-5]", async () => {
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
