/**
 * Which delivery a lease is of where several fit. An erasure gives deliveries that showed the person new ids, which nobody is told, and
 * when the same event was sent again before that, the next lease may be of either. The reference takes one of them for it. Once an answer
 * shows that it was another, the two exchange what has happened since. [PII-3]
 */
import type { KnownDelivery } from "./OutboxRecords.ts"

/** What a delivery had when a lease was taken for its own, or for that of another. */
interface Before {
  /** The number of its logged attempts. */
  readonly logged: number
  readonly resentAs: KnownDelivery | null
}

interface Guess {
  /** The one whose the lease was taken to be. */
  readonly taken: KnownDelivery
  readonly fitting: ReadonlyMap<KnownDelivery, Before>
}

/** Exchanges the values that two deliveries have under a key. */
const exchangeField = <K extends keyof KnownDelivery>(
  one: { -readonly [P in K]: KnownDelivery[P] },
  other: { -readonly [P in K]: KnownDelivery[P] },
  key: K
): void => {
  const value = one[key]
  one[key] = other[key]
  other[key] = value
}

/** What leases, attempts and lists change of a delivery, beside its log and what sends it again. */
const changing = [
  "id",
  "state",
  "attempts",
  "failures",
  "firstFailedAt",
  "wasLeased",
  "releasedAt",
  "isDeferred",
  "due",
  "lease",
  "finishedAt",
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

/** The leases of a run that were taken for those of one delivery, and may be of another. */
export class OutboxGuesses {
  private guesses: Array<Guess> = []

  /** Notes that a lease is taken for one of `taken`, and that these fit. */
  note(taken: KnownDelivery, fitting: ReadonlyArray<KnownDelivery>): void {
    if (fitting.length < 2) return
    const before = fitting.map(
      (each) => [each, { logged: each.log.length, resentAs: each.resentAs }] as const
    )
    this.guesses.push({ taken, fitting: new Map(before) })
  }

  /** The others with which the delivery was in doubt, the latest first. */
  othersFor(delivery: KnownDelivery): ReadonlyArray<KnownDelivery> {
    return this.guesses
      .filter(({ fitting }) => fitting.has(delivery))
      .reverse()
      .flatMap(({ fitting, taken }) => (taken === delivery ? [...fitting.keys()] : [taken]))
      .filter((each) => each !== delivery)
  }

  /** Exchanges what happened to the two since a lease was taken for one of either and may be the other's; false where none was. */
  exchange(one: KnownDelivery, other: KnownDelivery): boolean {
    const guess = this.guesses.findLast(
      ({ fitting, taken }) => (taken === one || taken === other) && fitting.has(one) && fitting.has(other)
    )
    if (guess === undefined) return false
    const { fitting } = guess
    this.guesses = this.guesses.filter((each) => each !== guess)
    for (const key of changing) exchangeField(one, other, key)
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
