/** Counts the attempts under way, so that a lease takes no more deliveries than may be attempted at once. [DELIV-7] */
import type { Lease, DeliverySlots } from "@lead-signals/domain"

/** Posts under way, in all and by webhook. */
export class ConcurrencySlots implements DeliverySlots.UnderWay {
  total = 0
  /** Attempts at webhooks that were failing when their delivery was leased. */
  failingTotal = 0
  /** Holds no webhook without an attempt under way. */
  readonly byWebhook = new Map<string, number>()

  take(lease: Lease): void {
    this.change(lease, 1)
  }

  /** Takes the lease that the slot was taken with: the count of failing webhooks follows the lease, not the store. */
  release(lease: Lease): void {
    this.change(lease, -1)
  }

  private change({ webhook }: Lease, by: 1 | -1): void {
    this.total += by
    if (webhook.failingSince !== null) this.failingTotal += by
    const count = (this.byWebhook.get(webhook.id) ?? 0) + by
    if (count === 0) this.byWebhook.delete(webhook.id)
    else this.byWebhook.set(webhook.id, count)
  }
}
