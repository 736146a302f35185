/**
 * What is pruned is due by the plan's retention, and nothing that is left refers to it. A naive model of what there is works out what
 * a piece must remove: as the store says only how many it removed, it must be all of it, or as many as it was allowed. The reference
 * and the outbox then go on without it, so that every later answer, list, count and body shows whether the store did the same.
 */
import type { PruneLease, RetentionKind } from "@lead-signals/domain"
import type { ReferenceModel } from "@lead-signals/store-contract/reference"
import type { Json, KnownBrand, KnownFacts, Stored } from "../world/KnownFacts.ts"
import { dryRunMillis } from "../world/Host.ts"
import type { Oracle } from "./Oracle.ts"
import { type KnownDelivery, occurrenceOf } from "./OutboxRecords.ts"
import { outboxOf } from "./OutboxReference.ts"

const minute = 60_000
/** The longest time until what is due is gone, unless a process is down for longer. [RET-4] */
const promptMillis = 60 * minute
/** The longest time that a request for a piece is under way: the store may be slow, or the process stand still. A clock that is set says nothing. */
const underWayMillis = 5 * minute

interface Due {
  readonly at: number
  /** The place of deliveries in the order in which they were queued, which orders those of one instant. */
  readonly place: number
  readonly remove: (now: number) => void
}

type Row = ReferenceModel["rows"][number]

/** The leads whose engagements the body of a delivery can list. [RET-6] */
const listedBy = (deliveries: ReadonlyArray<KnownDelivery>): ReadonlySet<number | null> =>
  new Set(deliveries.filter(({ event }) => event === "lead2.created").map(({ leadId }) => leadId))

class WhatIsThere {
  /** When each person was erased. */
  readonly erasedAt: Array<number> = []

  constructor(private readonly facts: KnownFacts) {}

  due(kind: RetentionKind, before: number): Array<Due> {
    const due =
      kind === "deliveries" || kind === "deadLetters"
        ? this.deliveries(kind === "deliveries" ? "delivered" : "dead", before)
        : this.facts.brands.flatMap((brand) => this.ofBrand(kind, brand, before))
    // Leads go brand by brand.
    return kind === "leads" ? due : due.sort((a, b) => a.at - b.at || a.place - b.place)
  }

  private get outbox() {
    return outboxOf(this.facts)
  }

  private deliveries(state: KnownDelivery["state"], before: number): Array<Due> {
    return [...this.outbox.webhooks.values()]
      .flatMap(({ deliveries }) => deliveries)
      .filter((delivery) => delivery.state === state && delivery.finishedAt! < before)
      .map((delivery) => ({
        at: delivery.finishedAt!,
        place: delivery.place,
        remove: () => {
          if (delivery.state === "dead") this.noteDead(delivery)
          this.facts.prunedDeliveries.add(delivery.id!)
          this.outbox.prune(delivery)
        }
      }))
  }

  /** It stood in the dead letters. */
  private noteDead({ engagementId, event, leadId, webhook }: KnownDelivery): void {
    const row = this.facts.brandOf(webhook.brandId)?.reference.rows.find(({ id }) => id === leadId)
    if (row !== undefined)
      this.facts.dead.add(`${webhook.id} ${event} ${event === "lead2.created" ? row.extId : engagementId}`)
  }

  /** Notes every dead letter that there is. */
  noteAllDead(): void {
    for (const { deliveries } of this.outbox.webhooks.values())
      for (const delivery of deliveries) if (delivery.state === "dead") this.noteDead(delivery)
  }

  private ofBrand(kind: RetentionKind, brand: KnownBrand, before: number): Array<Due> {
    const { facts } = this
    const { reference } = brand
    const left = this.outbox.webhooksOf(brand.id).flatMap(({ deliveries }) => deliveries)
    const delivered = new Set(left.map(occurrenceOf))
    const activities = reference.events.filter(({ event }) => event === "activity.detected")
    if (kind === "events")
      return activities
        .filter((event) => event.occurredAt < before && !delivered.has(occurrenceOf(event)))
        .map((event) => ({
          at: event.occurredAt,
          place: 0,
          remove: () => {
            reference.events = reference.events.filter((each) => each !== event)
            this.outbox.pruneActivity(brand.id, event)
          }
        }))
    if (kind === "engagements") {
      const announced = new Set(activities.map(({ engagementId, leadId }) => `${leadId} ${engagementId}`))
      const listed = listedBy(left)
      const dueOf = ({ engagements, id: leadId }: Row): Array<Due> =>
        engagements
          .filter(
            ({ id, trackedAt }) =>
              trackedAt < before && !announced.has(`${leadId} ${id}`) && !listed.has(leadId)
          )
          .map(({ id, trackedAt }) => ({
            at: trackedAt,
            place: 0,
            remove: () => {
              facts.prunedEngagements.add(`${brand.id} ${id}`)
              reference.pruneEngagement(leadId, id)
            }
          }))
      return reference.rows.flatMap(dueOf)
    }
    if (kind !== "leads") return []
    const active = new Set([...activities, ...left].map(({ leadId }) => leadId))
    return reference.rows
      .filter(({ id, updatedAt }) => updatedAt < before && !active.has(id))
      .sort((a, b) => a.updatedAt - b.updatedAt || a.id - b.id)
      .map(({ engagements, id, updatedAt }) => ({
        at: updatedAt,
        place: 0,
        remove: (now) => {
          for (const engagement of engagements) facts.prunedEngagements.add(`${brand.id} ${engagement.id}`)
          facts.prunedLeads.add(id)
          reference.pruneLead(id, now)
          this.outbox.pruneLead(brand.id, id)
        }
      }))
  }
}

