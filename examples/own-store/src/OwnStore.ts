/** A store of one's own: every port over tables in a file of JSON lines. */
import {
  Deliveries,
  IdempotencyRecords,
  LeadStore,
  Outbox,
  Pruning,
  RateWindows,
  type StorePorts,
  StoreUnavailable
} from "@lead-signals/domain"
import { Context, Effect, Layer, Queue } from "effect"
import { deliveries } from "./deliveries.ts"
import { directory } from "./directory.ts"
import { idempotency } from "./idempotency.ts"
import { Journal } from "./Journal.ts"
import { leadStore } from "./leadStore.ts"
import { operators } from "./operators.ts"
import { outbox } from "./outbox.ts"
import { pruning } from "./pruning.ts"
import { Tables } from "./Tables.ts"

const rateWindows = (tables: Tables) =>
  RateWindows.of({
    step: (keyId, step) =>
      tables.write((now) => {
        const { decision, window } = step(tables.rateWindows.get(keyId) ?? null, now)
        tables.rateWindows.put(keyId, window)
        return decision
      })
  })

/** Opens the file, which is made where there is none; one process at a time. */
export const layer = (
  file: string,
  { isSynced = true }: { readonly isSynced?: boolean } = {}
): Layer.Layer<StorePorts, StoreUnavailable> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const journal = yield* Effect.acquireRelease(
        Effect.try({
          try: () => new Journal(file, isSynced),
          catch: (cause) => new StoreUnavailable({ reason: `${file} can't be opened.`, cause })
        }),
        (opened) => Effect.sync(() => opened.close())
      )
      const tables = new Tables(journal, yield* Queue.sliding<void>(1))
      return Context.make(LeadStore, leadStore(tables)).pipe(
        Context.add(Outbox, outbox(tables)),
        Context.add(Deliveries, deliveries(tables)),
        Context.merge(directory(tables)),
        Context.merge(operators(tables)),
        Context.add(IdempotencyRecords, idempotency(tables)),
        Context.add(RateWindows, rateWindows(tables)),
        Context.add(Pruning, pruning(tables))
      )
    })
  )
