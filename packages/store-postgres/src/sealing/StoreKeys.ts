/** The encryption keys that a process was given, with what they wrap: keys of persons, and secrets of webhooks and brands. */
import { StoreUnavailable } from "@lead-signals/domain"
import {
  deriveKey,
  type EncryptionKey,
  isWrapped,
  keyBytes,
  keyId,
  keyLabels,
  open,
  seal,
  type SecretWrapper,
  unwrapWithout,
  wrapper,
  wrappingKeyId
} from "@lead-signals/encryption"
import { Either } from "effect"
import { createSecretKey, type KeyObject, randomBytes } from "node:crypto"
import type { PersonKey } from "./SealedValue.ts"

/** A row of `person_key`. */
export interface WrappedPersonKey {
  readonly brand_id: number
  readonly id: number
  /** The hash of the person. */
  readonly person: string
  /** The id of the encryption key that wraps it. */
  readonly key_id: string
  readonly wrapped: Buffer
}

/** Keys of persons, and secrets, that a process keeps unwrapped at most. */
const maxPersonKeys = 20_000
const maxSecrets = 1000

/** Drops what was added first once there are more. */
const bounded = <K, V>(map: Map<K, V>, max: number): void => {
  if (map.size > max) map.delete(map.keys().next().value!)
}

const personContext = (brandId: number, person: string): string => `person_key ${brandId} ${person}`

interface MasterKey {
  readonly personKeys: KeyObject
  readonly secrets: SecretWrapper
}

/** What a value that another key wrapped, or that was changed, is for its caller. */
const unreadable = (message: string): StoreUnavailable =>
  new StoreUnavailable({ reason: message.replace(/\.$/, "") })

/** The encryption keys of a process, and the keys of persons that it has unwrapped. */
export class StoreKeys {
  private readonly masters: ReadonlyMap<string, MasterKey>
  /** The id of the first key: a database that is encrypted by this process begins with it. */
  readonly firstId: string
  private readonly personKeys = new Map<number, { readonly key: PersonKey; readonly wrapped: Buffer }>()
  private readonly secrets = new Map<string, string>()

  /** `keys` has one key, or two while a rotation replaces one by the other. */
  constructor(keys: readonly [EncryptionKey, ...ReadonlyArray<EncryptionKey>]) {
    this.masters = new Map(
      keys.map((key) => [
        keyId(key),
        { personKeys: createSecretKey(deriveKey(key, keyLabels.personKeys)), secrets: wrapper(key) }
      ])
    )
    this.firstId = keyId(keys[0])
  }

  /** The ids of the keys, the first one first. */
  get ids(): ReadonlyArray<string> {
    return [...this.masters.keys()]
  }

  private master(id: string): MasterKey {
    const master = this.masters.get(id)
    if (master === undefined) {
      throw unreadable(
        `the database's encryption key is ${id}, and ${this.ids.join(" and ")} ${this.masters.size === 1 ? "is" : "are"} set`
      )
    }
    return master
  }

  /** Wraps a new key for the person under the encryption key with the id. */
  newPersonKey(id: string, brandId: number, person: string): Omit<WrappedPersonKey, "id"> {
    return {
      brand_id: brandId,
      person,
      key_id: id,
      wrapped: Buffer.from(
        seal(this.master(id).personKeys, randomBytes(keyBytes), personContext(brandId, person))
      )
    }
  }

  /** The key of a row, and keeps it. Throws `StoreUnavailable` where no key that was given wrapped it. */
  unwrapPerson({ brand_id, id, key_id, person, wrapped }: WrappedPersonKey): PersonKey {
    const kept = this.personKeys.get(id)
    // A server that took over without the last commits of another can have given the id again.
    if (kept?.wrapped.equals(wrapped) === true) return kept.key
    const opened = open(this.master(key_id).personKeys, wrapped, personContext(brand_id, person))
    if (Either.isLeft(opened)) throw unreadable("the key of a person is damaged")
    const key = { id, key: createSecretKey(opened.right) }
    this.personKeys.delete(id)
    this.personKeys.set(id, { key, wrapped })
    bounded(this.personKeys, maxPersonKeys)
    return key
  }

  /** Wraps the key of a row under another encryption key. */
  rewrapPerson(row: WrappedPersonKey, id: string): Buffer {
    const { key } = this.unwrapPerson(row)
    return Buffer.from(
      seal(this.master(id).personKeys, key.export(), personContext(row.brand_id, row.person))
    )
  }

  /** A person's key that is kept unwrapped. */
  keptPersonKey(id: number): PersonKey | undefined {
    const kept = this.personKeys.get(id)
    if (kept === undefined) return undefined
    this.personKeys.delete(id)
    this.personKeys.set(id, kept)
    return kept.key
  }

  /** Keeps the key no longer. */
  forgetPerson(id: number): void {
    this.personKeys.delete(id)
  }

  /** Wraps a secret for a context under the encryption key with the id. */
  wrapSecret(id: string, secret: string, context: string): string {
    return this.master(id).secrets.wrap(secret, context)
  }

  /** The secret of a stored text. Throws `StoreUnavailable` where no key that was given wrapped it. */
  unwrapSecret(stored: string, context: string): string {
    const kept = this.secrets.get(`${context} ${stored}`)
    if (kept !== undefined) return kept
    const id = wrappingKeyId(stored) ?? this.firstId
    const opened = this.master(id).secrets.unwrap(stored, context)
    if (Either.isLeft(opened)) throw unreadable(opened.left.message)
    this.secrets.set(`${context} ${stored}`, opened.right)
    bounded(this.secrets, maxSecrets)
    return opened.right
  }
}

/** The keys of a process; null where it has none. */
export const storeKeys = (
  key: EncryptionKey | undefined,
  other: EncryptionKey | undefined = undefined
): StoreKeys | null => {
  const [first, ...others] = [key, other].filter((each) => each !== undefined)
  return first === undefined ? null : new StoreKeys([first, ...others])
}

/** The secret of a stored text, with the keys of a process or with none. Throws `StoreUnavailable`. */
export const unwrapSecret = (keys: StoreKeys | null, stored: string, context: string): string => {
  if (!isWrapped(stored)) return stored
  if (keys !== null) return keys.unwrapSecret(stored, context)
  const opened = unwrapWithout(stored)
  if (Either.isLeft(opened)) throw unreadable(opened.left.message)
  return opened.right
}
