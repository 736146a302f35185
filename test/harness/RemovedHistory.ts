/** Two brands that know the same people, a whole brand and a token, and what is removed of them later. */
import {
  AccessTokens,
  type Brand,
  Brands,
  BrandStore,
  Campaigns,
  defaultSending,
  Keys,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  WebhookStore
} from "@lead-signals/domain"
import { Effect } from "effect"
import { expect } from "vitest"

const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }

/** An observation of the person, on a post of the author. Names have the beginning of the engagement's id, which is the brand's name. */
export const seen = (signalId: string, extId: string, id: string, author = "author") => {
  const nameOf = (person: string) => `Name of ${person} ${id.split("-")[0]}`
  return {
    signalId,
    person: { extId, name: nameOf(extId), headline: "Zebrafinch" },
    engagement: {
      id,
      type: "comment",
      postAuthor: nameOf(author),
      postAuthorDetail: { extId: author, name: nameOf(author) }
    }
  }
}

/** A brand with three people, and one of each thing that can be deleted. */
const brandOf = (name: string) =>
  Effect.gen(function* () {
    const brand = yield* Brands.create(name)
    const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    const other = yield* Signals.create(brand.id, { name: "Other", signalType: "t", source })
    const campaign = yield* Campaigns.create(brand.id, "C")
    const key = yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 60 })
    const webhook = yield* (yield* WebhookStore).create({
      brandId: brand.id,
      url: "https://receiver.example/",
      events: ["lead2.created"],
      description: null,
      enabled: true,
      disabledReason: null,
      ...defaultSending,
      failingSince: null,
      secrets: { current: "whsec_c2VjcmV0", previous: null },
      createdAt: 5
    })
    const outcomes = yield* recordObservations(
      brand,
      ["ylva", "bob", "cleo"].map((extId) => seen(signal.id, extId, `${name}-${extId}`))
    )
    return { brand, signal, other, campaign, key, webhook, leads: outcomes.map(({ leadId }) => leadId!) }
  })

/** What is there when the backup is made. */
export const before = Effect.gen(function* () {
  const mine = yield* brandOf("mine")
  const others = yield* brandOf("others")
  const gone = yield* brandOf("gone")
  const token = yield* AccessTokens.create({ name: "t", scopes: ["read"], brandIds: null, expiresAt: null })
  return { mine, others, gone, token }
})

const deleteBrand = (brand: Brand) =>
  Effect.gen(function* () {
    while (!(yield* Brands.deleteSome(brand.id)).isFinished);
  })

/** What is removed after it: of one brand a lead, an author, and one of each thing; a whole brand; a token. */
export const removeAfter = ({ gone, mine, token }: Effect.Effect.Success<typeof before>) =>
  Effect.gen(function* () {
    yield* Leads.erase(mine.brand, mine.leads[0]!)
    // The author becomes a lead only now, and is erased.
    const [author] = yield* recordObservations(mine.brand, [
      seen(mine.signal.id, "author", "mine-late", "bob")
    ])
    yield* Leads.erase(mine.brand, author!.leadId!)
    yield* Keys.revoke(mine.brand.id, mine.key.key.id)
    yield* AccessTokens.revoke(token.token.id)
    yield* Signals.remove(mine.brand.id, mine.other.id)
    yield* Campaigns.remove(mine.brand.id, mine.campaign.id)
    yield* (yield* WebhookStore).delete(mine.brand.id, mine.webhook.id)
    yield* deleteBrand(gone.brand)
  })

/** Expects that what is removed by `removeAfter` is gone again after a restore, that it can't come back, and that the other brand has lost nothing. */
export const expectRemovedAgain = ({ mine, others, token }: Effect.Effect.Success<typeof before>) =>
  Effect.gen(function* () {
    const again = yield* recordObservations(mine.brand, [
      seen(mine.signal.id, "ylva", "again"),
      seen(mine.signal.id, "author", "again-2", "x")
    ])
    expect(again.map(({ outcome }) => outcome)).toEqual(["suppressed", "suppressed"])
    expect(yield* Effect.either(Keys.authenticate(mine.key.value))).toMatchObject({ _tag: "Left" })
    expect((yield* Keys.authenticate(others.key.value)).id).toBe(others.key.key.id)
    expect(yield* AccessTokens.authenticate(token.value)).toBeNull()
    expect((yield* (yield* BrandStore).list).map(({ name }) => name)).toEqual(["mine", "others"])
    const kept = yield* (yield* LeadStore).get(others.brand.id, others.leads[0]!, "none")
    expect(kept._tag).toBe("Some")
  })
