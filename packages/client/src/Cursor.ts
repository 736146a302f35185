/**
 * How far a sync has come, as a text to be stored: until which instant, and which leads were seen in the replay window before
 * it. It names leads by their ids alone.
 */
import { Either, Encoding, Hash } from "effect"
import { InvalidCursor } from "./Failures.ts"

/** A lead as it was seen: when it was updated, and a fingerprint of what was shown of it. */
export interface Sight {
  readonly updatedAt: number
  readonly print: number
}

export interface Progress {
  /** The latest update seen, in milliseconds; null before the first. */
  readonly until: number | null
  /** The leads of the replay window. */
  readonly seen: ReadonlyMap<number, Sight>
}

export const beginning: Progress = { until: null, seen: new Map() }

const version = 1

export const format = ({ seen, until }: Progress): string =>
  Encoding.encodeBase64Url(
    JSON.stringify([version, until, [...seen].map(([id, { print, updatedAt }]) => [id, updatedAt, print])])
  )

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)

export const parse = (text: string): Either.Either<Progress, InvalidCursor> =>
  Either.try({
    try: () => {
      const decoded = Either.getOrThrow(Encoding.decodeBase64UrlString(text))
      const [its, until, seen] = JSON.parse(decoded) as [
        unknown,
        unknown,
        ReadonlyArray<ReadonlyArray<unknown>>
      ]
      if (its !== version || !(until === null || isNumber(until))) throw new Error("another version")
      const sights = seen.map(([id, updatedAt, print]): [number, Sight] => {
        if (!isNumber(id) || !isNumber(updatedAt) || !isNumber(print)) throw new Error("no sight")
        return [id, { updatedAt, print }]
      })
      return { until, seen: new Map(sights) }
    },
    catch: () =>
      new InvalidCursor({ message: "cursor takes a text that this client gave as a cursor, whole." })
  })

/** Tells two states of one lead apart, but for one chance in four billion. */
export const printOf = (text: string): number => Hash.string(text)
