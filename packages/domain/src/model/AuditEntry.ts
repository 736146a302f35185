/** One line of the audit log: who did what, when, and how it ended. It holds no personal data, key or secret. [AUD-3] */
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"

/**
 * The caller of an operation. A key has entries as an actor for what it reads in bulk, and for what its holder does in a browser's session.
 */
export type AuditActor =
  | /** The operator token of the host's environment, or a one-time sign-in code that stands for it. */ {
      readonly type: "environment"
      readonly id: null
    }
  | /** A caller whose credential was refused. */ {
      readonly type: "unknown"
      readonly id: null
    }
  | /** A stored access token, or an API key, by its id. */ {
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
  /** Whether the call came with a browser's session instead of the credential itself. */
  readonly viaSession: boolean
  /** The last part of the operation's id in the OpenAPI document, such as `createKey`; `refusedToken` for a call whose token was refused. */
  readonly operation: string
  /** The brand that the call named; null when it named none, or a text that is no id. */
  readonly brandId: BrandId | null
  /** The id of the thing that the call created, changed or read; null when there is none. */
  readonly subjectId: string | null
  /** The HTTP status of the answer; null while the call runs, and for ever where the process ended before the answer. */
  readonly status: number | null
}

/** The position of an entry in the list's order: newest first, by time and then by id. */
export type AuditCursor = Pick<AuditEntry, "id" | "at">
