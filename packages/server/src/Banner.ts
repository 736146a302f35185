/**
 * Renders what the server prints on standard output when it starts: its address, and commands to try next.
 */
import { renderedDatabase } from "./DatabaseLocation.ts"
import type { Settings } from "./Settings.ts"

/** What the banner tells of. */
export interface StartedServer {
  readonly settings: Settings
  readonly url: string
  readonly operatorToken: string
  /** Signs in once; null where the operator has set the token. */
  readonly signInCode: string | null
  /** Null when this start did not fill a demo brand. */
  readonly demo: { readonly key: string; readonly brandId: string } | null
  /** Whether this start made the SQLite file: a mistyped path makes an empty one. */
  readonly isNewFile: boolean
  /** A brand to show commands for; null when there is none. */
  readonly brandId: string | null
}

const curl = (token: string, rest: string): string => `  curl -H "Authorization: Bearer ${token}" ${rest}`

const suggestedCommands = ({
  brandId,
  demo,
  operatorToken,
  settings,
  url
}: StartedServer): ReadonlyArray<string> => {
  if (demo !== null) {
    return [
      "Try",
      curl(demo.key, `"${url}/signals/leads?pageSize=3"`),
      curl(
        demo.key,
        `"${url}/signals/leads?search=sales&sort=score1:desc&pageSize=1&includeEngagements=true"`
      ),
      curl(demo.key, `"${url}/campaign/1/metrics"`)
    ]
  }
  const token = settings.operatorToken === null ? operatorToken : "$LEAD_SIGNALS_OPERATOR_TOKEN"
  const post = (path: string, body: string): string =>
    curl(token, `-H "Content-Type: application/json" -d '${body}' "${url}${path}"`)
  return brandId === null
    ? ["Create a brand", post("/operator/brands", '{"name":"First"}')]
    : ["Create an API key", post(`/operator/brands/${brandId}/keys`, '{"label":"Another"}')]
}

/** What to know of the database; empty for one that was there. A store in memory has nothing at rest. */
const databaseNote = ({ isNewFile, settings: { database, encryption } }: StartedServer): string => {
  const notes = [
    ...(isNewFile ? ["new"] : []),
    ...(encryption !== null && database !== "memory" ? ["encrypted"] : [])
  ]
  return notes.length === 0 ? "" : `   (${notes.join(", ")})`
}

/** The text that is printed when the server listens. */
export const banner = (started: StartedServer): string => {
  const { demo, operatorToken, settings, signInCode, url } = started
  return [
    `Listening on ${url}`,
    "",
    `Database        ${renderedDatabase(settings.database)}${databaseNote(started)}`,
    `Console         ${url}/console/${signInCode === null ? "" : `#code=${signInCode}   (signs in once, within an hour)`}`,
    `Documentation   ${url}/docs`,
    ...(demo === null ? [] : [`Demo key        ${demo.key}   (printed only now)`]),
    ...(settings.operatorToken === null
      ? [
          `Operator token  ${operatorToken}   (new at every start; set LEAD_SIGNALS_OPERATOR_TOKEN to keep one)`
        ]
      : []),
    "",
    ...suggestedCommands(started),
    ""
  ].join("\n")
}
