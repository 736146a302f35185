/** The retention of a seed: what the service of a run keeps how long. */
import { Retention } from "@lead-signals/domain"
import { Prng } from "@lead-signals/simulation-kernel"

const minute = 60_000
const durations = [15 * minute, 40 * minute, 90 * minute, 180 * minute]

/** Erased persons are remembered: other rules demand that they stay gone. */
export const retentionOfSeed = (seed: number): Retention.Retention => {
  const draw = Prng.of(seed, "retention")
  const drawn = (keepShare: number): number | null => (draw.chance(keepShare) ? null : draw.pick(durations))
  return {
    deliveries: drawn(0.15),
    deadLetters: drawn(0.3),
    events: drawn(0.15),
    engagements: drawn(0.3),
    leads: drawn(0.4),
    suppressions: null
  }
}
