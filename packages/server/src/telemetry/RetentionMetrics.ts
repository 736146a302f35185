/** The metrics of pruning, and the layer that prunes in the background. [RET-4] */
import {
  type Entropy,
  type Pruning,
  RetentionRounds,
  type Retention,
  type RetentionKind
} from "@lead-signals/domain"
import { Effect, Layer, Metric, MetricBoundaries } from "effect"

const pruned = Metric.counter("lead_signals_pruned_total", {
  description: "What was removed after its retention, by kind",
  incremental: true
})
const pieceSeconds = Metric.histogram(
  "lead_signals_pruning_duration_seconds",
  MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]),
  "How long pieces of pruning took"
)
const backlog = Metric.gauge("lead_signals_pruning_backlog_seconds", {
  description:
    "For how long the oldest had been due that the latest piece removed, by kind; 0 when nothing is due"
})
const completed = Metric.gauge("lead_signals_pruning_completed_timestamp_seconds", {
  description: "When this process completed its latest round, in seconds since 1970"
})

const ofKind = <Type, In, Out>(metric: Metric.Metric<Type, In, Out>, kind: RetentionKind) =>
  Metric.tagged(metric, "kind", kind)

const recordPiece = ({ kind, overdueMillis, removed, tookMillis }: RetentionRounds.PieceReport): void => {
  ofKind(pruned, kind).unsafeUpdate(removed, [])
  ofKind(backlog, kind).unsafeUpdate(overdueMillis / 1000, [])
  pieceSeconds.unsafeUpdate(tookMillis / 1000, [])
}

/** Prunes while the layer is there, and records what it does. */
export const retaining = (retention: Retention.Retention): Layer.Layer<never, never, Pruning | Entropy> =>
  Layer.scopedDiscard(
    Effect.forkScoped(
      RetentionRounds.retain({
        retention,
        onPiece: recordPiece,
        onRound: (endedAt) => completed.unsafeUpdate(endedAt / 1000, [])
      })
    )
  )
