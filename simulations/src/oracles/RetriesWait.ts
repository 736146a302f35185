import { processesOf } from "../plan/Plan.ts"
import type { Json, KeptPost, KnownFacts, KnownWebhook, ReceivedPost } from "../world/KnownFacts.ts"
import type { Checks, RuleChecks } from "./Checks.ts"
import type { Oracle, OracleInstance } from "./Oracle.ts"
import { type KnownLease, subjectOf } from "./OutboxRecords.ts"
import { outboxOf } from "./OutboxReference.ts"
import { attemptsInAll, isSuccess, waits } from "./RetrySchedule.ts"

const second = 1000
const attemptMillis = 15 * second
/** How soon a delivery that is due is given out: a place comes free within an attempt. */
const promptMillis = 20 * second

/** The same where another process may have queued it. */
const promptBesideMillis = 60 * second

/** The same for a further attempt. The emitter polls once an hour at least; a clock that is off by a fiftieth makes that 72 s later. */
const promptAgainMillis = 150 * second

/** How long a host may take to record an attempt whose answer it knows. */
const recordMillis = 30 * second

/** By what the store gave the emitter: one post at most a lease, and nothing waits for which there is a place. */
const byLease = (
  facts: KnownFacts,
  checks: Checks
): Required<Pick<OracleInstance, "conclude" | "posted" | "stored">> => {
  const one = checks.rule("one post a lease")
  const prompt = checks.rule("an event for which there is a place does not wait")
  const promptAgain = checks.rule(
    "an attempt that is due again, and for which there is a place, does not wait"
  )
  const attempted = checks.rule("each lease is attempted")
  const outbox = outboxOf(facts)
  const isAlone = processesOf(facts.plan).length === 1 && facts.plan.networkedStore !== true
  /**
   * For how many milliseconds too long the lease let its delivery wait while there was a place for it and the service ran; null within the time,
   * which is shorter where nothing delays it. It may wait `mayWait` milliseconds for others to go with.
   */
  const tooLong = (
    rule: RuleChecks,
    { at, isBehind, queuedAt, readyAt }: KnownLease,
    within: number,
    mayWait: number
  ): number | null => {
    const stood = (["kill", "pause", "store"] as const).reduce(
      (sum, disturbance) => sum + facts.incidents.lastedWithin(disturbance, readyAt, at),
      0
    )
    const waited = at - readyAt - stood
    if (waited <= promptMillis + mayWait) {
      rule.judged++
      return null
    }
    // By the clock of its process it is due at another time.
    const isClockWrong = facts.incidents.touched(["clock", "drift"], queuedAt, at)
    const isPromptDue = isAlone && !isClockWrong && !facts.incidents.touched(["drift"], 0, queuedAt)
    if (waited <= within + mayWait && !isPromptDue) rule.judged++
    else if (isClockWrong) rule.weaken("a clock was set, or went wrong, since it was queued")
    // A store with a clock of its own queued it by that one: an emitter whose clock is ahead is not late for it.
    else if (isBehind) rule.weaken("the clock of its emitter was behind that of a networked store")
    else if (facts.plan.networkedStore === true && facts.incidents.touched(["drift"], 0, queuedAt))
      rule.weaken("a clock ran at another rate than that of a networked store")
    else return waited
    return null
  }
  /** Whether nothing came of the lease, and nothing explains that. */
  const isIdle = (rule: RuleChecks, { at, isAhead, isRecorded, process }: KnownLease): boolean => {
    const { incidents } = facts
    const recordedBy = at + attemptMillis + recordMillis
    if (isRecorded) rule.judged++
    // It is given out anew when it has run out: a process that was killed, or never learnt of it, owes nothing.
    else if (
      recordedBy > facts.now() ||
      incidents.touched(["kill"], at, at + attemptMillis, process) ||
      incidents.began("store", at, process)
    )
      return false
    else if (incidents.touched(["kill"], at, recordedBy, process))
      rule.weaken("the process was killed before it could record the attempt")
    else if (incidents.touched(["store"], at, recordedBy, process))
      rule.weaken("a call of the store was slow or failed since the lease")
    else if (incidents.touched(["pause", "clock", "drift"], at, recordedBy, process))
      rule.weaken("the process stood still, or its clock was set or went wrong, since the lease")
    else if (isAhead) rule.weaken("it was leased ahead, and no place came free in time")
    else return true
    return false
  }
  const first = (post: ReceivedPost, lease: KnownLease): string | null => {
    // An erasure can give another id to one that was leased.
    if (!lease.isFirst) return null
    // It may wait for others to go with; a test waits for none. [BATCH-2]
    const isTest = post.envelope.event === "webhook.test"
    const waited = tooLong(prompt, lease, promptBesideMillis, isTest ? 0 : post.webhook.maxWait * second)
    return waited === null
      ? null
      : `the ${post.webhook.behaviour} webhook waited ${Math.round(waited / second)} s for ${post.subject}`
  }
  const again = ({ deliveryId: id, webhook: { id: webhookId } }: Json): string | null => {
    const [lease, webhook] = [outbox.leases.get(id)?.at(-1), outbox.webhooks.get(webhookId)]
    // The store need not hurry with what a deletion is about to remove.
    if (lease === undefined || lease.isFirst || webhook === undefined) return null
    if (outbox.deletedBrands.has(webhook.brandId)) return null
    const waited = tooLong(promptAgain, lease, promptAgainMillis, webhook.sending.maxWait * second)
    return waited === null
      ? null
      : `webhook ${webhookId} waited ${Math.round(waited / second)} s for another attempt of ${subjectOf(outbox.ids.deliveryOf(id)!)}`
  }
  return {
    stored: ({ answer, method }) => {
      if (method !== "outbox.lease") return null
      for (const given of answer.leases) {
        const wrong = again(given)
        if (wrong !== null) return wrong
      }
      return null
    },
    posted: (post) => {
      const leases = outbox.leases.get(post.id) ?? []
      const earlier = facts.postsOf(post.id)
      one.judged++
      if (earlier.length > leases.length)
        return `${post.id} was leased ${leases.length} times, and came ${earlier.length} times`
      if (earlier.length > 1 && earlier.at(-2)!.at < post.at - attemptMillis)
        facts.coverageMarks.add("a delivery was tried again")
      return earlier.length === 1 ? first(post, leases[0]!) : null
    },
    conclude: () => {
      for (const [id, leases] of outbox.leases) {
        const idle = leases.find((lease) => isIdle(attempted, lease))
        if (idle !== undefined)
          return `${id} was leased at ${new Date(idle.at).toISOString()}, and no attempt of it was recorded`
      }
      return null
    }
  }
}

