/** Whether an attempt is recorded as it went: its time, its answer and where it was posted, by what its receiver heard and said. [DELIV-3, DELIV-5] */
import type { Json, KeptPost, KnownFacts } from "../world/KnownFacts.ts"
import { type Checks, RuleChecks } from "./Checks.ts"
import type { KnownLease } from "./OutboxRecords.ts"

/** An attempt has 15 s, by a clock that may go wrong by a fiftieth. [DELIV-3] */
const minTimeoutMillis = 14_600
const maxAttemptMillis = 15_400

/** How far a recorded duration may differ from that of the post, in addition to a fiftieth of it: clocks are read in whole milliseconds. */
const clockErrorMillis = 2

/** What stands for an answer to a payload that is too large to be compared with it. */
const withheld = "[withheld: the payload is too large to be compared with the response]"

/** Whether the log has of the answer what it must; what repeats the post is judged by what of it names a person. [DELIV-5] */
const isLoggedRight = ({ logged }: KeptPost, response: string | null, isBatch: boolean): boolean =>
  logged === undefined || response === logged || (isBatch && logged !== null && response === withheld)

/** Compares the records of a run with what was posted; knows the leases of each delivery, by its id. */
export class AttemptRecords {
  private readonly recorded = new Set<string>()
  /** The batch that went under each lease of one. */
  private readonly batches = new Map<string, string>()
  private timeouts = new RuleChecks()
  private durations = new RuleChecks()
  private dates = new RuleChecks()
  private times = new RuleChecks()

  constructor(
    private readonly facts: KnownFacts,
    private readonly leases: ReadonlyMap<string, ReadonlyArray<KnownLease>>
  ) {}

  /** Counts the checks that can be weakened among those of an oracle. */
  countAmong(checks: Checks): void {
    this.timeouts = checks.rule("each attempt that got no answer in time")
    this.durations = checks.rule("each attempt ends in time")
    this.dates = checks.rule("each date that a receiver names for the next attempt")
    this.times = checks.rule("the time of each attempt, and why it had no answer")
  }

  /** What is wrong with an attempt as it is recorded, by what its receiver answered. [DELIV-5] */
  wrongIn({ at, deliveryId: id, durationMillis, postedAs, result, token, url }: Json): string | null {
    const lease = this.leases.get(id)?.find((each) => each.token === token)
    if (lease === undefined) return `an attempt of ${id} is recorded that was never leased`
    if (url !== lease.url) return `an attempt of ${id} is recorded at ${url}, and was leased for ${lease.url}`
    lease.isRecorded = true
    // The store may have done it, and be told again.
    const name = `${id} ${token}`
    if (this.recorded.has(name)) return null
    this.recorded.add(name)
    const { error, retryAfterSeconds, status } = result
    const { batchId, format } = postedAs
    if ((batchId !== null) !== lease.isBatched || format !== lease.format)
      return `an attempt of ${id} is recorded as of ${batchId}, in the form ${format}`
    // One post has one name. [BATCH-5]
    const batch = this.batches.get(token) ?? batchId
    if (batchId !== null) this.batches.set(token, batchId)
    if (batch !== batchId) return `an attempt of ${id} is recorded as of ${batchId}, and went in ${batch}`
    if (durationMillis > maxAttemptMillis) {
      if (!this.facts.incidents.touched(["pause"], lease.at, this.facts.now(), lease.process))
        return `an attempt of ${id} lasted ${durationMillis} ms`
      this.durations.weaken("the process stood still since the lease")
    } else this.durations.judged++
    if ((status === null) === (error === null))
      return `an attempt of ${id} has the status ${status} and the error ${error}`
    const contradicted = this.contradictedByPost(id, lease, { at, durationMillis, error })
    if (contradicted !== null) return contradicted
    if (status === null) {
      if (error !== "timeout") return error === "connection" ? null : `${id}: the error is ${error}`
      // By the monotonic clock.
      if (durationMillis >= minTimeoutMillis) {
        this.timeouts.judged++
        return null
      }
      // Attempts leased together are overdue together: one that a pause lets begin later has less time.
      if (!this.facts.incidents.touched(["pause"], lease.at, this.facts.now(), lease.process))
        return `${id} timed out after ${durationMillis} ms`
      this.timeouts.weaken("the process stood still since the lease")
      return null
    }
    const heard = this.facts
      .postsOf(id)
      .filter(({ sent }) => sent.process === lease.process && sent.at >= lease.at && sent.heardAt !== null)
    // Where the clock was set, it can have been leased anew during the attempt: the post of that lease may come first.
    const post =
      heard.find((each) => each.messageId === (batchId ?? id) && each.status === status) ?? heard[0]
    if (post === undefined) return `${id} is recorded with ${status}, and its receiver answered nothing`
    if (post.messageId !== (batchId ?? id))
      return `an attempt of ${id} is recorded as of ${batchId}, and came in ${post.messageId}`
    if (post.status !== status)
      return `${id} is recorded with ${status}, and its receiver answered ${post.status}`
    // Or begin after this one, of an earlier lease.
    if (!heard.some((each) => isLoggedRight(each, result.response, batchId !== null)))
      return `${id} is recorded with ${JSON.stringify(result.response)}, and its receiver said ${JSON.stringify(post.logged)}`
    if (status !== 429 && status !== 503)
      return retryAfterSeconds === null ? null : `${id}: ${retryAfterSeconds} s are recorded after ${status}`
    return this.isRequested(post, retryAfterSeconds)
      ? null
      : `${id}: its receiver asked for ${post.retryAfterDate ?? post.retryAfterSeconds}, and ${retryAfterSeconds} s are recorded`
  }

