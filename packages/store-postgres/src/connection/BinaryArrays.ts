/**
 * Arrays in Postgres' binary format. As texts they cost twice: the client quotes and joins every element, and the server parses them.
 */

/** A value of an array: bigint columns take numbers up to 2^53, and bigint for other 64-bit values. */
type Element = string | number | bigint | boolean | Buffer | null

interface Format {
  /** The type's number in the server's catalogue. */
  readonly oid: number
  /** Bytes of an element that is not null. */
  readonly sizeOf: (value: never) => number
  /** Writes the element, and answers the place after it. */
  readonly write: (to: Buffer, value: never, at: number) => number
}

const two32 = 0x1_0000_0000

const formats = {
  bigint: {
    oid: 20,
    sizeOf: () => 8,
    write: (to: Buffer, value: number | bigint, at: number) => {
      if (typeof value === "bigint") return to.writeBigInt64BE(value, at)
      to.writeInt32BE(Math.floor(value / two32), at)
      return to.writeUInt32BE(value >>> 0, at + 4)
    }
  },
  integer: {
    oid: 23,
    sizeOf: () => 4,
    write: (to: Buffer, value: number, at: number) => to.writeInt32BE(value, at)
  },
  smallint: {
    oid: 21,
    sizeOf: () => 2,
    write: (to: Buffer, value: number, at: number) => to.writeInt16BE(value, at)
  },
  "double precision": {
    oid: 701,
    sizeOf: () => 8,
    write: (to: Buffer, value: number, at: number) => to.writeDoubleBE(value, at)
  },
  boolean: {
    oid: 16,
    sizeOf: () => 1,
    write: (to: Buffer, value: boolean, at: number) => to.writeUInt8(Number(value), at)
  },
  bytea: {
    oid: 17,
    sizeOf: (value: Buffer) => value.length,
    write: (to: Buffer, value: Buffer, at: number) => at + value.copy(to, at)
  },
  text: {
    oid: 25,
    sizeOf: (value: string) => Buffer.byteLength(value),
    write: (to: Buffer, value: string, at: number) => at + to.write(value, at)
  }
} satisfies Readonly<Record<string, Format>>

/** The types of elements, by their names in SQL. */
export type ElementType = keyof typeof formats

const headerBytes = 20
const lengthBytes = 4

/** The array as a parameter of a statement that casts it to `type[]`. The elements must be of the type. */
export const binaryArray = (type: ElementType, values: ReadonlyArray<Element>): Buffer => {
  const { oid, sizeOf, write } = formats[type] as Format
  let [size, hasNulls] = [headerBytes, 0]
  for (const value of values) {
    if (value === null) hasNulls = 1
    else size += sizeOf(value as never)
    size += lengthBytes
  }
  const to = Buffer.allocUnsafe(size)
  to.writeInt32BE(1, 0)
  to.writeInt32BE(hasNulls, 4)
  to.writeInt32BE(oid, 8)
  to.writeInt32BE(values.length, 12)
  to.writeInt32BE(1, 16)
  let at = headerBytes
  for (const value of values) {
    const from = at + lengthBytes
    const end = value === null ? from : write(to, value as never, from)
    to.writeInt32BE(value === null ? -1 : end - from, at)
    at = end
  }
  return to
}
