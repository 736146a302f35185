/**
 * The sets of signals that have caught leads, numbered: leads have few different ones, so a lead needs a number alone, and which leads a signal has
 * caught is decided once for each set.
 */

/** Bytes of a set in the map, about, and of a signal in it. */
const setBytes = 120
const memberBytes = 8

/** The sets, numbered from 0 on as they are met. */
export class SignalSets {
  private readonly numbers = new Map<string, number>()
  /** The signals of all sets, and where those of each end. */
  private readonly members: Array<string> = []
  private readonly ends: Array<number> = []

  get byteLength(): number {
    return this.numbers.size * setBytes + this.members.length * memberBytes
  }

  numberOf(signalIds: ReadonlyArray<string>): number {
    const ids = signalIds.length < 2 ? signalIds : signalIds.toSorted()
    const key = ids.join(" ")
    const known = this.numbers.get(key)
    if (known !== undefined) return known
    const number = this.ends.length
    this.numbers.set(key, number)
    this.members.push(...ids)
    this.ends.push(this.members.length)
    return number
  }

  /** For each number of a set 1 where the signal is in it, else 0. */
  having(signalId: string): Uint8Array {
    const { ends, members } = this
    const having = new Uint8Array(ends.length)
    let at = 0
    for (const [number, end] of ends.entries()) {
      for (; at < end; at++) if (members[at] === signalId) having[number] = 1
    }
    return having
  }
}
