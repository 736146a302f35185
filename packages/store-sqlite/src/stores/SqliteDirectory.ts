/** Brands, keys, signals, campaigns with their readings, and webhooks, on SQLite. */
import {
  type ApiKey,
  type Brand,
  type Campaign,
  BrandStore,
  CampaignStore,
  KeyStore,
  SignalStore,
  StoreHealth,
  WebhookStore,
  type PostTotals,
  AttemptTransitions,
  type Signal,
  StoreUnavailable,
  type Webhook
} from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import type { Param } from "../connection/Param.ts"
import { Context, Effect, Layer, Option, Queue } from "effect"
import { Database } from "../database/Database.ts"
import * as LastUses from "./LastUses.ts"
import { VersionedCache } from "../cache/VersionedCache.ts"
import {
  apiKeyOf,
  type ApiKeyRow,
  brandOf,
  type BrandRow,
  campaignOf,
  type CampaignRow,
  idOf,
  signalOf,
  type SignalRow,
  webhookOf,
  type WebhookRow
} from "../rows/Rows.ts"

const all =
  <Row extends object, A>(of: (row: Row) => A, text: string, params: ReadonlyArray<Param>) =>
  (sql: Connection): ReadonlyArray<A> =>
    sql.all<Row>(text, params).map(of)

const first =
  <Row extends object, A>(of: (row: Row) => A, text: string, params: ReadonlyArray<Param>) =>
  (sql: Connection): Option.Option<A> =>
    Option.map(Option.fromNullable(sql.get<Row>(text, params)), of)

/** For `INSERT … RETURNING`, which gives exactly one row. */
const one =
  <Row extends object, A>(of: (row: Row) => A, text: string, params: ReadonlyArray<Param>) =>
  (sql: Connection): A =>
    of(sql.get<Row>(text, params)!)

const keyColumns = "id, brand_id, label, start, requests_per_minute, created_at, last_used_at, revoked_at"

const webhookValues = (webhook: Omit<Webhook, "id">): ReadonlyArray<Param> => [
  webhook.url,
  JSON.stringify(webhook.events),
  webhook.description,
  Number(webhook.enabled),
  webhook.disabledReason,
  webhook.failingSince,
  JSON.stringify(webhook.secrets)
]

const webhookById = (brandId: string, id: string) =>
  first<WebhookRow, Webhook>(webhookOf, "SELECT * FROM webhook WHERE id = ? AND brand_id = ?", [
    idOf(id),
    idOf(brandId)
  ])

/** One whose attempt is under way becomes due when its lease runs out: until then it is another's. [DELIV-4] */
const startFresh = (sql: Connection, webhookId: number, now: number): void => {
  sql.run(
    `UPDATE delivery SET failures = 0, due_at = CASE WHEN lease IS NULL THEN min(due_at, ?) ELSE due_at END
     WHERE webhook_id = ? AND state = 'pending' AND (failures > 0 OR (lease IS NULL AND due_at > ?))`,
    [now, webhookId, now]
  )
  const leased = sql.all<{ readonly seq: number; readonly lease: string }>(
    "SELECT seq, lease FROM delivery WHERE webhook_id = ? AND state = 'pending' AND lease IS NOT NULL",
    [webhookId]
  )
  for (const { lease, seq } of leased) {
    sql.run("UPDATE delivery SET lease = ? WHERE seq = ?", [AttemptTransitions.ofEarlierEnabling(lease), seq])
  }
}

/** What is done in pieces, each a transaction: it goes on while `some` were removed. */
type Piece = "gone" | "missing" | "some"

/** In an order in which nothing refers to what is gone. */
const webhookRemovals = [
  "DELETE FROM attempt WHERE delivery_seq IN (SELECT seq FROM delivery WHERE webhook_id = ?)",
  "DELETE FROM delivery_body WHERE seq IN (SELECT seq FROM delivery WHERE webhook_id = ?)",
  "DELETE FROM delivery WHERE webhook_id = ?",
  "DELETE FROM delivery_count WHERE webhook_id = ?",
  "DELETE FROM webhook WHERE id = ?"
]

/** So many deliveries go in one transaction: more would keep others waiting. */
const removedAtOnce = 500

const someRemovals = [
  "DELETE FROM attempt WHERE delivery_seq IN (SELECT value FROM json_each(?))",
  "DELETE FROM delivery_body WHERE seq IN (SELECT value FROM json_each(?))",
  "DELETE FROM delivery WHERE seq IN (SELECT value FROM json_each(?))"
]

const beingDeleted = "It is being deleted; if it stays, delete it again."

