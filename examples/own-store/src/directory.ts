/** Brands, keys, signals, campaigns with their readings, and webhooks. */
import {
  AttemptTransitions,
  BrandStore,
  type CampaignSeries,
  CampaignStore,
  Folding,
  KeyStore,
  type PostTotals,
  SignalStore,
  StoreHealth,
  StoreUnavailable,
  WebhookStore
} from "@lead-signals/domain"
import { Context, Effect, Option } from "effect"
import type { Table } from "./Journal.ts"
import { releasedDueAt } from "./outbox.ts"
import type { ReadingRow, Tables } from "./Tables.ts"

interface Owned {
  readonly id: string
  readonly brandId: string
}

const inOrder = <A extends { readonly id: string }>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  [...rows].sort((a, b) => Number(a.id) - Number(b.id))

const ofBrand = <A extends Owned>(table: Table<A>, brandId: string) =>
  inOrder(table.all().filter((row) => row.brandId === brandId))

const readingKey = ({ campaignId, day, postId }: Omit<ReadingRow, "totals">): string =>
  JSON.stringify([campaignId, postId, day])

const find = <A extends Owned>(table: Table<A>, brandId: string, id: string): Option.Option<A> =>
  Option.filter(Option.fromNullable(table.get(id)), (row) => row.brandId === brandId)

const nothing: PostTotals = { impressions: 0, reactions: 0, comments: 0, reposts: 0 }

