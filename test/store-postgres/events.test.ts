/** The order of a brand's events in Postgres, where transactions of several nodes overlap. */
import { Brands, LeadStore, recordObservations, Signals } from "@lead-signals/domain"
import { Effect } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { sharedDatabase } from "./Databases.ts"
import { openNodes } from "./Nodes.ts"

const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }

describe.skipIf(isWithoutPostgres)("events in Postgres", () => {
  let opened: Awaited<ReturnType<typeof openNodes>>
  beforeAll(async () => {
    opened = await openNodes(2)
  })
  afterAll(() => opened.close())

  const newBrand = Effect.gen(function* () {
    const brand = yield* Brands.create("B")
    const { id: signalId } = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    return { brand, signalId }
  })

  it("get their positions in the order in which the brand's transactions commit [LIVE-1]", async () => {
    const { nodes, rows, schema } = opened
    const { brand, signalId } = await nodes[0]!.runPromise(newBrand)
    const observe = (node: number, id: string) =>
      nodes[node]!.runPromise(
        recordObservations(brand, [{ signalId, person: { extId: id, name: id }, engagement: { id } }])
      )
    await observe(0, "first")
    const numbered = async () =>
      (await rows("SELECT last_value AS n FROM event_position_seq"))[0] as { readonly n: number }
    const before = await numbered()
    // Another transaction of the brand has its turn, and is not yet at its end.
    const other = new pg.Client({ connectionString: await sharedDatabase() })
    await other.connect()
    await other.query("BEGIN")
    await other.query(`SELECT 1 FROM ${schema}.brand_version WHERE brand_id = $1 FOR UPDATE`, [brand.id])
    const recorded = observe(1, "second")
    const waiting = () =>
      rows(`SELECT 1 AS n FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND cardinality(pg_blocking_pids(pid)) > 0`)
    await expect.poll(waiting).toHaveLength(1)
    expect(await numbered()).toEqual(before)
    await other.query("COMMIT")
    await other.end()
    await recorded
    const { events } = await nodes[0]!.runPromise(
      Effect.flatMap(LeadStore, (store) => store.eventsAfter(brand.id, 0, 10))
    )
    expect(events.map(({ event: { engagementId } }) => engagementId)).toEqual([
      "first",
      "first",
      "second",
      "second"
    ])
  })
})
