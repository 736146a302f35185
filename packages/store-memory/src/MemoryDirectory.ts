/** Brands, keys, signals, campaigns with their readings, and webhooks, in memory. */
import { type ApiKey, Directory, type PostTotals, Settlements, type Webhook } from "@lead-signals/domain"
import { Clock, Effect, Layer, Option, Queue } from "effect"
import { MemoryState } from "./MemoryState.ts"

const byBrand = <A extends { readonly brandId: string }>(things: Map<string, A>, brandId: string) =>
  Effect.sync(() => [...things.values()].filter((thing) => thing.brandId === brandId))

const inSpan = (day: string, startDate = "", endDate = "9999-99-99"): boolean =>
  day >= startDate && day <= endDate

const last = (days: Iterable<string>): string | undefined => [...days].sort().at(-1)

const make = Effect.gen(function* () {
  const { memory, queued } = yield* MemoryState
  const withId = <A extends object>(sequence: string, thing: A): A & { readonly id: string } => ({
    ...thing,
    id: String(memory.next(sequence))
  })
  const put = <A extends { readonly id: string }>(things: Map<string, A>, thing: A): A => {
    things.set(thing.id, thing)
    return thing
  }

  const rename = <A extends { readonly id: string; readonly name: string }>(
    things: Map<string, A>,
    found: A | undefined,
    name: string
  ): Option.Option<A> =>
    Option.map(Option.fromNullable(found), (before) => put<A>(things, { ...before, name }))

  const ofBrand = <A extends { readonly brandId: string }>(
    things: Map<string, A>,
    brandId: string,
    id: string
  ): A | undefined => {
    const found = things.get(id)
    return found?.brandId === brandId ? found : undefined
  }

  const webhookOf = (brandId: string, id: string): Webhook | undefined =>
    ofBrand(memory.webhooks, brandId, id)

  /** One whose attempt is under way becomes due when its lease runs out: until then it is another's. [DELIV-4] */
  const startFresh = (webhookId: string, now: number): void => {
    for (const record of memory.deliveries.of(webhookId)) {
      if (record.state !== "pending") continue
      const { lease } = record
      memory.deliveries.put(
        lease === null
          ? { ...record, failures: 0, dueAt: Math.min(record.dueAt!, now) }
          : { ...record, failures: 0, lease: Settlements.ofEarlierEnabling(lease) }
      )
    }
  }

  return Directory.of({
    createBrand: (brand) => Effect.sync(() => put(memory.brands, withId("brand", brand))),
    brands: Effect.sync(() => [...memory.brands.values()]),
    brand: (id) => Effect.sync(() => Option.fromNullable(memory.brands.get(id))),
    renameBrand: (id, name) => Effect.sync(() => rename(memory.brands, memory.brands.get(id), name)),

    createKey: ({ hash, ...key }) =>
      Effect.sync(() => {
        const created: ApiKey = put(memory.keys, withId("key", { ...key, lastUsedAt: null, revokedAt: null }))
        memory.keyIdsByHash.set(hash, created.id)
        return created
      }),
    keys: (brandId) => byBrand(memory.keys, brandId),
    keyByHash: (hash) =>
      Effect.sync(() => Option.fromNullable(memory.keys.get(memory.keyIdsByHash.get(hash) ?? ""))),
    revokeKey: (brandId, keyId, now) =>
      Effect.sync(() => {
        const key = memory.keys.get(keyId)
        if (key?.brandId !== brandId) return false
        put(memory.keys, { ...key, revokedAt: key.revokedAt ?? now })
        return true
      }),
    markKeyUsed: (keyId, minute) =>
      Effect.sync(() => {
        const key = memory.keys.get(keyId)
        if (key !== undefined)
          put(memory.keys, { ...key, lastUsedAt: Math.max(key.lastUsedAt ?? minute, minute) })
      }),

    createSignal: (brandId, signal, now) =>
      Effect.sync(() => put(memory.signals, withId("signal", { ...signal, brandId, createdAt: now }))),
    signals: (brandId) => byBrand(memory.signals, brandId),
    renameSignal: (brandId, id, name) =>
      Effect.sync(() => rename(memory.signals, ofBrand(memory.signals, brandId, id), name)),

    createCampaign: (campaign) => Effect.sync(() => put(memory.campaigns, withId("campaign", campaign))),
    campaigns: (brandId) => byBrand(memory.campaigns, brandId),
    campaign: (brandId, id) => Effect.sync(() => Option.fromNullable(ofBrand(memory.campaigns, brandId, id))),
    renameCampaign: (brandId, id, name) =>
      Effect.sync(() => rename(memory.campaigns, ofBrand(memory.campaigns, brandId, id), name)),
    putReading: (campaignId, postId, day, totals) =>
      Effect.sync(() => {
        const posts = memory.readings.get(campaignId) ?? new Map<string, Map<string, PostTotals>>()
        const days = posts.get(postId) ?? new Map<string, PostTotals>()
        memory.readings.set(campaignId, posts.set(postId, days.set(day, totals)))
      }),
    snapshot: (campaignId, { endDate, startDate }) =>
      Effect.sync(() => {
        const posts = [...(memory.readings.get(campaignId)?.values() ?? [])]
        const snapshotDate = last(
          posts.flatMap((days) => [...days.keys()].filter((day) => inSpan(day, startDate, endDate)))
        )
        if (snapshotDate === undefined) return Option.none()
        const readings = posts.flatMap((days) => {
          const day = last([...days.keys()].filter((each) => each <= snapshotDate))
          return day === undefined ? [] : [days.get(day)!]
        })
        return Option.some({ snapshotDate, readings })
      }),

    createWebhook: (webhook) => Effect.sync(() => put(memory.webhooks, withId("webhook", webhook))),
    webhooks: (brandId) => byBrand(memory.webhooks, brandId),
    webhook: (brandId, id) => Effect.sync(() => Option.fromNullable(webhookOf(brandId, id))),
    updateWebhook: (brandId, id, change) =>
      Effect.tap(
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(Option.fromNullable(webhookOf(brandId, id)), (before) => {
            const after = put(memory.webhooks, change(before, now))
            if (after.enabled && !before.enabled) startFresh(id, now)
            return after
          })
        ),
        () => Queue.offer(queued, undefined)
      ),
    deleteWebhook: (brandId, id) =>
      Effect.sync(() => {
        if (webhookOf(brandId, id) === undefined) return false
        memory.deliveries.removeWebhook(id)
        return memory.webhooks.delete(id)
      }),

    ping: Effect.succeed({ writeProblem: null })
  })
})

export const layer = Layer.effect(Directory, make)
