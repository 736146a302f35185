/** Ids of deliveries and of batches. One draw of random bytes gives all delivery ids of a commit. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { DeliveryId } from "../model/Delivery.ts"

/** Bytes of randomness that `sequence` takes as its seed. */
export const seedBytes = 16

/** The first bytes of the seed, which all ids of a commit share; the other four are the number of the first id. */
const prefixBytes = 12

/**
 * Makes the source of a commit's delivery ids. Each call of the returned function gives another id, `wh_` and 32 hex digits. `seed` is
 * `seedBytes` fresh random bytes: so an id differs from all earlier ones, also in a store that was restored from a backup, and no receiver
 * takes a new event for one that it has. [EVT-1]
 *
 * The ids of a commit count up from the seed. They are neighbours in an index, so that a commit writes few of its pages instead of one for each
 * id.
 */
export const sequence = (seed: Uint8Array): (() => DeliveryId) => {
  const prefix = `wh_${bytesToHex(seed.subarray(0, prefixBytes))}`
  let next = new DataView(seed.buffer, seed.byteOffset + prefixBytes).getUint32(0)
  return () => {
    const number = next.toString(16).padStart(8, "0")
    next = (next + 1) % 2 ** 32
    return prefix + number
  }
}

const batchIdBytes = 16

/**
 * The id of a batch, `wb_` and 32 hex digits: a hash of its deliveries' ids in their order. The same deliveries in the same order always have the
 * same batch id, whichever process sends them. [BATCH-5]
 */
export const batchId = (ids: ReadonlyArray<DeliveryId>): string =>
  `wb_${bytesToHex(sha256(utf8ToBytes(ids.join(" "))).subarray(0, batchIdBytes))}`
