/** Webhooks. */
import { AttemptTransitions, WebhookStore } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { releasedDueAt } from "./outbox.ts"
import { createFor, find, ofBrand } from "./rows.ts"
import type { Tables } from "./Tables.ts"

/** A delivery whose attempt is under way becomes due when its lease runs out: until then it is another's. */
const startFresh = (tables: Tables, webhookId: string, now: number): void => {
  for (const row of tables.deliveriesOf(webhookId)) {
    if (row.state !== "pending") continue
    tables.deliveries.put(
      row.id,
      row.lease === null
        ? { ...row, failures: 0, failingSince: null, dueAt: Math.min(row.dueAt!, now) }
        : {
            ...row,
            failures: 0,
            failingSince: null,
            lease: AttemptTransitions.ofEarlierEnabling(row.lease)
          }
    )
  }
}

export const webhookStore = (tables: Tables): typeof WebhookStore.Service => {
  const { deliveries, webhooks } = tables
  return WebhookStore.of({
    create: (webhook) => tables.write(() => createFor(tables, webhooks, "webhook", webhook)),
    list: (brandId) => Effect.sync(() => ofBrand(webhooks, brandId)),
    get: (brandId, id) => Effect.sync(() => find(webhooks, brandId, id)),
    update: (brandId, id, change) =>
      tables.writeAndRing((now) =>
        Option.map(find(webhooks, brandId, id), (before) => {
          const after = webhooks.put(id, change(before, now))
          if (after.enabled && !before.enabled) startFresh(tables, id, now)
          if (after.ordering === "none" && before.ordering === "lead") {
            for (const row of tables.deliveriesOf(id)) {
              if (row.state !== "pending" || row.orderedLead === null) continue
              deliveries.put(row.id, { ...row, orderedLead: null, dueAt: releasedDueAt(row, now) })
            }
          }
          return after
        })
      ),
    delete: (brandId, id) =>
      tables.write(() => {
        if (Option.isNone(find(webhooks, brandId, id))) return false
        for (const row of tables.deliveriesOf(id)) deliveries.remove(row.id)
        webhooks.remove(id)
        return true
      })
  })
}
