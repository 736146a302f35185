/** Webhooks in memory. */
import { AttemptTransitions, LeadOrder, type Webhook, WebhookStore } from "@lead-signals/domain"
import { Clock, Effect, Layer, Option, Queue } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { createInBrand, findInBrand, listOfBrand, put, withId } from "./Records.ts"

const make = Effect.map(MemoryState, ({ memory, queued }) => {
  const webhookOf = (brandId: string, id: string): Webhook | undefined =>
    findInBrand(memory.webhooks, brandId, id)

  /**
   * Makes pending deliveries of an enabled webhook due now. One whose attempt is under way stays with its
   * lease and becomes due when that runs out. [DELIV-4]
   */
  const resetPending = (webhookId: string, now: number): void => {
    for (const record of memory.deliveries.of(webhookId)) {
      if (record.state !== "pending") continue
      const { lease } = record
      memory.deliveries.put(
        lease === null
          ? {
              ...record,
              failures: 0,
              failingSince: null,
              dueAt: Math.min(LeadOrder.dueAtOf(record.dueAt) ?? record.createdAt, now)
            }
          : { ...record, failures: 0, failingSince: null, lease: AttemptTransitions.ofEarlierEnabling(lease) }
      )
    }
  }

  /** Pending deliveries of a webhook that is ordered no longer lose their places. [ORD-1] */
  const dropOrder = (webhookId: string, now: number): void => {
    for (const record of memory.deliveries.of(webhookId)) {
      if (record.state !== "pending" || record.orderedLead === null) continue
      const dueAt = LeadOrder.releasedDueAt({ ...record, dueAt: record.dueAt! }, now)
      // The lead's list has the record under the place that it loses.
      memory.deliveries.remove(record)
      memory.deliveries.put({ ...record, orderedLead: null, dueAt })
    }
  }

  return WebhookStore.of({
    create: (webhook) =>
      createInBrand(memory, webhook.brandId, () => put(memory.webhooks, withId(memory, "webhook", webhook))),
    list: (brandId) => listOfBrand(memory.webhooks, brandId),
    get: (brandId, id) => Effect.sync(() => Option.fromNullable(webhookOf(brandId, id))),
    update: (brandId, id, change) =>
      Effect.tap(
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(Option.fromNullable(webhookOf(brandId, id)), (before) => {
            const after = put(memory.webhooks, change(before, now))
            if (after.enabled && !before.enabled) resetPending(id, now)
            if (after.ordering === "none" && before.ordering === "lead") dropOrder(id, now)
            return after
          })
        ),
        () => Queue.offer(queued, undefined)
      ),
    delete: (brandId, id) =>
      Effect.sync(() => {
        if (webhookOf(brandId, id) === undefined) return false
        memory.deliveries.removeWebhook(id)
        return memory.webhooks.delete(id)
      })
  })
})

/** The port of webhooks. */
export const layer = Layer.effect(WebhookStore, make)
