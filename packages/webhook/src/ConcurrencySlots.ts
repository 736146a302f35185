/** Counts the deliveries that are leased, so that a lease takes no more of them than the limits allow. [DELIV-7] */
import type { Lease, DeliverySlots } from "@lead-signals/domain"

/** Posts that are leased, in all and by webhook: those under way, and those that wait in the `PostQueue`. */
export class ConcurrencySlots implements DeliverySlots.UnderWay {
  total = 0
  /** Attempts at webhooks that were failing when their delivery was leased. */
  failingTotal = 0
  /** Holds no webhook without an attempt under way. */
  readonly byWebhook = new Map<string, number>()
  /** Webhooks with a place whose last post succeeded fast. */
  readonly fast = new Set<string>()

  take(lease: Lease): void {
    this.change(lease, 1)
  }

  /** Takes the lease that the slot was taken with: the count of failing webhooks follows the lease, not the store. */
  release(lease: Lease): void {
    this.change(lease, -1)
  }

  /** Notes whether a post has succeeded fast, while it has its slot. A webhook that takes batches has enough in each post. */
  note({ batch, webhook }: Lease, isFast: boolean): void {
    if (isFast && batch === null) this.fast.add(webhook.id)
    else this.fast.delete(webhook.id)
  }

  private change({ webhook }: Lease, by: 1 | -1): void {
    this.total += by
    if (webhook.failingSince !== null) this.failingTotal += by
    const count = (this.byWebhook.get(webhook.id) ?? 0) + by
    if (count > 0) {
      this.byWebhook.set(webhook.id, count)
      return
    }
    this.byWebhook.delete(webhook.id)
    this.fast.delete(webhook.id)
  }
}
