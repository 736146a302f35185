/** Ids of deliveries, as many as a commit needs from one draw of random bytes, and of batches. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { DeliveryId } from "../model/Delivery.ts"

/** Bytes of randomness that `sequence` takes as its seed. */
export const seedBytes = 16

/** The rest of the seed is the number of the first id. */
const beginningBytes = 12

/**
 * Makes the source of a commit's delivery ids: each call of the answer gives another, `wh_` and 32 hex digits. `seed`
 * is `seedBytes` fresh random bytes, so that an id differs from all that were ever given, also in a store that was
 * set back to an older copy, and no receiver takes a new event for one it has seen. [EVT-1]
 *
 * The ids of a commit count up from the seed, so that they lie side by side in an index, which then has a few pages to write instead of one
 * for each id.
 */
export const sequence = (seed: Uint8Array): (() => DeliveryId) => {
  const beginning = `wh_${bytesToHex(seed.subarray(0, beginningBytes))}`
  let next = new DataView(seed.buffer, seed.byteOffset + beginningBytes).getUint32(0)
  return () => {
    const number = next.toString(16).padStart(8, "0")
    next = (next + 1) % 2 ** 32
    return beginning + number
  }
}

const batchIdBytes = 16

/**
 * The id of a batch, `wb_` and 32 hex digits: a hash of its deliveries' ids in their order. The same deliveries that are sent together
 * again have the same id, in whatever process; others have another. [BATCH-5]
 */
export const batchId = (ids: ReadonlyArray<DeliveryId>): string =>
  `wb_${bytesToHex(sha256(utf8ToBytes(ids.join(" "))).subarray(0, batchIdBytes))}`
