/** Comparisons that name the first difference of two values. They need no test runner, and run in a browser. */

/**
 * A difference between what a store did and what the contract demands. The message names the port's method, then what
 * differs.
 */
export class ContractViolation extends Error {
  /** The name of the class, for test runners. */
  override readonly name = "ContractViolation"
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const rendered = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

const quoted = (text: string): string => {
  const at = text.length > 120 ? `${text.slice(0, 120)}…` : text
  return JSON.stringify(at)
}

/** Describes the first difference of two texts, with a part of each from a little before it. */
const textDifference = (path: string, actual: string, expected: string): string => {
  let at = 0
  while (at < actual.length && actual[at] === expected[at]) at++
  const from = Math.max(0, at - 40)
  const cut = (text: string) => quoted(`${from > 0 ? "…" : ""}${text.slice(from, at + 80)}`)
  return `${path || "it"} is ${cut(actual)} instead of ${cut(expected)}`
}

/** Describes the first difference of two values, by own enumerable keys; null when they are the same. */
const difference = (path: string, actual: unknown, expected: unknown): string | null => {
  if (Object.is(actual, expected)) return null
  const name = path || "it"
  if (Array.isArray(actual) && Array.isArray(expected)) {
    const shared = Math.min(actual.length, expected.length)
    for (let i = 0; i < shared; i++) {
      const found = difference(`${path}[${i}]`, actual[i], expected[i])
      if (found !== null) return found
    }
    if (actual.length === expected.length) return null
    const [longer, word] = actual.length > shared ? [actual, "too many"] : [expected, "missing"]
    return `${name} has ${actual.length} instead of ${expected.length}; the first ${word} is ${rendered(longer[shared])}`
  }
  if (isObject(actual) && isObject(expected) && Array.isArray(actual) === Array.isArray(expected)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const found = difference(path === "" ? key : `${path}.${key}`, actual[key], expected[key])
      if (found !== null) return found
    }
    return null
  }
  return typeof actual === "string" && typeof expected === "string"
    ? textDifference(path, actual, expected)
    : `${name} is ${rendered(actual)} instead of ${rendered(expected)}`
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Throws `ContractViolation` unless both have the same structure and values; the message is `what` and the first difference. */
export const assertEqual = (what: string, actual: unknown, expected: unknown): void => {
  const found = difference("", actual, expected)
  if (found !== null) throw new ContractViolation(`${what}: ${found}`)
}

/** Throws `ContractViolation` unless both texts are the same to the byte; the message has the path of the first value that differs. */
export const assertSameJson = (what: string, actual: string, expected: string): void => {
  if (actual === expected) return
  const [left, right] = [parsed(actual), parsed(expected)]
  throw new ContractViolation(
    `${what}: ${difference("", left, right) ?? textDifference("the text", actual, expected)}`
  )
}

/** Throws `ContractViolation` with the message `what`, the broken rule, unless `holds`. */
export const assertThat = (what: string, holds: boolean): void => {
  if (!holds) throw new ContractViolation(what)
}
