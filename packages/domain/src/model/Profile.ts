/**
 * The profile of a person. `profileTexts` is the one list of its texts: the schema of observations, the merging of profiles, the columns of
 * SQL stores and the command `copy` derive from it. This module needs no Effect.
 */
import type { Company } from "./Company.ts"
import type { Instant } from "./Instant.ts"
import { textLimits } from "./TextLimits.ts"

/** The maximum length of each text of a profile, in characters. The name is not among them, because it is required. */
export const profileTexts = {
  /** The line under the name on the network. */
  headline: textLimits.headline,
  /** The vanity name in the profile's address. */
  username: textLimits.username,
  /** The first job title. */
  title1: textLimits.title,
  /** The address of the profile on the network. */
  liProfileUrl: textLimits.url,
  /** The address of the profile's picture. */
  profileImgUrl: textLimits.url
} as const

/** A field of `profileTexts`. */
export type ProfileText = keyof typeof profileTexts

/** What is known of a person: each field as the newest observation that had it, null while none had it. */
export interface Profile extends Readonly<Record<ProfileText, string | null>> {
  /** The full name: 1 to 256 characters. Every observation has one. */
  readonly name: string
  /** The employer; null while no observation had one. A newer observation replaces it whole. */
  readonly company: Company | null
}

/**
 * When each field of a profile was seen: the trackedAt of the observation that it came from. A field that no
 * observation had is absent.
 */
export type ProfileTimes = { readonly [Field in keyof Profile]?: Instant }

/** The profile of a person whom no observation has described: an empty name, and null for all other fields. */
export const emptyProfile: Profile = {
  name: "",
  ...(Object.fromEntries(Object.keys(profileTexts).map((field) => [field, null])) as Readonly<
    Record<ProfileText, null>
  >),
  company: null
}
