/**
 * A store that runs as a server behind a network, as a shared database does. A call takes its time, its connection can be
 * lost before it arrives or after it was done, and what a process has sent is done even if the process dies meanwhile. Times
 * are the server's. Each call is one step of the server, but a write can have read its time up to ten seconds before it is
 * committed: rows then become visible out of the order of their times. Reads see the newest commit, as on one primary with
 * READ COMMITTED.
 */
import type { Kernel, Machine } from "@lead-signals/simulation-kernel"
import { currentReservation, type Reservation, StoreUnavailable } from "@lead-signals/domain"
import { Context, Effect, Exit, FiberRef } from "effect"
import type { Rates } from "../Scenario.ts"
import type { Decisions } from "./Decisions.ts"
import type { Disk } from "./Disk.ts"
import { currentCall, type OnStruck, retryMillis } from "./FaultyStore.ts"
import type { Call, KnownFacts, Stored } from "./KnownFacts.ts"
import type { Incarnation, ServiceProcess } from "./ServiceProcess.ts"
import { ServerCommits } from "./ServerCommits.ts"
import { type MethodOfStore, type StoreMethod, type Stores, wrapStore } from "./StorePorts.ts"

/** How long a call takes each way at most, in milliseconds. */
export const latencyMillis = 20
/** How long until a lost connection is noticed, in milliseconds. */
const noticedAfterMillis = 1500

/** Lost commits that a violation names. */
const maxNamed = 8

/** A transaction is ended by the server when it takes longer, in milliseconds. */
const longestTransactionMillis = 10_000

/**
 * Writes whose time is that of their transaction, which begins before the commit. A rate window is stepped at the time at
 * which its row is locked: of two requests the one that comes first has the earlier time. [RATE-3]
 */
const transactions: ReadonlySet<StoreMethod> = new Set<StoreMethod>([
  "leads.commit",
  "leads.update",
  "leads.erase",
  "webhooks.update",
  "deliveries.queue",
  "deliveries.recover",
  "outbox.record"
])

interface StoreServerOptions {
  readonly kernel: Kernel
  /** The machine of what is never killed. */
  readonly others: Machine
  readonly facts: KnownFacts
  readonly decisions: Decisions
  readonly rates: () => Rates
  /** Milliseconds since the run began. */
  readonly elapsed: () => number
  readonly onStored: (done: Stored) => void
  readonly onStruck: OnStruck
  readonly onTailLost: (since: number) => void
}

/** A call that has reached the server. */
interface ArrivedCall {
  /** When its transaction began, in milliseconds since 1970: times that it writes are this one. */
  readonly begunAt: number
  /** On whose behalf; null for the emitter's. */
  readonly by: Call | null
  readonly reservation: Reservation | null
  /** How long its answer takes, in milliseconds. */
  readonly back: number
}

/** A process's connections, from its start to its end. */
interface Client {
  readonly process: ServiceProcess
  readonly incarnation: Incarnation
  /** Whether deliveries became due since the process last waited for some. */
  isRung: boolean
  /** Ends the wait of the process; null while it does not wait. */
  wake: (() => void) | null
}

const connectionLost = Effect.fail(new StoreUnavailable({ reason: "internal-raw of a lost connection" }))

const ring = (client: Client): void => {
  client.isRung = true
  client.wake?.()
}

/** Waits for the bell, which the server rings by a notification. */
const waitForBell = (client: Client): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const wake = (): void => {
      client.isRung = false
      client.wake = null
      resume(Effect.void)
    }
    if (client.isRung) wake()
    else client.wake = wake
    return Effect.sync(() => {
      client.wake = null
    })
  })

/** One for each run over a networked store. */
export class StoreServer {
  private commits: ServerCommits | null = null
  private readonly clients = new Map<ServiceProcess, Client>()
  /** Another one after each failover: what was under way before is lost. */
  private generation = 0
  private downUntil = 0
  private lastWriter: Client | null = null
  private latestTime = 0

  constructor(private readonly options: StoreServerOptions) {}

  /** The ports of the server's store, as a process reaches them that has just started. */
  connect(disk: Disk, process: ServiceProcess, incarnation: Incarnation): Context.Context<Stores> {
    if (this.commits === null) {
      this.commits = new ServerCommits(disk)
      this.listen()
    }
    const client: Client = { process, incarnation, isRung: false, wake: null }
    this.clients.set(process, client)
    return wrapStore(this.commits.store, (of, member) => {
      if (of.operation === "wait") return waitForBell(client)
      return typeof member === "function"
        ? (...args: ReadonlyArray<unknown>) => this.call(client, of, args)
        : this.call(client, of, [])
    })
  }

  /** Rings the bell of the process that wrote last, whenever its write made deliveries due. */
  private listen(): void {
    const rung = Effect.sync(() => {
      // The process that wrote may have been started again since.
      const client = this.lastWriter === null ? undefined : this.clients.get(this.lastWriter.process)
      if (client !== undefined) ring(client)
    })
    this.options.others.fork(Effect.forever(Effect.zipRight(this.commits!.queued, rung)))
  }

