/** Campaigns and their readings in memory. */
import { CampaignStore, type PostTotals } from "@lead-signals/domain"
import { Effect, Layer, Option } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { createInBrand, findInBrand, listOfBrand, put, rename, withId } from "./Records.ts"

const inSpan = (day: string, startDate = "", endDate = "9999-99-99"): boolean =>
  day >= startDate && day <= endDate

const last = (days: Iterable<string>): string | undefined => [...days].sort().at(-1)

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
      })
  })
)

/** The port of campaigns. */
export const layer = Layer.effect(CampaignStore, make)
