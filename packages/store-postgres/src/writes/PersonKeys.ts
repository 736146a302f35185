/** The keys of the persons whom a transaction writes: those that they have, and new ones. [PII-4] */
import type { Connection } from "../connection/Connection.ts"
import type { Person } from "../rows/LeadRows.ts"
import type { PersonKey } from "../sealing/SealedValue.ts"
import type { StoreKeys, WrappedPersonKey } from "../sealing/StoreKeys.ts"
import { Params } from "./Rows.ts"

/** A person of a brand. */
export interface PersonOf {
  readonly brandId: number
  /** The hash that an erasure keeps. */
  readonly hash: string
}

const nameOf = ({ brandId, hash }: PersonOf): string => `${brandId} ${hash}`

/** A person who is written at the same time as an author by two transactions gets the key of the one that is first. */
const createSql = (rows: string): string =>
  `INSERT INTO lead_signals.person_key AS k (brand_id, person, key_id, wrapped)
   SELECT brand_id, person, key_id, wrapped FROM ${rows}
   ON CONFLICT (brand_id, person) DO UPDATE SET key_id = k.key_id RETURNING brand_id, id, person, key_id, wrapped`

/** The keys of a commit's persons: read, or made where there are none. */
export class PersonKeys {
  private readonly persons = new Map<string, Person>()
  private readonly keys: StoreKeys
  private readonly keyId: string

  /** `keyId` names the encryption key that wraps new keys. The transaction keeps a rotation waiting. */
  constructor(keys: StoreKeys, keyId: string) {
    this.keys = keys
    this.keyId = keyId
  }

  /** Adds a person's row. */
  add(row: WrappedPersonKey): void {
    const name = nameOf({ brandId: row.brand_id, hash: row.person })
    this.persons.set(name, { hash: row.person, key: this.keys.unwrapPerson(row) })
  }

  /** The person, whose key was added or created. */
  of(person: PersonOf): Person {
    return this.persons.get(nameOf(person))!
  }

  /** Creates keys for those who have none, in the order of all transactions. */
  async create(db: Connection, wanted: ReadonlyArray<PersonOf>): Promise<void> {
    const missing = new Map(
      wanted.flatMap((person) => {
        const name = nameOf(person)
        return this.persons.has(name) ? [] : [[name, person] as const]
      })
    )
    if (missing.size === 0) return
    const rows = [...missing.values()]
      .sort((a, b) => a.brandId - b.brandId || (a.hash < b.hash ? -1 : 1))
      .map(({ brandId, hash }) => {
        const { wrapped } = this.keys.newPersonKey(this.keyId, brandId, hash)
        return [brandId, hash, this.keyId, wrapped]
      })
    const params = new Params()
    const table = params.rows("u", columns, rows)
    for (const row of await db.all<WrappedPersonKey>(createSql(table), params.all)) this.add(row)
  }
}

const columns = [
  ["brand_id", "bigint"],
  ["person", "text"],
  ["key_id", "text"],
  ["wrapped", "bytea"]
] as const

const knownSql = `SELECT k.brand_id, k.id, k.person, k.key_id, k.wrapped
  FROM unnest($1::bigint[], $2::text[]) AS given(brand_id, person)
  CROSS JOIN LATERAL (SELECT * FROM lead_signals.person_key k
    WHERE k.brand_id = given.brand_id AND k.person = given.person OFFSET 0) k`

/** The keys of the persons, made where they are missing; null where the database is not encrypted. The caller keeps a rotation waiting. */
export const personKeysOf = async (
  db: Connection,
  wanted: ReadonlyArray<PersonOf>
): Promise<PersonKeys | null> => {
  if (db.keys === null) return null
  const state = await db.get<{ readonly key_id: string }>("SELECT key_id FROM lead_signals.encryption")
  const persons = new PersonKeys(db.keys, state!.key_id)
  const rows = await db.all<WrappedPersonKey>(knownSql, [
    wanted.map(({ brandId }) => brandId),
    wanted.map(({ hash }) => hash)
  ])
  for (const row of rows) persons.add(row)
  await persons.create(db, wanted)
  return persons
}

