/** One line of the audit log: who did what, when, and how it ended. It holds no personal data, key or secret. [AUD-3] */
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"

/** Who calls. A key acts here through a browser's session alone. */
export type AuditActor =
  | /** The token that the host's environment holds, or a one-time code that stands for it. */ {
      readonly type: "environment"
      readonly id: null
    }
  | /** Somebody whose credential was refused. */ {
      readonly type: "unknown"
      readonly id: null
    }
  | /** A token that the store keeps, or an API key, by its id. */ {
      readonly type: "token" | "key"
      readonly id: string
    }

/** An entry as a store keeps it. */
export interface AuditEntry {
  /** Decimal digits; later entries of one store have greater numbers. */
  readonly id: string
  /** When the call began. */
  readonly at: Instant
  /** Who called. */
  readonly actor: AuditActor
  /** Whether a browser's session stood for the actor's credential. */
  readonly viaSession: boolean
  /** The last part of the operation's id in the OpenAPI document, such as `createKey`; `refusedToken` where a refused token opened none. */
  readonly operation: string
  /** The brand that the call named; null when it named none, or something that is no id. */
  readonly brandId: BrandId | null
  /** The id of the thing that the call created, changed or read; null when there is none. */
  readonly subjectId: string | null
  /** The HTTP status of the answer; null while the call runs, and for good when the process ended before it did. */
  readonly status: number | null
}

/** The place of an entry in the order of the list. */
export type AuditCursor = Pick<AuditEntry, "id" | "at">
