/** The lead store, on SQLite. */
import {
  Folding,
  type Engagement,
  type EngagementWindow,
  type Lead,
  type LeadId,
  LeadStore,
  type Observations,
  type LeadPage,
  Page,
  ShownLeads,
  type ShownPage,
  type StoreUnavailable,
  type Committed,
  type DeliveryId,
  type EventType,
  type Proposal
} from "@lead-signals/domain"
import type { Connection } from "./Connection.ts"
import { Effect, Layer, Option, Queue } from "effect"
import { answer, ask, type Asking } from "./Asking.ts"
import { Database } from "./Database.ts"
import * as LeadListing from "./LeadListing.ts"
import { flagsOf, idOf, leadOf, type LeadRow } from "./Rows.ts"
import {
  leadById,
  leadColumns,
  engagementColumns,
  readEngagements,
  askLeads,
  askShown,
  askWindows,
  type KnownSignals,
  knownTo,
  windowOf,
  withAuthor
} from "./LeadReading.ts"
import * as Erasure from "./Erasure.ts"
import * as Positions from "./Positions.ts"
import { RememberedTotals, type Totals } from "./RememberedTotals.ts"
import { insertDeliveries } from "./Queueing.ts"
import { changeSearch } from "./SearchIndex.ts"

interface FoundPage {
  readonly total: number
  /** In the order of the page. */
  readonly ids: ReadonlyArray<LeadId>
  /** By lead; null when the query did not ask for engagements. */
  readonly windows: ReadonlyMap<LeadId, EngagementWindow> | null
}

type Query = Parameters<(typeof LeadStore.Service)["list"]>[1]

/** What the store does otherwise than it does by default. */
export interface ListingOptions {
  readonly positions: Positions.PositionOptions
  /** A list that looks at more leads or entries than about so many is read in a thread of its own. */
  readonly greatestEffort: number
}

/** What need not be read again: signals, and totals while nothing is written. */
interface Remembered {
  readonly signals: KnownSignals
  readonly totals: Totals
}

function* askIds({ params, text }: LeadListing.Sql): Asking<ReadonlyArray<LeadId>> {
  const rows = yield* ask<{ id: LeadId }>(text, params)
  return rows.map(({ id }) => id)
}

/** How many each filter lets through; null when counting what a search finds takes more effort than it may. */
function* countsOf(
  selection: LeadListing.Selection,
  greatestEffort: number,
  totals: Totals
): Asking<LeadListing.Counts | null> {
  const { brandId, match } = selection
  const key = `search ${brandId} ${match?.phrase}`
  const remembered = match === null ? undefined : totals.get(key)
  const asked = LeadListing.countsSql(
    remembered === undefined ? selection : { ...selection, match: null },
    greatestEffort + 1
  )
  const [columns] = yield* ask<Record<string, number>>(asked.sql.text, asked.sql.params)
  const drivers = asked.drivers.map((driver, i) => [driver, columns![`c${i}`]!] as const)
  if (remembered !== undefined) return { all: drivers[0]![1], drivers: [...drivers, ["search", remembered]] }
  if (match !== null) {
    const n = drivers.at(-1)![1]
    if (n > greatestEffort) return null
    totals.set(key, n)
  }
  return { all: drivers[0]![1], drivers }
}

interface Texts {
  readonly id: LeadId
  readonly name: string
  readonly headline: string | null
}

function* windowsFor(
  { engagements }: Query,
  ids: ReadonlyArray<LeadId>,
  signals: KnownSignals
): Asking<FoundPage["windows"]> {
  return engagements === "none" ? null : yield* askWindows(ids, signals, engagements)
}

/** Whether the lead's name or headline has the characters, all folded. [LIST-5] */
const reads = (needle: string, { headline, name }: Texts): boolean =>
  Folding.searchKey(name).includes(needle) || Folding.searchKey(headline ?? "").includes(needle)

/** The page of a search that lets many through: the order is walked, and each lead's texts are looked at. */
function* lookThrough(
  query: Query,
  needle: string,
  textsSql: (part: { readonly from: number; readonly length: number }) => LeadListing.Sql
): Asking<ReadonlyArray<LeadId>> {
  const wanted = Page.offset(query.page) + query.page.pageSize
  const ids: Array<LeadId> = []
  // Longer and longer: it begins anew each time.
  for (let from = 0, length = 8 * wanted; ids.length < wanted; from += length, length *= 2) {
    const { params, text } = textsSql({ from, length })
    const rows = yield* ask<Texts>(text, params)
    for (const row of rows) if (reads(needle, row)) ids.push(row.id)
    if (rows.length < length) break
  }
  return ids.slice(Page.offset(query.page), wanted)
}

