/** When two violations are the same finding: the same rule, and the same message but for values that differ from seed to seed. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

const excerpts = /…(.*)… instead of …(.*)…$/s

/** The field at which two excerpts of JSON part: the excerpts themselves begin and end anywhere. */
const fieldOfDifference = (actual: string, expected: string): string => {
  let at = 0
  while (at < Math.min(actual.length, expected.length) && actual[at] === expected[at]) at++
  const names = Array.from(actual.slice(0, at).matchAll(/"(\w+)":/g), ([, name]) => name!)
  return names.at(-1) ?? "the beginning"
}

/** The message without instants, ids, names of people and numbers. */
const normalised = (message: string): string =>
  message
    .replace(excerpts, (_, actual: string, expected: string) => fieldOfDifference(actual, expected))
    .replace(/\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?/g, "<time>")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "<id>")
    .replace(/\b(?:msg|evt|whk|key|lsk|whsec)_[\w+/=-]+/g, "<id>")
    .replace(/\bb\d+-[a-z]\d+(?:-\d+)?(?:\.\w+)?/g, "<person>")
    .replace(/\d+(?:\.\d+)?/g, "<n>")
    .replace(/\s+/g, " ")
    .trim()

/** The same for violations that are one finding. */
export const signatureOf = ({
  message,
  oracle
}: {
  readonly oracle: string
  readonly message: string
}): string => `${oracle}: ${normalised(message)}`

/** A name for the finding's files, of lower-case letters, digits and hyphens. */
export const findingName = (rule: string, signature: string): string =>
  `${rule.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-${bytesToHex(sha256(utf8ToBytes(signature))).slice(0, 8)}`
