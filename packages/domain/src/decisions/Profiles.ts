/**
 * Merges observations of a person into one profile. For each field the newest observation that has it wins, by its trackedAt
 * and not by its arrival. Of two with the same trackedAt the greater value wins. So the same observations give the same
 * profile in whatever order they arrive. [OBS-9]
 */
import type { Instant } from "../model/Instant.ts"
import type { ObservedPerson } from "../model/Observation.ts"
import { emptyProfile, type Profile, type ProfileTimes } from "../model/Profile.ts"
import { compareCodePoints } from "../text/Folding.ts"

/** The newest fields of a person, and when each was seen. */
export interface CurrentProfile {
  /** The newest value of each field. */
  readonly profile: Profile
  /** The `trackedAt` of the observation that each value came from; no entry for a field that none had. */
  readonly times: ProfileTimes
}

const fields = Object.keys(emptyProfile) as Array<keyof Profile>

const asText = (value: Profile[keyof Profile]): string =>
  typeof value === "string" ? value : JSON.stringify(value)

const nothing: CurrentProfile = { profile: emptyProfile, times: {} }

/**
 * The profile of a person after an observation at `trackedAt`; `known` is null for a person who was not observed before.
 * A company is replaced as a whole, so the fields of two employers are never mixed. [OBS-9]
 */
export const merge = (
  known: CurrentProfile | null,
  seen: ObservedPerson,
  trackedAt: Instant
): CurrentProfile => {
  const { profile, times } = known ?? nothing
  const newerProfile: { -readonly [F in keyof Profile]: Profile[F] } = { ...profile }
  const newerTimes: { -readonly [F in keyof Profile]?: Instant } = { ...times }
  for (const field of fields) {
    const value = seen[field]
    if (value === null) continue
    const since = times[field]
    const wins =
      since === undefined ||
      trackedAt > since ||
      (trackedAt === since && compareCodePoints(asText(value), asText(profile[field])) > 0)
    if (!wins) continue
    Object.assign(newerProfile, { [field]: value })
    newerTimes[field] = trackedAt
  }
  return { profile: newerProfile, times: newerTimes }
}
