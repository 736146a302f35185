/**
 * The history of a run: one event after the other, under a running SHA-256. Two runs have the same history exactly when
 * they have the same digest. Nothing that differs between machines may be put in: no fiber id, no stack, no path.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** A value that an event may carry. */
export type TraceValue = string | number | boolean | null

/** One event of a history. */
export interface TraceEvent {
  /** Virtual milliseconds since the run began. */
  readonly at: number
  /** The name of the machine or actor whose event it is. */
  readonly party: string
  /** The kind of event, as a coded word: `request`, `commit`, `kill`. */
  readonly kind: string
  /** Further values by name. */
  readonly fields: Readonly<Record<string, TraceValue>>
}

/** Characters that are hashed at once: a call of the hash for each line costs more than the hash. */
const blockLength = 65_536

const lineOf = ({ at, fields, kind, party }: TraceEvent): string => JSON.stringify([at, party, kind, fields])

/** The history of a run, with a digest of what it holds. */
export class Trace {
  /** The events so far, in order. */
  readonly events: Array<TraceEvent> = []
  private readonly hash = sha256.create()
  /** Lines that are not hashed yet. */
  private pending = ""
  private readonly listeners: Array<(event: TraceEvent, index: number) => void> = []

  /** Appends an event and calls the listeners. */
  record(event: TraceEvent): void {
    this.pending += `${lineOf(event)}\n`
    if (this.pending.length > blockLength) this.hashPending()
    const index = this.events.push(event) - 1
    for (const listener of this.listeners) listener(event, index)
  }

  /** Calls `listener` for every later event, when it is recorded. */
  listen(listener: (event: TraceEvent, index: number) => void): void {
    this.listeners.push(listener)
  }

  /**
   * The digest of the events so far: 64 hex digits of SHA-256. Two histories are the same exactly when their digests
   * are.
   */
  digest(): string {
    this.hashPending()
    return bytesToHex(this.hash.clone().digest())
  }

  private hashPending(): void {
    this.hash.update(utf8ToBytes(this.pending))
    this.pending = ""
  }
}

/** The index of the first event that two histories do not share; null when they are the same. */
export const firstDivergence = (
  left: ReadonlyArray<TraceEvent>,
  right: ReadonlyArray<TraceEvent>
): number | null => {
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [a, b] = [left[i], right[i]]
    if (a === undefined || b === undefined || lineOf(a) !== lineOf(b)) return i
  }
  return null
}
