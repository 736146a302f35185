/** Counts deliveries by webhook and state, and finished ones by the hour. Triggers count those that are deleted. */
import type { DeliveryState, Instant } from "@lead-signals/domain"
import { millisPerHour } from "@lead-signals/domain/pure"
import type { Connection } from "../connection/Connection.ts"

/** A delivery that is inserted (`from` is null), or gets another state. */
export interface StateChange {
  readonly webhookId: number
  readonly from: DeliveryState | null
  readonly to: DeliveryState
  /** Null while it is pending. */
  readonly finishedAt: Instant | null
}

/** Writes each counter once, however many deliveries change it. */
export const countDeliveries = (sql: Connection, changes: ReadonlyArray<StateChange>): void => {
  const states = new Map<string, number>()
  const hours = new Map<string, number>()
  const add = (sums: Map<string, number>, key: string, n: number): void =>
    void sums.set(key, (sums.get(key) ?? 0) + n)
  for (const { finishedAt, from, to, webhookId } of changes) {
    if (from === to) continue
    if (from !== null) add(states, `${webhookId} ${from}`, -1)
    add(states, `${webhookId} ${to}`, 1)
    if (finishedAt !== null && (from === null || from === "pending"))
      add(hours, `${webhookId} ${Math.floor(finishedAt / millisPerHour)} ${to}`, 1)
  }
  for (const [key, n] of states) {
    const [webhookId, state] = key.split(" ")
    if (n === 0) continue
    sql.run("INSERT INTO delivery_count VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n", [
      Number(webhookId),
      state!,
      n
    ])
  }
  for (const [key, n] of hours) {
    const [webhookId, hour, state] = key.split(" ")
    sql.run("INSERT INTO delivery_hour VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n", [
      Number(webhookId),
      Number(hour),
      state!,
      n
    ])
  }
}
