/** Observations of a brand's people, drawn from a seed: who engages with what, and what is known of them. */
import type { Prng } from "@lead-signals/simulation-kernel"
import type { Sighting } from "./Plan.ts"

export const signalsPerBrand = 3

const companies = [
  { id: 12, name: "Northwind", domain: "northwind.example", industry: "Freight", staffCount: 12 },
  { id: 34, name: "Quartz Labs", domain: null, city: "Oslo" },
  { id: 7, name: null, industry: "Foods" }
]
const headlines = ["Head of Sales", "RevOps 100%", "ΟΔΥΣΣΕΥΣ a_b", "Straße", "sales lead"]
/** Of several people, so that there are ties. */
const sharedNames = ["Anna Zed", "anna zed", "ＡＮＮＡ Zed"]
/** As it is seen, and nothing but what the rule on sanitising keeps as it is. */
const comments = ["Great read, thank you!", "How did you measure it? 🙂", "Saving this."]

/** The external id ends with a dot, so that no one's id is within another's. */
export const extIdOf = (brand: number, person: number): string => `b${brand}-p${person}.`

export const sighting = (
  prng: Prng,
  brand: number,
  people: number,
  who: (prng: Prng) => number,
  id: string
): Sighting => {
  const extId = extIdOf(brand, who(prng))
  const type = prng.pick(["comment", "reaction", "repost", null])
  const authored = prng.below(4)
  const author = authored === 0 ? extIdOf(brand, prng.below(people)) : `b${brand}-author${prng.below(3)}.`
  return {
    signal: prng.below(signalsPerBrand),
    person: {
      extId,
      name: prng.chance(0.2)
        ? prng.pick(sharedNames)
        : `Name of ${extId}${prng.pick(["", "", " Ångström", " zed"])}`,
      ...(prng.chance(0.5) ? { headline: `${prng.pick(headlines)} ${extId}` } : {}),
      ...(prng.chance(0.3) ? { liProfileUrl: `https://network.example/in/${extId}` } : {}),
      ...(prng.chance(0.2) ? { title1: `Title of ${extId}` } : {}),
      ...(prng.chance(0.4) ? { company: prng.pick(companies) } : {})
    },
    engagement: {
      id,
      ...(type === null ? {} : { type }),
      // Set whatever the type is: it is kept only with a reaction, as the comment is with a comment.
      reactionType: "LIKE",
      commentText: prng.pick(comments),
      ...(authored > 1
        ? {}
        : {
            postUrl: `https://network.example/posts/${author}`,
            postAuthor: `Author ${author}`,
            postAuthorDetail: { extId: author, name: `Author ${author}` }
          })
    }
  }
}

/** When it was seen, as the observation says: mostly nothing, else some time before, out of order and with ties. */
export const seenAt = (prng: Prng, startsAt: number, at: number): { readonly trackedAt?: string } =>
  prng.chance(0.6)
    ? {}
    : {
        trackedAt: new Date(
          startsAt + Math.floor(at / 60_000) * 60_000 - prng.below(5) * 60_000
        ).toISOString()
      }
