/** Prunes what a store has kept long enough: once, or again and again in the background with a bounded share of the time. [RET-4] */
import { Clock, Context, Effect, Encoding } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import {
  defaults,
  keepAll,
  limitsAt,
  type Retention,
  type RetentionKind,
  retentionKinds
} from "../model/Retention.ts"
import { Entropy } from "../ports/Entropy.ts"
import { type DueCounts, type PruneCursor, type Pruned, Pruning, type PruneLease } from "../ports/Pruning.ts"
import { loggedRound } from "./LoggedRound.ts"

/**
 * The retention of a host: observations that are older are rejected. A host that sets none keeps all engagements and leads. [RET-8]
 */
export class RetentionPolicy extends Context.Reference<RetentionPolicy>()(
  "@lead-signals/domain/RetentionPolicy",
  {
    defaultValue: (): Retention => keepAll
  }
) {}

/**
 * How many of a kind one piece removes at most, so that its transaction takes some milliseconds. Leads are few, because each takes its texts
 * out of search indexes.
 */
export const pieceSizes: Readonly<Record<RetentionKind, number>> = {
  deliveries: 200,
  deadLetters: 200,
  events: 500,
  engagements: 200,
  leads: 5,
  suppressions: 1000
}

/** What a piece did, for metrics. */
export interface PieceReport {
  /** What was pruned. */
  readonly kind: RetentionKind
  /** How many were removed. */
  readonly removed: number
  /** Milliseconds since the oldest of them became due; 0 when nothing was removed. */
  readonly overdueMillis: number
  /** Milliseconds that the piece took, at least 0. */
  readonly tookMillis: number
}

/** How pruning is spread over time. */
export interface RetentionRoundOptions {
  /** How long each kind is kept; `Retention.defaults` unless given. */
  readonly retention?: Retention
  /** Milliseconds from the end of a round to the next, 600,000 unless given. */
  readonly intervalMillis?: number
  /** Milliseconds from the start to the first round, 1,000 unless given. */
  readonly startMillis?: number
  /** The greatest share of the time in which pieces run, above 0 and at most 1; 0.1 unless given. */
  readonly share?: number
  /** Called after each piece. */
  readonly onPiece?: (piece: PieceReport) => void
  /** Called after each complete round with the time at which it ended. */
  readonly onRound?: (endedAt: number) => void
}

/** The longest pause between two pieces, in milliseconds: one late answer of the store must not stop the round for long. */
const maxPauseMillis = 60_000

/** Milliseconds without a removal by the holder of the lease after which another process takes over. */
const leaseMillis = 900_000

const none: DueCounts = {
  deliveries: 0,
  deadLetters: 0,
  events: 0,
  engagements: 0,
  leads: 0,
  suppressions: 0
}

type Piece = Pick<PieceReport, "removed" | "overdueMillis"> & Pick<Pruned, "next" | "isLeasedElsewhere">

const prunePiece = (
  kind: RetentionKind,
  keptMillis: number,
  after: PruneCursor | null,
  lease: PruneLease | null
): Effect.Effect<Piece, StoreUnavailable, Pruning> =>
  Effect.gen(function* () {
    const pruning = yield* Pruning
    const before = (yield* Clock.currentTimeMillis) - keptMillis
    const pruned = yield* pruning.prune({ kind, before, after, limit: pieceSizes[kind], lease })
    const { isLeasedElsewhere, next, oldest, removed } = pruned
    return {
      removed,
      next,
      isLeasedElsewhere,
      overdueMillis: oldest === null ? 0 : Math.max(0, before - oldest)
    }
  })

/** Pauses after a piece so long that pieces take no more than their share of the time. */
const pauseAfter = (tookMillis: number, share: number): Effect.Effect<void> => {
  const pause = Math.min(maxPauseMillis, tookMillis * (1 / share - 1))
  return pause > 0 ? Effect.sleep(pause) : Effect.yieldNow()
}

interface RoundOptions extends Pick<RetentionRoundOptions, "retention" | "share" | "onPiece"> {
  readonly lease: PruneLease | null
}

/** The result of pruning one kind. */
interface PrunedKind {
  readonly removed: number
  readonly isLeasedElsewhere: boolean
}

type KindPruning = Effect.Effect<PrunedKind, StoreUnavailable, Pruning>

