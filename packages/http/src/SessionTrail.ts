/**
 * Entries of the audit log about who comes and goes: sign-ins, sign-outs, and refused credentials. They are of help to an operator, and
 * keep nobody out: one that can't be written is logged as a warning, so that an operator can sign in while the disk is full. [AUD-7]
 */
import { type AuditEntry, AuditLog } from "@lead-signals/domain"
import { Clock, Context, Effect } from "effect"

const append = (entry: Omit<AuditEntry, "id" | "at">): Effect.Effect<void, never, AuditLog> =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    yield* log.append({ ...entry, at: yield* Clock.currentTimeMillis })
  }).pipe(
    Effect.catchAll(({ reason }) =>
      Effect.logWarning("no audit entry of a session").pipe(Effect.annotateLogs({ reason }))
    )
  )

/** Somebody has signed in or out. */
export const recordSession = (
  entry: Pick<AuditEntry, "actor" | "viaSession" | "brandId"> & {
    readonly operation: "signIn" | "signOut"
    readonly status: number
  }
): Effect.Effect<void, never, AuditLog> => append({ ...entry, subjectId: null })

const minuteMillis = 60_000

/** Refused credentials have one entry a minute, of the first of them: who tries a million has the log grow by no more. */
export class RefusedCredentials extends Context.Tag("@lead-signals/http/RefusedCredentials")<
  RefusedCredentials,
  {
    /** A credential was refused: at a sign-in, or as the token of an operator's call. */
    readonly note: (operation: "signIn" | "refusedToken") => Effect.Effect<void, never, AuditLog>
  }
>() {
  /** Those that one server refuses. */
  static readonly make = Effect.sync((): typeof RefusedCredentials.Service => {
    let last = -1
    return {
      note: (operation) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const minute = Math.floor(now / minuteMillis)
          if (minute === last) return Effect.void
          last = minute
          return append({
            operation,
            actor: { type: "unknown", id: null },
            viaSession: false,
            brandId: null,
            subjectId: null,
            status: 401
          })
        })
    }
  })
}