/** Who may prune, by the clock of the store. [RET-4] */
class KnownPruneLease {
  private holder: string | null = null
  private until = 0

  /** Whether another holder has it now. One that ends later than a lease that is taken now is of a clock that was set back, and void. */
  isOfOthers(lease: PruneLease | null, now: number): boolean {
    if (lease === null || this.holder === null || this.holder === lease.holder) return false
    return now < this.until && this.until <= now + lease.leaseMillis
  }

  take(lease: PruneLease | null, now: number): void {
    if (lease === null) return
    this.holder = lease.holder
    this.until = now + lease.leaseMillis
  }
}

/** What a whole round would remove: what is due by itself holds nothing back. */
const dueInRound = (
  facts: KnownFacts,
  erasedAt: ReadonlyArray<number>,
  limits: Readonly<Record<RetentionKind, number | null>>
): Json => {
  const outbox = outboxOf(facts)
  const isBefore = (at: number | null, kind: RetentionKind): boolean =>
    at !== null && limits[kind] !== null && at < limits[kind]
  const isDue = ({ finishedAt, state }: KnownDelivery): boolean =>
    (state === "delivered" && isBefore(finishedAt, "deliveries")) ||
    (state === "dead" && isBefore(finishedAt, "deadLetters"))
  const all = [...outbox.webhooks.values()].flatMap(({ deliveries }) => deliveries)
  const counts = {
    deliveries: all.filter((each) => each.state === "delivered" && isDue(each)).length,
    deadLetters: all.filter((each) => each.state === "dead" && isDue(each)).length,
    events: 0,
    engagements: 0,
    leads: 0,
    suppressions: erasedAt.filter((at) => isBefore(at, "suppressions")).length
  }
  for (const { id, reference } of facts.brands) {
    const left = outbox
      .webhooksOf(id)
      .flatMap(({ deliveries }) => deliveries)
      .filter((each) => !isDue(each))
    const awaited = new Set(left.map(occurrenceOf))
    const activities = reference.events.filter(({ event }) => event === "activity.detected")
    const staying = activities.filter(
      (event) => !isBefore(event.occurredAt, "events") || awaited.has(occurrenceOf(event))
    )
    const announced = new Set(staying.map(({ engagementId, leadId }) => `${leadId} ${engagementId}`))
    const active = new Set([...staying, ...left].map(({ leadId }) => leadId))
    const listed = listedBy(left)
    counts.events += activities.length - staying.length
    for (const { engagements, id: leadId, updatedAt } of reference.rows) {
      if (!listed.has(leadId))
        counts.engagements += engagements.filter(
          (each) => isBefore(each.trackedAt, "engagements") && !announced.has(`${leadId} ${each.id}`)
        ).length
      if (isBefore(updatedAt, "leads") && !active.has(leadId)) counts.leads++
    }
  }
  return counts
}

const marks: Readonly<Record<RetentionKind, string>> = {
  deliveries: "a delivery was pruned",
  deadLetters: "a dead letter was pruned",
  events: "an event was pruned",
  engagements: "an engagement was pruned",
  leads: "a lead was pruned",
  suppressions: "an erasure was forgotten"
}

