import type { Entropy, Outbox, StorePorts } from "@lead-signals/domain"
import type { DefaultRateLimit } from "./endpoints/Keys.ts"
import type { OperatorToken } from "./Authentication.ts"

/**
 * The services that a host brings to serve the API: the ports of a store but the outbox, randomness, the operator's
 * token and the default rate limit.
 */
export type Requirements = Exclude<StorePorts, Outbox> | Entropy | OperatorToken | DefaultRateLimit
