import type { Entropy, Outbox, StorePorts } from "@lead-signals/domain"
import type { DefaultRateLimit } from "./endpoints/Keys.ts"
import type { OperatorToken } from "./Authentication.ts"

/** What a host must bring to serve the API. */
export type Requirements = Exclude<StorePorts, Outbox> | Entropy | OperatorToken | DefaultRateLimit
