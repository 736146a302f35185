import { isCalm } from "../plan/Plan.ts"
import type { ReceivedPost } from "../world/KnownFacts.ts"
import { isEveryCallEnded } from "./Circumstances.ts"
import type { Oracle } from "./Oracle.ts"
import { attemptsInAll, isSuccess, waits } from "./RetrySchedule.ts"

const second = 1000
const hour = 3600 * second
const attemptMillis = 15 * second
/** Less an hour, which a clock may have gained or lost. */
const patienceMillis = 5 * 24 * hour - hour
const webhookRoute = "/operator/brands/{brandId}/webhooks/{id}"
const healthyWithin = 60 * second

/**
 * Attempts of a delivery keep the schedule's distance, and what the receiver asked for; after a success, or a 410, there
 * is none. Where nothing goes wrong, the healthy are not kept waiting by the others. [DELIV-3, DELIV-4, DELIV-7]
 */
export const retriesWait: Oracle = {
  name: "retries wait",
  instantiate: (facts) => {
    const { rates, scheduledFaults } = facts.plan
    // What an attempt's end is not recorded of is attempted again when its lease has run out.
    const isRecorded =
      isEveryCallEnded(facts.plan) &&
      rates.slowStore === 0 &&
      rates.loss === 0 &&
      rates.late === 0 &&
      rates.cut === 0 &&
      scheduledFaults.length === 0
    const posts = new Map<string, Array<Pick<ReceivedPost, "at" | "status" | "retryAfterSeconds">>>()
    const gone = new Map<string, number>()
    return {
      answered: ({ at, body, call, response }) => {
        if (call.request.method !== "GET" || call.route !== webhookRoute || response.status !== 200)
          return null
        const { disabledReason, enabled, failingSince, id } = body.data
        if (enabled === true || disabledReason === "The operator disabled it." || gone.has(id)) return null
        if (facts.coverageMarks.has("the clock jumped") || at - Date.parse(failingSince) > patienceMillis)
          return null
        return `webhook ${id} is disabled, and has failed only since ${failingSince}: ${disabledReason}`
      },
      posted: (post) => {
        const { at, id, subject, webhook } = post
        const goneAt = gone.get(webhook.id)
        if (
          goneAt !== undefined &&
          webhook.enabledAt < goneAt &&
          at > goneAt + 2 * attemptMillis &&
          isRecorded
        ) {
          return "a webhook that answered 410 was sent more"
        }
        const since = Math.max(webhook.disabledAt ?? Infinity, webhook.enabledAt)
        if (webhook.disabledAt !== null && at > since + 2 * attemptMillis && isRecorded) {
          return `the ${webhook.behaviour} webhook is disabled, and was sent ${subject}`
        }
        if (post.status === 410) gone.set(webhook.id, at)
        const earlier = posts.get(id) ?? []
        const last = earlier.at(-1)
        posts.set(id, [...earlier, { at, status: post.status, retryAfterSeconds: post.retryAfterSeconds }])
        if (last === undefined) {
          const waited = at - Date.parse(post.envelope.createdAt)
          const isOwn = webhook.resends === 0 && webhook.enabledAt === 0 && webhook.disabledAt === null
          return isCalm(facts.plan) && webhook.behaviour === "healthy" && isOwn && waited > healthyWithin
            ? `the healthy webhook waited ${Math.round(waited / 1000)} s for ${subject}`
            : null
        }
        if (last.status !== null && last.at < at - attemptMillis)
          facts.coverageMarks.add("a delivery was tried again")
        // Enabling a webhook starts it fresh.
        if (!isRecorded || webhook.enabledAt > earlier[0]!.at) return null
        if (isSuccess(last.status) && last.at + 2 * attemptMillis < at)
          return `${id} was taken, and came again`
        if (earlier.length >= attemptsInAll) return `${id} came ${earlier.length + 1} times`
        const least = Math.max(waits[earlier.length - 1]! * 0.8, (last.retryAfterSeconds ?? 0) * second)
        return at - last.at < least - second
          ? `attempt ${earlier.length + 1} of ${id} came ${Math.round((at - last.at) / 1000)} s after the last, not ${Math.round(least / 1000)} s`
          : null
      }
    }
  }
}
