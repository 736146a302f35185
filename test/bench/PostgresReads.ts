/**
 * Milliseconds that Postgres itself takes for each shape of a list, by EXPLAIN (ANALYZE), as a table in Markdown. It fills an empty database
 * with so many leads first: `npm run bench -- postgres-reads postgres://… 1000000`. A third argument, a pattern, chooses the lists. Each figure is
 * the median of seven runs, or of as many as ten seconds have room for.
 */
import { LeadQueries } from "@lead-signals/domain"
import * as PostgresStore from "@lead-signals/store-postgres"
import { defaults, readRenderedPage, TotalCache } from "@lead-signals/store-postgres/internal"
import { Effect, Either } from "effect"
import pg from "pg"
import { explained } from "../store-postgres/QueryPlans.ts"
import { loadLeads } from "./PostgresData.ts"
import { median } from "./Statistics.ts"

type Shape = ReadonlyArray<readonly [name: string, value: string]>

const hour: Shape = [
  ["updatedAfter", "2025-06-01T10:00:00Z"],
  ["updatedBefore", "2025-06-01T11:00:00Z"]
]
const window: Shape = [
  ["createdAfter", "2024-06-01"],
  ["createdBefore", "2025-04-01"]
]

/** `page` is the page at a part of the list. */
const shapesOf = (page: (part: number) => readonly [string, string]): Readonly<Record<string, Shape>> => ({
  "first page": [],
  "first page with engagements and detail": [
    ["includeEngagements", "true"],
    ["includeEngagementDetail", "true"]
  ],
  "first page by name, descending": [["sort", "name:desc"]],
  "first page by score, descending": [["sort", "score1:desc"]],
  "qualified leads": [["qualified", "true"]],
  "two flags": [
    ["qualified", "false"],
    ["isEmployee", "true"]
  ],
  "window of an hour of updates": hour,
  "window of 300 days": window,
  "window of 300 days, by name": [...window, ["sort", "name:asc"]],
  "window and flag": [...window, ["qualified", "true"]],
  "common signal": [["signalId", "1"]],
  "common signal, page 100": [
    ["signalId", "1"],
    ["page", "100"]
  ],
  "rare signal": [["signalId", "20"]],
  "rare signal, by name": [
    ["signalId", "20"],
    ["sort", "name:asc"]
  ],
  "middle page": [page(0.5)],
  "middle page by name": [page(0.5), ["sort", "name:asc"]],
  "middle page by name, descending": [page(0.5), ["sort", "name:desc"]],
  "middle page by update": [page(0.7), ["sort", "updatedAt:desc"]],
  "middle page by score, descending": [page(0.5), ["sort", "score1:desc"]],
  "last page": [page(1)],
  "middle page of a flag": [page(0.1), ["qualified", "true"]],
  "middle page of a window": [page(0.2), ...window],
  "search that finds few": [["search", "zyxomma"]],
  "search that finds none": [["search", "zzzzqq"]],
  "search that finds many": [["search", "engineer"]],
  "search that finds many, by name": [
    ["search", "engineer"],
    ["sort", "name:desc"]
  ],
  "search of two characters": [["search", "ma"]],
  "search that finds many, and a flag": [
    ["search", "engineer"],
    ["qualified", "true"]
  ],
  "search that finds many, in an hour of updates": [["search", "engineer"], ...hour],
  "search that finds many, in 300 days": [["search", "engineer"], ...window],
  "search that finds many, and a common signal": [
    ["search", "engineer"],
    ["signalId", "1"]
  ],
  "search that finds many, and a rare signal": [
    ["search", "engineer"],
    ["signalId", "20"]
  ],
  "both windows": [
    ["createdAfter", "2024-06-01"],
    ["updatedBefore", "2024-07-01"]
  ]
})

const runs = 7

const [url, leads = "1000000", part = ""] = process.argv.slice(2)
if (url === undefined) throw new Error("The URL of a database comes first, then how many leads.")
await Effect.runPromise(Effect.void.pipe(Effect.provide(PostgresStore.layer({ url, notifications: false }))))
const client = new pg.Client({ connectionString: url })
await client.connect()
const { rows } = await client.query<{ n: string }>(
  "SELECT count(*) AS n FROM lead_signals.lead WHERE brand_id = 1"
)
if (rows[0]!.n === "0") {
  const startedAt = performance.now()
  const say = (line: string) =>
    console.error(`${line}, after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  await loadLeads(url, { leads: Number(leads), connections: 2, unlogged: true, say })
}
const pages = Math.ceil(
  Number((await client.query("SELECT count(*) AS n FROM lead_signals.lead WHERE brand_id = 1")).rows[0].n) /
    25
)

/** A list whose total takes seconds is run less often. */
const maxSeconds = 10

const millisOf = async (shape: Shape, totals: () => TotalCache) => {
  const query = Either.getOrThrow(LeadQueries.readList(shape))
  const times: Array<number> = []
  let total = 0
  const startedAt = performance.now()
  for (let run = 0; run < runs && performance.now() - startedAt < 1000 * maxSeconds; run++) {
    const { result, statements } = await explained(
      client,
      (db) => readRenderedPage(db, "1", query, defaults, totals()),
      true
    )
    times.push(statements.reduce((sum, { millis }) => sum + millis, 0))
    total = result.total
  }
  return { median: median(times), total }
}

const decimals = (millis: number): string => millis.toFixed(millis < 10 ? 2 : 0)

console.log("| list | total | total kept, ms | total counted, ms |\n| --- | ---: | ---: | ---: |")
for (const [name, shape] of Object.entries(
  shapesOf((part) => ["page", String(Math.max(1, Math.ceil(part * pages)))])
)) {
  if (!new RegExp(part).test(name)) continue
  let totals = new TotalCache(10)
  const counted = await millisOf(shape, () => (totals = new TotalCache(10)))
  const kept = await millisOf(shape, () => totals)
  console.log(
    `| ${name} | ${kept.total.toLocaleString("en")} | ${decimals(kept.median)} | ${decimals(counted.median)} |`
  )
}
await client.end()
