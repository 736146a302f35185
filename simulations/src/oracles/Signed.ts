/**
 * Every post is signed as of the time by the service's clock, with exactly the secrets that its webhook had when the delivery was
 * leased: in a rotation with both, and no longer. This checks by the specification of Standard Webhooks, apart from the code that
 * signs. [DELIV-1]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Either, Encoding } from "effect"
import type { KnownFacts, ReceivedPost } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import type { Oracle } from "./Oracle.ts"
import { outboxOf } from "./OutboxReference.ts"

/** How long an attempt that was begun before a rotation can be under way. */
const underWayMillis = 60_000
const toleranceSeconds = 60
const startMillis = 1000

type Signed = Pick<ReceivedPost, "headers"> & { readonly id: string; readonly body: string }

const signatureOf = (secret: string, { body, headers, id }: Signed): string => {
  const content = `${id}.${headers["webhook-timestamp"]}.${body}`
  const key = Either.getOrThrow(Encoding.decodeBase64(secret.slice("whsec_".length)))
  return `v1,${Encoding.encodeBase64(hmac(sha256, key, utf8ToBytes(content)))}`
}

/** Whether one of the signatures is of this secret. */
export const signs = (secret: string, post: Signed): boolean =>
  (post.headers["webhook-signature"] ?? "").split(" ").includes(signatureOf(secret, post))

/** By what the store gave the emitter. */
const ofLease = (facts: KnownFacts, checks: Checks) => {
  const times = checks.rule("the time of a post")
  const signatures = checks.rule("the signatures of a post")
  const { leases } = outboxOf(facts)
  const wrongTime = ({ headers, id, sent }: ReceivedPost): string | null => {
    const said = Number(headers["webhook-timestamp"])
    const from = sent.at - startMillis
    if (facts.incidents.touched(["clock"], from, sent.at, sent.process)) {
      times.weaken("the clock was set as the attempt began")
      return null
    }
    times.judged++
    // A service that stood still goes on with the time that it read before.
    const stood = facts.incidents.longestWithin("pause", from, sent.at, sent.process)
    const earliest = Math.floor((sent.byClock - startMillis - stood) / 1000)
    return said <= Math.floor(sent.byClock / 1000) && said >= earliest
      ? null
      : `${id} says it is of ${said}, and was sent at ${Math.floor(sent.byClock / 1000)} by the service's clock`
  }
  return (post: ReceivedPost): string | null => {
    const { headers, id, index, message, sent } = post
    const possible =
      leases.get(id)?.filter(({ at, process }) => at <= sent.at && process === sent.process) ?? []
    const last = possible.at(-1)
    if (last === undefined) return `${id} is posted, and was never leased`
    // One signature covers all of a batch. [BATCH-1]
    if (index > 0) return null
    signatures.judged++
    const signed = { headers, ...message }
    const said = Number(headers["webhook-timestamp"])
    // A process that stood still may have leased it again since, when by its clock the lease had run out.
    const isSigned = possible
      .filter(({ at }) => at >= sent.at - underWayMillis || at === last.at)
      .some(({ secrets }) => {
        const signatures = secrets.map(({ secret, until }) => ({ until, text: signatureOf(secret, signed) }))
        // Within the second in which a secret ends it may sign or not.
        return [said, said + 1].some(
          (seconds) =>
            signatures
              .filter(({ until }) => seconds * 1000 < until)
              .map(({ text }) => text)
              .join(" ") === headers["webhook-signature"]
        )
      })
    return isSigned
      ? wrongTime(post)
      : `${id} to the ${post.webhook.behaviour} webhook is not signed by its ${last.secrets.length} secrets`
  }
}

/** By what the owner of the webhook knows, where nobody sees the store. */
const ofOwner = (checks: Checks) => {
  const rule = checks.rule("the signatures of a post, by its owner's secrets")
  return (post: ReceivedPost): string | null => {
    const { at, headers, id, index, message, webhook } = post
    if (index > 0) return null
    const said = Number(headers["webhook-timestamp"])
    if (Math.abs(at / 1000 - said) > toleranceSeconds)
      return `${id} says it is of ${said}, and came at ${Math.floor(at / 1000)}`
    if (webhook.rotations >= webhook.secrets.length) {
      rule.weaken("the answer of a rotation was lost, and nobody knows the secret")
      return null
    }
    rule.judged++
    // A secret that was replaced only now may have signed what is under way, however many have come since.
    const [newest, ...older] = webhook.secrets.toReversed()
    const replacedAt = (i: number): number => (i === 0 ? newest! : older[i - 1]!).since
    const replacedNow = older.filter((_, i) => at < replacedAt(i) + underWayMillis)
    return [newest!, ...replacedNow].some(({ secret }) => signs(secret, { headers, ...message }))
      ? null
      : `${id} to the ${webhook.behaviour} webhook bears no signature of its secret`
  }
}

/** By what was leased where the store is seen, else by what the owner knows, who may hear of a rotation late. */
export const signed: Oracle = {
  name: "signed",
  instantiate: (facts, checks) => {
    const [byLease, byOwner] = [ofLease(facts, checks), ofOwner(checks)]
    return { posted: (post) => (facts.isStoreSeen ? byLease(post) : byOwner(post)) }
  }
}
