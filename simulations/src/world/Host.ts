/**
 * What runs in a world's machine: the service over some store, as production wires it; or somebody's own fetch handler.
 */
import { Entropy, WebhookTargets } from "@lead-signals/domain"
import { app, DefaultRateLimit, OperatorToken } from "@lead-signals/http"
import { type Machine, Prng } from "@lead-signals/simulation-kernel"
import { Emitter, Sender } from "@lead-signals/webhook"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Disk } from "./Disk.ts"
import { faulty, type StoreFaults } from "./FaultyStore.ts"
import { handle, type Handling, type SimulatedRequest } from "./SimulatedHttp.ts"

export const operatorToken = "simulated-operator-token"

/** One process wakes itself; what a wake-up missed is found so soon. */
const pollMillis = 3_600_000

interface Surroundings {
  readonly machine: Machine
  readonly post: (request: Sender.PostRequest) => Effect.Effect<Sender.PostResponse, Sender.SendFailed>
  readonly store: StoreFaults
}

export interface Running {
  readonly handle: (request: SimulatedRequest) => Handling
}

export interface Host {
  readonly dieWithin: Disk["dieWithin"]
  /** Starts a process on what the last one left. */
  readonly start: (surroundings: Surroundings) => Effect.Effect<Running, never, Scope.Scope>
  /** The process is gone. */
  readonly crash: () => void
  /** The run is over. */
  readonly discard: () => void
}

/** The service of production, over the disk. */
export const service = (disk: Disk, seed: number): Host => {
  const entropy = Prng.of(seed, "entropy")
  return {
    dieWithin: disk.dieWithin,
    crash: disk.crash,
    discard: disk.discard,
    start: ({ post, store }) =>
      Effect.gen(function* () {
        const host = faulty(disk.open(), store).pipe(
          Context.add(Entropy, {
            bytes: (length) =>
              Effect.sync(() => {
                const drawn = new Uint8Array(length)
                for (let i = 0; i < length; i++) drawn[i] = entropy.below(256)
                return drawn
              })
          }),
          Context.add(OperatorToken, operatorToken),
          Context.add(DefaultRateLimit, 1_000_000),
          Context.add(WebhookTargets, { check: (url) => Effect.succeed(url) }),
          Context.add(Sender.Sender, { post })
        )
        const emitter = yield* Layer.build(Emitter.layer({ pollMillis })).pipe(Effect.provide(host))
        const serving = yield* app.pipe(Effect.provide(Context.merge(host, emitter)))
        return { handle: (request) => handle(serving, request) }
      })
  }
}
