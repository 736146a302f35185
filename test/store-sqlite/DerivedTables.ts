/** The derived tables of a file against a naive count of its base tables. */
import { type Lead, RenderedLeads } from "@lead-signals/domain"
import { SearchIndex } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { expect } from "vitest"

/** How many leads a bucket of these tests has at most. */
export const maxBucketLeads = 3

/** How many leads of these tests wait for the search indexes at most. */
export const maxUnindexed = 2

interface LeadRow {
  readonly [column: string]: string | number | null
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly headline: string | null
  readonly flags: number
  readonly created_at: number
  readonly updated_at: number
}

export const millisOfDay = 86_400_000

/** How often each text stands there. */
const tally = (texts: ReadonlyArray<string>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const text of [...texts].sort()) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

/** As a row for each lead that it counts. */
const unrolled = (rows: ReadonlyArray<Record<string, unknown>>): ReadonlyArray<string> =>
  rows.flatMap(({ n, ...what }) => Array.from({ length: n as number }, () => Object.values(what).join(" ")))

/** Fails unless every derived table has what a naive count of the base tables gives. */
export const expectDerived = (db: Database.Database): void => {
  const rows = <Row = Record<string, unknown>>(sql: string, ...params: Array<unknown>) =>
    db.prepare(sql).all(...params) as Array<Row>
  const leads = rows<LeadRow>("SELECT * FROM lead")
  const links = rows<{ lead_id: number; signal_id: number; flags: number; created_at: number }>(
    "SELECT * FROM lead_signal"
  )
  const byId = new Map(leads.map((lead) => [lead.id, lead]))

  expect(tally(links.map(({ lead_id, signal_id }) => `${lead_id} ${signal_id}`))).toEqual(
    tally(
      leads.flatMap(({ id, signal_ids }) =>
        JSON.parse(String(signal_ids)).map((each: string) => `${id} ${each}`)
      )
    )
  )
  for (const { created_at, flags, lead_id } of links) {
    const lead = byId.get(lead_id)!
    expect([flags, created_at]).toEqual([lead.flags, lead.created_at])
  }

  expect(tally(unrolled(rows("SELECT brand_id, signal_id, flags, n FROM lead_count")))).toEqual(
    tally([
      ...leads.map(({ brand_id, flags }) => `${brand_id} 0 ${flags}`),
      ...links.map(({ lead_id, signal_id }) => {
        const { brand_id, flags } = byId.get(lead_id)!
        return `${brand_id} ${signal_id} ${flags}`
      })
    ])
  )
  expect(tally(unrolled(rows("SELECT brand_id, field, day, flags, n FROM lead_day_count")))).toEqual(
    tally(
      leads.flatMap(({ brand_id, created_at, flags, updated_at }) => [
        `${brand_id} created ${Math.floor(created_at / millisOfDay)} ${flags}`,
        `${brand_id} updated ${Math.floor(updated_at / millisOfDay)} ${flags}`
      ])
    )
  )
  const columns = {
    created: "created_at",
    updated: "updated_at",
    name: "name_key",
    score: "score_rank",
    scoreDesc: "score_rank_desc"
  }
  for (const [ordering, column] of Object.entries(columns)) {
    // Texts are compared as SQLite does, by their bytes.
    const isBefore = (a: readonly [any, number], b: readonly [any, number]): boolean => {
      const order =
        typeof a[0] === "string" && typeof b[0] === "string"
          ? Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]))
          : a[0] < b[0]
            ? -1
            : Number(a[0] > b[0])
      return order < 0 || (order === 0 && a[1] < b[1])
    }
    const brands = rows<{ id: number }>("SELECT id FROM brand")
    for (const { id: brandId } of brands) {
      const ofBrand = leads.filter(({ brand_id }) => brand_id === brandId)
      const buckets = rows<Record<string, any>>(
        "SELECT * FROM lead_stretch WHERE brand_id = ? AND ordering = ? ORDER BY key, id",
        brandId,
        ordering
      )
      let counted = 0
      buckets.forEach((bucket, i) => {
        const next = buckets[i + 1]
        const within = ofBrand.filter((lead) => {
          const at = [lead[column], lead.id] as const
          return (
            !isBefore(at, [bucket["key"], bucket["id"]]) &&
            (next === undefined || isBefore(at, [next["key"], next["id"]]))
          )
        })
        counted += within.length
        expect(within.length).toBeLessThanOrEqual(maxBucketLeads)
        expect([0, 1, 2, 3, 4, 5, 6, 7].map((flags) => bucket[`n${flags}`])).toEqual(
          [0, 1, 2, 3, 4, 5, 6, 7].map((flags) => within.filter((lead) => lead.flags === flags).length)
        )
      })
      expect(counted).toBe(ofBrand.length)
      // Nothing is left of a lead that is gone, or of its earlier name. [PII-3]
      for (const { id, key } of buckets.filter((bucket) => bucket["id"] > 0)) {
        expect(byId.get(id)?.brand_id).toBe(brandId)
        if (ordering === "name") expect(byId.get(id)!["name_key"]).toBe(key)
      }
    }
  }

  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.text_entry USING fts5vocab(main, lead_text, instance)")
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.gram_entry USING fts5vocab(main, lead_gram, instance)")
  const entries = [
    ...rows<any>("SELECT doc, col, offset, term FROM temp.text_entry").map(
      ({ col, doc, offset, term }) => `text ${doc} ${col} ${offset} ${term}`
    ),
    ...rows<any>("SELECT doc, term FROM temp.gram_entry").map(({ doc, term }) => `gram ${doc} ${term}`)
  ]
  const maxIndexed = Number(db.prepare("SELECT max(id) FROM lead_text_docsize").pluck().get())
  const unindexed = leads.filter(({ id }) => id > maxIndexed)
  expect(unindexed.length).toBeLessThanOrEqual(maxUnindexed)
  const expected = leads
    .filter((lead) => !unindexed.includes(lead))
    .flatMap(({ brand_id, headline, id, name }) => {
      const texts = SearchIndex.searchTexts(brand_id, name, headline)
      const trigrams = (column: "name" | "headline"): ReadonlyArray<string> =>
        texts[column]
          .split(" ")
          .filter((each) => each !== "")
          .map((each, i) => `text ${id} ${column} ${i} ${each}`)
      return [
        ...trigrams("name"),
        ...trigrams("headline"),
        ...texts.grams.split(" ").map((gram) => `gram ${id} ${gram}`)
      ]
    })
  expect(tally(entries)).toEqual(tally(expected))
  db.exec("DROP TABLE temp.text_entry; DROP TABLE temp.gram_entry")

  for (const lead of leads) {
    if (lead["shown"] === null) continue
    const company = lead["company"] as string | null
    const rendered = RenderedLeads.renderLead({
      id: 0,
      brandId: String(lead.brand_id),
      extId: lead["ext_id"],
      profile: {
        name: lead.name,
        headline: lead.headline,
        username: lead["username"],
        title1: lead["title1"],
        liProfileUrl: lead["li_profile_url"],
        profileImgUrl: lead["profile_img_url"],
        company: company === null ? null : JSON.parse(company)
      },
      profileTimes: {},
      signalId: String(lead["signal_id"]),
      signalIds: JSON.parse(lead["signal_ids"] as string),
      qualified: (lead.flags & 1) > 0,
      exported: (lead.flags & 2) > 0,
      isEmployee: (lead.flags & 4) > 0,
      score1: lead["score1"],
      createdAt: lead.created_at,
      updatedAt: lead.updated_at
    } as unknown as Lead)
    expect(lead["shown"]).toBe(RenderedLeads.keep(rendered))
  }
}
