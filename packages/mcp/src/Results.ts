/** What a tool answers. Text by people outside stays inside JSON strings, beside a notice. [MCP-6, MCP-8] */
import type { ApiAnswer } from "@lead-signals/http"
import type { CallToolResult } from "@modelcontextprotocol/server"
import { notice } from "./Definitions.ts"
import type { BoundTool } from "./Operations.ts"

/** An answer takes at most this many characters of JSON. */
export const maxAnswerLength = 256 * 1024

/** Characters that nobody sees, such as tags, variation selectors, fillers and marks of direction: instructions can hide in them. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u0080-\u009f\u2028\u2029]/gu

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`
  ).join("")

/** JSON in which every character can be seen. It parses to the same value. */
export const visibleJson = (value: unknown): string => JSON.stringify(value).replaceAll(unseen, escaped)

/** An error, for the assistant to read: what is wrong, and what to send instead. */
export const failed = (
  code: string,
  message: string,
  retryAfterSeconds: number | null = null
): CallToolResult => ({
  isError: true,
  content: [
    {
      type: "text",
      text: visibleJson({
        error: { code, message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) }
      })
    }
  ]
})

const parsed = (body: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** The result of a tool whose call the API has answered. */
export const resultOf = (
  { holdsPersonalData }: BoundTool,
  { body, retryAfterSeconds, status }: ApiAnswer
): CallToolResult => {
  const value = parsed(body)
  if (status >= 400) {
    const error = value?.["error"] as { readonly code?: unknown; readonly message?: unknown } | undefined
    return typeof error?.code === "string" && typeof error.message === "string"
      ? failed(error.code, error.message, retryAfterSeconds)
      : failed("unexpected_answer", `The server answered status ${status} without an error of the API.`)
  }
  if (value === null || status >= 300)
    return failed("unexpected_answer", "The answer is not of the API of Lead Signals.")
  if (body.length > maxAnswerLength)
    return failed(
      "answer_too_large",
      `The answer has more than ${maxAnswerLength / 1024} KiB. Ask for less: a smaller pageSize, or no engagements.`
    )
  const structuredContent = holdsPersonalData ? { notice, ...value } : value
  return { content: [{ type: "text", text: visibleJson(structuredContent) }], structuredContent }
}
