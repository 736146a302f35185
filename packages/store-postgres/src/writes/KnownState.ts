/** What the store knows of the proposals of a whole batch, read in one statement that also locks their leads. */
import type { Lead, Observations, Proposal } from "@lead-signals/domain"
import { idOf, leadOf } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { leadColumns, type LeadRow } from "../rows/LeadRows.ts"
import { openLeads } from "../rows/SealedRows.ts"
import type { WrappedPersonKey } from "../sealing/StoreKeys.ts"
import { PersonKeys } from "./PersonKeys.ts"

/** A webhook of the brand and the types of events to which it subscribes. */
interface Subscription {
  readonly webhookId: number
  readonly events: ReadonlyArray<string>
}

/** A proposal with its brand. */
export interface Proposed {
  readonly brandId: number
  readonly proposal: Proposal
}

const key = (brandId: number, text: string | number): string => `${brandId} ${text}`

/**
 * The state that bears on the proposals, with what earlier ones of the same transaction changed. A call's changes are kept apart until it
 * is complete, so that one that fails leaves none.
 */
export class KnownState {
  private readonly leads = new Map<string, Lead>()
  private readonly engagements = new Map<string, number>()
  private readonly signals: ReadonlySet<string>
  private readonly suppressed: ReadonlySet<string>
  private readonly before: KnownState | null

  constructor(
    signals: ReadonlySet<string>,
    suppressed: ReadonlySet<string>,
    before: KnownState | null = null
  ) {
    this.signals = signals
    this.suppressed = suppressed
    this.before = before
  }

  /** The same state, on which changes can be made that this one does not see. */
  fork(): KnownState {
    return new KnownState(this.signals, this.suppressed, this)
  }

  /** Takes over what was changed on a fork. */
  merge(fork: KnownState): void {
    for (const [person, lead] of fork.leads) this.leads.set(person, lead)
    for (const [engagement, leadId] of fork.engagements) this.engagements.set(engagement, leadId)
  }

  setLead(brandId: number, lead: Lead): void {
    this.leads.set(key(brandId, lead.extId), lead)
  }

  setEngagement(brandId: number, id: string, leadId: number): void {
    this.engagements.set(key(brandId, id), leadId)
  }

  private leadOf(person: string): Lead | null {
    return this.leads.get(person) ?? this.before?.leadOf(person) ?? null
  }

  private engagementOf(engagement: string): number | null {
    return this.engagements.get(engagement) ?? this.before?.engagementOf(engagement) ?? null
  }

  of({ brandId, proposal }: Proposed): Observations.CurrentState {
    return {
      signalExists: this.signals.has(key(brandId, idOf(proposal.signalId))),
      engagementOf: this.engagementOf(key(brandId, proposal.engagementId)),
      personSuppressed: this.suppressed.has(key(brandId, proposal.personHash())),
      authorSuppressed:
        proposal.authorHash !== null && this.suppressed.has(key(brandId, proposal.authorHash())),
      lead: this.leadOf(key(brandId, proposal.personExtId))
    }
  }
}

/** What `readKnownState` found. */
export interface Known {
  readonly state: KnownState
  /** Unused ids, as many as there are persons without a lead. */
  readonly freshIds: Array<number>
  /** By brand, in the order of creation. */
  readonly subscriptions: ReadonlyMap<number, ReadonlyArray<Subscription>>
  /** The keys of the proposals' persons; null where the database is not encrypted. */
  readonly persons: PersonKeys | null
}

/** Rows without an order of their own are looked up one by one; `OFFSET 0` keeps the planner from another way. */
const knownSql = (keys: string): string => `SELECT
  (SELECT json_agg(l) FROM (
     SELECT ${leadColumns} FROM unnest($1::bigint[], $2::text[]) AS p(brand_id, ext_id)
       JOIN lead_signals.lead l ON l.brand_id = p.brand_id AND l.ext_id = p.ext_id
     ORDER BY l.id FOR NO KEY UPDATE OF l) l) AS leads,
  (SELECT json_agg(nextval('lead_signals.lead_id_seq')) FROM unnest($1::bigint[], $2::text[]) AS p(brand_id, ext_id)
     WHERE NOT EXISTS (SELECT 1 FROM lead_signals.lead l WHERE l.brand_id = p.brand_id AND l.ext_id = p.ext_id)) AS ids,
  (SELECT json_agg(json_build_array(e.brand_id, e.id, e.lead_id)) FROM unnest($3::bigint[], $4::text[]) AS g(brand_id, id)
     CROSS JOIN LATERAL (SELECT * FROM lead_signals.engagement e
       WHERE e.brand_id = g.brand_id AND e.id = g.id OFFSET 0) e) AS engagements,
  (SELECT json_agg(json_build_array(s.brand_id, s.hash)) FROM unnest($5::bigint[], $6::text[]) AS h(brand_id, hash)
     CROSS JOIN LATERAL (SELECT * FROM lead_signals.suppression s
       WHERE s.brand_id = h.brand_id AND s.hash = h.hash OFFSET 0) s) AS suppressed,
  (SELECT json_agg(json_build_array(s.brand_id, s.id)) FROM unnest($7::bigint[], $8::bigint[]) AS g(brand_id, id)
     CROSS JOIN LATERAL (SELECT * FROM lead_signals.signal s
       WHERE s.brand_id = g.brand_id AND s.id = g.id AND s.deleted_at IS NULL OFFSET 0) s) AS signals,
  (SELECT json_agg(json_build_array(w.brand_id, w.id, w.events) ORDER BY w.id) FROM lead_signals.webhook w
     WHERE w.brand_id = ANY ($9::bigint[])) AS webhooks${keys}`

