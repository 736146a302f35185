/** The settings of a process: those of this version, or those that an older version ran with. */
import { type DeliverySlots, type Retention, Retries } from "@lead-signals/domain"
import type { Emitter } from "@lead-signals/webhook"
import type { PlaceLimits } from "../plan/Plan.ts"
import type { PlannedPruning } from "../plan/PlannedRetention.ts"

/** What differs from the emitter's defaults. */
export type ProcessSettings = Partial<Emitter.EmitterOptions> & {
  /** How long what is over is kept; nothing is pruned without it. */
  readonly retention?: Retention.Retention
  /** How many requests can wait for a change at once; the default without it. */
  readonly maxWaits?: number
  /** How it prunes for `forMillis`; as in production after these. */
  readonly pruning?: PlannedPruning & { readonly forMillis: number }
}

/** One process is woken by its own commits: it looks this often for a wake-up that it missed. */
const pollAlone: ProcessSettings = { pollMillis: 3_600_000 }

/** How often each of several processes looks for deliveries that another one queued and left behind. */
const pollBeside: ProcessSettings = { pollMillis: 240_000 }

/** How much longer an older version waits between attempts. */
export const olderWaitFactor = 1.5

/** Attempts of one webhook that an older version makes at once. */
const olderPlacesOfOne = 4

const older: ProcessSettings = {
  ...pollBeside,
  scheduleMillis: Retries.defaultScheduleMillis.map((millis) => millis * olderWaitFactor),
  leaseMillis: Retries.attemptTimeoutMillis + 5000,
  limits: { total: 24, reserved: 8, perWebhook: olderPlacesOfOne, failingTotal: 12, perFailingWebhook: 2 }
}

/** A webhook without an attempt under way has a place in each, or gets one when an attempt ends: no receiver that takes all its time keeps another waiting for longer. */
const limitsOf: Readonly<Record<PlaceLimits, DeliverySlots.Limits>> = {
  few: { total: 24, reserved: 12, perWebhook: 2, failingTotal: 3, perFailingWebhook: 1 },
  reserved: { total: 26, reserved: 24, perWebhook: 3, failingTotal: 6, perFailingWebhook: 2 },
  ahead: { total: 12, reserved: 4, perWebhook: 2, failingTotal: 3, perFailingWebhook: 1 }
}

/** `processes`: how many serve the store together. An older version waits longer and has other limits. */
export const settingsOf = (
  { isOlder }: { readonly isOlder: boolean },
  processes: number,
  places?: PlaceLimits
): ProcessSettings => {
  if (isOlder) return older
  const polls = processes === 1 ? pollAlone : pollBeside
  return places === undefined ? polls : { ...polls, limits: limitsOf[places] }
}
