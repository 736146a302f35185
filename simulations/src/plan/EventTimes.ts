/** When things happen by chance: Poisson-like instants that follow the hour of the day. */
import type { Prng } from "@lead-signals/simulation-kernel"

/** In milliseconds. */
export const hour = 3_600_000

/** In milliseconds. */
export const day = 24 * hour

/** Between a quarter at night and nearly twice the average by day, from eight o'clock on. */
const byHour = (millis: number): number => 1 - 0.75 * Math.cos(((millis / hour + 8) % 24) * (Math.PI / 12))

/** Instants of things that happen by chance at a rate an hour, some right after another. */
export const instants = (prng: Prng, perHour: number, hours: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  if (perHour === 0) return found
  for (let at = prng.below(hour / perHour); at < hours * hour;) {
    found.push(Math.floor(at))
    at += prng.chance(0.3) ? prng.below(150) : prng.wait(hour / perHour / 0.7 / byHour(at))
  }
  return found
}
