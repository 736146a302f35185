/** The state of the audit log's page, as its URL has it. */
import { searchTexts } from "../shell/searchTexts.ts"

/** Without a parameter entries of all brands, or of all days, are listed. */
export interface AuditSearch {
  /** `brand`: entries of the open brand alone; without it, of all that the token reaches. */
  readonly of?: string
  /** The day from which on entries are shown, such as `2026-01-31`. */
  readonly since?: string
}

/** Keeps texts; the API judges the day. */
export const readAuditSearch = (given: Record<string, unknown>): AuditSearch =>
  searchTexts(["of", "since"], given)
