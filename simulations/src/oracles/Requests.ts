/** Reads requests themselves: an oracle judges a call whatever its actor meant. */
import type { Answered, Call, Json } from "../world/KnownFacts.ts"
import { sessionRoute } from "./SessionReference.ts"

/** The JSON body; an empty object without one. */
export const bodyOf = (call: Call | null): Json => call?.request.body ?? {}

const pathOf = ({ request }: Call): string => request.url.replace(/\?.*$/s, "")

/** The text of a segment; as it was sent where it can't be decoded, which is refused. [ERR-5] */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The parameters of the path, by the names that the OpenAPI document gives them. */
export const paramsOf = (call: Call): Readonly<Record<string, string>> => {
  const segments = pathOf(call).split("/")
  const params: Record<string, string> = {}
  for (const [i, name] of call.route.split("/").entries())
    if (name.startsWith("{")) params[name.slice(1, -1)] = decoded(segments[i] ?? "")
  return params
}

/** Empty where the URL has no question mark. */
export const queryOf = ({ request }: Call): URLSearchParams =>
  new URLSearchParams(request.url.includes("?") ? request.url.slice(request.url.indexOf("?") + 1) : "")

/** A time as the service writes it, in UTC with milliseconds. */
export const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Method and route in one text, as in `GET /operator/brands`. */
export const operationOf = ({ request, route }: Call): string => `${request.method} ${route}`

/** Whether the answer says that a body came too slowly, and the body came slowly. [ERR-6] */
export const isTooSlow = ({ call, response }: Pick<Answered, "call" | "response">): boolean =>
  response.status === 408 && call.request.unusual?.arrival?.pauses !== undefined

/** Whether the call looks its key up again after its request was counted: it waits for a change, or signs in. [CHG-6, SES-1] */
export const looksKeyUpAgain = ({ route }: Call): boolean =>
  route === "/signals/changes" || route === sessionRoute
