import { Effect } from "effect"
import { Entropy } from "../ports/Entropy.ts"
import * as DeliveryIds from "../credentials/DeliveryIds.ts"

/** Ids for as many deliveries as a commit starts, from one draw of random bytes. */
export const freshDeliveryIds = Effect.flatMap(Entropy, (entropy) =>
  Effect.map(entropy.bytes(DeliveryIds.seedBytes), DeliveryIds.sequence)
)
