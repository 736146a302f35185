/**
 * What can go wrong, and how often. In a swarm a scenario says the greatest rates, and each seed draws its own below them,
 * with each fault fully off in about half of the seeds, so that some runs show one fault alone.
 */
import type { Prng } from "@lead-signals/simulator"

export interface FaultRates {
  /** Of a message between two parties: it never arrives. */
  readonly loss: number
  /** Of a request: it was handled, but its answer never arrives. */
  readonly lostAnswer: number
  /** Of a call of the store: it takes up to a second. */
  readonly slowStore: number
  /** Of a call of the store: it fails, and nothing was done. */
  readonly storeDown: number
  /** Of a write to the store: it was done, and its caller is told that it failed. */
  readonly doneButFailed: number
  /** How often a day the service is killed. */
  readonly killsPerDay: number
  /** How often a day the service's clock jumps, by up to an hour either way. */
  readonly clockStepsPerDay: number
}

export const noFaults: FaultRates = {
  loss: 0,
  lostAnswer: 0,
  slowStore: 0,
  storeDown: 0,
  doneButFailed: 0,
  killsPerDay: 0,
  clockStepsPerDay: 0
}

/** What this seed has of the scenario's greatest rates. */
export const drawn = (greatest: FaultRates, prng: Prng): FaultRates => {
  const rate = (most: number): number => {
    const [isOn, share] = [prng.chance(0.5), prng.fraction()]
    return isOn ? most * share : 0
  }
  return {
    loss: rate(greatest.loss),
    lostAnswer: rate(greatest.lostAnswer),
    slowStore: rate(greatest.slowStore),
    storeDown: rate(greatest.storeDown),
    doneButFailed: rate(greatest.doneButFailed),
    killsPerDay: rate(greatest.killsPerDay),
    clockStepsPerDay: rate(greatest.clockStepsPerDay)
  }
}
