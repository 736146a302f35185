/** Entries of the audit log for what API keys read in bulk: the first of a day, not one for each page. [AUD-8] */
import { type ApiKey, AuditLog, millisPerDay } from "@lead-signals/domain"
import { Clock, Context, Effect } from "effect"
import { idIn } from "./AuditTrail.ts"

/**
 * Whether the audit log has entries of lists that requests with an API key get. They are off unless a host provides it: each is a write of
 * the store. [AUD-8]
 */
export class AuditedKeyReads extends Context.Reference<AuditedKeyReads>()(
  "@lead-signals/http/AuditedKeyReads",
  { defaultValue: (): boolean => false }
) {}

/** After an entry that could not be written, milliseconds until another is tried. */
const retryMillis = 60_000

const dayOf = (at: number): number => Math.floor(at / millisPerDay)

const nameOf = (keyId: string, operation: string): string => `${keyId} ${operation}`

/**
 * The time in which no entry is written, in milliseconds since 1970. An instant before `since` is not in it: the clock was set back, and `until`
 * may be far off.
 */
interface Pause {
  readonly since: number
  readonly until: number
}

/** There is an entry, or a request is writing it. */
const entered: Pause = { since: -Infinity, until: Infinity }

/** What this process has entered. It holds one pause for each key and operation of a day. */
export class KeyReads {
  private readonly pauses = new Map<string, Pause>()
  private day = 0

  /** Whether a read at that instant is to be entered. Most are not, and this costs less than `note`, which looks again. */
  isDue({ id }: ApiKey, operation: string, at: number): boolean {
    const pause = this.pauses.get(nameOf(id, operation))
    return dayOf(at) !== this.day || pause === undefined || at < pause.since || at >= pause.until
  }

  /**
   * Enters the read, unless the key has an entry of the operation for this UTC day by this process. An entry that can't be written refuses
   * nothing: keys go on reading while the store can't be written.
   */
  note(key: ApiKey, operation: string): Effect.Effect<void, never, AuditLog> {
    return Effect.flatMap(Clock.currentTimeMillis, (at) => {
      if (!this.isDue(key, operation, at)) return Effect.void
      const day = dayOf(at)
      if (day !== this.day) this.pauses.clear()
      this.day = day
      const { brandId, id } = key
      const name = nameOf(id, operation)
      // Requests that come meanwhile make no second entry.
      this.pauses.set(name, entered)
      // A request of the day after may have entered it by then.
      const isStillThatDay = (): boolean => this.day === day
      const entry = {
        actor: { type: "key", id } as const,
        viaSession: false,
        operation,
        brandId: idIn(brandId),
        subjectId: null,
        status: 200
      }
      return Effect.flatMap(AuditLog, (log) => log.append({ ...entry, at })).pipe(
        Effect.catchAll(({ reason }) =>
          Effect.zipRight(
            Effect.sync(() => {
              if (isStillThatDay()) this.pauses.set(name, { since: at, until: at + retryMillis })
            }),
            Effect.logWarning("read by an API key without audit entry").pipe(Effect.annotateLogs({ reason }))
          )
        ),
        Effect.onInterrupt(() => Effect.sync(() => isStillThatDay() && this.pauses.delete(name))),
        Effect.asVoid
      )
    })
  }
}
