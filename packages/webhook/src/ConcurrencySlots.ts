/** Counts the slots that are taken, so that no more deliveries are leased than the limits allow. [DELIV-7] */
import type { Lease, DeliverySlots } from "@lead-signals/domain"

/** The leased posts, in all and by webhook: those under way, and those that wait in the `PostQueue`. */
export class ConcurrencySlots implements DeliverySlots.UnderWay {
  total = 0
  /** Attempts at webhooks that were failing when their delivery was leased. */
  failingTotal = 0
  /** Holds no webhook without an attempt under way. */
  readonly byWebhook = new Map<string, number>()
  /** Webhooks with a slot whose last post was successful and fast. */
  readonly fast = new Set<string>()

  take(lease: Lease): void {
    this.change(lease, 1)
  }

  /** Frees a slot. It needs the lease with which the slot was taken, because that says whether the webhook was counted as failing. */
  release(lease: Lease): void {
    this.change(lease, -1)
  }

  /**
   * Notes whether a post was successful and fast, before its slot is free. A webhook that takes batches is never
   * `fast`: each of its posts has many events.
   */
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
