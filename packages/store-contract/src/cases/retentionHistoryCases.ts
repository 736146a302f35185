/** What every store must prune after any history: what the naive rules of retention say. */
import { Effect } from "effect"
import { playHistories } from "../GeneratedHistories.ts"
import { playRetentionStep, type RetentionStep, retentionSteps } from "../RetentionHistories.ts"
import { RetentionWorld } from "../RetentionWorld.ts"
import type { Case } from "../StoreUnderTest.ts"

/** Each pruning of the history is checked. */
const agreesWithRules: Case = {
  title:
    "prunes what is due and nothing refers to, and nothing else, over generated histories [RET-2, RET-3, RET-5, RET-6, RET-7, PII-3, CHG-1, CHG-3]",
  run: async (open) => {
    const { clock, store } = open
    await playHistories<ReadonlyArray<RetentionStep>>(
      store,
      Math.ceil((store.deliveryHistories ?? 100) / 2),
      retentionSteps,
      (history) => history,
      (history) =>
        open.run(
          // A world that a failure left behind would be the failure of each smaller history.
          Effect.acquireUseRelease(
            RetentionWorld.create(clock),
            (world) =>
              Effect.forEach(history, (step, i) => playRetentionStep(step, i, world, clock), {
                discard: true
              }),
            (world) => Effect.orDie(world.end())
          )
        )
    )
  }
}

/** Cases of generated histories of pruning. */
export const retentionHistoryCases: ReadonlyArray<Case> = [agreesWithRules]
