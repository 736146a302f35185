/**
 * Leases that match several deliveries. An erasure gives each delivery that showed the person a new id, and tells nobody. If the same event had
 * been sent again before, the next lease can belong to either delivery. The reference assigns it to one of them. When an answer shows that it
 * belonged to another, the two exchange what has happened since the lease. [PII-3]
 */
import { Struct } from "effect"
import type { KnownDelivery } from "./OutboxRecords.ts"

/** What a matching delivery had when the lease was assigned. */
interface Before {
  /** The number of its logged attempts. */
  readonly logged: number
  readonly resentAs: KnownDelivery | null
}

/** A lease that was assigned to one of several deliveries. */
interface Guess {
  /** The delivery that the lease was assigned to. */
  readonly taken: KnownDelivery
  /** All that it matched, the assigned one included. */
  readonly fitting: ReadonlyMap<KnownDelivery, Before>
}

/** What leases, attempts and lists change of a delivery, beside its log and what sends it again. */
const changing = [
  "id",
  "state",
  "attempts",
  "failures",
  "firstFailedAt",
  "againAt",
  "releasedAt",
  "isDeferred",
  "due",
  "lease",
  "finishedAt",
  "endedWith",
  "body"
] as const

/** Exchanges the deliveries that were queued to send these two again since then. */
const exchangeResent = (one: KnownDelivery, other: KnownDelivery, fitting: Guess["fitting"]): void => {
  const since = (of: KnownDelivery): KnownDelivery | null =>
    of.resentAs === fitting.get(of)!.resentAs ? null : of.resentAs
  const [ofOne, ofOther] = [since(one), since(other)]
  one.resentAs = ofOther ?? fitting.get(one)!.resentAs
  other.resentAs = ofOne ?? fitting.get(other)!.resentAs
  if (ofOne !== null) ofOne.resendOf = other
  if (ofOther !== null) ofOther.resendOf = one
}

/** The leases of a run whose delivery is not certain. */
export class OutboxGuesses {
  private guesses: Array<Guess> = []

  /** Notes that a lease which matches `fitting` is assigned to `taken`. */
  note(taken: KnownDelivery, fitting: ReadonlyArray<KnownDelivery>): void {
    if (fitting.length < 2) return
    const before = fitting.map(
      (each) => [each, { logged: each.log.length, resentAs: each.resentAs }] as const
    )
    this.guesses.push({ taken, fitting: new Map(before) })
  }

  /** The deliveries that a lease of this one may belong to instead, or whose lease may be this one's; those of the latest lease first. */
  othersFor(delivery: KnownDelivery): ReadonlyArray<KnownDelivery> {
    return this.guesses
      .filter(({ fitting }) => fitting.has(delivery))
      .reverse()
      .flatMap(({ fitting, taken }) => (taken === delivery ? [...fitting.keys()] : [taken]))
      .filter((each) => each !== delivery)
  }

  /** Exchanges what has happened to the two since the latest lease that matched both; false where no lease did. */
  exchange(one: KnownDelivery, other: KnownDelivery): boolean {
    const guess = this.guesses.findLast(
      ({ fitting, taken }) => (taken === one || taken === other) && fitting.has(one) && fitting.has(other)
    )
    if (guess === undefined) return false
    const { fitting } = guess
    this.guesses = this.guesses.filter((each) => each !== guess)
    const before = Struct.pick(one, ...changing)
    Object.assign(one, Struct.pick(other, ...changing))
    Object.assign(other, before)
    exchangeResent(one, other, fitting)
    const ofOne = one.log.splice(fitting.get(one)!.logged)
    one.log.push(...other.log.splice(fitting.get(other)!.logged))
    other.log.push(...ofOne)
    return true
  }

  /** Forgets all of them. */
  clear(): void {
    this.guesses = []
  }
}
