/**
 * Every post is signed with its webhook's secret, at that time; in a rotation with both. This checks by the specification
 * of Standard Webhooks, apart from the code that signs. [DELIV-1]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Either, Encoding } from "effect"
import type { ReceivedPost } from "../world/KnownFacts.ts"
import { isClockRight } from "./Circumstances.ts"
import type { Oracle } from "./Oracle.ts"

const overlapMillis = 24 * 3_600_000
/** How long an attempt that was begun before a rotation can be under way. */
const underWayMillis = 60_000
const toleranceSeconds = 60

/** Whether one of the signatures is of this secret. */
export const signs = (
  secret: string,
  { body, headers, id }: Pick<ReceivedPost, "body" | "headers" | "id">
): boolean => {
  const content = `${id}.${headers["webhook-timestamp"]}.${body}`
  const key = Either.getOrThrow(Encoding.decodeBase64(secret.slice("whsec_".length)))
  const signature = Encoding.encodeBase64(hmac(sha256, key, utf8ToBytes(content)))
  return (headers["webhook-signature"] ?? "").split(" ").includes(`v1,${signature}`)
}

export const signed: Oracle = {
  name: "signed",
  instantiate: (facts) => ({
    posted: (post) => {
      const { at, headers, id, webhook } = post
      const said = Number(headers["webhook-timestamp"])
      const isTimeRight = isClockRight(facts)
      // One that stood still has signed before.
      const wasPaused = facts.coverageMarks.has("the service stood still")
      const isLate = Math.abs(at / 1000 - said) > toleranceSeconds
      if (isTimeRight && !wasPaused && isLate)
        return `${id} says it is of ${said}, and came at ${Math.floor(at / 1000)}`
      // Of a rotation whose answer was lost nobody knows the secret.
      if (webhook.rotations >= webhook.secrets.length) return null
      // A secret that was replaced only now may have signed what is under way, however many have come since.
      const [newest, ...older] = webhook.secrets.toReversed()
      const replacedAt = (i: number): number => (i === 0 ? newest! : older[i - 1]!).since
      const replacedNow = older.filter((_, i) => wasPaused || at < replacedAt(i) + underWayMillis)
      if (![newest!, ...replacedNow].some(({ secret }) => signs(secret, post))) {
        return `${id} to the ${webhook.behaviour} webhook bears no signature of its secret`
      }
      const before = older[0]
      const isOverlap =
        before !== undefined &&
        isTimeRight &&
        at > before.since + underWayMillis &&
        at < newest!.since + overlapMillis - underWayMillis
      return isOverlap && webhook.rotations + 1 === webhook.secrets.length && !signs(before.secret, post)
        ? `${id}: within a day of the rotation the old secret no longer signs`
        : null
    }
  })
}
