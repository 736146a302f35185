/** Calls of the API as commands of a shell. */
import type { Access } from "../api/queries.ts"

/** A call that a page makes, as its dialog shows it. */
export interface ApiCall {
  /** What it does, in a few words. */
  readonly does: string
  readonly method?: "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  /** The answer goes on for as long as both sides stay. */
  readonly isStream?: boolean
}

/** A word of a shell: within single quotes, nothing has a meaning. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const secretOf: Readonly<Record<Access, string>> = {
  operator: "$LEAD_SIGNALS_OPERATOR_TOKEN",
  brand: "$KEY"
}

/** `access`: whose credential the call needs; null for a call without one. */
export const curlOf = (
  origin: string,
  access: Access | null,
  { body, isStream = false, method, path, query = {} }: ApiCall
): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value))
  }
  const url = `${origin}${path}${parameters.size === 0 ? "" : `?${parameters}`}`
  const parts = [
    `curl${isStream ? " -N" : ""}${access === null ? "" : ` -H "Authorization: Bearer ${secretOf[access]}"`}`,
    ...(method === undefined ? [] : [`-X ${method}`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
    quoted(url)
  ]
  return parts.join(" \\\n  ")
}
