/** What the contract says of the answer to a request, before it is sent. */

/** The answer that the contract demands. */
export interface Expectation {
  /** The probes that the request consists of, by name. */
  readonly probes: ReadonlyArray<string>
  /** The HTTP status. */
  readonly status: number
  /** The code of the error; null: a success. */
  readonly code: string | null
  /** The text that the error's message must hold; null: any message. */
  readonly names: string | null
  /** Further texts that the error's message must hold: the bounds and words of what the field takes. [ERR-3] */
  readonly takes?: ReadonlyArray<string>
  /** Whether the message must begin with it. [OPER-4] */
  readonly isFirst?: boolean
  /** Values that the answer's body must have, by path like `data.name`. */
  readonly shows?: Readonly<Record<string, unknown>>
  /** Texts of which each warning of the answer must hold one, in order; one that is a sentence is the whole warning. [LIST-10] */
  readonly warns?: ReadonlyArray<string>
  /** The outcomes of observations, in order; `names` is how the message of a rejection begins. [OBS-1, OBS-2] */
  readonly outcomes?: ReadonlyArray<{ readonly outcome: string; readonly names?: string | null }>
  /** The unknown fields that each outcome must name, in order; empty: it must name none. [OBS-11] */
  readonly reports?: ReadonlyArray<ReadonlyArray<string>>
  /** How many outcomes of lines stand before the error that ends the answer. [OBS-8] */
  readonly outcomesBefore?: number
  /** Whether what the request names may be gone when it is answered: then 404 is right, too. */
  readonly mayBeGone?: () => boolean
}

const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value)

type Json = any

const wrongError = (expects: Expectation, body: Json): string | null => {
  const { code, isFirst = false, names } = expects
  const error = body?.error
  if (error?.code !== code) return `was answered ${error?.code}, not ${code}`
  const isNamed =
    names === null || (isFirst ? error.message.startsWith(names) : error.message.includes(names))
  if (!isNamed) return `"${error.message}" does not ${isFirst ? "begin with" : "name"} ${names}`
  const missing = expects.takes?.find((text) => !error.message.includes(text))
  return missing === undefined ? null : `"${error.message}" does not say ${missing}`
}

const isWarned = (warning: string, text: string): boolean =>
  /[.?]$/.test(text) ? warning === text : warning.includes(text)

const wrongOutcome = (outcomes: NonNullable<Expectation["outcomes"]>, data: Json): string | null => {
  if (data?.length !== outcomes.length) return `${outcomes.length} observations got ${data?.length} outcomes`
  for (const [i, { names = null, outcome }] of outcomes.entries()) {
    const got = data[i]
    if (got.outcome !== outcome) return `outcome ${i} is ${got.outcome}, not ${outcome}`
    if ((got.leadId === null) !== (outcome === "rejected" || outcome === "suppressed"))
      return `outcome ${i} has the lead ${got.leadId}`
    if ((got.message === undefined) !== (outcome !== "rejected"))
      return `outcome ${i} has the message ${got.message}`
    if (names !== null && !got.message.startsWith(names))
      return `"${got.message}" does not begin with ${names}`
  }
  return null
}

const wrongReports = (reports: NonNullable<Expectation["reports"]>, data: Json): string | null => {
  for (const [i, names] of reports.entries()) {
    const got = JSON.stringify(data?.[i]?.unknownFields ?? [])
    if (got !== JSON.stringify(names))
      return `outcome ${i} names the fields ${got}, not ${JSON.stringify(names)}`
    if (names.length === 0 && data?.[i]?.unknownFields !== undefined) return `outcome ${i} has an empty list`
  }
  return null
}

/** What is wrong with an answer; null when it is as expected. */
export const difference = (
  expects: Expectation,
  {
    body,
    headers,
    status
  }: { readonly body: Json; readonly headers: Record<string, string>; readonly status: number }
): string | null => {
  if (status === 404 && expects.mayBeGone?.() === true) return null
  if (status !== expects.status) {
    const message = body?.error?.message
    return `was answered ${status}${message === undefined ? "" : ` ("${message}")`}, not ${expects.status}`
  }
  if (status === 401 && headers["www-authenticate"] !== "Bearer") return "has no WWW-Authenticate: Bearer"
  if (status === 405 && headers["allow"] === undefined) return "has no Allow"
  if (expects.code !== null) return wrongError(expects, body)
  for (const [path, value] of Object.entries(expects.shows ?? {})) {
    const rendered = at(body, path)
    if (JSON.stringify(rendered) !== JSON.stringify(value))
      return `shows ${JSON.stringify(rendered)} as ${path}, not ${JSON.stringify(value)}`
  }
  if (expects.warns !== undefined) {
    const warnings: ReadonlyArray<string> = body?.meta?.warnings ?? []
    if (warnings.length !== expects.warns.length)
      return `has ${warnings.length} warnings, not ${expects.warns.length}`
    const missing = expects.warns.find((text, i) => !isWarned(warnings[i]!, text))
    if (missing !== undefined) return `has no warning of ${missing}`
  }
  const wrongReport = expects.reports === undefined ? null : wrongReports(expects.reports, body?.data)
  if (wrongReport !== null) return wrongReport
  return expects.outcomes === undefined ? null : wrongOutcome(expects.outcomes, body?.data)
}
