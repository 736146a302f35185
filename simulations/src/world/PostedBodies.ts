/** The bodies of posts as JSON. Several rules and the receiver look at each of them at about the same time. */
import type { Json } from "./KnownFacts.ts"

const maxRecent = 64

const recent = new Map<string, Json>()

/** The body as JSON, which nobody may change: those of late are parsed once. Throws where it is none. */
export const parsedBody = (body: string): Json => {
  const known = recent.get(body)
  if (known !== undefined) return known
  const parsed: Json = JSON.parse(body)
  if (recent.size === maxRecent) recent.clear()
  recent.set(body, parsed)
  return parsed
}
