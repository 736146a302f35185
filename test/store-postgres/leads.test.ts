/** Leads in Postgres: two nodes at once, searches of odd texts, and what an erasure leaves in the tables. */
import {
  Brands,
  Folding,
  LeadQueries,
  Leads,
  LeadStore,
  Outbox,
  recordObservations,
  Retries,
  Signals,
  type WebhookId,
  Webhooks
} from "@lead-signals/domain"
import { Effect, Either, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { type Node, openNodes } from "./Nodes.ts"

const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }

const queryOf = (...parameters: ReadonlyArray<readonly [string, string]>) =>
  Either.getOrThrow(LeadQueries.readList(parameters))

/** No place is short. */
const unbounded = {
  limits: { total: 10_000, reserved: 0, perWebhook: 10_000, failingTotal: 10_000, perFailingWebhook: 10_000 },
  underWay: { total: 0, failingTotal: 0, byWebhook: new Map<WebhookId, number>() }
}

describe.skipIf(isWithoutPostgres)("leads in Postgres", () => {
  let opened: Awaited<ReturnType<typeof openNodes>>
  beforeAll(async () => {
    opened = await openNodes(2, { maxBucketLeads: 3, maxComparedLeads: 0 })
  })
  afterAll(() => opened.close())

  const newBrand = (node: Node) =>
    node.runPromise(
      Effect.gen(function* () {
        const brand = yield* Brands.create("B")
        const { id: signalId } = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        return { brand, signalId }
      })
    )

  it("are one lead and one engagement, when two nodes record the same person and engagement at once [EVT-2, EVT-8, STORE-1]", async () => {
    const { nodes, rows } = opened
    const { brand, signalId } = await newBrand(nodes[0]!)
    for (let round = 0; round < 10; round++) {
      const seen = Array.from({ length: 6 }, (_, i) => ({
        signalId,
        person: { extId: `${round} ${i}`, name: `Person ${i}` },
        engagement: { id: `${round} ${i}` }
      }))
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          nodes[i % 2]!.runPromise(recordObservations(brand, i % 4 < 2 ? seen : [...seen].reverse()))
        )
      )
      const all = outcomes.flat()
      expect(all.filter(({ outcome }) => outcome === "recorded")).toHaveLength(6)
      expect(all.filter(({ outcome }) => outcome === "duplicate")).toHaveLength(42)
      expect(new Set(all.map(({ engagementId, leadId }) => `${engagementId} ${leadId}`)).size).toBe(6)
    }
    const of = `WHERE brand_id = ${brand.id}`
    expect(await rows(`SELECT count(*) AS n FROM lead ${of}`)).toEqual([{ n: 60 }])
    expect(await rows(`SELECT count(*) AS n FROM engagement ${of}`)).toEqual([{ n: 60 }])
    expect(await rows(`SELECT event, count(*) AS n FROM event ${of} GROUP BY event ORDER BY event`)).toEqual([
      { event: "activity.detected", n: 60 },
      { event: "lead2.created", n: 60 }
    ])
  })

  it("fail a call alone, whose decision throws among calls of one commit [STORE-1]", async () => {
    const [node] = opened.nodes
    const { brand, signalId } = await newBrand(node!)
    const outcomes = await node!.runPromise(
      Effect.gen(function* () {
        const store = yield* LeadStore
        const broken = {
          personExtId: "x",
          personHash: () => "x",
          authorHash: null,
          engagementId: "x",
          signalId,
          decide: () => {
            throw new Error("planted")
          }
        }
        const call = (i: number) =>
          i === 3
            ? Effect.exit(store.commit(brand.id, [broken], () => "wh_x"))
            : Effect.exit(
                recordObservations(brand, [
                  { signalId, person: { extId: `${i}`, name: "P" }, engagement: { id: `${i}` } }
                ])
              )
        return yield* Effect.all(
          [0, 1, 2, 3, 4, 5].map(call).map((each) => Effect.map(each, ({ _tag }) => _tag)),
          { concurrency: "unbounded" }
        )
      })
    )
    expect(outcomes).toEqual(["Success", "Success", "Success", "Failure", "Success", "Success"])
    const { total } = await node!.runPromise(Leads.list(brand.id, queryOf()))
    expect(total).toBe(5)
  })

  it("are found by the texts that contain the needle, character for character [LIST-4]", async () => {
    const [node] = opened.nodes
    const { brand, signalId } = await newBrand(node!)
    const texts = [
      "a%b_c",
      "100%",
      "back\\slash",
      "quo'te",
      'dou"ble',
      "{1,2}",
      "NULL",
      "; DROP TABLE lead",
      "$1 $2",
      "tab\tnew\nline",
      "İstanbul",
      "Straße",
      "ΟΔΥΣΣΕΥΣ",
      "😀 Zed",
      "𐐀lf",
      "李小龍",
      "e\u0301",
      "\uffee",
      "a".repeat(256),
      "ababababab",
      "-",
      "--",
      "/*x*/",
      "::text",
      "E'\\\\n'"
    ]
    const seen = texts.map((text, i) => ({
      signalId,
      person: {
        extId: `p${i}`,
        name: i % 2 === 0 ? text : `Plain ${i}`,
        headline: i % 2 === 0 ? null : text
      },
      engagement: { id: `e${i}` }
    }))
    await node!.runPromise(recordObservations(brand, seen))
    const needles = [
      ...texts,
      "%",
      "_",
      "\\",
      "'",
      '"',
      "a%",
      "%b",
      "ab",
      "aba",
      "abc",
      "ss",
      "i",
      "is",
      "σ",
      "😀",
      "😀 z",
      "李",
      "{",
      ",",
      "$1",
      "\t",
      "\n",
      " ",
      "null",
      "drop table",
      "\u0000",
      "a\u0000b",
      "\ud83d",
      "x\udc00",
      "zzz",
      "plain 1",
      "aaaa",
      "a".repeat(257)
    ]
    for (const needle of needles) {
      const folded = Folding.fold(needle)
      if (folded === "") continue
      const query = { ...queryOf(["pageSize", "100"], ["sort", "createdAt:asc"]), filter: { search: folded } }
      const found = await node!.runPromise(Leads.list(brand.id, query))
      const expected = seen.flatMap(({ person }) =>
        // Half of a character is no part of a text.
        folded.isWellFormed() &&
        [person.name, person.headline ?? ""].some((text) => Folding.fold(text).includes(folded))
          ? [person.extId]
          : []
      )
      expect([needle, found.leads.map(({ lead }) => lead.extId)]).toEqual([needle, expected])
      expect(found.total).toBe(expected.length)
    }
  })

  it("leave no text of an erased person in any table, whatever the person was called, wrote and was seen with [PII-3]", async () => {
    const { client, nodes, schema } = opened
    const [node] = nodes
    const { brand, signalId } = await newBrand(node!)
    const author = { extId: "zyx-quill", name: "Quillfeather Ada" }
    const plain = (extId: string, name: string, id: string, of: object = {}) => ({
      signalId,
      person: { extId, name },
      engagement: { id, ...of }
    })
    const byAuthor = {
      type: "comment",
      commentText: "kept",
      postUrl: "https://n.example/quillfeather",
      postContent: "Quillfeather wrote",
      postAuthor: author.name,
      postAuthorDetail: author
    }
    const leadId = await node!.runPromise(
      Effect.gen(function* () {
        yield* Webhooks.create(brand.id, {
          url: "https://receiver.example/",
          events: ["lead2.created", "activity.detected"],
          description: null,
          enabled: true
        })
        const outcomes = yield* recordObservations(brand, [
          ...Array.from({ length: 8 }, (_, i) => plain(`p${i}`, `Q${i}`, `e${i}`)),
          plain("reader", "Reader", "r1", byAuthor),
          {
            signalId,
            person: {
              ...author,
              name: "Earlier Quillfeather",
              headline: "Quillfeather's xylograph",
              username: "quillfeather",
              title1: "xylographer",
              liProfileUrl: "https://n.example/in/quillfeather",
              company: { id: 1, name: "Quillfeather Ltd" }
            },
            engagement: {
              id: "xylo-1",
              type: "comment",
              commentText: "xylograph",
              postUrl: "https://n.example/xylograph"
            }
          },
          ...Array.from({ length: 8 }, (_, i) => plain(`r${i}`, `R${i}`, `f${i}`))
        ])
        // Renamed twice among names of the same beginning, so that buckets begin with it.
        yield* recordObservations(brand, [{ ...plain(author.extId, "Q4 Quillfeather", "xylo-2") }])
        yield* recordObservations(
          brand,
          Array.from({ length: 6 }, (_, i) => plain(`q${i}`, `Q4 S${i}`, `g${i}`))
        )
        yield* recordObservations(brand, [{ ...plain(author.extId, author.name, "xylo-3") }])
        const outbox = yield* Outbox
        const { leases } = yield* outbox.lease({
          token: "t",
          leaseMillis: 60_000,
          ...unbounded,
          body: ({ engagements, lead, subject }) => JSON.stringify({ lead, subject, engagements })
        })
        yield* outbox.record(
          // Receivers answer what they were sent; every other delivery keeps its body for another attempt.
          leases
            .filter((_, i) => i % 2 === 0)
            .map(({ body, deliveryId, token }) => {
              const response = body!.includes("Quillfeather") ? "Quillfeather answered" : "Answered"
              const result = { status: 500, error: null, response, retryAfterSeconds: null }
              return {
                deliveryId,
                token,
                url: "https://receiver.example/",
                at: 0,
                durationMillis: 1,
                result,
                settle: (known, now) => Retries.settle(known, result, now, 0.5, [60_000])
              }
            })
        )
        return outcomes[9]!.leadId!
      })
    )
    const dump = async (): Promise<string> => {
      const { rows: tables } = await client.query<{ name: string }>(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1",
        [schema]
      )
      expect(tables.length).toBeGreaterThan(15)
      const texts: Array<string> = []
      for (const { name } of tables) {
        const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM "${name}" t`)
        texts.push(...rows.map(({ text }) => `${name}: ${text}`))
      }
      return texts.join("\n").toLowerCase()
    }
    const traces = (text: string): ReadonlyArray<string> =>
      text.split("\n").filter((line) => /quillfeather|xylo|zyx-quill/.test(line))
    const tablesOf = (lines: ReadonlyArray<string>) => new Set(lines.map((line) => line.split(":")[0]))
    // A bucket of names begins with the person's, once enough others stand around it.
    for (let i = 0; i < 20 && !tablesOf(traces(await dump())).has("lead_bucket"); i++) {
      await node!.runPromise(
        recordObservations(brand, [
          plain(`n${i}`, i % 2 === 0 ? `Quim ${99 - i}` : `Quia ${10 + i}`, `n${i}`)
        ])
      )
    }
    const before = tablesOf(traces(await dump()))
    for (const table of [
      "lead",
      "lead_text",
      "lead_bucket",
      "engagement",
      "event",
      "delivery_body",
      "attempt"
    ]) {
      expect(before).toContain(table)
    }
    await node!.runPromise(Leads.erase(brand, leadId))
    expect(traces(await dump())).toEqual([])
    const again = await node!.runPromise(
      recordObservations(brand, [plain(author.extId, author.name, "xylo-4")])
    )
    expect(again[0]!.outcome).toBe("suppressed")
    const reader = await node!.runPromise(
      Effect.gen(function* () {
        const { leads } = yield* Leads.list(brand.id, queryOf(["search", "reader"]))
        const data = yield* (yield* LeadStore).exportData(brand.id, leads[0]!.lead.id)
        return Option.getOrThrow(data).engagements.map(({ engagement }) => engagement)
      })
    )
    expect(reader).toMatchObject([{ id: "r1", commentText: "kept", postAuthor: null, postUrl: null }])
  })

  it("answers an id that no lead can have with none [AUTH-3]", async () => {
    const [node] = opened.nodes
    const { brand } = await newBrand(node!)
    const found = await node!.runPromise(
      Effect.gen(function* () {
        const store = yield* LeadStore
        const ids = [0, -1, 1.5, 1e20, Number.NaN, Number.MAX_SAFE_INTEGER]
        const brands = [brand.id, "", "0", "1\u0000", "99999999999999999999", "x'; --"]
        const answers: Array<boolean> = []
        for (const brandId of brands) {
          for (const id of ids) {
            answers.push(Option.isSome(yield* store.get(brandId, id, "plain")))
            answers.push(Option.isSome(yield* store.getRendered!(brandId, id, "plain")))
            answers.push(Option.isSome(yield* store.update(brandId, id, (lead) => lead)))
            answers.push(yield* store.erase(brandId, id, "hash", () => "wh_x"))
          }
          answers.push(
            (yield* store.list(brandId, { ...queryOf(), filter: { signalId: "9999999999999999" } })).total > 0
          )
        }
        return answers
      })
    )
    expect(found.filter(Boolean)).toEqual([])
  })
})
