/**
 * What runs in a world's machine: the service over some store, as production wires it; or somebody's own fetch handler.
 */
import { Entropy, Pruning, RetentionRounds, Retention, RetentionPolicy } from "@lead-signals/domain"
import {
  app,
  AuditedKeyReads,
  ChangeWaitLimits,
  DefaultRateLimit,
  OperatorToken,
  TrustedProxies
} from "@lead-signals/http"
import { type Machine, Prng } from "@lead-signals/simulation-kernel"
import { Addresses, Emitter, Resolver, Sender, TargetGuard, Unresolvable } from "@lead-signals/webhook"
import { Context, Effect, Either, Layer, type Scope } from "effect"
import { trustedProxies } from "../vocabulary/Forwarding.ts"
import { addressesOfNames, allowedRanges, unreadableRanges } from "../vocabulary/TargetUrls.ts"
import { kindsInOrder, type PlannedPruning } from "../plan/PlannedRetention.ts"
import type { Disk } from "./Disk.ts"
import { faulty, type StoreFaults } from "./FaultyStore.ts"
import type { ProcessSettings } from "./ProcessSettings.ts"
import { handle, type Handling, type SimulatedRequest } from "./SimulatedHttp.ts"
import type { StoreMethod, Stores } from "./StorePorts.ts"

/** The environment's token of every simulated service; it opens everything. */
export const operatorToken = "simulated-operator-token"

interface Surroundings {
  readonly machine: Machine
  /** Which of the processes starts, from 0. */
  readonly process: number
  readonly settings: ProcessSettings
  readonly post: (request: Sender.PostRequest) => Effect.Effect<Sender.PostResponse, Sender.SendFailed>
  readonly store: StoreFaults
  /** Connects the process to a server of the disk's store; null where each process opens the disk. */
  readonly overNetwork: ((disk: Disk) => Context.Context<Stores>) | null
  /** The files that the last process left are damaged. */
  readonly onDamage: (message: string) => void
  /** Something is left of leads that were removed. */
  readonly onResidue: (message: string) => void
}

/** A started process, until its scope ends. */
export interface Running {
  readonly handle: (request: SimulatedRequest) => Handling
}

/** What a process runs, and what stays of it when it is killed. */
export interface Host extends Pick<Disk, "dieWithin" | "tearNextCommit" | "losePower" | "presentDamage"> {
  /** Starts a process on what the last one left. */
  readonly start: (surroundings: Surroundings) => Effect.Effect<Running, never, Scope.Scope>
  /** The process is gone, others may go on. */
  readonly crash: (process: number) => void
  /** The run is over. */
  readonly discard: () => void
  /** Whether the audit log has an entry of lists that keys read. [AUD-8] */
  readonly auditsKeyReads: boolean
}

interface Serving extends Pick<Surroundings, "post" | "settings"> {
  /** What secrets and ids are drawn from. */
  readonly entropy: Prng
  readonly auditsKeyReads: boolean
}

const resolver = Layer.succeed(Resolver, {
  resolve: (hostname) => {
    const addresses = addressesOfNames[hostname]
    return addresses === undefined ? new Unresolvable({ hostname }) : Effect.succeed(addresses)
  }
})

/** As in production, over names of the simulation; ranges that can't be read open nothing. [DELIV-6] */
const targets = Layer.provide(
  TargetGuard.layer({
    allowed: [...allowedRanges, ...unreadableRanges].flatMap((range) =>
      Either.match(Addresses.parseCidr(range), { onLeft: () => [], onRight: (cidr) => [cidr] })
    )
  }),
  resolver
)

/** Milliseconds between two requests of an operator for what a round of pruning would remove. */
export const dryRunMillis = 433_000

/** The n-th question is of another retention than the service has: it keeps one kind for ever, and erasures for a while. */
const requestedRetention = (retention: Retention.Retention, n: number): Retention.Retention => ({
  ...retention,
  suppressions: 1_800_000,
  [Retention.retentionKinds[n % Retention.retentionKinds.length]!]: null
})

