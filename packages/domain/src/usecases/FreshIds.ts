import { Effect } from "effect"
import { Entropy } from "../ports/Entropy.ts"
import * as DeliveryIds from "../credentials/DeliveryIds.ts"

/** Draws random bytes once, and answers a function that gives a new delivery id at each call. Never fails. [EVT-1] */
export const freshDeliveryIds = Effect.flatMap(Entropy, (entropy) =>
  Effect.map(entropy.bytes(DeliveryIds.seedBytes), DeliveryIds.sequence)
)