/** Removes the webhook with its last deliveries; while it has more than go at once, it sends nothing and some of them go. */
const removeSome = (sql: Connection, brandId: string, id: string): Piece => {
  if (Option.isNone(webhookById(brandId, id)(sql))) return "missing"
  const seqs = sql
    .all<{ seq: number }>("SELECT seq FROM delivery WHERE webhook_id = ? ORDER BY seq LIMIT ?", [
      idOf(id),
      removedAtOnce + 1
    ])
    .map(({ seq }) => seq)
  if (seqs.length <= removedAtOnce) {
    for (const statement of webhookRemovals) sql.run(statement, [idOf(id)])
    return "gone"
  }
  sql.run("UPDATE webhook SET enabled = 0, disabled_reason = ? WHERE id = ?", [beingDeleted, idOf(id)])
  for (const statement of someRemovals) sql.run(statement, [JSON.stringify(seqs.slice(0, removedAtOnce))])
  return "some"
}

/** Renames what is not deleted: one row of the table. */
const renamed =
  <Row extends object, A>(
    of: (row: Row) => A,
    table: "brand" | "signal" | "campaign",
    name: string,
    where: string,
    params: ReadonlyArray<Param>
  ) =>
  (sql: Connection): Option.Option<A> =>
    first(of, `UPDATE ${table} SET name = ? WHERE ${where} AND deleted_at IS NULL RETURNING *`, [
      name,
      ...params
    ])(sql)

/** Creates something for a brand: not for one that is being deleted. */
const creating =
  <A>(brandId: string, create: (sql: Connection) => A) =>
  (sql: Connection): A => {
    const brand = sql.get("SELECT 1 FROM brand WHERE id = ? AND deletion_started_at IS NULL", [idOf(brandId)])
    if (brand === undefined) throw new StoreUnavailable({ reason: "the brand is being deleted" })
    return create(sql)
  }

/** So many readings, or hashes of erased persons, go in one transaction. */
const rowsAtOnce = 5000

/** The campaign is gone at once, its readings piece by piece; the call after one that failed goes on where that one ended. */
const removeCampaignPiece =
  (brandId: string, id: string, now: number) =>
  (sql: Connection): Piece => {
    const params = [idOf(id), idOf(brandId)]
    const campaigns = sql.all(
      "UPDATE campaign SET deleted_at = coalesce(deleted_at, ?) WHERE id = ? AND brand_id = ? RETURNING id",
      [now, ...params]
    )
    if (campaigns.length === 0) return "missing"
    sql.run(
      `DELETE FROM reading WHERE (campaign_id, post_id, day) IN (
         SELECT campaign_id, post_id, day FROM reading WHERE campaign_id = ? LIMIT ?)`,
      [idOf(id), rowsAtOnce]
    )
    if (sql.get("SELECT 1 FROM reading WHERE campaign_id = ?", [idOf(id)]) !== undefined) return "some"
    sql.run("DELETE FROM campaign WHERE id = ? AND brand_id = ?", params)
    return "gone"
  }

const startBrandDeletion =
  (id: string, now: number) =>
  (sql: Connection): Option.Option<Brand> => {
    sql.run("UPDATE api_key SET revoked_at = coalesce(revoked_at, ?) WHERE brand_id = ?", [now, idOf(id)])
    sql.run("UPDATE signal SET deleted_at = coalesce(deleted_at, ?) WHERE brand_id = ?", [now, idOf(id)])
    return first<BrandRow, Brand>(
      brandOf,
      `UPDATE brand SET deletion_started_at = coalesce(deletion_started_at, ?)
       WHERE id = ? AND deleted_at IS NULL RETURNING *`,
      [now, idOf(id)]
    )(sql)
  }

/** Without the brand's row, which stays as a number without a name, and its signals' rows. */
const brandRemovals = [
  "DELETE FROM api_key WHERE brand_id = ?",
  "DELETE FROM reading WHERE campaign_id IN (SELECT id FROM campaign WHERE brand_id = ?)",
  "DELETE FROM campaign WHERE brand_id = ?",
  "DELETE FROM lead_count WHERE brand_id = ?",
  "DELETE FROM lead_day_count WHERE brand_id = ?",
  "UPDATE signal SET name = '', signal_type = '', source = '{}' WHERE brand_id = ?"
]

