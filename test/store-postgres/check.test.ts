/** `check` finds what is wrong with a database, and nothing in a sound one. */
import { Brands, defaultSending, recordInOneCommit, Signals, WebhookStore } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer } from "effect"
import pg from "pg"
import { beforeAll, describe, expect, it } from "vitest"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"

/** Begins a second bucket of an order with the lead 4 of five, and moves so many leads into it. Two lie in it. */
const splitAtLead4 = (ordering: string, key: string, moved: number): string =>
  `INSERT INTO lead_signals.lead_bucket (brand_id, ordering, key, id, n0)
     SELECT brand_id, '${ordering}', ${key}, id, ${moved} FROM lead_signals.lead WHERE id = 4;
   UPDATE lead_signals.lead_bucket SET n0 = n0 - ${moved} WHERE ordering = '${ordering}' AND id = 0`

const joinAtLead4 = (ordering: string, moved: number): string =>
  `DELETE FROM lead_signals.lead_bucket WHERE ordering = '${ordering}' AND id = 4;
   UPDATE lead_signals.lead_bucket SET n0 = n0 + ${moved} WHERE ordering = '${ordering}' AND id = 0`

/** The key of lead 4, which has no score, by the order. */
const keysOfLead4 = [
  ["created", "lpad(created_at::text, 16, '0')"],
  ["updated", "lpad(updated_at::text, 16, '0')"],
  ["name", "name_key"],
  ["score", "'fff0000000000000'"],
  ["scoreDesc", "'fff0000000000000'"]
] as const

const source = { type: "posts-with-keywords", value: "v", liCompanyId: null, company: null } as const

describe.skipIf(isWithoutPostgres)("check", () => {
  let url: string

  beforeAll(async () => {
    url = await migratedDatabase()
    await Effect.runPromise(
      Effect.gen(function* () {
        const brand = yield* Brands.create("B")
        const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        yield* (yield* WebhookStore).create({
          brandId: brand.id,
          url: "https://receiver.example/",
          events: ["lead2.created"],
          description: null,
          enabled: true,
          disabledReason: null,
          ...defaultSending,
          failingSince: null,
          secrets: { current: "whsec_x", previous: null },
          createdAt: 0
        })
        const observations = Array.from({ length: 5 }, (_, i) => ({
          signalId: signal.id,
          person: { extId: `p${i}`, name: `Ada ${i}`, headline: i === 0 ? null : "CTO" },
          engagement: { id: `e${i}` }
        }))
        yield* recordInOneCommit(brand, observations)
      }).pipe(Effect.provide(Layer.merge(PostgresStore.layer({ url }), webCrypto)))
    )
  })

  const checked = () => Effect.runPromise(PostgresStore.check(url))

  it("counts the rows of a sound database [STORE-9]", async () => {
    expect(await checked()).toMatchObject({ problems: [], counts: { leads: 5, engagements: 5, events: 10 } })
  })

  it.each(keysOfLead4)(
    "finds a lead in another bucket than its own by %s [STORE-9]",
    async (ordering, key) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      for (const [moved, problems] of [
        [2, []],
        [1, ["the rank buckets of the orders are wrong in 2 places"]]
      ] as const) {
        await client.query(splitAtLead4(ordering, key, moved))
        expect((await checked()).problems).toEqual(problems)
        await client.query(joinAtLead4(ordering, moved))
      }
      expect((await checked()).problems).toEqual([])
      await client.end()
    }
  )

  it.each([
    [
      "UPDATE lead_signals.lead_count SET n = n + 1",
      "UPDATE lead_signals.lead_count SET n = n - 1",
      /counts of leads/
    ],
    [
      "UPDATE lead_signals.lead_bucket SET n0 = n0 + 1 WHERE ordering = 'name'",
      "UPDATE lead_signals.lead_bucket SET n0 = n0 - 1 WHERE ordering = 'name'",
      /rank buckets/
    ],
    [
      "UPDATE lead_signals.lead_signal SET flags = 7 WHERE lead_id = 1",
      "UPDATE lead_signals.lead_signal SET flags = 0 WHERE lead_id = 1",
      /leads of the signals/
    ],
    [
      "UPDATE lead_signals.engagement SET lead_id = 99 WHERE id = 'e0'",
      "UPDATE lead_signals.engagement SET lead_id = 1 WHERE id = 'e0'",
      /leads of engagements/
    ],
    [
      "UPDATE lead_signals.engagement SET signal_id = 99 WHERE id = 'e0'",
      "UPDATE lead_signals.engagement SET signal_id = 1 WHERE id = 'e0'",
      /^the signals of engagements [^\n]*$/
    ],
    [
      "UPDATE lead_signals.delivery SET position = position + 100 WHERE seq = 1",
      "UPDATE lead_signals.delivery SET position = position - 100 WHERE seq = 1",
      /^the events of deliveries [^\n]*$/
    ],
    [
      "UPDATE lead_signals.delivery SET webhook_id = 99 WHERE seq = 1",
      "UPDATE lead_signals.delivery SET webhook_id = 1 WHERE seq = 1",
      /^the webhooks of deliveries /
    ],
    [
      "INSERT INTO lead_signals.delivery_body (brand_id, seq, body) VALUES (1, 99, '')",
      "DELETE FROM lead_signals.delivery_body",
      /^the deliveries of bodies [^\n]*$/
    ],
    [
      "INSERT INTO lead_signals.attempt (brand_id, delivery_seq, number, at, duration_millis, status) VALUES (1, 99, 1, 0, 0, 200)",
      "DELETE FROM lead_signals.attempt",
      /^the deliveries of attempts [^\n]*$/
    ],
    [
      "UPDATE lead_signals.delivery_count SET n = n + 1",
      "UPDATE lead_signals.delivery_count SET n = n - 1",
      /^the counts of deliveries [^\n]*$/
    ],
    ["UPDATE lead_signals.lead_text SET grams = grams[2:] WHERE lead_id = 2", null, /texts of 1 leads/],
    [
      "UPDATE lead_signals.lead SET shown = replace(shown, 'Ada 3', 'Eve 3') WHERE id = 4",
      null,
      /texts of 2 leads/
    ]
  ])("finds %s [STORE-9]", async (damage, undo, problem) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(damage)
    expect((await checked()).problems.join("\n")).toMatch(problem)
    if (undo !== null) {
      await client.query(undo)
      expect((await checked()).problems).toEqual([])
    }
    await client.end()
  })
})
