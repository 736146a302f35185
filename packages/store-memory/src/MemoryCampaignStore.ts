/** Campaigns and their readings in memory. */
import {
  type CampaignSeries,
  CampaignStore,
  Folding,
  type PostTotals,
  type Reading
} from "@lead-signals/domain"
import { Effect, Layer, Option } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { createInBrand, findInBrand, listOfBrand, put, rename, withId } from "./Records.ts"

const inSpan = (day: string, startDate = "", endDate = "9999-99-99"): boolean =>
  day >= startDate && day <= endDate

const last = (days: Iterable<string>): string | undefined => [...days].sort().at(-1)

const nothing: PostTotals = { impressions: 0, reactions: 0, comments: 0, reposts: 0 }

/** The change with the difference between two readings of one post. */
const changed = (
  change: CampaignSeries.DayChange,
  before: PostTotals,
  after: PostTotals
): CampaignSeries.DayChange => ({
  day: change.day,
  impressions: change.impressions + after.impressions - before.impressions,
  reactions: change.reactions + after.reactions - before.reactions,
  comments: change.comments + after.comments - before.comments,
  reposts: change.reposts + after.reposts - before.reposts
})

const make = Effect.map(MemoryState, ({ memory }) =>
  CampaignStore.of({
    create: (campaign) =>
      createInBrand(memory, campaign.brandId, () =>
        put(memory.campaigns, withId(memory, "campaign", campaign))
      ),
    list: (brandId) => listOfBrand(memory.campaigns, brandId),
    rename: (brandId, id, name) =>
      Effect.sync(() => rename(memory.campaigns, findInBrand(memory.campaigns, brandId, id), name)),
    delete: (brandId, id) =>
      Effect.sync(() => {
        if (findInBrand(memory.campaigns, brandId, id) === undefined) return false
        memory.readings.delete(id)
        return memory.campaigns.delete(id)
      }),
    putReading: (brandId, id, { day, postId, totals }) =>
      Effect.sync(() => {
        if (findInBrand(memory.campaigns, brandId, id) === undefined) return false
        const posts = memory.readings.get(id) ?? new Map<string, Map<string, PostTotals>>()
        const days = posts.get(postId) ?? new Map<string, PostTotals>()
        memory.readings.set(id, posts.set(postId, days.set(day, totals)))
        return true
      }),
    snapshot: (brandId, id, { endDate, startDate }) =>
      Effect.sync(() => {
        if (findInBrand(memory.campaigns, brandId, id) === undefined) return Option.none()
        const posts = [...(memory.readings.get(id)?.values() ?? [])]
        const snapshotDate = last(
          posts.flatMap((days) => [...days.keys()].filter((day) => inSpan(day, startDate, endDate)))
        )
        if (snapshotDate === undefined) return Option.some({ snapshotDate: null, readings: [] })
        const readings = posts.flatMap((days) => {
          const day = last([...days.keys()].filter((each) => each <= snapshotDate))
          return day === undefined ? [] : [days.get(day)!]
        })
        return Option.some({ snapshotDate, readings })
      }),
    dayChanges: (brandId, id, { endDate, postId }) =>
      Effect.sync(() => {
        if (findInBrand(memory.campaigns, brandId, id) === undefined) return Option.none()
        const changes = new Map<string, CampaignSeries.DayChange>()
        for (const [post, days] of memory.readings.get(id) ?? []) {
          if (postId !== null && post !== postId) continue
          let before = nothing
          for (const day of [...days.keys()].filter((each) => each <= endDate).sort()) {
            const totals = days.get(day)!
            changes.set(day, changed(changes.get(day) ?? { day, ...nothing }, before, totals))
            before = totals
          }
        }
        return Option.some([...changes.values()].sort((a, b) => (a.day < b.day ? -1 : 1)))
      }),
    posts: (brandId, id, limit) =>
      Effect.sync(() => {
        if (findInBrand(memory.campaigns, brandId, id) === undefined) return Option.none()
        const found = [...(memory.readings.get(id) ?? [])].map(([postId, days]): Reading => {
          const day = last(days.keys())!
          return { postId, day, totals: days.get(day)! }
        })
        found.sort(
          (a, b) =>
            b.totals.impressions - a.totals.impressions || Folding.compareCodePoints(a.postId, b.postId)
        )
        return Option.some(found.slice(0, limit))
      })
  })
)

/** The port of campaigns. */
export const layer = Layer.effect(CampaignStore, make)
