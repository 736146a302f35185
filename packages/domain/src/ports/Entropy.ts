/**
 * Where secrets and ids come from: the platform's cryptographic source in production, a seeded one in a simulation.
 * Effect's `Random` is not such a source and is never used for a secret. [AUTH-7]
 */
import { Context, type Effect } from "effect"

export class Entropy extends Context.Tag("@lead-signals/domain/Entropy")<
  Entropy,
  {
    /** So many fresh random bytes. Never fails: a host without a cryptographic source must not start. */
    readonly bytes: (length: number) => Effect.Effect<Uint8Array>
  }
>() {}
