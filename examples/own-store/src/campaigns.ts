/** Campaigns with the readings of their posts. */
import {
  type CampaignSeries,
  CampaignStore,
  Folding,
  type MetricsQueries,
  type PostTotals,
  type Reading,
  type SnapshotReadings
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { createFor, find, ofBrand, rename } from "./rows.ts"
import type { ReadingRow, Tables } from "./Tables.ts"

const readingKey = ({ campaignId, day, postId }: Omit<ReadingRow, "totals">): string =>
  JSON.stringify([campaignId, postId, day])

const nothing: PostTotals = { impressions: 0, reactions: 0, comments: 0, reposts: 0 }

/** Removes the readings of a campaign that is deleted. */
export const removeReadings = ({ readings }: Tables, campaignId: string): void => {
  for (const reading of readings.all())
    if (reading.campaignId === campaignId) readings.remove(readingKey(reading))
}

/** The readings of a campaign, in the order of their days. */
const readingsOf = ({ readings }: Tables, campaignId: string): ReadonlyArray<ReadingRow> =>
  readings
    .all()
    .filter((reading) => reading.campaignId === campaignId)
    .sort((a, b) => (a.day < b.day ? -1 : 1))

const snapshotOf = (
  rows: ReadonlyArray<ReadingRow>,
  { endDate = "9999-99-99", startDate = "" }: MetricsQueries.DateSpan
): SnapshotReadings => {
  const snapshotDate = rows.findLast(({ day }) => day >= startDate && day <= endDate)?.day
  if (snapshotDate === undefined) return { snapshotDate: null, readings: [] }
  // Each post's last reading up to that day: a later one takes the place of an earlier one.
  const last = new Map(
    rows.filter(({ day }) => day <= snapshotDate).map(({ postId, totals }) => [postId, totals])
  )
  return { snapshotDate, readings: [...last.values()] }
}

const dayChangesOf = (rows: ReadonlyArray<ReadingRow>): ReadonlyArray<CampaignSeries.DayChange> => {
  const last = new Map<string, PostTotals>()
  const changes = new Map<string, CampaignSeries.DayChange>()
  for (const { day, postId, totals } of rows) {
    const [before, change] = [last.get(postId) ?? nothing, changes.get(day) ?? nothing]
    changes.set(day, {
      day,
      impressions: change.impressions + totals.impressions - before.impressions,
      reactions: change.reactions + totals.reactions - before.reactions,
      comments: change.comments + totals.comments - before.comments,
      reposts: change.reposts + totals.reposts - before.reposts
    })
    last.set(postId, totals)
  }
  return [...changes.values()]
}

const lastReadings = (rows: ReadonlyArray<ReadingRow>): ReadonlyArray<Reading> => {
  const last = new Map(rows.map(({ day, postId, totals }) => [postId, { postId, day, totals }]))
  return [...last.values()].sort(
    (a, b) => b.totals.impressions - a.totals.impressions || Folding.compareCodePoints(a.postId, b.postId)
  )
}

export const campaignStore = (tables: Tables): typeof CampaignStore.Service => {
  const { campaigns, readings } = tables

  /** What `read` makes of the readings of the brand's campaign; none where the brand has no such campaign. */
  const ofReadings = <A>(
    brandId: string,
    campaignId: string,
    read: (rows: ReadonlyArray<ReadingRow>) => A
  ): Effect.Effect<Option.Option<A>> =>
    Effect.sync(() =>
      Option.map(find(campaigns, brandId, campaignId), () => read(readingsOf(tables, campaignId)))
    )

  return CampaignStore.of({
    create: (campaign) => tables.write(() => createFor(tables, campaigns, "campaign", campaign)),
    list: (brandId) => Effect.sync(() => ofBrand(campaigns, brandId)),
    rename: (brandId, id, name) => tables.write(() => rename(campaigns, find(campaigns, brandId, id), name)),
    delete: (brandId, id) =>
      tables.write(() => {
        const isFound = Option.isSome(find(campaigns, brandId, id))
        if (isFound) {
          removeReadings(tables, id)
          campaigns.remove(id)
        }
        return isFound
      }),
    putReading: (brandId, campaignId, reading) =>
      tables.write(() => {
        const isFound = Option.isSome(find(campaigns, brandId, campaignId))
        const row = { campaignId, ...reading }
        if (isFound) readings.put(readingKey(row), row)
        return isFound
      }),
    snapshot: (brandId, campaignId, span) =>
      ofReadings(brandId, campaignId, (rows) => snapshotOf(rows, span)),
    dayChanges: (brandId, campaignId, { endDate, postId }) =>
      ofReadings(brandId, campaignId, (rows) =>
        dayChangesOf(
          rows.filter((each) => each.day <= endDate && (postId === null || each.postId === postId))
        )
      ),
    posts: (brandId, campaignId, limit) =>
      ofReadings(brandId, campaignId, (rows) => lastReadings(rows).slice(0, limit))
  })
}