  /**
   * How the post of an attempt contradicts its record: the receiver was heard though the record has an error, or the record has another start or
   * duration. Null where nothing does, or where the lease has no post that ended, or several. [DELIV-5]
   */
  private contradictedByPost(
    id: string,
    lease: KnownLease,
    { at, durationMillis, error }: Pick<Json, "at" | "durationMillis" | "error">
  ): string | null {
    const { process } = lease
    const next = this.leases.get(id)!.find((each) => each.at > lease.at)?.at ?? Number.POSITIVE_INFINITY
    const posts = this.facts
      .postsOf(id)
      .filter(({ sent }) => sent.process === process && sent.at >= lease.at && sent.at < next)
    const [post] = posts
    if (posts.length !== 1 || post!.sent.endedAt === null) return null
    const { at: sentAt, byClock, endedAt, heardAt } = post!.sent
    // A pause or a set clock can end the attempt at another time, or lease the delivery anew during it.
    if (this.facts.incidents.touched(["pause", "clock"], lease.at, this.facts.now(), process)) {
      this.times.weaken("the process stood still, or its clock was set, since the lease")
      return null
    }
    this.times.judged++
    // An answer that comes at the instant of the timeout may be handled after it.
    const isHeard = post!.status !== null && heardAt === endedAt && heardAt - sentAt < minTimeoutMillis
    if (error !== null && isHeard)
      return `${id} is recorded with the error ${error}, and its receiver answered ${post!.status}`
    if (at !== byClock) return `an attempt of ${id} is recorded ${at - byClock} ms after it was posted`
    const took = endedAt - sentAt
    return Math.abs(durationMillis - took) > clockErrorMillis + took / 50
      ? `an attempt of ${id} is recorded with ${durationMillis} ms, and took ${took}`
      : null
  }

  /** A date counts from the answer on, by the service's clock, unless that is set, or the process stands still, at the instant of the answer. */
  private isRequested(
    { retryAfterDate, retryAfterSeconds, sent }: KeptPost,
    recorded: number | null
  ): boolean {
    if (retryAfterDate === null) return recorded === retryAfterSeconds
    if (this.facts.incidents.touched(["clock", "pause"], sent.heardAt!, sent.heardAt!, sent.process)) {
      this.dates.weaken("the clock was set, or the process stood still, at the instant of the answer")
      return recorded !== null
    }
    this.dates.judged++
    return recorded === Math.max(0, Math.ceil((retryAfterDate - sent.heardByClock!) / 1000))
  }
}