const pruneKind = (
  kind: RetentionKind,
  keptMillis: number,
  { lease, onPiece = () => {}, share = 1 }: RoundOptions
): KindPruning =>
  Effect.gen(function* () {
    let removed = 0
    let after: PruneCursor | null = null
    do {
      const startedAt = yield* Clock.currentTimeNanos
      const sinceStart = Effect.map(Clock.currentTimeNanos, (now) =>
        Math.max(0, Number(now - startedAt) / 1e6)
      )
      const piece: Piece = yield* Effect.tapErrorCause(prunePiece(kind, keptMillis, after, lease), () =>
        Effect.flatMap(sinceStart, (tookMillis) => pauseAfter(tookMillis, share))
      )
      const tookMillis = yield* sinceStart
      if (piece.isLeasedElsewhere) return { removed, isLeasedElsewhere: true }
      removed += piece.removed
      onPiece({
        kind,
        removed: piece.removed,
        overdueMillis: piece.overdueMillis,
        tookMillis
      })
      after = piece.next
      yield* pauseAfter(tookMillis, share)
    } while (after !== null)
    return { removed, isLeasedElsewhere: false }
  })

/**
 * Prunes the kinds in the order of `retentionKinds`. `attempt` handles a failure of one kind and answers null for it; the next kind follows. Answers
 * what was removed. `isComplete` is false where a kind failed or another process has the lease.
 */
const runRound = (
  { retention = defaults, ...options }: RoundOptions,
  attempt: (pruning: KindPruning, kind: RetentionKind) => Effect.Effect<PrunedKind | null, never, Pruning>
): Effect.Effect<{ readonly removed: DueCounts; readonly isComplete: boolean }, never, Pruning> =>
  Effect.gen(function* () {
    const removed = { ...none }
    let isComplete = true
    for (const kind of retentionKinds) {
      const keptMillis = retention[kind]
      if (keptMillis === null) continue
      const pruned = yield* attempt(pruneKind(kind, keptMillis, options), kind)
      if (pruned?.isLeasedElsewhere === true) return { removed, isComplete: false }
      removed[kind] = pruned?.removed ?? 0
      isComplete &&= pruned !== null
    }
    return { removed, isComplete }
  })

/**
 * Removes all that is due, in pieces without pauses between, also while another process prunes. Answers how many of each kind went. Where a
 * kind fails, the others still go; then it fails with the first `StoreUnavailable`. Another call goes on. [RET-4]
 */
export const pruneNow = (
  retention: Retention,
  onPiece: (piece: PieceReport) => void = () => {}
): Effect.Effect<DueCounts, StoreUnavailable, Pruning> =>
  Effect.suspend(() => {
    let first: StoreUnavailable | null = null
    const round = runRound({ retention, onPiece, lease: null }, (pruning) =>
      Effect.catchAll(pruning, (failure) => {
        first ??= failure
        return Effect.succeed(null)
      })
    )
    return Effect.flatMap(round, ({ removed }) => first ?? Effect.succeed(removed))
  })

/** Counts what `pruneNow` would remove, and removes nothing. Fails with `StoreUnavailable`. */
export const countDue = (retention: Retention): Effect.Effect<DueCounts, StoreUnavailable, Pruning> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.flatMap(Pruning, (pruning) => pruning.countDue(limitsAt(retention, now)))
  )

const logged = loggedRound("pruning stopped, and goes on later")

/**
 * Prunes for ever. After each piece it pauses so long that pieces take no more than their share of the time. One of several processes on a
 * store prunes; another takes over within `leaseMillis` after it ends. A failure of the store, or a defect of the store or of `onPiece`, is logged
 * and ends the pruning of its kind until the next round; the other kinds are pruned. Another defect ends the round. [RET-4]
 */
export const retain = (options: RetentionRoundOptions = {}): Effect.Effect<never, never, Pruning | Entropy> =>
  Effect.gen(function* () {
    const { intervalMillis = 600_000, onRound = () => {}, share = 0.1, startMillis = 1000 } = options
    const entropy = yield* Entropy
    const holder = Encoding.encodeHex(yield* entropy.bytes(16))
    const round = Effect.flatMap(
      runRound({ ...options, share, lease: { holder, leaseMillis } }, (pruning, kind) =>
        Effect.annotateLogs(logged(pruning), { kind })
      ),
      ({ isComplete }) => (isComplete ? Effect.map(Clock.currentTimeMillis, onRound) : Effect.void)
    )
    yield* Effect.sleep(startMillis)
    return yield* Effect.forever(Effect.zipRight(logged(round), Effect.sleep(intervalMillis)))
  })
