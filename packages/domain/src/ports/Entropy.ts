/**
 * The source of random bytes for secrets and ids: the platform's cryptographic source in production, a seeded one in a
 * simulation. Effect's `Random` is no cryptographic source, and no secret is made with it. [AUTH-7]
 */
import { Context, type Effect } from "effect"

/** The port of a host for random bytes. `webCrypto` of `@lead-signals/http` implements it. */
export class Entropy extends Context.Tag("@lead-signals/domain/Entropy")<
  Entropy,
  {
    /**
     * Draws `length` fresh random bytes. Never fails: a host without a cryptographic source must not start. [AUTH-7]
     */
    readonly bytes: (length: number) => Effect.Effect<Uint8Array>
  }
>() {}
