/**
 * A client that keeps a copy of a brand's leads: it asks for what was updated since the last time, from a little before
 * that, and takes each lead once. What it ends with must be what there is.
 */
import { Effect } from "effect"
import type { Ledger } from "../world/Ledger.ts"
import type { World } from "../world/World.ts"
import { bodyOf, type Json, persistently } from "./Calls.ts"

const replayMillis = 120_000
const pageSize = 100

export class SyncClient {
  readonly mirror = new Map<number, Json>()
  private cursor: number | null = null

  constructor(
    private readonly world: World,
    private readonly ledger: Ledger,
    readonly brandId: string,
    private readonly key: string
  ) {}

  private readonly page = (query: string): Effect.Effect<Json> =>
    Effect.map(
      persistently(this.world, this.ledger, `client ${this.brandId}`, {
        method: "GET",
        url: `/signals/leads?${query}`,
        token: this.key
      }),
      bodyOf
    )

  /** Takes over what has changed since the last time. */
  readonly sync: Effect.Effect<void> = Effect.gen(this, function* () {
    const since =
      this.cursor === null ? "" : `&updatedAfter=${new Date(this.cursor - replayMillis).toISOString()}`
    for (let page = 1; ; page++) {
      const { data, meta } = yield* this.page(`sort=updatedAt:asc&pageSize=${pageSize}&page=${page}${since}`)
      for (const lead of data) {
        const known = this.mirror.get(lead.id)
        if (known !== undefined && known.updatedAt > lead.updatedAt) {
          this.ledger.violate("updatedAt never goes back", `lead ${lead.id} of brand ${this.brandId}`)
        }
        this.mirror.set(lead.id, lead)
        this.cursor = Math.max(this.cursor ?? 0, Date.parse(lead.updatedAt))
      }
      if (page > 1) this.ledger.marks.add("a sync took several pages")
      if (page >= meta.pagination.pageCount) return
    }
  })

  readonly syncEvery = (minutes: number): Effect.Effect<never> =>
    Effect.forever(Effect.zipRight(Effect.sleep(minutes * 60_000), this.sync))

  /** Everything that there is, read on quiet data. */
  readonly everything: Effect.Effect<ReadonlyArray<Json>> = Effect.gen(this, function* () {
    const all: Array<Json> = []
    for (let page = 1; ; page++) {
      const { data, meta } = yield* this.page(`sort=createdAt:asc&pageSize=${pageSize}&page=${page}`)
      all.push(...data)
      if (page >= meta.pagination.pageCount) return all
    }
  })
}
