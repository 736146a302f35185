/** An operator revokes the key or the token that an actor uses. */
import { Effect } from "effect"
import type { KnownBrand, KnownKey } from "../world/KnownFacts.ts"
import { type ActorContext, type Caller, persistently } from "./ActorContext.ts"
import { look, ofBrand } from "./OperatorCalls.ts"

/** What is revoked: a key of the brand, or a token. */
export interface Revocable {
  readonly holder: "key" | "token"
  readonly key: KnownKey
}

/** Asks until there is an answer, notes when it was asked and answered, and answers the status. */
export const revoke = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { holder, key }: Revocable
): Effect.Effect<number> =>
  Effect.gen(function* () {
    key.revokingAt = context.world.kernel.now
    const ofKey = holder === "key"
    const { status } = yield* persistently(
      context,
      { ...caller, label: `${caller.label} revoke` },
      {
        method: "DELETE",
        route: ofKey ? `${ofBrand}/keys/{keyId}` : "/operator/tokens/{tokenId}",
        params: ofKey ? { brandId: brand.id, keyId: key.id } : { tokenId: key.id },
        brand: ofKey ? brand : null,
        meaning: look
      }
    )
    key.revokedAt = context.world.kernel.now
    return status
  })