/** Asks for pieces of fewer rows, and under a lease of another length, than a round of production does. */
const prunedAs = (pruning: typeof Pruning.Service, { leaseMillis, rows = Infinity }: PlannedPruning) =>
  Pruning.of({
    ...pruning,
    prune: ({ lease, limit, ...request }) =>
      // The end of the plan's hours comes between two pieces.
      Effect.uninterruptible(
        pruning.prune({
          ...request,
          limit: kindsInOrder.has(request.kind) ? Math.min(limit, rows) : limit,
          lease: lease === null || leaseMillis === undefined ? lease : { ...lease, leaseMillis }
        })
      )
  })

/** Prunes as the plan says while its actions go on, and then as production does. */
const prune = (
  retention: Retention.Retention,
  planned: ProcessSettings["pruning"]
): Effect.Effect<never, never, Pruning | Entropy> => {
  const asInProduction = RetentionRounds.retain({ retention })
  if (planned === undefined || planned.forMillis === 0) return asInProduction
  const { intervalMillis } = planned
  const often = RetentionRounds.retain({
    retention,
    ...(intervalMillis === undefined ? {} : { intervalMillis })
  })
  return often.pipe(
    Effect.updateService(Pruning, (pruning) => prunedAs(pruning, planned)),
    Effect.timeoutOption(planned.forMillis),
    Effect.zipRight(asInProduction)
  )
}

/** Starts the service of production over opened stores: the sender of webhooks and the API. */
export const serve = (
  stores: Context.Context<Stores>,
  { auditsKeyReads, entropy, post, settings }: Serving
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.gen(function* () {
    const stored = stores.pipe(
      Context.add(Entropy, {
        bytes: (length) =>
          Effect.sync(() => {
            const drawn = new Uint8Array(length)
            for (let i = 0; i < length; i++) drawn[i] = entropy.below(256)
            return drawn
          })
      }),
      Context.add(RetentionPolicy, settings.retention ?? Retention.keepAll)
    )
    const { maxWaits, pruning, retention, ...sending } = settings
    const waitLimits = yield* ChangeWaitLimits
    const host = stored.pipe(
      Context.add(ChangeWaitLimits, { ...waitLimits, ...(maxWaits === undefined ? {} : { maxWaits }) }),
      Context.add(OperatorToken, operatorToken),
      Context.add(TrustedProxies, trustedProxies),
      Context.add(DefaultRateLimit, 1_000_000),
      Context.add(AuditedKeyReads, auditsKeyReads),
      Context.merge(yield* Layer.build(targets)),
      Context.add(Sender.Sender, { post })
    )
    if (retention !== undefined) {
      let requests = 0
      const dryRun = Effect.suspend(() =>
        Effect.ignore(RetentionRounds.countDue(requestedRetention(retention, requests++)))
      )
      yield* Effect.all([
        Effect.forkScoped(prune(retention, pruning)),
        Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(dryRunMillis), dryRun)))
      ]).pipe(Effect.provide(stored))
    }
    const emitter = yield* Layer.build(Emitter.layer(sending)).pipe(Effect.provide(host))
    const serving = yield* app.pipe(Effect.provide(Context.merge(host, emitter)))
    return { handle: (request) => handle(serving, request) }
  })

/** The calls after which nothing of a lead that is gone may be left. [PII-3, DEL-1] */
const removals: ReadonlySet<StoreMethod> = new Set<StoreMethod>(["leads.erase", "leads.removeSome"])

/** The service of production, over the disk. */
export const service = (disk: Disk, seed: number): Host => {
  const entropy = Prng.of(seed, "entropy")
  const auditsKeyReads = Prng.of(seed, "audited reads").chance(0.5)
  return {
    auditsKeyReads,
    dieWithin: disk.dieWithin,
    tearNextCommit: disk.tearNextCommit,
    losePower: disk.losePower,
    presentDamage: disk.presentDamage,
    crash: disk.crash,
    discard: disk.discard,
    start: ({ onDamage, onResidue, overNetwork, post, process, settings, store }) =>
      Effect.gen(function* () {
        const damage = disk.damage()
        if (damage !== null) {
          onDamage(damage)
          return yield* Effect.never
        }
        const opened = overNetwork === null ? disk.open(process) : overNetwork(disk)
        const onStored: StoreFaults["onStored"] = (done) => {
          store.onStored(done)
          const residue = removals.has(done.method) ? disk.residue(process) : null
          if (residue !== null) onResidue(residue)
        }
        return yield* serve(faulty(opened, { ...store, onStored }), {
          auditsKeyReads,
          entropy,
          post,
          settings
        })
      })
  }
}