const plainSql = knownSql("")

/** With the keys of persons and authors, and the encryption key for new ones, which the caller's locks keep as it is. */
const encryptedSql = knownSql(`,
  (SELECT json_agg(k) FROM (SELECT k.brand_id, k.id, k.person, k.key_id, k.wrapped FROM unnest($5::bigint[], $6::text[]) AS h(brand_id, hash)
     CROSS JOIN LATERAL (SELECT * FROM lead_signals.person_key k
       WHERE k.brand_id = h.brand_id AND k.person = h.hash OFFSET 0) k) k) AS person_keys,
  (SELECT key_id FROM lead_signals.encryption) AS key_id`)

type Rows<A> = ReadonlyArray<A> | null

interface KnownRow {
  readonly leads: Rows<LeadRow>
  readonly ids: Rows<number>
  readonly engagements: Rows<readonly [brandId: number, id: string, leadId: number]>
  readonly suppressed: Rows<readonly [brandId: number, hash: string]>
  readonly signals: Rows<readonly [brandId: number, id: number]>
  readonly webhooks: Rows<readonly [brandId: number, id: number, events: string]>
  readonly person_keys?: Rows<Omit<WrappedPersonKey, "wrapped"> & { readonly wrapped: string }>
  readonly key_id?: string
}

/** Pairs of a brand and something of it, each once, as two arrays. */
const pairs = <A extends string | number>(
  all: ReadonlyArray<Proposed>,
  of: (proposal: Proposal) => ReadonlyArray<A>
): readonly [ReadonlyArray<number>, ReadonlyArray<A>] => {
  const made = new Map<string, readonly [number, A]>()
  for (const { brandId, proposal } of all) {
    for (const each of of(proposal)) made.set(key(brandId, each), [brandId, each])
  }
  return [Array.from(made.values(), ([brandId]) => brandId), Array.from(made.values(), ([, each]) => each)]
}

/** The caller holds the locks of the proposals. */
export const readKnownState = async (db: Connection, all: ReadonlyArray<Proposed>): Promise<Known> => {
  const { keys } = db
  const row = (await db.get<KnownRow>(keys === null ? plainSql : encryptedSql, [
    ...pairs(all, ({ personExtId, personHash }) => [keys === null ? personExtId : personHash()]),
    ...pairs(all, ({ engagementId }) => [engagementId]),
    ...pairs(all, ({ authorHash, personHash }) =>
      authorHash === null ? [personHash()] : [personHash(), authorHash()]
    ),
    ...pairs(all, ({ signalId }) => [idOf(signalId)]),
    [...new Set(all.map(({ brandId }) => brandId))]
  ]))!
  const state = new KnownState(
    new Set(row.signals?.map(([brandId, id]) => key(brandId, id))),
    new Set(row.suppressed?.map(([brandId, hash]) => key(brandId, hash)))
  )
  const persons = keys === null ? null : new PersonKeys(keys, row.key_id!)
  for (const key of row.person_keys ?? []) {
    persons!.add({ ...key, wrapped: Buffer.from(key.wrapped.slice(2), "hex") })
  }
  for (const lead of await openLeads(db, row.leads ?? [])) state.setLead(lead.brand_id, leadOf(lead))
  for (const [brandId, id, leadId] of row.engagements ?? []) state.setEngagement(brandId, id, leadId)
  const subscriptions = new Map<number, Array<Subscription>>()
  for (const [brandId, webhookId, events] of row.webhooks ?? []) {
    const ofBrand = subscriptions.get(brandId) ?? []
    ofBrand.push({ webhookId, events: JSON.parse(events) })
    subscriptions.set(brandId, ofBrand)
  }
  return { state, freshIds: [...(row.ids ?? [])].sort((a, b) => a - b), subscriptions, persons }
}