const removeBrandPiece =
  (brandId: string) =>
  (sql: Connection, now: number): Piece => {
    const id = idOf(brandId)
    const brand = sql.get(
      `SELECT 1 FROM brand b WHERE id = ? AND deletion_started_at IS NOT NULL AND deleted_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.brand_id = b.id)
         AND NOT EXISTS (SELECT 1 FROM webhook w WHERE w.brand_id = b.id)`,
      [id]
    )
    if (brand === undefined) return "missing"
    sql.run(
      `DELETE FROM suppression WHERE (brand_id, hash) IN (
         SELECT brand_id, hash FROM suppression WHERE brand_id = ? LIMIT ?)`,
      [id, rowsAtOnce]
    )
    if (sql.get("SELECT 1 FROM suppression WHERE brand_id = ?", [id]) !== undefined) return "some"
    for (const statement of brandRemovals) sql.run(statement, [id])
    sql.run("UPDATE brand SET name = '', suppression_secret = '', deleted_at = ? WHERE id = ?", [now, id])
    return "gone"
  }

const keyByHash = (hash: string) =>
  first<ApiKeyRow, ApiKey>(apiKeyOf, `SELECT ${keyColumns} FROM api_key WHERE hash = ?`, [hash])

const make = Effect.gen(function* () {
  const database = yield* Database
  const lastUses = yield* LastUses.make(database)
  // Each request asks for one.
  const keys = new VersionedCache<Option.Option<ApiKey>>({ maxSize: 2000 })
  const withLastUse = (key: ApiKey): ApiKey => {
    const noted = lastUses.unwritten(key.id)
    return noted === null ? key : { ...key, lastUsedAt: Math.max(key.lastUsedAt ?? noted, noted) }
  }
  /** Whether there was something to remove. */
  const inPieces = (remove: (sql: Connection, now: number) => Piece) =>
    Effect.gen(function* () {
      for (let wasThere = false; ; wasThere = true) {
        const removed = yield* database.write(remove)
        if (removed !== "some") return wasThere || removed === "gone"
      }
    })
  const brandStore = BrandStore.of({
    create: (brand) =>
      database.write(
        one<BrandRow, Brand>(
          brandOf,
          "INSERT INTO brand (name, suppression_secret, created_at) VALUES (?, ?, ?) RETURNING *",
          [brand.name, brand.suppressionSecret, brand.createdAt]
        )
      ),
    list: database.read(all(brandOf, "SELECT * FROM brand WHERE deleted_at IS NULL ORDER BY id", [])),
    get: (id) =>
      database.read(first(brandOf, "SELECT * FROM brand WHERE id = ? AND deleted_at IS NULL", [idOf(id)])),
    rename: (id, name) =>
      database.write(renamed<BrandRow, Brand>(brandOf, "brand", name, "id = ?", [idOf(id)])),
    startDeletion: (id, now) => database.write(startBrandDeletion(id, now)),
    finishDeletion: (id) =>
      // What was removed is not to be found in the log either.
      Effect.uninterruptible(Effect.tap(inPieces(removeBrandPiece(id)), () => database.truncateWal))
  })

  const keyStore = KeyStore.of({
    create: (key) =>
      database.write(
        creating(
          key.brandId,
          one(
            apiKeyOf,
            `INSERT INTO api_key (brand_id, label, start, hash, requests_per_minute, created_at)
             VALUES (?, ?, ?, ?, ?, ?) RETURNING ${keyColumns}`,
            [idOf(key.brandId), key.label, key.start, key.hash, key.requestsPerMinute, key.createdAt]
          )
        )
      ),
    list: (brandId) =>
      Effect.map(
        database.read(
          all(apiKeyOf, `SELECT ${keyColumns} FROM api_key WHERE brand_id = ? ORDER BY id`, [idOf(brandId)])
        ),
        (keys) => keys.map(withLastUse)
      ),
    findByHash: (hash) =>
      database.read((sql) => {
        keys.at(sql.dataVersion)
        const known = keys.get(hash)
        if (known !== undefined) return known
        const found = keyByHash(hash)(sql)
        if (Option.isSome(found)) keys.set(hash, found)
        return found
      }),
    revoke: (brandId, keyId, now) =>
      database.write(
        (sql) =>
          sql.all(
            "UPDATE api_key SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? AND brand_id = ? RETURNING id",
            [now, idOf(keyId), idOf(brandId)]
          ).length === 1
      ),
    markUsed: lastUses.mark
  })

  const signalStore = SignalStore.of({
    create: (brandId, signal, now) =>
      database.write(
        creating(
          brandId,
          one<SignalRow, Signal>(
            signalOf,
            "INSERT INTO signal (brand_id, name, signal_type, source, created_at) VALUES (?, ?, ?, ?, ?) RETURNING *",
            [idOf(brandId), signal.name, signal.signalType, JSON.stringify(signal.source), now]
          )
        )
      ),
    list: (brandId) =>
      database.read(
        all(signalOf, "SELECT * FROM signal WHERE brand_id = ? AND deleted_at IS NULL ORDER BY id", [
          idOf(brandId)
        ])
      ),
    rename: (brandId, id, name) =>
      database.write(
        renamed<SignalRow, Signal>(signalOf, "signal", name, "id = ? AND brand_id = ?", [
          idOf(id),
          idOf(brandId)
        ])
      ),
    delete: (brandId, id, now) =>
      database.write(
        (sql) =>
          sql.all(
            "UPDATE signal SET deleted_at = ? WHERE id = ? AND brand_id = ? AND deleted_at IS NULL RETURNING id",
            [now, idOf(id), idOf(brandId)]
          ).length === 1
      )
  })

  const campaignStore = CampaignStore.of({
    create: (campaign) =>
      database.write(
        creating(
          campaign.brandId,
          one<CampaignRow, Campaign>(
            campaignOf,
            "INSERT INTO campaign (brand_id, name, created_at) VALUES (?, ?, ?) RETURNING *",
            [idOf(campaign.brandId), campaign.name, campaign.createdAt]
          )
        )
      ),
    list: (brandId) =>
      database.read(
        all(campaignOf, "SELECT * FROM campaign WHERE brand_id = ? AND deleted_at IS NULL ORDER BY id", [
          idOf(brandId)
        ])
      ),
    get: (brandId, id) =>
      database.read(
        first(campaignOf, "SELECT * FROM campaign WHERE id = ? AND brand_id = ? AND deleted_at IS NULL", [
          idOf(id),
          idOf(brandId)
        ])
      ),
    rename: (brandId, id, name) =>
      database.write(
        renamed<CampaignRow, Campaign>(campaignOf, "campaign", name, "id = ? AND brand_id = ?", [
          idOf(id),
          idOf(brandId)
        ])
      ),
    delete: (brandId, id, now) => inPieces(removeCampaignPiece(brandId, id, now)),
    putReading: (campaignId, postId, day, totals) =>
      database.write((sql) =>
        sql.run(
          // A campaign that was deleted since the caller found it gets no reading.
          `INSERT INTO reading (campaign_id, post_id, day, impressions, reactions, comments, reposts)
             SELECT id, ?, ?, ?, ?, ?, ? FROM campaign WHERE id = ? AND deleted_at IS NULL
             ON CONFLICT DO UPDATE SET impressions = excluded.impressions, reactions = excluded.reactions,
               comments = excluded.comments, reposts = excluded.reposts`,
          [
            postId,
            day,
            totals.impressions,
            totals.reactions,
            totals.comments,
            totals.reposts,
            idOf(campaignId)
          ]
        )
      ),
    snapshot: (campaignId, span) =>
      database.read((sql) => {
        const latest = sql.get<{ day: string | null }>(
          "SELECT max(day) AS day FROM reading WHERE campaign_id = ? AND day BETWEEN ? AND ?",
          [idOf(campaignId), span.startDate ?? "", span.endDate ?? "9999-12-31"]
        )
        if (latest!.day === null) return Option.none()
        const readings = sql.all<PostTotals>(
          `SELECT impressions, reactions, comments, reposts, max(day)
             FROM reading WHERE campaign_id = ? AND day <= ? GROUP BY post_id`,
          [idOf(campaignId), latest!.day]
        )
        return Option.some({ snapshotDate: latest!.day, readings })
      })
  })

  const webhookStore = WebhookStore.of({
    create: (webhook) =>
      database.write(
        creating(
          webhook.brandId,
          one<WebhookRow, Webhook>(
            webhookOf,
            `INSERT INTO webhook (url, events, description, enabled, disabled_reason, failing_since, secrets, brand_id, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
            [...webhookValues(webhook), idOf(webhook.brandId), webhook.createdAt]
          )
        )
      ),
    list: (brandId) =>
      database.read(all(webhookOf, "SELECT * FROM webhook WHERE brand_id = ? ORDER BY id", [idOf(brandId)])),
    get: (brandId, id) => database.read(webhookById(brandId, id)),
    update: (brandId, id, change) =>
      Effect.tap(
        database.write((sql, now) => {
          const before = webhookById(brandId, id)(sql)
          if (Option.isNone(before)) return Option.none()
          const after = change(before.value, now)
          sql.run(
            `UPDATE webhook SET url = ?, events = ?, description = ?, enabled = ?, disabled_reason = ?, failing_since = ?,
                 secrets = ? WHERE id = ?`,
            [...webhookValues(after), idOf(id)]
          )
          if (after.enabled && !before.value.enabled) startFresh(sql, idOf(id), now)
          return Option.some(after)
        }),
        () => Queue.offer(database.queued, undefined)
      ),
    delete: (brandId, id) => inPieces((sql) => removeSome(sql, brandId, id))
  })

  const storeHealth = StoreHealth.of({
    check: database.status
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
export const layer = Layer.scopedContext(make)
