/** Brands, keys, signals, campaigns with their readings, and webhooks, in memory. */
import {
  type ApiKey,
  type Brand,
  BrandStore,
  CampaignStore,
  KeyStore,
  SignalStore,
  StoreHealth,
  WebhookStore,
  type PostTotals,
  AttemptTransitions,
  StoreUnavailable,
  type Webhook
} from "@lead-signals/domain"
import { Clock, Context, Effect, Layer, Option, Queue } from "effect"
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

  /**
   * Makes pending deliveries of an enabled webhook due now. One whose attempt is under way stays with its
   * lease and becomes due when that runs out. [DELIV-4]
   */
  const resetPending = (webhookId: string, now: number): void => {
    for (const record of memory.deliveries.of(webhookId)) {
      if (record.state !== "pending") continue
      const { lease } = record
      memory.deliveries.put(
        lease === null
          ? { ...record, failures: 0, dueAt: Math.min(record.dueAt!, now) }
          : { ...record, failures: 0, lease: AttemptTransitions.ofEarlierEnabling(lease) }
      )
    }
  }

  const signalOf = (brandId: string, id: string) =>
    memory.deletedSignals.has(id) ? undefined : ofBrand(memory.signals, brandId, id)

  /** Creates something in a brand. Fails when the brand is missing or being deleted. */
  const createInBrand = <A>(brandId: string, create: () => A): Effect.Effect<A, StoreUnavailable> =>
    Effect.suspend(() =>
      memory.brands.get(brandId)?.deletionStartedAt === null
        ? Effect.sync(create)
        : Effect.fail(new StoreUnavailable({ reason: "the brand is being deleted" }))
    )

  /** Returns the ids of the removed. */
  const removeOfBrand = (
    things: Map<string, { readonly brandId: string }>,
    brandId: string
  ): ReadonlyArray<string> => {
    const ids = [...things].flatMap(([id, thing]) => (thing.brandId === brandId ? [id] : []))
    for (const id of ids) things.delete(id)
    return ids
  }

  const removeBrand = (id: string): void => {
    for (const [hash, keyId] of memory.keyIdsByHash) {
      if (memory.keys.get(keyId)!.brandId === id) memory.keyIdsByHash.delete(hash)
    }
    for (const keyId of removeOfBrand(memory.keys, id)) memory.rateWindows.delete(keyId)
    for (const signalId of removeOfBrand(memory.signals, id)) memory.deletedSignals.delete(signalId)
    for (const campaignId of removeOfBrand(memory.campaigns, id)) memory.readings.delete(campaignId)
    memory.removeLeadsOf(id)
    memory.brands.delete(id)
  }

  const brandStore = BrandStore.of({
    create: (brand) =>
      Effect.sync(() => put(memory.brands, withId("brand", { ...brand, deletionStartedAt: null }))),
    list: Effect.sync(() => [...memory.brands.values()]),
    get: (id) => Effect.sync(() => Option.fromNullable(memory.brands.get(id))),
    rename: (id, name) => Effect.sync(() => rename(memory.brands, memory.brands.get(id), name)),
    startDeletion: (id, now) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(memory.brands.get(id)), (before): Brand => {
          for (const key of memory.keys.values()) {
            if (key.brandId === id) put(memory.keys, { ...key, revokedAt: key.revokedAt ?? now })
          }
          for (const signal of memory.signals.values()) {
            if (signal.brandId === id) memory.deletedSignals.add(signal.id)
          }
          return put(memory.brands, { ...before, deletionStartedAt: before.deletionStartedAt ?? now })
        })
      ),
    finishDeletion: (id) =>
      Effect.sync(() => {
        const isLeft =
          memory.leadsOf(id).byId.size > 0 ||
          [...memory.webhooks.values()].some(({ brandId }) => brandId === id)
        if (isLeft || (memory.brands.get(id)?.deletionStartedAt ?? null) === null) return false
        removeBrand(id)
        return true
      })
  })

  const keyStore = KeyStore.of({
    create: ({ hash, ...key }) =>
      createInBrand(key.brandId, () => {
        const created: ApiKey = put(memory.keys, withId("key", { ...key, lastUsedAt: null, revokedAt: null }))
        memory.keyIdsByHash.set(hash, created.id)
        return created
      }),
    list: (brandId) => byBrand(memory.keys, brandId),
    findByHash: (hash) =>
      Effect.sync(() => Option.fromNullable(memory.keys.get(memory.keyIdsByHash.get(hash) ?? ""))),
    revoke: (brandId, keyId, now) =>
      Effect.sync(() => {
        const key = memory.keys.get(keyId)
        if (key?.brandId !== brandId) return false
        put(memory.keys, { ...key, revokedAt: key.revokedAt ?? now })
        return true
      }),
    markUsed: (keyId, minute) =>
      Effect.sync(() => {
        const key = memory.keys.get(keyId)
        if (key !== undefined)
          put(memory.keys, { ...key, lastUsedAt: Math.max(key.lastUsedAt ?? minute, minute) })
      })
  })

  const signalStore = SignalStore.of({
    create: (brandId, signal, now) =>
      createInBrand(brandId, () =>
        put(memory.signals, withId("signal", { ...signal, brandId, createdAt: now }))
      ),
    list: (brandId) =>
      Effect.map(byBrand(memory.signals, brandId), (signals) =>
        signals.filter(({ id }) => !memory.deletedSignals.has(id))
      ),
    rename: (brandId, id, name) => Effect.sync(() => rename(memory.signals, signalOf(brandId, id), name)),
    delete: (brandId, id) =>
      Effect.sync(() => {
        const isThere = signalOf(brandId, id) !== undefined
        if (isThere) memory.deletedSignals.add(id)
        return isThere
      })
  })

  const campaignStore = CampaignStore.of({
    create: (campaign) =>
      createInBrand(campaign.brandId, () => put(memory.campaigns, withId("campaign", campaign))),
    list: (brandId) => byBrand(memory.campaigns, brandId),
    get: (brandId, id) => Effect.sync(() => Option.fromNullable(ofBrand(memory.campaigns, brandId, id))),
    rename: (brandId, id, name) =>
      Effect.sync(() => rename(memory.campaigns, ofBrand(memory.campaigns, brandId, id), name)),
    delete: (brandId, id) =>
      Effect.sync(() => {
        if (ofBrand(memory.campaigns, brandId, id) === undefined) return false
        memory.readings.delete(id)
        return memory.campaigns.delete(id)
      }),
    putReading: (campaignId, postId, day, totals) =>
      Effect.sync(() => {
        // The campaign was deleted after its caller read it.
        if (!memory.campaigns.has(campaignId)) return
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
      })
  })

  const webhookStore = WebhookStore.of({
    create: (webhook) =>
      createInBrand(webhook.brandId, () => put(memory.webhooks, withId("webhook", webhook))),
    list: (brandId) => byBrand(memory.webhooks, brandId),
    get: (brandId, id) => Effect.sync(() => Option.fromNullable(webhookOf(brandId, id))),
    update: (brandId, id, change) =>
      Effect.tap(
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(Option.fromNullable(webhookOf(brandId, id)), (before) => {
            const after = put(memory.webhooks, change(before, now))
            if (after.enabled && !before.enabled) resetPending(id, now)
            return after
          })
        ),
        () => Queue.offer(queued, undefined)
      ),
    delete: (brandId, id) =>
      Effect.sync(() => {
        if (webhookOf(brandId, id) === undefined) return false
        memory.deliveries.removeWebhook(id)
        return memory.webhooks.delete(id)
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
})

/** The ports of what an operator sets up, and of the store's health. */
export const layer = Layer.effectContext(make)