  private isCutOff({ process }: Client): boolean {
    return this.options.kernel.now < process.cutFromStoreUntil
  }

  private call(
    client: Client,
    of: MethodOfStore,
    args: ReadonlyArray<unknown>
  ): Effect.Effect<unknown, unknown> {
    const { decisions, elapsed, facts, kernel, onStruck, others, rates } = this.options
    const context = Effect.all([FiberRef.get(currentCall), FiberRef.get(currentReservation)])
    return Effect.flatMap(context, ([by, reservation]) =>
      Effect.async<unknown, unknown>((resume) => {
        const { generation } = this
        const caller = by === null ? `${client.process.name}'s emitter @${elapsed()}` : by.label
        const label = `${caller} ${of.faultPoint}`
        const lost = (): void => {
          onStruck(client.process.index, of.method, by, noticedAfterMillis + retryMillis, true)
          kernel.after(noticedAfterMillis, client.incarnation.machine, () => resume(connectionLost))
        }
        const isWrite = of.operation === "write"
        const loss = decisions.fault(`connection lost ${label}`, rates().connectionLoss)
        if (loss !== null && (!isWrite || decisions.chance(`before it was done ${loss}`, 0.5))) return lost()
        const back = decisions.below(`way back from the store ${label}`, latencyMillis)
        const commit = (begunAt: number): void => {
          if (generation !== this.generation || kernel.now < this.downUntil) return lost()
          const exit = this.execute(client, of, args, { begunAt, by, reservation, back })
          if (loss !== null || this.isCutOff(client)) {
            if (isWrite) facts.coverageMarks.add("a commit was done, and its connection lost")
            return lost()
          }
          const acknowledge = isWrite && Exit.isSuccess(exit) ? this.commits!.lastAcknowledgement : () => {}
          kernel.after(back, client.incarnation.machine, () => {
            acknowledge()
            resume(exit)
          })
        }
        const there = decisions.below(`way to the store ${label}`, latencyMillis)
        kernel.after(there, others, () => {
          const late = transactions.has(of.method)
            ? decisions.fault(`late commit ${label}`, rates().lateCommit)
            : null
          const begunAt = kernel.now
          if (late === null) return commit(begunAt)
          const millis = 1 + decisions.below(`how late ${late}`, longestTransactionMillis)
          onStruck(client.process.index, of.method, by, millis, false)
          kernel.after(millis, others, () => commit(begunAt))
        })
      })
    )
  }

  /** Does the call, as one step at this instant; its times are those at which it was begun. */
  private execute(
    client: Client,
    { faultPoint, method, operation }: MethodOfStore,
    args: ReadonlyArray<unknown>,
    { back, begunAt: now, by: call, reservation }: ArrivedCall
  ): Exit.Exit<unknown, unknown> {
    const { facts, kernel, onStored } = this.options
    const isWrite = operation === "write"
    const name = `${faultPoint} of ${call === null ? "the emitter" : call.label}`
    if (isWrite) this.lastWriter = client
    const exit = this.commits!.execute({ method, args, now, isWrite, reservation, name, at: kernel.now })
    if (Exit.isFailure(exit)) return exit
    if (isWrite && transactions.has(method)) {
      if (now < this.latestTime) facts.coverageMarks.add("a commit came after one of a later time")
      this.latestTime = Math.max(this.latestTime, now)
    }
    const process = client.process.calling(client.incarnation, kernel.now, back)
    onStored({ method, faultPoint, args, answer: exit.value, call, serviceNow: now, process })
    return exit
  }

  /**
   * The server fails, and after the given milliseconds another one serves what it has: every commit, but for those of the
   * last `lostMillis`. What was under way is lost, and every connection.
   */
  failOver(millis: number, lostMillis: number): void {
    const { facts, kernel, onTailLost, others } = this.options
    this.generation++
    this.downUntil = Math.max(this.downUntil, kernel.now + millis)
    facts.coverageMarks.add("the store failed over")
    facts.incidents.note("store", kernel.now, this.downUntil + noticedAfterMillis + retryMillis)
    const since = kernel.now - lostMillis
    const taken = this.commits?.loseSince(since) ?? null
    const lost = taken ?? []
    kernel.record("store", "failover", { millis, lost: lost.join(", ") })
    if (taken !== null) onTailLost(since)
    if (lostMillis > 0) this.listen()
    if (lost.length > 0) {
      facts.coverageMarks.add("a failover lost commits that were acknowledged")
      const more = lost.length > maxNamed ? ` and ${lost.length - maxNamed} more` : ""
      facts.lostByFailover.push(
        `a failover of the store had lost ${lost.slice(0, maxNamed).join(", ")}${more}`
      )
    }
    kernel.after(millis, others, () => {
      for (const client of this.clients.values()) ring(client)
    })
  }

  /** The run is over. */
  discard(): void {
    this.commits?.discard()
  }
}
