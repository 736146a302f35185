/** Everything kept beside the leads, against what a naive count of the leads gives, after histories that two nodes write at once. */
import {
  Brands,
  Folding,
  type Lead,
  Leads,
  recordObservations,
  RenderedLeads,
  Signals
} from "@lead-signals/domain"
import { LeadHistories, SettableClock } from "@lead-signals/store-contract"
import { gramsOf, Ordering, rebuildDerivedTables } from "@lead-signals/store-postgres/internal"
import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { cases } from "../harness/Thoroughness.ts"
import { type Node, openNodes } from "./Nodes.ts"
import { connectionOver } from "./QueryPlans.ts"

const maxBucketLeads = 3

interface LeadRow {
  readonly id: number
  readonly brand_id: number
  readonly ext_id: string
  readonly name: string
  readonly name_key: string
  readonly headline: string | null
  readonly username: string | null
  readonly title1: string | null
  readonly li_profile_url: string | null
  readonly profile_img_url: string | null
  readonly company: string | null
  readonly signal_id: number
  readonly signal_ids: string
  readonly flags: number
  readonly score1: number | null
  readonly created_at: number
  readonly updated_at: number
  readonly shown: string | null
}

type BucketRow = {
  readonly brand_id: number
  readonly ordering: Ordering.Ordering["name"]
  readonly key: string
  readonly id: number
} & {
  readonly [n: string]: number | string
}

/** How often each text stands there. */
const tally = (texts: ReadonlyArray<string>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const text of [...texts].sort()) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

const keyOf = (lead: LeadRow, name: Ordering.Ordering["name"]): string | number => {
  switch (name) {
    case "created":
      return lead.created_at
    case "updated":
      return lead.updated_at
    case "name":
      return Folding.fold(lead.name)
    case "score":
      return lead.score1 ?? Infinity
    case "scoreDesc":
      return lead.score1 === null ? Infinity : -lead.score1
  }
}

const renderedOf = (lead: LeadRow): string =>
  RenderedLeads.renderLead({
    id: lead.id,
    brandId: String(lead.brand_id),
    extId: lead.ext_id,
    profile: {
      name: lead.name,
      headline: lead.headline,
      username: lead.username,
      title1: lead.title1,
      liProfileUrl: lead.li_profile_url,
      profileImgUrl: lead.profile_img_url,
      company: lead.company === null ? null : JSON.parse(lead.company)
    },
    signalId: String(lead.signal_id),
    signalIds: JSON.parse(lead.signal_ids),
    qualified: (lead.flags & 1) > 0,
    exported: (lead.flags & 2) > 0,
    isEmployee: (lead.flags & 4) > 0,
    score1: lead.score1,
    createdAt: lead.created_at,
    updatedAt: lead.updated_at
  } as unknown as Lead)