/**
 * When the answer reached a host that still waited for it; null when it was lost, or came after the host had given up. A promise can't
 * take back a post of a host that gives up, so the receiver may take it and answer nobody.
 */
const heardAtOf = ({ sent: { at, heardAt } }: KeptPost): number | null =>
  heardAt !== null && heardAt - at < attemptMillis ? heardAt : null

/** Whether its process was killed before it can be known to have recorded the attempt, which then counts for nothing. */
const isUnrecorded = (facts: KnownFacts, { sent: { at, heardAt, process } }: KeptPost): boolean =>
  facts.incidents.touched(["kill"], at, (heardAt ?? at + attemptMillis) + recordMillis, process)

/** By what receivers see, where nobody sees the store. */
const byPosts = (facts: KnownFacts, checks: Checks) => {
  const rule = checks.rule("the waits between attempts, by what a receiver sees")
  const gone = new Map<string, KeptPost>()
  return (post: ReceivedPost): string | null => {
    const { at, id, subject, webhook } = post
    const goneBy = gone.get(webhook.id)
    const goneAt = goneBy === undefined ? null : heardAtOf(goneBy)
    if (goneAt !== null && webhook.enabledAt < goneAt && at > goneAt + 2 * attemptMillis)
      return "a webhook that answered 410 was sent more"
    const since = Math.max(webhook.disabledAt ?? Infinity, webhook.enabledAt)
    if (webhook.disabledAt !== null && at > since + 2 * attemptMillis)
      return `the ${webhook.behaviour} webhook is disabled, and was sent ${subject}`
    if (post.status === 410) gone.set(webhook.id, post)
    const posts = facts.postsOf(id)
    const [first, last] = [posts[0]!, posts.at(-2)]
    if (last === undefined) return null
    if (last.status !== null && last.at < at - attemptMillis)
      facts.coverageMarks.add("a delivery was tried again")
    // Enabling a webhook starts it fresh.
    const heardAt = heardAtOf(last)
    if (heardAt === null || webhook.enabledAt > first.at) {
      rule.weaken("the answer to the attempt before was lost, or the webhook was enabled since")
      return null
    }
    const unrecorded = posts.slice(0, -1).filter((each) => isUnrecorded(facts, each)).length
    if (unrecorded > 0) rule.weaken("a process was killed before it could record an attempt")
    else rule.judged++
    if (isSuccess(last.status) && !isUnrecorded(facts, last)) return `${id} was taken, and came again`
    if (posts.length > attemptsInAll + unrecorded) return `${id} came ${posts.length} times`
    const wait = waits[Math.max(0, posts.length - 2 - unrecorded)]!
    const min = Math.min(
      Math.max(wait * 0.8, Math.min(requestedMillis(last), longestMillis)),
      untilLastMillis(webhook, first, heardAt)
    )
    const waited = post.sent.at - heardAt
    return waited < min - second
      ? `attempt ${posts.length} of ${id} came ${Math.round(waited / second)} s after the last, not ${Math.round(min / second)} s`
      : null
  }
}

/** What counts of a Retry-After. [DELIV-3] */
const longestMillis = 24 * 3600 * second

/** The slowest rate of a clock that is not set. */
const minRate = 0.95

/**
 * From the answer on, the time until a delivery's last attempt, in milliseconds at least: it is made maxDelay after the first failure, however
 * long the schedule or the receiver wants to wait. [ORD-4]
 */
const untilLastMillis = ({ maxDelay, ordering }: KnownWebhook, first: KeptPost, heardAt: number): number =>
  ordering === "none" || maxDelay === null
    ? Number.POSITIVE_INFINITY
    : Math.max(0, ((heardAtOf(first) ?? first.sent.at) + maxDelay * second - heardAt) * minRate)

/** For how long the receiver asked to be left alone, in milliseconds from its answer on. A date is one by the service's clock. */
const requestedMillis = ({ retryAfterDate, retryAfterSeconds, sent }: KeptPost): number =>
  retryAfterDate === null
    ? (retryAfterSeconds ?? 0) * second
    : Math.max(0, retryAfterDate - sent.byClock - attemptMillis) * minRate

/**
 * Attempts of a delivery keep the schedule's distance, and what the receiver asked for; after a success, or a 410, there
 * is none. What is due comes soon, and the healthy are not kept waiting by the others. [DELIV-3, DELIV-4, DELIV-7]
 */
export const retriesWait: Oracle = {
  name: "retries wait",
  instantiate: (facts, checks) => {
    const [leased, seen] = [byLease(facts, checks), byPosts(facts, checks)]
    return {
      stored: (done) => (facts.isStoreSeen ? leased.stored(done) : null),
      posted: (post) => (facts.isStoreSeen ? leased.posted(post) : seen(post)),
      conclude: () => (facts.isStoreSeen ? leased.conclude() : null)
    }
  }
}
