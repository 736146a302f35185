/** Which delivery each id is of. The reference queues deliveries without, and learns an id when a lease or an answer first shows it. */
import type { Json } from "../world/KnownFacts.ts"
import { OutboxGuesses } from "./OutboxGuesses.ts"
import { type KnownDelivery, type OutboxWebhook, subjectOf } from "./OutboxRecords.ts"

const isId = (text: string): boolean => /^wh_[0-9a-f]{32}$/.test(text)

/** The ids of a run's deliveries, and those without one yet. */
export class OutboxIds {
  private readonly byId = new Map<string, KnownDelivery>()
  private readonly guesses = new OutboxGuesses()

  deliveryOf(id: string): KnownDelivery | undefined {
    return this.byId.get(id)
  }

  /** The delivery of that id if it is the webhook's. */
  delivery(webhook: OutboxWebhook, id: string): KnownDelivery | undefined {
    const found = this.byId.get(id)
    return found?.webhook === webhook ? found : undefined
  }

  /** Those of the webhook whose id nobody has seen, and whose bodies are of that subject. */
  unseen(webhook: OutboxWebhook, subject: string): ReadonlyArray<KnownDelivery> {
    return webhook.unseen.get(subject) ?? []
  }

  /** Notes that a lease is assigned to `taken`, and may belong to any of `fitting`. */
  guess(taken: KnownDelivery, fitting: ReadonlyArray<KnownDelivery>): void {
    this.guesses.note(taken, fitting)
  }

  /** Notes the id of a delivery that was seen for the first time; false where it must be another. */
  learn(delivery: KnownDelivery, id: string): boolean {
    if (delivery.id === id) return true
    const other = this.byId.get(id)
    if (other !== undefined) return this.exchange(other, delivery)
    if (!isId(id)) return false
    if (delivery.id !== null) {
      // A lease that was assigned to this delivery belongs to another, whose id nobody has seen.
      const actual = this.guesses.othersFor(delivery).find((each) => each.id === null)
      if (actual === undefined || !this.exchange(delivery, actual)) return false
    }
    delivery.id = id
    this.byId.set(id, delivery)
    const unseen = delivery.webhook.unseen.get(subjectOf(delivery))!
    unseen.splice(unseen.indexOf(delivery), 1)
    return true
  }

  /** A delivery without an id, which the next lease or answer shows. */
  hide(delivery: KnownDelivery): void {
    const { unseen } = delivery.webhook
    const subject = subjectOf(delivery)
    const known = unseen.get(subject)
    if (known === undefined) unseen.set(subject, [delivery])
    else known.push(delivery)
  }

  forget(delivery: KnownDelivery): void {
    if (delivery.id !== null) this.byId.delete(delivery.id)
    else {
      const unseen = delivery.webhook.unseen.get(subjectOf(delivery))!
      unseen.splice(unseen.indexOf(delivery), 1)
    }
  }

  /** The delivery that an answer shows under its id; its time of creation and first attempt tell which of several matching ones it is. */
  recognised(webhook: OutboxWebhook, { attempts, delivery }: Json): KnownDelivery | undefined {
    const taken = this.delivery(webhook, delivery.id)
    const isRendered = ({ createdAt, log }: KnownDelivery): boolean =>
      createdAt === delivery.createdAt && log[0]?.at === attempts[0]?.at
    if (taken === undefined || isRendered(taken)) return taken
    const actual = this.guesses.othersFor(taken).find(isRendered)
    return actual !== undefined && this.exchange(taken, actual) ? actual : taken
  }

  /** Exchanges the delivery with another that matched the same lease, if the answer shows that one's time of creation. Answers whether it did. */
  tellApart(taken: KnownDelivery, { createdAt }: Json): boolean {
    if (taken.createdAt === createdAt) return false
    const actual = this.guesses.othersFor(taken).find((each) => each.createdAt === createdAt)
    return actual !== undefined && this.exchange(taken, actual)
  }

  clear(): void {
    this.byId.clear()
    this.guesses.clear()
  }

  /** Gives each of the two the ids and attempts of the other since a lease matched both; false where none did. */
  private exchange(one: KnownDelivery, other: KnownDelivery): boolean {
    if (!this.guesses.exchange(one, other)) return false
    const { webhook } = one
    const unseen = webhook.unseen.get(subjectOf(one))!
    const [hasOne, hasOther] = [one, other].map((each) => webhook.deliveries.includes(each))
    const rest = webhook.deliveries.filter((each) => each !== one && each !== other)
    // Where one of them was pruned, it was the other. The array is a new one: of the old one others know where it begins to be pending.
    const kept = [...(hasOther ? [one] : []), ...(hasOne ? [other] : [])]
    webhook.deliveries = [...rest, ...kept].sort((a, b) => a.place - b.place)
    for (const [each, before] of [
      [one, other],
      [other, one]
    ] as const) {
      if (each.id === null) {
        if (unseen.includes(before)) unseen.splice(unseen.indexOf(before), 1, each)
      } else if (kept.includes(each)) this.byId.set(each.id, each)
      else this.byId.delete(each.id)
    }
    return true
  }
}
