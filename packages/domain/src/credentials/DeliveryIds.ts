/** Ids of deliveries: as many as a commit needs, from one draw of random bytes. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { DeliveryId } from "../model/Delivery.ts"

export const seedBytes = 16

const idBytes = 16

/**
 * Gives ids one after the other. A seed of fresh random bytes makes them differ from all that were ever given, also in
 * a store that was set back to an older copy, so that no receiver takes a new event for one it has seen. [EVT-1]
 */
export const sequence = (seed: Uint8Array): (() => DeliveryId) => {
  let given = 0
  return () => {
    given++
    const digest = sha256(concatBytes(seed, utf8ToBytes(String(given))))
    return `wh_${bytesToHex(digest.subarray(0, idBytes))}`
  }
}
