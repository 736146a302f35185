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

type Piece = Pick<PieceReport, "removed" | "overdueMillis" | "tookMillis"> &
  Pick<Pruned, "next" | "isLeasedElsewhere">

const prunePiece = (
  kind: RetentionKind,
  keptMillis: number,
  after: PruneCursor | null,
  lease: PruneLease | null
): Effect.Effect<Piece, StoreUnavailable, Pruning> =>
  Effect.gen(function* () {
    const pruning = yield* Pruning
    const startedAt = yield* Clock.currentTimeNanos
    const before = (yield* Clock.currentTimeMillis) - keptMillis
    const pruned = yield* pruning.prune({ kind, before, after, limit: pieceSizes[kind], lease })
    const { isLeasedElsewhere, next, oldest, removed } = pruned
    const tookMillis = Number((yield* Clock.currentTimeNanos) - startedAt) / 1e6
    return {
      removed,
      next,
      isLeasedElsewhere,
      tookMillis: Math.max(0, tookMillis),
      overdueMillis: oldest === null ? 0 : Math.max(0, before - oldest)
    }
  })

/** Runs one round. Answers what it removed, and whether it ended because another process holds the lease. */
const runRound = ({
  onPiece = () => {},
  retention = defaults,
  share = 1,
  lease
}: Pick<RetentionRoundOptions, "retention" | "share" | "onPiece"> & {
  readonly lease: PruneLease | null
}): Effect.Effect<
  { readonly removed: DueCounts; readonly isLeasedElsewhere: boolean },
  StoreUnavailable,
  Pruning
> =>
  Effect.gen(function* () {
    const removed = { ...none }
    for (const kind of retentionKinds) {
      const keptMillis = retention[kind]
      if (keptMillis === null) continue
      let after: PruneCursor | null = null
      do {
        const piece: Piece = yield* prunePiece(kind, keptMillis, after, lease)
        if (piece.isLeasedElsewhere) return { removed, isLeasedElsewhere: true }
        removed[kind] += piece.removed
        onPiece({
          kind,
          removed: piece.removed,
          overdueMillis: piece.overdueMillis,
          tookMillis: piece.tookMillis
        })
        after = piece.next
        const pause = Math.min(maxPauseMillis, piece.tookMillis * (1 / share - 1))
        yield* pause > 0 ? Effect.sleep(pause) : Effect.yieldNow()
      } while (after !== null)
    }
    return { removed, isLeasedElsewhere: false }
  })

/**
 * Removes all that is due, in pieces without pauses between, also while another process prunes. Answers how many of each kind went. When it
 * fails with `StoreUnavailable`, some may have gone; another call goes on. [RET-4]
 */
export const pruneNow = (
  retention: Retention,
  onPiece: (piece: PieceReport) => void = () => {}
): Effect.Effect<DueCounts, StoreUnavailable, Pruning> =>
  Effect.map(runRound({ retention, onPiece, lease: null }), ({ removed }) => removed)

/** Counts what `pruneNow` would remove, and removes nothing. Fails with `StoreUnavailable`. */
export const countDue = (retention: Retention): Effect.Effect<DueCounts, StoreUnavailable, Pruning> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.flatMap(Pruning, (pruning) => pruning.countDue(limitsAt(retention, now)))
  )

/**
 * Prunes for ever. After each piece it pauses so long that pieces take no more than their share of the time. One of several processes on a
 * store prunes; another takes over within `leaseMillis` after it ends. A failure of the store, or a defect of the store or of a callback, ends
 * the round and is logged; the next round begins anew. [RET-4]
 */
export const retain = (options: RetentionRoundOptions = {}): Effect.Effect<never, never, Pruning | Entropy> =>
  Effect.gen(function* () {
    const { intervalMillis = 600_000, onRound = () => {}, share = 0.1, startMillis = 1000 } = options
    const entropy = yield* Entropy
    const holder = Encoding.encodeHex(yield* entropy.bytes(16))
    const round = Effect.flatMap(
      runRound({ ...options, share, lease: { holder, leaseMillis } }),
      ({ isLeasedElsewhere }) =>
        isLeasedElsewhere ? Effect.void : Effect.map(Clock.currentTimeMillis, onRound)
    )
    yield* Effect.sleep(startMillis)
    return yield* Effect.forever(
      Effect.zipRight(loggedRound("pruning stopped, and goes on later", round), Effect.sleep(intervalMillis))
    )
  })
