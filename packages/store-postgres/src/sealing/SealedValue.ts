/**
 * Sealed values of persons, as columns hold them: a byte with the number of persons, the id of each person's key in 8 bytes, and the bytes
 * that `seal` made. A value about several persons opens only with the keys of all of them.
 */
import { open, seal, type Unopened } from "@lead-signals/encryption"
import { Either } from "effect"
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"

/** The key of a person, and its id in `person_key`. */
export interface PersonKey {
  readonly id: number
  readonly key: KeyObject
}

const idBytes = 8
const maxPersons = 255

/** Bytes before the sealed ones, at most: enough of a value to read the ids of its keys. */
export const maxHeaderBytes = 1 + maxPersons * idBytes

/** Each key once, by id. */
const inOrder = (keys: ReadonlyArray<PersonKey>): ReadonlyArray<PersonKey> =>
  [...new Map(keys.map((key) => [key.id, key])).values()].sort((a, b) => a.id - b.id)

/** The key of one person, or one that nobody makes without the keys of all. */
const combined = (keys: ReadonlyArray<PersonKey>): KeyObject => {
  const [first, ...others] = keys
  return others.reduce(
    (key, other) => createSecretKey(createHmac("sha256", key).update(other.key.export()).digest()),
    first!.key
  )
}

/** Seals the text for the persons, of whom there is one at least and 255 at most, and for the context, such as a row's table and key. */
export const sealFor = (keys: ReadonlyArray<PersonKey>, text: string, context: string): Buffer => {
  const persons = keys.length === 1 ? keys : inOrder(keys)
  if (persons.length === 0 || persons.length > maxPersons) throw new RangeError("1 to 255 persons")
  const sealed = seal(combined(persons), Buffer.from(text), context)
  const header = 1 + persons.length * idBytes
  const value = Buffer.allocUnsafe(header + sealed.length)
  value[0] = persons.length
  for (const [i, { id }] of persons.entries()) value.writeBigUInt64BE(BigInt(id), 1 + i * idBytes)
  value.set(sealed, header)
  return value
}

/** The ids of the keys that open the value, ascending; needs its first `maxHeaderBytes` alone. */
export const keyIdsOf = (value: Buffer): ReadonlyArray<number> =>
  Array.from({ length: value[0] ?? 0 }, (_, i) => Number(value.readBigUInt64BE(1 + i * idBytes)))

const textOf = ({ buffer, byteLength, byteOffset }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("utf8")

/** Opens the value; null when a key is gone, `Unopened` when a key is another, or the value was changed or moved to another row. */
export const openWith = (
  keys: ReadonlyMap<number, PersonKey>,
  value: Buffer,
  context: string
): string | Unopened | null => {
  const persons: Array<PersonKey> = []
  for (const id of keyIdsOf(value)) {
    const key = keys.get(id)
    if (key === undefined) return null
    persons.push(key)
  }
  const opened = open(combined(persons), value.subarray(1 + persons.length * idBytes), context)
  return Either.isLeft(opened) ? opened.left : textOf(opened.right)
}
