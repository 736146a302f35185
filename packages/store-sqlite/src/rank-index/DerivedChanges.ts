/**
 * What a transaction changes in the tables that are derived from leads and engagements: counters, days, hours and rank buckets.
 * Writers gather it while they insert and update, and each derived row is written once, before the commit. Triggers count what
 * statements delete, so a writer that deletes calls `writeDerivedChanges` first: a trigger must find the row that it takes from.
 */
import type { Engagement, Lead, LeadId } from "@lead-signals/domain"
import { millisPerDay, millisPerHour } from "@lead-signals/domain/pure"
import type { Connection } from "../connection/Connection.ts"
import { type Ordering, orderings } from "../filter/Ordering.ts"
import { flagsOf, idOf } from "@lead-signals/sql-rows"
import { foldOnce } from "../search/FoldedTexts.ts"
import * as RankIndex from "./RankIndex.ts"

type Key = ReadonlyArray<number | string>

/** By how many each row of a table of counts changes. */
class Sums {
  private readonly byKey = new Map<string, { readonly key: Key; n: number }>()
  private readonly text: string

  /** `text` is a statement of `addToSql`. */
  constructor(text: string) {
    this.text = text
  }

  add(n: number, ...key: Key): void {
    const text = key.join(" ")
    const sum = this.byKey.get(text)
    if (sum === undefined) this.byKey.set(text, { key, n })
    else sum.n += n
  }

  write(sql: Connection): void {
    for (const { key, n } of this.byKey.values()) if (n !== 0) sql.run(this.text, [...key, n])
    this.byKey.clear()
  }
}

/** Adds to a row of a table whose key has so many columns. */
const addToSql = (table: string, columns: number): string =>
  `INSERT INTO ${table} VALUES (${"?, ".repeat(columns)}?) ON CONFLICT DO UPDATE SET n = n + excluded.n`

const addToLeads = addToSql("lead_count", 3)
const addToDays = addToSql("lead_day_count", 4)
const addToHours = addToSql("activity_hour", 5)

/** A lead that its order has one more of, or one fewer. */
interface Point {
  readonly key: number | string
  readonly id: LeadId
  readonly flags: number
  readonly n: 1 | -1
}

const bucketSql = `SELECT seq FROM lead_stretch WHERE brand_id = ? AND ordering = ? AND (key, id) <= (?, ?)
  ORDER BY key DESC, id DESC LIMIT 1`

/** The bucket of each point, found by few queries where points of numbers lie in few buckets. */
const bucketsOf = (
  sql: Connection,
  brandId: number,
  ordering: Ordering["name"],
  points: ReadonlyArray<Point>
): ReadonlyArray<number> => {
  const find = ({ id, key }: Point): number => sql.value<number>(bucketSql, [brandId, ordering, key, id])!
  const found: Array<number> = Array.from({ length: points.length })
  /** Between two points of one bucket all are of that bucket. */
  const fill = (from: number, to: number): void => {
    if (to - from < 2) return
    if (found[from] === found[to]) found.fill(found[from]!, from + 1, to)
    else {
      const middle = (from + to) >> 1
      found[middle] = find(points[middle]!)
      fill(from, middle)
      fill(middle, to)
    }
  }
  // SQLite orders texts by their bytes, JavaScript does not.
  if (ordering === "name") return points.map(find)
  const last = points.length - 1
  found[0] = find(points[0]!)
  if (last > 0) found[last] = find(points[last]!)
  fill(0, last)
  return found
}

const inOrder = (a: Point, b: Point): number => Number(a.key > b.key) - Number(a.key < b.key) || a.id - b.id

const countInBucketSql = RankIndex.allFlags.map(
  (flags) => `UPDATE lead_stretch SET n${flags} = n${flags} + ? WHERE seq = ?`
)

const infinite = Number.POSITIVE_INFINITY

interface Forgotten {
  readonly brandId: number
  readonly id: LeadId
  readonly nameKey: string
}

/** What one commit changes in the derived tables, summed up and written once. [STORE-1] */
export class DerivedChanges {
  private readonly leads = new Sums(addToLeads)
  private readonly days = new Sums(addToDays)
  private readonly hours = new Sums(addToHours)
  private readonly points = new Map<number, { readonly [N in Ordering["name"]]: Array<Point> }>()
  private forgotten: Array<Forgotten> = []
  private isNumbered = false
  private readonly sql: Connection

  constructor(sql: Connection) {
    this.sql = sql
  }

