/**
 * Encodes the progress of a sync as text: the latest update seen, and the leads seen in the replay window
 * before it. It names leads by their ids alone.
 */
import { Either, Encoding, Hash } from "effect"
import { InvalidCursor } from "./Failures.ts"

/**
 * The last state seen of a lead: its update time in milliseconds since 1970, and a fingerprint of its JSON.
 */
export interface SeenLead {
  readonly updatedAt: number
  readonly fingerprint: number
}

/** How far a sync has come. */
export interface Progress {
  /** The latest update seen, in milliseconds since 1970; null before the first. */
  readonly until: number | null
  /** The leads of the replay window, by id. */
  readonly seen: ReadonlyMap<number, SeenLead>
}

/** The progress of a client that has read nothing. */
export const beginning: Progress = { until: null, seen: new Map() }

const version = 1

/** The text that a client keeps between two syncs. */
export const format = ({ seen, until }: Progress): string =>
  Encoding.encodeBase64Url(
    JSON.stringify([
      version,
      until,
      [...seen].map(([id, { fingerprint, updatedAt }]) => [id, updatedAt, fingerprint])
    ])
  )

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)

/** Reads the text of `format`; fails with `InvalidCursor` for any other. */
export const parse = (text: string): Either.Either<Progress, InvalidCursor> =>
  Either.try({
    try: () => {
      const decoded = Either.getOrThrow(Encoding.decodeBase64UrlString(text))
      const [givenVersion, until, seen] = JSON.parse(decoded) as [
        unknown,
        unknown,
        ReadonlyArray<ReadonlyArray<unknown>>
      ]
      if (givenVersion !== version || !(until === null || isNumber(until))) throw new Error("another version")
      const seenLeads = seen.map(([id, updatedAt, fingerprint]): [number, SeenLead] => {
        if (!isNumber(id) || !isNumber(updatedAt) || !isNumber(fingerprint))
          throw new Error("not a lead that was seen")
        return [id, { updatedAt, fingerprint }]
      })
      return { until, seen: new Map(seenLeads) }
    },
    catch: () => new InvalidCursor({ message: "cursor takes a cursor that this client returned, unchanged." })
  })

/** Two states of a lead share a fingerprint with a probability of about 1 in 4 billion. */
export const fingerprintOf = (text: string): number => Hash.string(text)