/** A delivery by its key. */
interface DeliveryKey {
  readonly brandId: number
  readonly seq: number
}

/** A delivery's event names its lead and engagements; those of the lead as a whole where a body lists them. As an erasure finds them. */
const personsSql = `SELECT d.brand_id, d.seq, l.ext_id AS person, ARRAY(
    SELECT DISTINCT g.author_ext_id FROM lead_signals.engagement g
    WHERE g.brand_id = e.brand_id AND g.lead_id = e.lead_id AND g.author_ext_id IS NOT NULL
      AND (e.event = 'lead2.created' OR g.id = e.engagement_id) LIMIT 254) AS authors
  FROM unnest($1::bigint[], $2::bigint[]) AS given(brand_id, seq)
  JOIN lead_signals.delivery d ON d.brand_id = given.brand_id AND d.seq = given.seq
  JOIN lead_signals.event e ON e.brand_id = d.brand_id AND e.position = d.position
  JOIN lead_signals.lead l ON l.brand_id = e.brand_id AND l.id = e.lead_id`

/** The persons of the deliveries' events, by seq; a test is about none and left out. The leads' rows are sealed. */
export const personsOfEvents = async (
  sql: Connection,
  deliveries: ReadonlyArray<DeliveryKey>
): Promise<ReadonlyMap<number, ReadonlyArray<PersonOf>>> => {
  const rows = await sql.all<{
    readonly brand_id: number
    readonly seq: number
    readonly person: string
    readonly authors: ReadonlyArray<string>
  }>(personsSql, [deliveries.map(({ brandId }) => brandId), deliveries.map(({ seq }) => seq)])
  return new Map(
    rows.map(({ authors, brand_id: brandId, person, seq }) => [
      seq,
      [...new Set([person, ...authors])].map((hash) => ({ brandId, hash }))
    ])
  )
}

/** The keys of the persons of the deliveries' events, by seq; null where one is gone. A test is about nobody and left out. */
export const keysOfEvents = async (
  sql: Connection,
  deliveries: ReadonlyArray<DeliveryKey>
): Promise<ReadonlyMap<number, ReadonlyArray<PersonKey> | null>> => {
  const bySeq = await personsOfEvents(sql, deliveries)
  const wanted = [...bySeq.values()].flat()
  if (wanted.length === 0) return new Map()
  const rows = await sql.all<WrappedPersonKey>(knownSql, [
    wanted.map(({ brandId }) => brandId),
    wanted.map(({ hash }) => hash)
  ])
  const known = new Map(
    rows.map((row) => [nameOf({ brandId: row.brand_id, hash: row.person }), sql.keys!.unwrapPerson(row)])
  )
  return new Map(
    Array.from(bySeq, ([seq, persons]) => {
      const keys = persons.flatMap((person) => known.get(nameOf(person)) ?? [])
      return [seq, keys.length < persons.length ? null : keys]
    })
  )
}

/** Removes the keys of those persons of whom nothing is left. The caller holds the persons or the brand. */
export const removeUnusedKeys = async (
  db: Connection,
  brandId: number,
  hashes: ReadonlyArray<string>
): Promise<void> => {
  if (db.keys === null || hashes.length === 0) return
  const removed = await db.all<{ readonly id: number }>(
    `DELETE FROM lead_signals.person_key k WHERE k.brand_id = $1 AND k.person = ANY (ARRAY(
         SELECT o.person FROM lead_signals.person_key o WHERE o.brand_id = $1 AND o.person = ANY ($2::text[])
         ORDER BY o.person FOR UPDATE))
       AND NOT EXISTS (SELECT 1 FROM lead_signals.lead l WHERE l.brand_id = k.brand_id AND l.ext_id = k.person)
       AND NOT EXISTS (
         SELECT 1 FROM lead_signals.engagement e WHERE e.brand_id = k.brand_id AND e.author_ext_id = k.person)
     RETURNING k.id`,
    [brandId, hashes]
  )
  for (const { id } of removed) db.keys.forgetPerson(id)
}
