/** The metrics of scheduled backups, and the layer that makes them in the background. [REST-6] */
import { Effect, Layer, Metric } from "effect"
import type { BackupSettings } from "../BackupSettings.ts"
import { type BackedUp, type BackupObserver, makeBackups } from "../ScheduledBackups.ts"

const completed = Metric.gauge("lead_signals_backup_completed_timestamp_seconds", {
  description: "When the newest backup was made, in seconds since 1970; 0 where all are dated in the future"
})
const bytes = Metric.gauge("lead_signals_backup_bytes", { description: "The size of the newest backup" })
const duration = Metric.gauge("lead_signals_backup_duration_seconds", {
  description: "How long the newest backup of this process took"
})
const interval = Metric.gauge("lead_signals_backup_interval_seconds", {
  description: "The time from one backup to the next"
})
const failures = Metric.counter("lead_signals_backup_failures_total", {
  description: "Backups that failed",
  incremental: true
})

const onNewest: BackupObserver["onNewest"] = (newest) => {
  // 0 raises the alarm on the age, and a date in the future would silence it.
  completed.unsafeUpdate((newest?.madeAt ?? 0) / 1000, [])
  if (newest !== null) bytes.unsafeUpdate(newest.bytes, [])
}

const observer: BackupObserver = {
  onMade: (made) => {
    onNewest(made)
    duration.unsafeUpdate(made.tookMillis / 1000, [])
  },
  onNewest,
  onFailed: () => failures.unsafeUpdate(1, [])
}

/** Makes backups while the layer is there; none without settings. */
export const backingUp = (
  settings: BackupSettings | null,
  database: string,
  encryption: BackedUp["encryption"]
): Layer.Layer<never> =>
  settings === null
    ? Layer.empty
    : Layer.scopedDiscard(
        Effect.suspend(() => {
          interval.unsafeUpdate(settings.intervalMillis / 1000, [])
          failures.unsafeUpdate(0, [])
          return Effect.forkScoped(makeBackups({ settings, database, encryption }, observer))
        })
      )