/** Null: it takes more effort than it may. */
function* findPage(
  brandId: string,
  query: Query,
  { greatestEffort, positions }: ListingOptions,
  { signals, totals }: Remembered
): Asking<FoundPage | null> {
  const selection = LeadListing.select(idOf(brandId), query.filter)
  const none = { total: 0, ids: [], windows: null }
  if (selection.isEmpty) return none
  const counts = yield* countsOf(selection, greatestEffort, totals)
  if (counts === null) return null
  const { search } = query.filter
  const sifting = search === undefined ? null : LeadListing.siftSql(selection, query.sort, counts)
  if (sifting !== null && search !== undefined) {
    if (sifting.effort > greatestEffort) return null
    const rows = yield* ask<Texts>(sifting.sql.text, sifting.sql.params)
    const all = rows.filter((row) => reads(search, row)).map(({ id }) => id)
    const from = Page.offset(query.page)
    const ids = all.slice(from, from + query.page.pageSize)
    return { total: all.length, ids, windows: yield* windowsFor(query, ids, signals) }
  }
  const key = LeadListing.keyOf(selection)
  let total = LeadListing.knownTotal(selection, counts) ?? totals.get(key) ?? null
  if (total === null) {
    if (LeadListing.totalEffort(selection, counts) > greatestEffort) return null
    const totalSql = LeadListing.totalSql(selection, counts)
    const [counted] = yield* ask<{ n: number }>(totalSql.text, totalSql.params)
    total = counted!.n
    totals.set(key, total)
  }
  const [offset, limit] = [Page.offset(query.page), query.page.pageSize]
  if (offset >= total) return { ...none, total }
  const isPlaced = offset >= positions.nearby && LeadListing.isCounted(selection)
  const plan = LeadListing.planPage(query, counts, total)
  if (!isPlaced && plan.effort > greatestEffort) return null
  const known = total
  const ids =
    plan.looksAtTexts && search !== undefined
      ? yield* lookThrough(query, search, (part) =>
          LeadListing.textsSql(selection, query, counts, known, part)
        )
      : yield* askIds(
          isPlaced
            ? yield* Positions.pageSql(selection, LeadListing.orderingOf(query.sort), {
                limit,
                offset,
                total
              })
            : LeadListing.pageSql(selection, query, counts, total)
        )
  return { total, ids, windows: yield* windowsFor(query, ids, signals) }
}

/** Makes what is answered of the page that was found. */
type Shows<A> = (found: FoundPage) => Asking<A>

function* list(found: FoundPage): Asking<LeadPage> {
  const leads = yield* askLeads(found.ids)
  return {
    total: found.total,
    leads: leads.map((lead) => ({ lead, window: found.windows?.get(lead.id) ?? null }))
  }
}

function* listShown(found: FoundPage): Asking<ShownPage> {
  const leads = yield* askShown(found.ids)
  return {
    total: found.total,
    leads: leads.map((shown, i) => ({ shown, window: found.windows?.get(found.ids[i]!) ?? null }))
  }
}

function* found<A>(asking: Asking<FoundPage | null>, shows: Shows<A>): Asking<A | null> {
  const page = yield* asking
  return page === null ? null : yield* shows(page)
}

/** At once where that is soon done, else in the thread that reads what takes long. */
const reading = ({ aside, read }: typeof Database.Service, options: ListingOptions) => {
  const totals = new RememberedTotals()
  const signalsAside: KnownSignals = new Map()
  const unhurried = { ...options, greatestEffort: Number.POSITIVE_INFINITY }
  return <A>(brandId: string, query: Query, shows: Shows<A>): Effect.Effect<A, StoreUnavailable> =>
    Effect.flatMap(
      read((sql) => {
        // Of this connection: it changes when any other has written.
        totals.forgetUnless(sql.get<{ data_version: number }>("PRAGMA data_version")!.data_version)
        return answer(sql, found(findPage(brandId, query, options, { signals: knownTo(sql), totals }), shows))
      }),
      (page) =>
        page === null
          ? Effect.suspend(() => {
              // Counted from now on: if something is written meanwhile, the version they are kept by is gone.
              const counted = { signals: signalsAside, totals: totals.ofNow() }
              const work = () => found(findPage(brandId, query, unhurried, counted), shows)
              return aside.read(work) as Effect.Effect<A, StoreUnavailable>
            })
          : Effect.succeed(page)
    )
}

/* Writing */

