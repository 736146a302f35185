/**
 * Every post is signed with its webhook's secret, at that time; in a rotation with both. This checks by the specification
 * of Standard Webhooks, apart from the code that signs. [DELIV-1]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import type { ReceivedPost } from "../world/Ledger.ts"
import type { Oracle } from "./Oracle.ts"

const overlapMillis = 24 * 3_600_000
/** How long an attempt that was begun before a rotation can be under way. */
const underWayMillis = 60_000
const toleranceSeconds = 60

const bytes = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
const base64 = (raw: Uint8Array): string => btoa(String.fromCharCode(...raw))

/** Whether one of the signatures is of this secret. */
export const signs = (
  secret: string,
  { body, headers, id }: Pick<ReceivedPost, "body" | "headers" | "id">
): boolean => {
  const content = `${id}.${headers["webhook-timestamp"]}.${body}`
  const signature = base64(hmac(sha256, bytes(secret.slice("whsec_".length)), utf8ToBytes(content)))
  return (headers["webhook-signature"] ?? "").split(" ").includes(`v1,${signature}`)
}

export const signed: Oracle = {
  name: "signed",
  watch: (ledger) => ({
    posted: (post) => {
      const { at, headers, id, webhook } = post
      const said = Number(headers["webhook-timestamp"])
      const isClockRight = !ledger.marks.has("the clock jumped") && !ledger.marks.has("the clock went wrong")
      // One that stood still has signed before.
      const wasPaused = ledger.marks.has("the service stood still")
      const isLate = Math.abs(at / 1000 - said) > toleranceSeconds
      if (isClockRight && !wasPaused && isLate)
        return `${id} says it is of ${said}, and came at ${Math.floor(at / 1000)}`
      // Of a rotation whose answer was lost nobody knows the secret.
      if (webhook.rotations >= webhook.secrets.length) return null
      const [newest, before] = webhook.secrets.toReversed()
      const mayBeOlder = at < newest!.since + underWayMillis || wasPaused
      if (
        !signs(newest!.secret, post) &&
        !(mayBeOlder && before !== undefined && signs(before.secret, post))
      ) {
        return `${id} to the ${webhook.persona} webhook bears no signature of its secret`
      }
      const isOverlap =
        before !== undefined && isClockRight && at < newest!.since + overlapMillis - underWayMillis
      return isOverlap && webhook.rotations + 1 === webhook.secrets.length && !signs(before.secret, post)
        ? `${id}: within a day of the rotation the old secret no longer signs`
        : null
    }
  })
}