describe.skipIf(isWithoutPostgres)("what is kept beside the leads in Postgres", () => {
  let opened: Awaited<ReturnType<typeof openNodes>>
  const clock = new SettableClock(LeadHistories.startOfHistories)
  beforeAll(async () => {
    opened = await openNodes(2, { maxBucketLeads })
  })
  afterAll(() => opened.close())

  /** Each of the nodes plays its own history over the same persons of the same brand. */
  const play = async (histories: ReadonlyArray<ReadonlyArray<LeadHistories.Step>>): Promise<void> => {
    const { nodes } = opened
    const { brand, signals } = await nodes[0]!.runPromise(
      clock.provide(
        Effect.gen(function* () {
          const brand = yield* Brands.create("B")
          const signals: Array<string> = []
          for (const name of ["Posts", "Words", "Profile", "Mentions"]) {
            const source = { type: "post-url" as const, value: name, liCompanyId: null, company: null }
            signals.push((yield* Signals.create(brand.id, { name, signalType: "t", source })).id)
          }
          return { brand, signals }
        })
      )
    )
    const leads = new Set<number>()
    const playOn = (node: Node, steps: ReadonlyArray<LeadHistories.Step>, name: number) =>
      node.runPromise(
        clock.provide(
          Effect.gen(function* () {
            for (const step of steps) {
              const leadId =
                step.step === "amend" || step.step === "erase" ? [...leads][step.lead] : undefined
              if (step.step === "wait") clock.millis += step.millis
              else if (step.step === "observe") {
                const values = step.seen.map(({ engagement, signal, ...seen }) => ({
                  ...seen,
                  signalId: signals[signal]!,
                  engagement: { ...engagement, id: `${name} ${engagement.id}`, trackedAt: null }
                }))
                for (const outcome of yield* recordObservations(brand, values)) {
                  if (outcome.outcome === "recorded") leads.add(outcome.leadId!)
                }
              } else if (leadId !== undefined && step.step === "amend") {
                // The other node may have erased it.
                yield* Effect.either(Leads.amend(brand.id, leadId, step.change))
              } else if (leadId !== undefined) {
                yield* Effect.either(Leads.erase(brand, leadId))
                leads.delete(leadId)
              }
            }
          })
        )
      )
    await Promise.all(histories.map((steps, i) => playOn(nodes[i]!, steps, i)))
  }

  const compared = async (): Promise<void> => {
    const leads = await opened.rows<LeadRow>("SELECT * FROM lead")
    const byId = new Map(leads.map((lead) => [lead.id, lead]))

    const links = await opened.rows<{
      lead_id: number
      signal_id: number
      flags: number
      created_at: number
      brand_id: number
    }>("SELECT * FROM lead_signal")
    expect(
      tally(links.map((link) => `${link.lead_id} ${link.signal_id} ${link.flags} ${link.created_at}`))
    ).toEqual(
      tally(
        leads.flatMap(({ created_at, flags, id, signal_ids }) =>
          (JSON.parse(signal_ids) as Array<string>).map((each) => `${id} ${each} ${flags} ${created_at}`)
        )
      )
    )

    const counts = await opened.rows<{ brand_id: number; signal_id: number; flags: number; n: number }>(
      "SELECT * FROM lead_count WHERE n <> 0"
    )
    expect(
      Object.fromEntries(
        counts.map(({ brand_id, flags, n, signal_id }) => [`${brand_id} ${signal_id} ${flags}`, n])
      )
    ).toEqual(
      tally([
        ...leads.map(({ brand_id, flags }) => `${brand_id} 0 ${flags}`),
        ...links.map(({ brand_id, flags, signal_id }) => `${brand_id} ${signal_id} ${flags}`)
      ])
    )

    const texts = await opened.rows<{
      brand_id: number
      lead_id: number
      name_key: string
      headline_key: string | null
      grams: Array<number>
    }>("SELECT * FROM lead_text")
    expect(texts.map(({ lead_id }) => lead_id).sort()).toEqual([...byId.keys()].sort())
    for (const { brand_id, grams, headline_key, lead_id, name_key } of texts) {
      const lead = byId.get(lead_id)!
      const headline = lead.headline === null ? null : Folding.fold(lead.headline)
      expect([name_key, headline_key, lead.name_key]).toEqual([Folding.fold(lead.name), headline, name_key])
      expect(grams).toEqual(gramsOf(brand_id, [name_key, headline]))
    }

    for (const lead of leads) {
      if (lead.shown !== null) expect(lead.shown).toBe(RenderedLeads.keep(renderedOf(lead)))
    }

    const buckets = await opened.rows<BucketRow>(
      "SELECT * FROM lead_bucket ORDER BY brand_id, ordering, key, id"
    )
    for (const brandId of new Set(leads.map(({ brand_id }) => brand_id))) {
      for (const { name, textOf } of Object.values(Ordering.orderings)) {
        const ofOrder = buckets.filter((bucket) => bucket.brand_id === brandId && bucket.ordering === name)
        expect([ofOrder[0]?.key, ofOrder[0]?.id]).toEqual(["", 0])
        const places = leads
          .filter((lead) => lead.brand_id === brandId)
          .map((lead) => ({ lead, key: textOf(keyOf(lead, name)) }))
        const counted = ofOrder.map(() => [0, 0, 0, 0, 0, 0, 0, 0])
        for (const { key, lead } of places) {
          const of = ofOrder.findLastIndex((bucket) => {
            const order = Folding.compareCodePoints(bucket.key, key)
            return order < 0 || (order === 0 && bucket.id <= lead.id)
          })
          counted[of]![lead.flags]!++
        }
        expect(ofOrder.map((bucket) => [0, 1, 2, 3, 4, 5, 6, 7].map((flags) => bucket[`n${flags}`]))).toEqual(
          counted
        )
        for (const each of counted) {
          expect(each.reduce((sum, n) => sum + n)).toBeLessThanOrEqual(maxBucketLeads)
        }
        // No name is kept but those that leads have.
        if (name === "name") {
          for (const { id, key } of ofOrder.slice(1)) expect(byId.get(id)?.name_key).toBe(key)
        }
      }
    }
  }

  it("is what counting the leads gives, after any two histories at once [PAGE-1, LIST-3, SORT-5, PII-3]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(LeadHistories.history, LeadHistories.history), async (histories) => {
        await play(histories)
        await compared()
      }),
      { numRuns: cases(60) }
    )
  })

  it("is what counting gives also when others come between leads that have all flags [LIST-3, SORT-5]", async () => {
    const numbers = Array.from({ length: 12 }, (_, i) => i)
    const observed = (ending: string): LeadHistories.Step => ({
      step: "observe",
      seen: numbers.map((i) => ({
        signal: 0,
        signalId: "",
        person: {
          extId: `${i}${ending}`,
          name: `${i}${ending}`,
          headline: null,
          username: null,
          company: null
        },
        engagement: {
          id: `${i}${ending}`,
          type: null,
          reactionType: null,
          commentText: null,
          postUrl: null,
          postAuthor: null,
          postAuthorDetail: null,
          trackedAt: null
        }
      }))
    })
    const change = { qualified: true, exported: true, isEmployee: true }
    const amended = numbers.map((lead): LeadHistories.Step => ({ step: "amend", lead, change }))
    await play([[observed(""), ...amended, observed(" later")]])
    await compared()
  })

  it("is made anew from the leads, whatever it was [PAGE-1]", async () => {
    await play(fc.sample(fc.tuple(LeadHistories.history, LeadHistories.history), { numRuns: 1, seed: 7 })[0]!)
    const { client, schema } = opened
    await client.query(
      "UPDATE lead_count SET n = n + 1; UPDATE lead_bucket SET n0 = 0, n3 = 9; DELETE FROM lead_bucket WHERE id > 0"
    )
    await expect(compared()).rejects.toThrow()
    const db = connectionOver(client)
    const inSchema = (text: string): string => text.replaceAll("lead_signals.", `${schema}.`)
    await rebuildDerivedTables(
      {
        all: (text, params) => db.all(inSchema(text), params),
        get: (text, params) => db.get(inSchema(text), params),
        run: (text, params) => db.run(inSchema(text), params),
        keys: null
      },
      maxBucketLeads
    )
    await compared()
  })
})
