/** The audit log in memory. */
import { type AuditCursor, AuditLog } from "@lead-signals/domain"
import { Effect, Layer } from "effect"
import { MemoryState } from "./MemoryState.ts"
import { put, withId } from "./Records.ts"

/** The order of the list, the newest first. */
const newestFirst = (a: AuditCursor, b: AuditCursor): number => b.at - a.at || Number(b.id) - Number(a.id)

const make = Effect.map(MemoryState, ({ memory: { auditEntries }, memory }) =>
  AuditLog.of({
    append: (entry) => Effect.sync(() => put(auditEntries, withId(memory, "audit_entry", entry)).id),
    complete: (id, outcome) =>
      Effect.sync(() => {
        const entry = auditEntries.get(id)
        if (entry?.status === null) put(auditEntries, { ...entry, ...outcome })
      }),
    list: ({ after, brandIds, limit, since }) =>
      Effect.sync(() =>
        [...auditEntries.values()]
          .filter(
            (entry) =>
              (brandIds === null || (entry.brandId !== null && brandIds.includes(entry.brandId))) &&
              (since === null || entry.at >= since) &&
              (after === null || newestFirst(after, entry) < 0)
          )
          .sort(newestFirst)
          .slice(0, limit)
      ),
    prune: ({ before, limit }) =>
      Effect.sync(() => {
        const due = [...auditEntries.values()]
          .filter(({ at }) => at < before)
          .sort((a, b) => newestFirst(b, a))
          .slice(0, limit)
        for (const { id } of due) auditEntries.delete(id)
        return due.length
      })
  })
)

/** The port of the audit log. */
export const layer = Layer.effect(AuditLog, make)