/** [RET-1, RET-2, RET-3, RET-4, RET-5, RET-6, RET-7] */
export const retentionKept: Oracle = {
  name: "retention kept",
  instantiate: (facts, checks) => {
    const { retention } = facts.plan
    if (retention === undefined) return {}
    const pieces = checks.rule("each piece that is pruned")
    const ids = checks.rule("no id of what was pruned comes again")
    const rounds = checks.rule("each count of what a round would remove")
    const there = new WhatIsThere(facts)
    const lease = new KnownPruneLease()

    const prune = ({ answer, args, process, serviceNow }: Stored): string | null => {
      const { before, kind, limit }: { before: number; kind: RetentionKind; limit: number } = args[0]
      const keptMillis = retention[kind]
      if (keptMillis === null) return `${kind} are pruned, and kept for ever`
      const late = process.now - keptMillis - before
      const isClockSteady = !facts.incidents.touched(
        ["clock"],
        facts.now() - underWayMillis,
        facts.now(),
        process.index
      )
      if (isClockSteady && (late < 0 || late > underWayMillis))
        return `${kind} are pruned from before ${new Date(before).toISOString()}, ${late} ms from their retention`
      if (isClockSteady) pieces.judged++
      else pieces.weaken("the clock was set while the piece was requested")
      const due = there.due(kind, before)
      const isHeld = due.length > 0 && lease.isOfOthers(args[0].lease, serviceNow)
      if (answer.isLeasedElsewhere !== isHeld)
        return `${kind} are ${isHeld ? "" : "not "}pruned under the lease of another process`
      if (isHeld) {
        facts.coverageMarks.add("another process pruned")
        return answer.removed === 0 && answer.oldest === null
          ? null
          : `another process prunes, and ${answer.removed} ${kind} are pruned`
      }
      const wanted = Math.min(limit, due.length)
      if (answer.removed !== wanted) return `${answer.removed} ${kind} are pruned, and ${wanted} are due`
      if (wanted === 0) return null
      lease.take(args[0].lease, serviceNow)
      const piece = due.slice(0, wanted)
      const oldest = Math.min(...piece.map(({ at }) => at))
      if (answer.oldest !== oldest) return `the oldest of ${kind} is of ${answer.oldest}, not ${oldest}`
      for (const { remove } of piece) remove(serviceNow)
      facts.coverageMarks.add(marks[kind])
      return null
    }

    /** An engagement that was pruned and is taken anew fires once more. [RET-8] */
    const commit = ({ answer, args: [brandId, proposals] }: Stored): string | null => {
      for (const [i, { leadId, outcome }] of (answer as ReadonlyArray<Json>).entries()) {
        if (outcome === "rejected") facts.coverageMarks.add("an observation was too old")
        if (outcome !== "recorded") continue
        ids.judged++
        if (facts.prunedLeads.has(leadId)) return `lead ${leadId} was pruned, and its id is given again`
        if (!facts.prunedEngagements.delete(`${brandId} ${proposals[i].engagementId}`)) continue
        facts.coverageMarks.add("an engagement was pruned, and seen again")
        for (const webhook of facts.brandOf(brandId)?.webhooks ?? []) webhook.resends++
      }
      return null
    }

    let begunAt: number | null = null
    /** Whether the service has run long enough, and undisturbed, for the request to have come: it begins anew with each process. */
    const mustHaveCounted = (): boolean => {
      const from = facts.now() - 3 * dryRunMillis
      const disturbances = ["kill", "pause", "clock", "drift", "store"] as const
      return begunAt !== null && begunAt <= from && !facts.incidents.touched(disturbances, from, facts.now())
    }

    return {
      stored: (done) => {
        begunAt ??= facts.now()
        if (done.method === "pruning.prune") return prune(done)
        if (done.method === "leads.erase" && done.answer === true) there.erasedAt.push(done.serviceNow)
        if (done.method === "pruning.countDue") {
          rounds.judged++
          const [said, wanted] = [done.answer, dueInRound(facts, there.erasedAt, done.args[0])]
          const wrong = (Object.keys(marks) as ReadonlyArray<RetentionKind>).find(
            (kind) => said[kind] !== wanted[kind]
          )
          return wrong === undefined
            ? null
            : `a round would remove ${said[wrong]} ${wrong}, and ${wanted[wrong]} are due`
        }
        if (done.method === "leads.commit") return commit(done)
        if (done.method !== "outbox.lease") return null
        for (const { deliveryId } of done.answer.leases) {
          ids.judged++
          if (facts.prunedDeliveries.has(deliveryId))
            return `${deliveryId} was pruned, and is delivered again`
        }
        return null
      },
      conclude: () => {
        there.noteAllDead()
        if (rounds.judged === 0) {
          if (mustHaveCounted()) return "nobody is told what a round would remove"
          rounds.weaken("the service was disturbed before it could tell what a round would remove")
        }
        for (const kind of Object.keys(marks) as ReadonlyArray<RetentionKind>) {
          const keptMillis = retention[kind]
          if (keptMillis === null) continue
          pieces.judged++
          const overdue = there.due(kind, facts.now() - keptMillis - promptMillis)
          if (overdue.length > 0) return `${overdue.length} ${kind} are there an hour after they were due`
        }
        return null
      }
    }
  }
}
