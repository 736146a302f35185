import type { Deliveries, Directory, Entropy, LeadStore, RateWindows } from "@lead-signals/domain"
import type { DefaultRateLimit } from "./endpoints/Keys.ts"
import type { OperatorToken } from "./Authentication.ts"

/** What a host must bring to serve the API. */
export type Requirements =
  LeadStore | Deliveries | Directory | RateWindows | Entropy | OperatorToken | DefaultRateLimit
