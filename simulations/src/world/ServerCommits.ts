/**
 * What a store server has done: it does each call as one step, at a given time. A standby is what comes of the same writes, in
 * the same order and at the same times, without the last ones.
 */
import { currentReservation, type Reservation, type StorePortName, storePorts } from "@lead-signals/domain"
import { Clock, Context, Effect, type Exit, Logger, LogLevel } from "effect"
import type { Disk } from "./Disk.ts"
import { argsNow, type StoreMethod, type Stores } from "./StorePorts.ts"

interface Execution {
  readonly method: StoreMethod
  readonly args: ReadonlyArray<unknown>
  /** The time that the store reads, in milliseconds since 1970. */
  readonly now: number
  readonly isWrite: boolean
  /** That of a call with an Idempotency-Key: what another has overtaken changes nothing. [IDEM-3] */
  readonly reservation: Reservation | null
  /** What was done and for whom, in words. */
  readonly name: string
  /** When it is done, in milliseconds since 1970. */
  readonly at: number
}

interface Commit extends Execution {
  isAcknowledged: boolean
}

/** Draws ids from what they are given; a standby gets the same ones. */
const methodsWithIds: ReadonlySet<StoreMethod> = new Set<StoreMethod>([
  "leads.commit",
  "leads.erase",
  "deliveries.queue",
  "deliveries.recover"
])

/** Nobody misses these: what an emitter did before is done again. */
const expendable: ReadonlySet<StoreMethod> = new Set<StoreMethod>([
  "rateWindows.step",
  "keys.markUsed",
  "outbox.lease",
  "outbox.record"
])

const clockAt = (now: number): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => now,
  unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
  currentTimeMillis: Effect.succeed(now),
  currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
  sleep: () => Effect.dieMessage("A call of a server's store is one step.")
})

/** The arguments with ids that are noted in `drawn`, or taken from there. */
const withIds = (
  method: StoreMethod,
  args: ReadonlyArray<unknown>,
  draw: (ids: () => string) => string
): ReadonlyArray<unknown> => {
  if (!methodsWithIds.has(method)) return args
  const ids = args.at(-1) as () => string
  return [...args.slice(0, -1), () => draw(ids)]
}

/** A failover with a loss replays the earlier writes on a fresh disk. */
export class ServerCommits {
  private disk: Disk
  private readonly disks: Array<Disk> = []
  private current: Context.Context<Stores>
  private log: Array<Commit & { readonly ids: ReadonlyArray<string> }> = []
  private last: Commit | null = null

  constructor(disk: Disk) {
    this.disk = disk
    this.current = disk.open(0)
  }

  get store(): Context.Context<Stores> {
    return this.current
  }

  /** Waits until the server has made deliveries due. */
  get queued(): Effect.Effect<void> {
    return Context.get(this.current, storePorts.outbox).queued
  }

  /** Notes that the caller of the last write has its answer. */
  get lastAcknowledgement(): () => void {
    const { last } = this
    return () => {
      if (last !== null) last.isAcknowledged = true
    }
  }

  private perform(
    { method, now, reservation }: Execution,
    args: ReadonlyArray<unknown>
  ): Exit.Exit<unknown, unknown> {
    const [port, name] = method.split(".") as [StorePortName, string]
    const service = Context.get(this.current, storePorts[port] as Context.Tag<Stores, object>)
    const member: unknown = Reflect.get(service, name)
    const effect = (typeof member === "function" ? member.apply(service, args) : member) as Effect.Effect<
      unknown,
      unknown
    >
    return Effect.runSyncExit(
      effect.pipe(
        Effect.locally(currentReservation, reservation),
        Effect.withClock(clockAt(now)),
        Logger.withMinimumLogLevel(LogLevel.None)
      )
    )
  }

  /** Does the call. Writes that succeeded are remembered. */
  execute(execution: Execution): Exit.Exit<unknown, unknown> {
    const ids: Array<string> = []
    const args = withIds(execution.method, execution.args, (draw) => {
      const id = draw()
      ids.push(id)
      return id
    })
    const exit = this.perform(execution, args)
    if (!execution.isWrite || exit._tag === "Failure") return exit
    const commit = {
      ...execution,
      args: argsNow(execution.method, execution.args),
      ids,
      isAcknowledged: false
    }
    this.last = commit
    this.log.push(commit)
    return exit
  }

  /** Takes back what was committed later than `since`; answers what of it was acknowledged, in words; null where nothing was taken back. */
  loseSince(since: number): ReadonlyArray<string> | null {
    const { another } = this.disk
    const kept = this.log.filter(({ at }) => at <= since)
    const lost = this.log.slice(kept.length)
    if (lost.length === 0 || another === null) return null
    const disk = another()
    this.disks.push(disk)
    this.disk = disk
    this.current = disk.open(0)
    for (const commit of kept) {
      let next = 0
      this.perform(
        commit,
        withIds(commit.method, commit.args, () => commit.ids[next++]!)
      )
    }
    this.log = kept
    return lost
      .filter(({ isAcknowledged, method }) => isAcknowledged && !expendable.has(method))
      .map(({ name }) => name)
  }

  /** Releases the standbys. */
  discard(): void {
    for (const disk of this.disks) disk.discard()
  }
}
