/**
 * The history of a run: one event after the other, under a running SHA-256. Two runs have the same history exactly when
 * they have the same digest. Nothing that differs between machines may be put in: no fiber id, no stack, no path.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

export type TraceValue = string | number | boolean | null

export interface TraceEvent {
  /** Virtual milliseconds since the run began. */
  readonly at: number
  /** Whose event it is. */
  readonly party: string
  /** What happened, as a coded word: `request`, `commit`, `kill`. */
  readonly kind: string
  readonly fields: Readonly<Record<string, TraceValue>>
}

const lineOf = ({ at, fields, kind, party }: TraceEvent): string => JSON.stringify([at, party, kind, fields])

export class Trace {
  readonly events: Array<TraceEvent> = []
  private readonly hash = sha256.create()
  private readonly listeners: Array<(event: TraceEvent, index: number) => void> = []

  record(event: TraceEvent): void {
    this.hash.update(utf8ToBytes(`${lineOf(event)}\n`))
    const index = this.events.push(event) - 1
    for (const listener of this.listeners) listener(event, index)
  }

  /** `listener` is called for every event from now on, at once. */
  listen(listener: (event: TraceEvent, index: number) => void): void {
    this.listeners.push(listener)
  }

  /** 64 hex digits, of what has happened so far. */
  digest(): string {
    return bytesToHex(this.hash.clone().digest())
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
