/** The writing methods on what belongs to a brand beside its leads, and on records and windows of calls: what is stepped at once. */
import {
  type ApiKey,
  AuditLog,
  BrandStore,
  Brands,
  Campaigns,
  CampaignStore,
  currentReservation,
  IdempotencyRecords,
  Keys,
  KeyStore,
  RateLimit,
  RateWindows,
  Signals,
  SignalStore,
  type Webhook,
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import { Clock, Effect, Option, Struct } from "effect"
import type { MethodGroup } from "./MethodGroup.ts"

/**
 * A brand with a signal, a campaign with a reading, a key, and one more of each, a webhook that was never sent anything, and a reserved
 * Idempotency-Key.
 */
export interface Directory {
  readonly brand: Effect.Effect.Success<ReturnType<typeof Brands.create>>
  readonly signalId: string
  readonly campaignId: string
  readonly key: ApiKey
  readonly webhook: Webhook
  readonly reservation: { readonly id: string; readonly holder: string }
  /** An entry of the audit log that has no status yet. */
  readonly entryId: string
}

const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
const newSignal = { name: "S", signalType: "t", source }
const newWebhook = { url: "u", events: ["lead2.created" as const], description: null, enabled: true }
const reading = (impressions: number) => ({
  postId: "post",
  day: "2026-01-01",
  totals: { impressions, reactions: 0, comments: 0, reposts: 0 }
})
const request = (brandId: string, holder: string) => ({
  id: `key of ${brandId}`,
  holder,
  actor: `actor of ${brandId}`,
  fingerprint: "f"
})
/** Whether the call found what it was for: the rest is in the tables. */
const found = <A, E, R>(call: Effect.Effect<Option.Option<A>, E, R>) => Effect.map(call, Option.isSome)

const entry = (brandId: string) =>
  Effect.flatMap(Effect.all([AuditLog, Clock.currentTimeMillis]), ([log, at]) =>
    log.append({
      at,
      actor: { type: "environment", id: null },
      viaSession: false,
      operation: "createBrand",
      brandId,
      subjectId: null,
      status: null
    })
  )

const createWorld: MethodGroup<Directory>["createWorld"] = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const signal = yield* Signals.create(brand.id, newSignal)
  const campaign = yield* Campaigns.create(brand.id, "C")
  yield* Campaigns.putReading(brand.id, campaign.id, reading(1))
  const { key } = yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 3 })
  // What a deletion of the brand locks together with the others.
  yield* Keys.create(brand.id, { label: "other", requestsPerMinute: 3 })
  yield* Signals.create(brand.id, { ...newSignal, name: "Other" })
  yield* Campaigns.create(brand.id, "Other")
  const webhook = yield* Webhooks.create(brand.id, newWebhook)
  const records = yield* IdempotencyRecords
  const reservation = request(brand.id, "first")
  yield* records.reserve(reservation)
  return {
    brand,
    signalId: signal.id,
    campaignId: campaign.id,
    key,
    webhook,
    reservation,
    entryId: yield* entry(brand.id)
  }
})

