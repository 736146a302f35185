/**
 * The target of a request as it was sent: checked before anything else looks at it, so that no odd byte reaches the
 * router, and taken apart without leniency. [ERR-5]
 */
import { InvalidParameter, type Parameters } from "@lead-signals/domain"
import { Either } from "effect"

/** Bytes of a request's path and query together, percent-encoded, at most. [ERR-5] */
export const maxTargetBytes = 16 * 1024

/** The target of a request, in its parts. */
export interface Target {
  readonly path: string
  /** Without the question mark. */
  readonly query: string
}

const refused = (message: string) => Either.left(new InvalidParameter({ parameter: "target", message }))

/** `decodeURIComponent` refuses broken percent-encoding and broken UTF-8 alike. */
const decodes = (text: string): boolean => {
  if (!text.includes("%")) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Origin form, or absolute form less its origin; a fetch handler may be given either. */
export const parse = (sent: string): Either.Either<Target, InvalidParameter> => {
  if (sent.length > maxTargetBytes) return refused("The request target takes at most 16 KiB.")
  const target = sent.startsWith("/") ? sent : sent.replace(/^https?:\/\/[^/?#]*/i, "")
  if (!/^[\x21-\x7e]*$/.test(target)) {
    return refused(
      "The request target takes printable ASCII; percent-encode every other character, as UTF-8."
    )
  }
  if (target.includes("#")) return refused("The request target takes no fragment; percent-encode # as %23.")
  const end = target.indexOf("?")
  const path = end < 0 ? target : target.slice(0, end)
  const query = end < 0 ? "" : target.slice(end + 1)
  if (!path.startsWith("/") && path !== "")
    return refused("The request target takes a path that starts with /.")
  if (!decodes(path) || !decodes(query)) {
    return refused(
      "The request target takes percent-encoding as two hex digits a byte, of well-formed UTF-8."
    )
  }
  return Either.right({ path: path === "" ? "/" : path, query })
}

/** The query's parameters in order, decoded as forms are: `+` is a space. The query must have passed `parse`. */
export const parameters = (query: string): Parameters.Entries =>
  query === ""
    ? []
    : query
        .split("&")
        .filter((pair) => pair !== "")
        .map((pair) => {
          const end = pair.indexOf("=")
          return end < 0 ? [decode(pair), ""] : [decode(pair.slice(0, end)), decode(pair.slice(end + 1))]
        })

const decode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "))

/** The parameters of a request whose target has passed. */
export const parametersOf = (url: string): Parameters.Entries => {
  const at = url.indexOf("?")
  return at < 0 ? [] : parameters(url.slice(at + 1))
}
