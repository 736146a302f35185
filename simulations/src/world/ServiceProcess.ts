/** One of the processes that serve one store. It is killed and started again, on a host with a clock of its own. */
import { HostClock, type Machine } from "@lead-signals/simulation-kernel"
import type { Running } from "./Host.ts"
import type { CallingProcess } from "./KnownFacts.ts"
import { olderWaitFactor } from "./ProcessSettings.ts"

/** A process from one start to its end. */
export interface Incarnation {
  readonly machine: Machine
  /** Whether it has an older version's settings. */
  readonly isOlder: boolean
  /** Which start of the process it is, from 1. */
  readonly start: number
  /** When it began and when it was ready, by the clock of the process. */
  readonly begunByClock: number
  readyByClock: number
  /** Null while it starts. */
  running: Running | null
}

/** Its identity and its troubles; what it runs is the incarnation. */
export class ServiceProcess {
  /** The party of the trace. */
  readonly name: string
  /** The clock of the host, which outlives the process. */
  readonly clock = new HostClock()
  /** Null while the process is down. */
  incarnation: Incarnation | null = null
  starts = 0
  /** Since when it has served nobody, in milliseconds since 1970; null while it serves. */
  downSince: number | null = null
  /** Until when its calls of the store fail, in milliseconds since 1970. */
  cutFromStoreUntil = 0
  /** Until when its posts reach nobody, in milliseconds since 1970. */
  cutFromReceiversUntil = 0
  /** The kill that comes next takes the power of the whole host. */
  isLosingPower = false

  constructor(
    readonly index: number,
    /** Whether its first start has an older version's settings. */
    readonly startsOlder: boolean
  ) {
    this.name = index === 0 ? "service" : `service ${index + 1}`
  }

  /** The process as it is noted with a call of the store at `now`, whose answer takes `back` milliseconds to reach it. */
  calling({ isOlder }: Pick<Incarnation, "isOlder">, now: number, back = 0): CallingProcess {
    return {
      index: this.index,
      now: this.clock.read(now),
      hasAnswerAt: this.clock.read(now + back),
      waitFactor: isOlder ? olderWaitFactor : 1
    }
  }

  get isUp(): boolean {
    return this.incarnation !== null && this.incarnation.running !== null
  }

  /** Whether the process that starts now has an older version's settings: a restart upgrades it. */
  get isOlder(): boolean {
    return this.startsOlder && this.starts <= 1
  }
}
