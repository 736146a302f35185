/** One digest of several runs, in their order. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** The digest itself when there is one only. */
export const digestOf = (digests: ReadonlyArray<string>): string =>
  digests.length === 1 ? digests[0]! : bytesToHex(sha256(utf8ToBytes(digests.join("\n"))))