export const directory = (tables: Tables) => {
  const { brands, campaigns, deletedSignals, deliveries, keyHashes, keys, readings, signals, webhooks } =
    tables

  const create = <A extends { readonly id: string }>(
    table: Table<A>,
    sequence: string,
    row: Omit<A, "id">
  ): A => {
    const created = { ...row, id: String(tables.next(sequence)) } as A
    return table.put(created.id, created)
  }

  /** Creates a thing of a brand that is not being deleted. */
  const createFor = <A extends Owned>(table: Table<A>, sequence: string, row: Omit<A, "id">): A => {
    if (brands.get(row.brandId as string)?.deletionStartedAt !== null)
      throw new StoreUnavailable({ reason: "the brand is being deleted" })
    return create(table, sequence, row)
  }

  const rename = <A extends { readonly id: string; readonly name: string }>(
    table: Table<A>,
    found: Option.Option<A>,
    name: string
  ) => Option.map(found, (row) => table.put(row.id, { ...row, name }))

  /** A delivery whose attempt is under way becomes due when its lease runs out: until then it is another's. */
  const startFresh = (webhookId: string, now: number): void => {
    for (const row of tables.deliveriesOf(webhookId)) {
      if (row.state !== "pending") continue
      deliveries.put(
        row.id,
        row.lease === null
          ? { ...row, failures: 0, failingSince: null, dueAt: Math.min(row.dueAt!, now) }
          : {
              ...row,
              failures: 0,
              failingSince: null,
              lease: AttemptTransitions.ofEarlierEnabling(row.lease)
            }
      )
    }
  }

  const findSignal = (brandId: string, id: string) =>
    Option.filter(find(signals, brandId, id), () => deletedSignals.get(id) === undefined)

  const removeReadings = (campaignId: string): void => {
    for (const reading of readings.all())
      if (reading.campaignId === campaignId) readings.remove(readingKey(reading))
  }

  const removeBrand = (brandId: string): void => {
    for (const key of ofBrand(keys, brandId)) {
      for (const { hash, keyId } of keyHashes.all()) if (keyId === key.id) keyHashes.remove(hash)
      tables.rateWindows.remove(key.id)
      keys.remove(key.id)
    }
    for (const { id } of ofBrand(signals, brandId)) {
      deletedSignals.remove(id)
      signals.remove(id)
    }
    for (const { id } of ofBrand(campaigns, brandId)) {
      removeReadings(id)
      campaigns.remove(id)
    }
    for (const { hash } of tables.suppressed(brandId).all()) tables.suppressed(brandId).remove(hash)
    brands.remove(brandId)
  }

  const brandStore = BrandStore.of({
    create: (brand) => tables.write(() => create(brands, "brand", { ...brand, deletionStartedAt: null })),
    list: Effect.sync(() => inOrder(brands.all())),
    get: (id) => Effect.sync(() => Option.fromNullable(brands.get(id))),
    rename: (id, name) => tables.write(() => rename(brands, Option.fromNullable(brands.get(id)), name)),
    startDeletion: (id, now) =>
      tables.write(() =>
        Option.map(Option.fromNullable(brands.get(id)), (brand) => {
          for (const key of ofBrand(keys, id)) keys.put(key.id, { ...key, revokedAt: key.revokedAt ?? now })
          for (const signal of ofBrand(signals, id)) deletedSignals.put(signal.id, true)
          return brands.put(id, { ...brand, deletionStartedAt: brand.deletionStartedAt ?? now })
        })
      ),
    finishDeletion: (id) =>
      tables.write(() => {
        const isBegun = (brands.get(id)?.deletionStartedAt ?? null) !== null
        if (!isBegun || tables.leads(id).all().length > 0 || ofBrand(webhooks, id).length > 0) return false
        removeBrand(id)
        return true
      }, true)
  })

  const keyStore = KeyStore.of({
    create: ({ hash, ...key }) =>
      tables.write(() => {
        const created = createFor(keys, "key", { ...key, lastUsedAt: null, revokedAt: null })
        keyHashes.put(hash, { hash, keyId: created.id })
        return created
      }),
    list: (brandId) => Effect.sync(() => ofBrand(keys, brandId)),
    findByHash: (hash) => Effect.sync(() => Option.fromNullable(keys.get(keyHashes.get(hash)?.keyId ?? ""))),
    revoke: (brandId, keyId, now) =>
      tables.write(() =>
        Option.isSome(
          Option.map(find(keys, brandId, keyId), (key) =>
            keys.put(keyId, { ...key, revokedAt: key.revokedAt ?? now })
          )
        )
      ),
    markUsed: (keyId, minute) =>
      tables.write(() => {
        const key = keys.get(keyId)
        if (key !== undefined)
          keys.put(keyId, { ...key, lastUsedAt: Math.max(key.lastUsedAt ?? minute, minute) })
      })
  })

  const signalStore = SignalStore.of({
    create: (brandId, signal, now) =>
      tables.write(() => createFor(signals, "signal", { ...signal, brandId, createdAt: now })),
    list: (brandId) =>
      Effect.sync(() => ofBrand(signals, brandId).filter(({ id }) => deletedSignals.get(id) === undefined)),
    rename: (brandId, id, name) => tables.write(() => rename(signals, findSignal(brandId, id), name)),
    delete: (brandId, id) =>
      tables.write(() => {
        const isFound = Option.isSome(findSignal(brandId, id))
        if (isFound) deletedSignals.put(id, true)
        return isFound
      })
  })

  const campaignStore = CampaignStore.of({
    create: (campaign) => tables.write(() => createFor(campaigns, "campaign", campaign)),
    list: (brandId) => Effect.sync(() => ofBrand(campaigns, brandId)),
    rename: (brandId, id, name) => tables.write(() => rename(campaigns, find(campaigns, brandId, id), name)),
    delete: (brandId, id) =>
      tables.write(() => {
        const isFound = Option.isSome(find(campaigns, brandId, id))
        if (isFound) {
          removeReadings(id)
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
    snapshot: (brandId, campaignId, { endDate = "9999-99-99", startDate = "" }) =>
      Effect.sync(() => {
        if (Option.isNone(find(campaigns, brandId, campaignId))) return Option.none()
        const byDay = readings
          .all()
          .filter((reading) => reading.campaignId === campaignId)
          .sort((a, b) => (a.day < b.day ? -1 : 1))
        const snapshotDate = byDay.findLast(({ day }) => day >= startDate && day <= endDate)?.day
        if (snapshotDate === undefined) return Option.some({ snapshotDate: null, readings: [] })
        // Each post's last reading up to that day: a later one takes the place of an earlier one.
        const last = new Map(
          byDay.filter(({ day }) => day <= snapshotDate).map(({ postId, totals }) => [postId, totals])
        )
        return Option.some({ snapshotDate, readings: [...last.values()] })
      }),
    dayChanges: (brandId, campaignId, { endDate, postId }) =>
      Effect.sync(() => {
        if (Option.isNone(find(campaigns, brandId, campaignId))) return Option.none()
        const last = new Map<string, PostTotals>()
        const changes = new Map<string, CampaignSeries.DayChange>()
        const byDay = readings
          .all()
          .filter((each) => each.campaignId === campaignId && each.day <= endDate)
          .filter((each) => postId === null || each.postId === postId)
          .sort((a, b) => (a.day < b.day ? -1 : 1))
        for (const { day, postId: post, totals } of byDay) {
          const [before, change] = [last.get(post) ?? nothing, changes.get(day) ?? nothing]
          changes.set(day, {
            day,
            impressions: change.impressions + totals.impressions - before.impressions,
            reactions: change.reactions + totals.reactions - before.reactions,
            comments: change.comments + totals.comments - before.comments,
            reposts: change.reposts + totals.reposts - before.reposts
          })
          last.set(post, totals)
        }
        return Option.some([...changes.values()])
      }),
    posts: (brandId, campaignId, limit) =>
      Effect.sync(() => {
        if (Option.isNone(find(campaigns, brandId, campaignId))) return Option.none()
        const byDay = readings
          .all()
          .filter((each) => each.campaignId === campaignId)
          .sort((a, b) => (a.day < b.day ? -1 : 1))
        const last = new Map(byDay.map(({ day, postId, totals }) => [postId, { postId, day, totals }]))
        const ordered = [...last.values()].sort(
          (a, b) =>
            b.totals.impressions - a.totals.impressions || Folding.compareCodePoints(a.postId, b.postId)
        )
        return Option.some(ordered.slice(0, limit))
      })
  })

  const webhookStore = WebhookStore.of({
    create: (webhook) => tables.write(() => createFor(webhooks, "webhook", webhook)),
    list: (brandId) => Effect.sync(() => ofBrand(webhooks, brandId)),
    get: (brandId, id) => Effect.sync(() => find(webhooks, brandId, id)),
    update: (brandId, id, change) =>
      tables.writeAndRing((now) =>
        Option.map(find(webhooks, brandId, id), (before) => {
          const after = webhooks.put(id, change(before, now))
          if (after.enabled && !before.enabled) startFresh(id, now)
          if (after.ordering === "none" && before.ordering === "lead") {
            for (const row of tables.deliveriesOf(id)) {
              if (row.state !== "pending" || row.orderedLead === null) continue
              deliveries.put(row.id, { ...row, orderedLead: null, dueAt: releasedDueAt(row, now) })
            }
          }
          return after
        })
      ),
    delete: (brandId, id) =>
      tables.write(() => {
        if (Option.isNone(find(webhooks, brandId, id))) return false
        for (const row of tables.deliveriesOf(id)) deliveries.remove(row.id)
        webhooks.remove(id)
        return true
      })
  })

  const storeHealth = StoreHealth.of({
    check: Effect.succeed({ writeProblem: null })
  })

  return Context.make(BrandStore, brandStore).pipe(
    Context.add(KeyStore, keyStore),
    Context.add(SignalStore, signalStore),
    Context.add(CampaignStore, campaignStore),
    Context.add(WebhookStore, webhookStore),
    Context.add(StoreHealth, storeHealth)
  )
}