const methods: MethodGroup<Directory>["methods"] = {
  "renaming of the brand": ({ brand }) =>
    Effect.flatMap(BrandStore, (store) => found(store.rename(brand.id, "Renamed"))),
  "beginning of the brand's deletion": ({ brand }) =>
    Effect.flatMap(Effect.all([BrandStore, Clock.currentTimeMillis]), ([store, now]) =>
      found(store.startDeletion(brand.id, now))
    ),
  "end of the brand's deletion": ({ brand }) =>
    Effect.flatMap(BrandStore, (store) => store.finishDeletion(brand.id)),
  "creation of a signal": ({ brand }) =>
    Effect.flatMap(Effect.all([SignalStore, Clock.currentTimeMillis]), ([store, now]) =>
      Effect.as(store.create(brand.id, newSignal, now), "created")
    ),
  "renaming of the signal": ({ brand, signalId }, call) =>
    Effect.flatMap(SignalStore, (store) => found(store.rename(brand.id, signalId, call))),
  "deletion of the signal": ({ brand, signalId }) =>
    Effect.flatMap(Effect.all([SignalStore, Clock.currentTimeMillis]), ([store, now]) =>
      store.delete(brand.id, signalId, now)
    ),
  "creation of a campaign": ({ brand }) =>
    Effect.flatMap(Effect.all([CampaignStore, Clock.currentTimeMillis]), ([store, createdAt]) =>
      Effect.as(store.create({ brandId: brand.id, name: "D", createdAt }), "created")
    ),
  "renaming of the campaign": ({ brand, campaignId }, call) =>
    Effect.flatMap(CampaignStore, (store) => found(store.rename(brand.id, campaignId, call))),
  "deletion of the campaign": ({ brand, campaignId }) =>
    Effect.flatMap(Effect.all([CampaignStore, Clock.currentTimeMillis]), ([store, now]) =>
      store.delete(brand.id, campaignId, now)
    ),
  "reading of a post": ({ brand, campaignId }, call) =>
    Effect.flatMap(CampaignStore, (store) =>
      store.putReading(brand.id, campaignId, reading(call === "c0" ? 2 : 3))
    ),
  "creation of a key": ({ brand, key }, call) =>
    Effect.flatMap(KeyStore, (store) =>
      Effect.as(
        store.create({ ...Struct.omit(key, "id", "lastUsedAt", "revokedAt"), hash: `${brand.id} ${call}` }),
        "created"
      )
    ),
  "revocation of the key": ({ brand, key }) =>
    Effect.flatMap(Effect.all([KeyStore, Clock.currentTimeMillis]), ([store, now]) =>
      store.revoke(brand.id, key.id, now)
    ),
  "request of the key": ({ key }) =>
    Effect.flatMap(RateWindows, (windows) =>
      Effect.map(
        windows.step(key.id, (window, now) => RateLimit.spend(window, 1, now)),
        ({ allowed }) => allowed
      )
    ),
  "creation of a webhook": ({ webhook }) =>
    Effect.flatMap(WebhookStore, (store) => Effect.as(store.create(Struct.omit(webhook, "id")), "created")),
  "change of the webhook": ({ brand, webhook }, call) =>
    Effect.map(Webhooks.change(brand.id, webhook.id, { description: call }), ({ id }) => id === webhook.id),
  "deletion of the webhook": ({ brand, webhook }) =>
    Effect.flatMap(WebhookStore, (store) => store.delete(brand.id, webhook.id)),
  "reservation of the Idempotency-Key": ({ brand }, call) =>
    Effect.flatMap(IdempotencyRecords, (records) =>
      Effect.map(records.reserve(request(brand.id, call)), ({ type }) => type)
    ),
  "answer under the Idempotency-Key": ({ reservation }) =>
    Effect.flatMap(IdempotencyRecords, (records) => records.complete(reservation, "answer")),
  "release of the Idempotency-Key": ({ reservation }) =>
    Effect.flatMap(IdempotencyRecords, (records) => records.release(reservation)),
  "renaming under the Idempotency-Key": ({ brand, campaignId, reservation }) =>
    Effect.flatMap(CampaignStore, (store) =>
      Effect.locally(found(store.rename(brand.id, campaignId, "Keyed")), currentReservation, reservation)
    ),
  "end of an audited call": ({ entryId }, call) =>
    Effect.flatMap(AuditLog, (log) => log.complete(entryId, { status: 200, subjectId: call }))
}

const tables: MethodGroup<Directory>["tables"] = (schema) => ({
  brand: `SELECT name, deletion_started_at, deleted_at FROM ${schema}.brand WHERE id = $1`,
  signals: `SELECT name, deleted_at FROM ${schema}.signal WHERE brand_id = $1`,
  campaigns: `SELECT name, deleted_at FROM ${schema}.campaign WHERE brand_id = $1`,
  readings: `SELECT r.post_id, r.day, r.impressions, c.id IS NULL OR c.deleted_at IS NOT NULL AS is_orphan
    FROM ${schema}.reading r LEFT JOIN ${schema}.campaign c ON c.brand_id = r.brand_id AND c.id = r.campaign_id WHERE r.brand_id = $1`,
  keys: `SELECT label, revoked_at FROM ${schema}.api_key WHERE brand_id = $1`,
  windows: `SELECT w.used FROM ${schema}.rate_window w JOIN ${schema}.api_key k ON k.id = w.key_id WHERE k.brand_id = $1`,
  webhooks: `SELECT description FROM ${schema}.webhook WHERE brand_id = $1`,
  records: `SELECT state, holder, answer FROM ${schema}.idempotency_record WHERE id = 'key of ' || $1::bigint`,
  entries: `SELECT status, subject_id FROM ${schema}.audit_entry WHERE brand_id = $1`
})

/** The same brand whose deletion has begun, and which has no webhook any more. */
const createDeletedWorld: MethodGroup<Directory>["createWorld"] = Effect.gen(function* () {
  const world = yield* createWorld
  const [brands, webhooks, now] = yield* Effect.all([BrandStore, WebhookStore, Clock.currentTimeMillis])
  yield* brands.startDeletion(world.brand.id, now)
  yield* webhooks.delete(world.brand.id, world.webhook.id)
  return world
})

/** Methods on signals, campaigns, keys, webhooks, Idempotency-Keys, rate windows and the audit log, and on the brand that has them. */
export const directoryMethods: MethodGroup<Directory> = { methods, createWorld, tables }

/** The same methods on a brand whose deletion has begun. */
export const deletedDirectoryMethods: MethodGroup<Directory> = {
  methods,
  createWorld: createDeletedWorld,
  tables
}