const values = (lead: Observations.LeadDraft): ReadonlyArray<string | number | null> => [
  lead.profile.name,
  Folding.nameKey(lead.profile.name),
  lead.profile.headline,
  lead.profile.username,
  lead.profile.title1,
  lead.profile.liProfileUrl,
  lead.profile.profileImgUrl,
  lead.profile.company === null ? null : JSON.stringify(lead.profile.company),
  JSON.stringify(lead.profileTimes),
  idOf(lead.signalId),
  JSON.stringify(lead.signalIds),
  flagsOf(lead),
  lead.score1,
  Number(lead.score1 === null),
  lead.score1 ?? Number.POSITIVE_INFINITY,
  lead.score1 === null ? Number.POSITIVE_INFINITY : -lead.score1,
  lead.createdAt,
  lead.updatedAt,
  ShownLeads.withoutId(ShownLeads.shownLead({ ...lead, id: 0 }))
]

const insertLead = (sql: Connection, draft: Observations.LeadDraft): Lead => {
  const row = sql.get<{ id: LeadId }>(
    `INSERT INTO lead (brand_id, ext_id, name, name_key, headline, username, title1, li_profile_url, profile_img_url,
         company, profile_times, signal_id, signal_ids, flags, score1, score_missing, score_rank, score_rank_desc,
         created_at, updated_at, shown)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    [idOf(draft.brandId), draft.extId, ...values(draft)]
  )
  const lead = { ...draft, id: row!.id }
  changeSearch(sql, null, lead)
  return lead
}

const updateLead = (sql: Connection, before: Lead, after: Lead): void => {
  sql.run(
    `UPDATE lead SET name = ?, name_key = ?, headline = ?, username = ?, title1 = ?, li_profile_url = ?,
         profile_img_url = ?, company = ?, profile_times = ?, signal_id = ?, signal_ids = ?, flags = ?, score1 = ?, score_missing = ?,
         score_rank = ?, score_rank_desc = ?,
         created_at = ?, updated_at = ?, shown = ?
       WHERE id = ?`,
    [...values(after), after.id]
  )
  if (before.profile.name !== after.profile.name || before.profile.headline !== after.profile.headline) {
    changeSearch(sql, before, after)
  }
}

const insertEngagement = (sql: Connection, brandId: number, engagement: Engagement): unknown =>
  sql.run(
    `INSERT INTO engagement (brand_id, id, lead_id, signal_id, type, reaction_type, comment_text, post_url, post_content,
       post_posted_at, post_author, post_author_detail, author_ext_id, emitted_at, tracked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      brandId,
      engagement.id,
      engagement.leadId,
      idOf(engagement.signalId),
      engagement.type,
      engagement.reactionType,
      engagement.commentText,
      engagement.postUrl,
      engagement.postContent,
      engagement.postPostedAt,
      engagement.postAuthor,
      engagement.postAuthorDetail === null ? null : JSON.stringify(engagement.postAuthorDetail),
      engagement.postAuthorDetail?.extId ?? null,
      engagement.emittedAt,
      engagement.trackedAt
    ]
  )

const knownOf = (sql: Connection, brandId: number, proposal: Proposal): Observations.Known => {
  const row = sql.get<{
    signal: number
    engagement_of: number | null
    person: number
    author: number
  }>(
    `SELECT EXISTS (SELECT 1 FROM signal WHERE id = ? AND brand_id = ?) AS signal,
         (SELECT lead_id FROM engagement WHERE brand_id = ? AND id = ?) AS engagement_of,
         EXISTS (SELECT 1 FROM suppression WHERE brand_id = ? AND hash = ?) AS person,
         EXISTS (SELECT 1 FROM suppression WHERE brand_id = ? AND hash = ?) AS author`,
    [
      idOf(proposal.signalId),
      brandId,
      brandId,
      proposal.engagementId,
      brandId,
      proposal.personHash,
      brandId,
      proposal.authorHash ?? ""
    ]
  )
  const lead = sql.get<LeadRow>(`SELECT ${leadColumns} FROM lead l WHERE l.brand_id = ? AND l.ext_id = ?`, [
    brandId,
    proposal.personExtId
  ])
  return {
    signalExists: row!.signal === 1,
    engagementOf: row!.engagement_of,
    personSuppressed: row!.person === 1,
    authorSuppressed: row!.author === 1,
    lead: lead === undefined ? null : leadOf(lead)
  }
}

/** An event as it was committed, for those that wait for it. */
interface Fired {
  readonly position: number
  readonly event: EventType
}

const commitOne = (
  sql: Connection,
  brandId: string,
  proposal: Proposal,
  now: number,
  fired: Array<Fired>
): Committed => {
  const brand = idOf(brandId)
  const known = knownOf(sql, brand, proposal)
  const decision = proposal.decide(known, now)
  if (decision.outcome !== "recorded") return { leadId: null, ...decision }
  const before = known.lead
  const lead = before === null ? insertLead(sql, decision.lead) : { ...decision.lead, id: before.id }
  if (before !== null) updateLead(sql, before, lead)
  const signalId = decision.engagement.signalId
  if (before === null || !before.signalIds.includes(signalId)) {
    sql.run("INSERT INTO lead_signal (signal_id, lead_id) VALUES (?, ?)", [idOf(signalId), lead.id])
  }
  insertEngagement(sql, brand, { ...decision.engagement, leadId: lead.id })
  for (const { event, isFirstActivity } of decision.events) {
    const row = sql.get<{ position: number }>(
      `INSERT INTO event (event, brand_id, lead_id, engagement_id, is_first_activity, occurred_at)
         VALUES (?, ?, ?, ?, ?, ?) RETURNING position`,
      [event, brand, lead.id, decision.engagement.id, Number(isFirstActivity), now]
    )
    fired.push({ position: row!.position, event })
  }
  return { outcome: decision.outcome, leadId: lead.id }
}

/** One delivery of each event for each webhook of the brand that subscribes to its type. [EVT-7] */
const queue = (
  sql: Connection,
  brandId: string,
  fired: ReadonlyArray<Fired>,
  ids: () => DeliveryId,
  now: number
): number => {
  if (fired.length === 0) return 0
  const webhooks = sql.all<{ id: number; events: string }>(
    "SELECT id, events FROM webhook WHERE brand_id = ? ORDER BY id",
    [idOf(brandId)]
  )
  const subscribed = webhooks.map(({ events, id }) => ({ id, events: JSON.parse(events) as Array<string> }))
  const deliveries = fired.flatMap(({ event, position }) =>
    subscribed
      .filter(({ events }) => events.includes(event))
      .map(({ id }) => ({ id: ids(), webhookId: id, position, resendOf: null }))
  )
  if (deliveries.length > 0) insertDeliveries(sql, deliveries, now)
  return deliveries.length
}

const commit = (
  sql: Connection,
  brandId: string,
  proposals: ReadonlyArray<Proposal>,
  ids: () => DeliveryId,
  now: number
) => {
  const fired: Array<Fired> = []
  const committed = proposals.map((proposal) => commitOne(sql, brandId, proposal, now, fired))
  return { committed, queued: queue(sql, brandId, fired, ids, now) }
}

const makeLeadStore = (options: ListingOptions) =>
  Effect.map(Database, (database) => {
    const keepShort = (sql: Connection): void =>
      Positions.keepShort(sql, LeadListing.orderings, options.positions.greatestStretch)
    const readPage = reading(database, options)
    return LeadStore.of({
      commit: (brandId, proposals, ids) =>
        Effect.map(
          Effect.tap(
            database.write((sql, now) => {
              const committed = commit(sql, brandId, proposals, ids, now)
              keepShort(sql)
              return committed
            }),
            ({ queued }) => (queued > 0 ? Queue.offer(database.queued, undefined) : Effect.void)
          ),
          ({ committed }) => committed
        ),
      list: (brandId, query) => readPage(brandId, query, list),
      listShown: (brandId, query) => readPage(brandId, query, listShown),
      get: (brandId, id, engagements) =>
        database.read((sql) => {
          const lead = leadById(sql, brandId, id)
          if (lead === null) return Option.none()
          return Option.some({ lead, window: windowOf(sql, id, engagements) })
        }),
      engagements: (brandId, id) =>
        database.read((sql) =>
          readEngagements(
            sql,
            `SELECT ${engagementColumns} FROM engagement e ${withAuthor}
           WHERE e.lead_id = ? AND e.brand_id = ? ORDER BY e.tracked_at DESC, e.id DESC`,
            [id, idOf(brandId)]
          )
        ),
      update: (brandId, id, change) =>
        database.write((sql, now) => {
          const before = leadById(sql, brandId, id)
          if (before === null) return Option.none()
          const after = change(before, now)
          updateLead(sql, before, after)
          keepShort(sql)
          return Option.some(after)
        }),
      erase: (brandId, id, personHash, ids) =>
        Effect.tap(
          database.write((sql, now) => Erasure.erase(sql, { brandId, id }, personHash, ids, now)),
          () => database.forgetLog
        )
    })
  })

export const layer = (options: ListingOptions) => Layer.effect(LeadStore, makeLeadStore(options))
