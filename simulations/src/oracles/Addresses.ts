/** Whether an address lies in a list of addresses and ranges, worked out bit by bit, apart from the code that serves. [AUTH-11] */
import { trustedProxies } from "../vocabulary/Forwarding.ts"

interface Bits {
  readonly value: bigint
  /** 32 or 128. */
  readonly length: number
}

const ofIpv4 = (text: string): Bits => ({
  value: text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n),
  length: 32
})

const groupsOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(":"))

const ofIpv6 = (text: string): Bits => {
  const [head = "", tail] = text.split("::")
  const before = groupsOf(head)
  const after = groupsOf(tail ?? "")
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0")
  const groups = tail === undefined ? before : [...before, ...zeros, ...after]
  return {
    value: groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n),
    length: 128
  }
}

/** An address of IPv4 that is written as one of IPv6 is that of IPv4. */
const bitsOf = (text: string): Bits => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1]
  if (mapped !== undefined) return ofIpv4(mapped)
  return text.includes(":") ? ofIpv6(text) : ofIpv4(text)
}

const isIn = (address: Bits, range: string): boolean => {
  const [network = "", prefix] = range.split("/")
  const { length, value } = bitsOf(network)
  if (length !== address.length) return false
  const ignored = BigInt(length - (prefix === undefined ? length : Number(prefix)))
  return value >> ignored === address.value >> ignored
}

const isAddress = (text: string): boolean =>
  /^[\d.]+$/.test(text) || (text.includes(":") && /^[\da-f:.]+$/i.test(text))

/**
 * The client's address. From the connection leftwards through X-Forwarded-For, the first entry that is no trusted proxy, or the leftmost entry where
 * all are proxies; undefined where that entry is no address.
 */
export const clientOf = (peer: string | undefined, header: string | undefined): string | undefined => {
  if (peer === undefined) return undefined
  const chain = [...(header?.split(",").map((entry) => entry.trim()) ?? []), peer]
  const isProxy = (entry: string): boolean =>
    isAddress(entry) && trustedProxies.some((range) => isIn(bitsOf(entry), range))
  const client = chain.findLast((entry) => !isProxy(entry)) ?? chain[0]!
  return isAddress(client) ? client : undefined
}

/** Whether a client from there may use a key with the list; `undefined` is an address that nobody knows, null a key without a list. */
export const mayCome = (list: ReadonlyArray<string> | null, address: string | undefined): boolean =>
  list === null || (address !== undefined && list.some((range) => isIn(bitsOf(address), range)))