  /** A lead that is inserted (`before` is null) or updated. */
  change(before: Lead | null, after: Lead): void {
    if (!this.isNumbered) this.sql.run("UPDATE lead_change SET n = n + 1 WHERE id = 1")
    this.isNumbered = true
    if (before !== null) this.count(before, -1)
    this.count(after, 1)
    const isSame = before !== null && flagsOf(before) === flagsOf(after)
    const points = this.pointsOf(idOf(after.brandId))
    const move = (name: Ordering["name"], was: number | string | undefined, is: number | string): void => {
      if (isSame && was === is) return
      if (before !== null) points[name].push({ key: was!, id: after.id, flags: flagsOf(before), n: -1 })
      points[name].push({ key: is, id: after.id, flags: flagsOf(after), n: 1 })
    }
    move("created", before?.createdAt, after.createdAt)
    move("updated", before?.updatedAt, after.updatedAt)
    move("score", before === null ? undefined : (before.score1 ?? infinite), after.score1 ?? infinite)
    const descending = ({ score1 }: Lead): number => (score1 === null ? infinite : -score1)
    move("scoreDesc", before === null ? undefined : descending(before), descending(after))
    const isRenamed = before !== null && before.profile.name !== after.profile.name
    if (isSame && !isRenamed) return
    const nameKey = foldOnce(this.sql, after.profile.name)
    const nameBefore = isRenamed
      ? foldOnce(this.sql, before.profile.name)
      : before === null
        ? undefined
        : nameKey
    move("name", nameBefore, nameKey)
    if (isRenamed) this.forgotten.push({ brandId: idOf(after.brandId), id: after.id, nameKey: nameBefore! })
  }

  /** A lead of which nothing changes but when it was updated. */
  moveUpdated(brandId: number, { flags, id }: Pick<Point, "flags" | "id">, from: number, to: number): void {
    this.days.add(-1, brandId, "updated", Math.floor(from / millisPerDay), flags)
    this.days.add(1, brandId, "updated", Math.floor(to / millisPerDay), flags)
    this.pointsOf(brandId).updated.push({ key: from, id, flags, n: -1 }, { key: to, id, flags, n: 1 })
  }

  /** An engagement that is inserted. */
  addEngagement(brandId: number, { signalId, trackedAt, type }: Engagement): void {
    this.hours.add(
      1,
      brandId,
      "engagement",
      Math.floor(trackedAt / millisPerHour),
      idOf(signalId),
      type ?? ""
    )
  }

  private count(lead: Lead, n: 1 | -1): void {
    const [brandId, flags] = [idOf(lead.brandId), flagsOf(lead)]
    this.days.add(n, brandId, "created", Math.floor(lead.createdAt / millisPerDay), flags)
    this.days.add(n, brandId, "updated", Math.floor(lead.updatedAt / millisPerDay), flags)
    const hour = Math.floor(lead.createdAt / millisPerHour)
    const countIn = (signalId: number): void => {
      this.leads.add(n, brandId, signalId, flags)
      this.hours.add(n, brandId, "lead", hour, signalId, "")
    }
    countIn(0)
    for (const signalId of lead.signalIds) countIn(idOf(signalId))
  }

  private pointsOf(brandId: number): { readonly [N in Ordering["name"]]: Array<Point> } {
    const known = this.points.get(brandId)
    if (known !== undefined) return known
    const made = { created: [], updated: [], name: [], score: [], scoreDesc: [] }
    this.points.set(brandId, made)
    return made
  }

  private writeBuckets(brandId: number, ordering: Ordering["name"], points: Array<Point>): void {
    if (points.length === 0) return
    points.sort(inOrder)
    const buckets = bucketsOf(this.sql, brandId, ordering, points)
    const sums = new Map<number, Array<number>>()
    for (const [i, { flags, n }] of points.entries()) {
      const sum = sums.get(buckets[i]!) ?? [0, 0, 0, 0, 0, 0, 0, 0]
      sum[flags]! += n
      sums.set(buckets[i]!, sum)
    }
    for (const [seq, sum] of sums) {
      for (const [flags, n] of sum.entries()) if (n !== 0) this.sql.run(countInBucketSql[flags]!, [n, seq])
    }
  }

  /** Writes what was gathered; the tables are then as the leads and engagements are. */
  write(): void {
    this.leads.write(this.sql)
    this.days.write(this.sql)
    this.hours.write(this.sql)
    for (const [brandId, points] of this.points) {
      for (const { name } of Object.values(orderings)) this.writeBuckets(brandId, name, points[name])
    }
    this.points.clear()
    for (const { nameKey, ...lead } of this.forgotten) {
      RankIndex.forgetName(this.sql, orderings, lead, nameKey)
    }
    this.forgotten = []
  }
}

const ofTransaction = Symbol("derived changes")

/** The changes of the transaction, which are written before its commit. */
export const derivedChanges = (sql: Connection): DerivedChanges =>
  sql.ofTransaction(ofTransaction, () => {
    const changes = new DerivedChanges(sql)
    sql.beforeCommit(() => changes.write())
    return changes
  })

/** Writes what the transaction has gathered until now; to be called before a statement that deletes or counts. */
export const writeDerivedChanges = (sql: Connection): void => derivedChanges(sql).write()
