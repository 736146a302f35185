/** What refusals may not tell: why a credential opens nothing, whether a thing is another brand's, and what was in the body. [AUTH-2, AUTH-3, ERR-3, PII-2] */
import type { Answered, Call, Json } from "../world/KnownFacts.ts"
import { bytesOf } from "../world/RequestParts.ts"
import { documentText } from "./OpenApiDocument.ts"
import { bodyOf } from "./Requests.ts"

/** Whose absence the parameters of a path can show. */
const byParameter: Readonly<Record<string, string>> = {
  brandId: "brand",
  keyId: "key",
  tokenId: "token",
  deliveryId: "delivery"
}

/** What a path that no operation has is answered. */
const noSuchPath = "This path does not exist; GET /openapi.json lists all paths."

/** What a call can be told of a thing that is missing, which its path names, its body, or what the lead is to be sent of. */
const absences = (call: Call): ReadonlyArray<string> => {
  const segments = call.route.split("/")
  const things = segments.flatMap((segment, i) => {
    if (!segment.startsWith("{")) return []
    const name = segment.slice(1, -1)
    return [byParameter[name] ?? segments[i - 1]!.replace(/^signal-/, "").replace(/s$/, "")]
  })
  const { brandIds, webhookId } = bodyOf(call)
  if (webhookId !== undefined) things.push("webhook")
  if (brandIds !== undefined) things.push("brand")
  if (call.route.endsWith("/leads/{id}/resend")) things.push("event")
  return things.map((thing) => `There is no such ${thing}.`)
}

/** Texts shorter than this come about in messages by chance. */
const minLength = 6

/** Longer bodies are not looked into. */
const maxBytes = 50_000

const decoder = new TextDecoder()

/** The texts within a value, without the names of fields. Ids of signals are left out: a message names the one that does not exist. */
const textsWithin = (value: Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return value === null || typeof value !== "object"
    ? []
    : Object.entries(value).flatMap(([name, each]) => (name === "signalId" ? [] : textsWithin(each)))
}

/** The texts in JSON. Of what is not JSON, the whole of it and each of its words. */
const textsOf = (sent: string): ReadonlyArray<string> => {
  try {
    return textsWithin(JSON.parse(sent))
  } catch {
    return [sent, ...sent.split(/[\s"{}[\],:]+/)]
  }
}

/** What was sent that nobody but its sender may know, unless it is a word of the document. */
const tellingTexts = ({ request }: Call): ReadonlyArray<string> => {
  const bytes = bytesOf(request)
  if (bytes.length > maxBytes) return []
  return decoder
    .decode(bytes)
    .split("\n")
    .flatMap(textsOf)
    .filter((text) => text.trim().length >= minLength)
}

/** Compares the texts of refusals in one run. */
export class RefusalTexts {
  private readonly ofCredentials = new Map<string, string>()

  /** What is wrong with one of the messages of an answer. */
  wrongIn({ body, call, response }: Answered, messages: ReadonlyArray<string>): string | null {
    const error = body?.error
    if (response.status === 401 && error !== undefined) {
      const first = this.ofCredentials.get(error.code) ?? error.message
      this.ofCredentials.set(error.code, first)
      if (error.message !== first) return `401 says "${error.message}", and has said "${first}"`
    }
    if (response.status === 404 && error !== undefined) {
      const texts = [noSuchPath, ...absences(call)]
      if (!texts.includes(error.message))
        return `404 says "${error.message}", which is none of ${texts.join(" ")}`
    }
    if (messages.length === 0) return null
    // The document is searched last because it is long.
    const quoted = tellingTexts(call).find(
      (text) => messages.some((message) => message.includes(text)) && !documentText.includes(text)
    )
    return quoted === undefined ? null : `a message quotes ${JSON.stringify(quoted)} of the body`
  }
}
