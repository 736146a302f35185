/** The requests that may wait for a change, by process: some of a key and some of all keys wait at once, and further ones are answered at once. [CHG-6] */
import type { Incidents } from "../world/Incidents.ts"
import type { Call } from "../world/KnownFacts.ts"

/** How fast a clock runs at least: one that drifts is off by two hundredths at most. */
export const slowestClock = 0.97

/** Requests of one key that wait at once in one process. */
const maxOfKey = 4

/** Requests of all keys that wait at once in one process. */
const usualMaxOfAll = 1000

/** The longest time that a request takes before its wait, and after it, in milliseconds. */
const aroundMillis = 6000

/** Milliseconds for which an answered request is remembered: nobody waits longer. */
const keptMillis = 120_000

/** Milliseconds that a request waits for a change; 0 where it does not. */
export const waitOf = ({ request, route }: Call): number =>
  route === "/signals/changes" ? 1000 * Number(/[?&]wait=(\d+)/.exec(request.url)?.[1] ?? 0) : 0

interface Waiting {
  readonly call: Call
  /** When it was answered; null: not yet. */
  answeredAt: number | null
}

/** Which requests wait, or may have waited, by start of a process. */
export class WaitingRequests {
  private readonly byStart = new Map<string, Array<Waiting>>()

  constructor(
    private readonly incidents: Incidents,
    private readonly maxOfAll = usualMaxOfAll
  ) {}

  /** Each start of a process counts for itself. */
  private of({ handledBy, handledByStart }: Call, now: number): Array<Waiting> {
    const name = `${handledBy} ${handledByStart}`
    const kept = (this.byStart.get(name) ?? []).filter(
      ({ answeredAt }) => answeredAt === null || answeredAt > now - keptMillis
    )
    this.byStart.set(name, kept)
    return kept
  }

  /** A process begins with a request that may wait. */
  begin(call: Call): void {
    this.of(call, call.handledAt).push({ call, answeredAt: null })
  }

  /** It was answered. */
  end(call: Call, now: number): void {
    const known = this.of(call, now).find((each) => each.call === call)
    if (known !== undefined) known.answeredAt = now
  }

  /** Those that have no answer yet; a process that was killed gives none any more. */
  get unanswered(): ReadonlyArray<Call> {
    return [...this.byStart.values()].flatMap((each) =>
      each.flatMap(({ answeredAt, call }) => (answeredAt === null ? [call] : []))
    )
  }

  /** Whether other requests may have taken all the places while this one was under way, and it was answered as soon as one that is refused a place. */
  mayBeRefused(call: Call, now: number): boolean {
    const { handledAt, handledBy } = call
    if (now > this.incidents.undisturbedAfter("pause", handledAt, 2 * aroundMillis, handledBy)) return false
    const others = this.of(call, now).filter(
      (each) => each.call !== call && (each.answeredAt === null || each.answeredAt >= handledAt)
    )
    return others.length >= this.maxOfAll || ofKeyOf(call, others).length >= maxOfKey
  }

  /**
   * Whether more requests have waited at one instant than may. Each waits at the latest when the process has run for `aroundMillis` since its
   * beginning, and until the process had as long to run before its answer: while the process stands still, it waits on.
   */
  isOneTooMany(call: Call, now: number): boolean {
    const all = this.of(call, now)
    return this.areMoreAtOnce(ofKeyOf(call, all), maxOfKey) || this.areMoreAtOnce(all, this.maxOfAll)
  }

  private areMoreAtOnce(all: ReadonlyArray<Waiting>, max: number): boolean {
    const surely = all.flatMap(({ answeredAt, call: { handledAt, handledBy } }) => {
      if (answeredAt === null || answeredAt - handledAt <= 2 * aroundMillis) return []
      const from = this.incidents.undisturbedAfter("pause", handledAt, aroundMillis, handledBy)
      const to = this.incidents.undisturbedBefore("pause", answeredAt, aroundMillis, handledBy)
      return from < to ? [{ from, to }] : []
    })
    return surely.some(({ from: at }) => surely.filter(({ from, to }) => from <= at && at <= to).length > max)
  }
}

const ofKeyOf = ({ key }: Call, all: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> =>
  all.filter(({ call }) => call.key?.id === key?.id)
