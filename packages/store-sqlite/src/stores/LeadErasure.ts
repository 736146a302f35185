/** Removes leads: in the writing worker where it takes long and there is one, else on the serving thread. [PII-3, DEL-1] */
import type { DeliveryId, LeadStore, StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import type { LeadChanges } from "../cache/LeadChanges.ts"
import type { Database } from "../database/Database.ts"
import * as Erasure from "../writes/Erasure.ts"
import { journaled } from "@lead-signals/removal-journal"

/** The methods of the port of leads that remove some. */
export type LeadErasure = Pick<typeof LeadStore.Service, "erase" | "removeSome">

/** Makes the methods. `forgetRead` drops what was read and cached, after each removal. A transaction looks at up to `maxEffort` leads on this thread. */
export const leadErasure = (
  database: typeof Database.Service,
  changed: LeadChanges,
  forgetRead: Effect.Effect<void>,
  { maxBucketLeads, maxEffort }: { readonly maxBucketLeads: number; readonly maxEffort: number }
): LeadErasure => {
  const maxWriteEffort = database.hasWritingThread ? maxEffort : Number.POSITIVE_INFINITY

  const eraseOffloaded = (
    lead: Erasure.Erased,
    personHash: string,
    ids: () => DeliveryId,
    deliveryIds: ReadonlyArray<DeliveryId> = []
  ): Effect.Effect<boolean, StoreUnavailable> =>
    Effect.flatMap(
      database.writeInWorker("eraseLead", (now) => ({ lead, personHash, deliveryIds, now, maxBucketLeads })),
      (output) => {
        if ("wanted" in output)
          return eraseOffloaded(lead, personHash, ids, Array.from({ length: output.wanted }, ids))
        changed.forget()
        return Effect.succeed(output.erased)
      }
    )

  return {
    erase: (brandId, id, personHash, ids) => {
      const lead = { brandId, id }
      const here = database.write((sql, now) => {
        // It changes those who read the person's posts, too; and what the person was like is not to be kept.
        changed.of(sql).isComplete = false
        return Erasure.erase(sql, lead, { personHash, nextId: ids, now, maxBucketLeads })
      })
      return Effect.flatMap(
        database.read((sql) => Erasure.takesMore(sql, lead, maxWriteEffort)),
        // Uninterruptible, so that a committed erasure also truncates the log.
        (takesMore) =>
          journaled(
            database,
            Effect.uninterruptible(
              Effect.tap(takesMore ? eraseOffloaded(lead, personHash, ids) : here, () => forgetRead)
            )
          )
      )
    },
    removeSome: (brandId) => {
      const here = database.write((sql) => {
        changed.of(sql).isComplete = false
        return Erasure.removeSome(sql, brandId)
      })
      const offloaded = Effect.tap(
        database.writeInWorker("removeSomeLeads", () => ({ brandId })),
        () => changed.forget()
      )
      const isOffloaded = maxWriteEffort !== Number.POSITIVE_INFINITY
      return Effect.uninterruptible(Effect.tap(isOffloaded ? offloaded : here, () => forgetRead))
    }
  }
}
