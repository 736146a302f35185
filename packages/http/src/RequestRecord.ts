/** What is gathered about a request while it is served: for its response headers and its line in the log. */
import type { RateLimit } from "@lead-signals/domain"

export interface RequestRecord {
  /** Sent back as X-Request-Id. [ERR-4] */
  readonly id: string
  readonly startedAt: number
  readonly method: string
  /** The pattern of the route, never the target itself, which can hold personal data. */
  route: string | null
  keyId: string | null
  /** Names of the known parameters of its query. */
  parameters: ReadonlyArray<string>
  rate: RateLimit.RateDecision | null
}
