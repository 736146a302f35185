/** The state of the audit log's page, as its URL has it. */
export interface AuditSearch {
  /** `brand`: entries of the open brand alone; without it, of all that the token reaches. */
  readonly of?: string
  /** The day from which on entries are shown, such as `2026-01-31`. */
  readonly since?: string
}

export const readAuditSearch = (given: Record<string, unknown>): AuditSearch =>
  Object.fromEntries(
    (["of", "since"] as const).flatMap((name) => {
      const value = given[name]
      return typeof value === "string" && value !== "" ? [[name, value]] : []
    })
  )
