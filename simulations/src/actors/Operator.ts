/** The operator: looks after leads, campaigns and the people who ask to be forgotten. */
import { Effect } from "effect"
import type { Action } from "../plan/Plan.ts"
import { type KnownBrand, personOf } from "../world/KnownFacts.ts"
import { type Caller, persistently, type ActorContext, succeeding } from "./ActorContext.ts"

const leadRoute = "/operator/brands/{brandId}/leads/{id}"

/** Changes flags and score of a lead; nothing where the person is no lead yet. A 404 is right once the lead may have been erased or pruned. */
export const amend = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { change, person }: Extract<Action, { do: "amend" }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const id = brand.leadIds.get(person)
    if (id === undefined) return
    const { status } = yield* persistently(context, caller, {
      method: "PATCH",
      route: leadRoute,
      params: { brandId: brand.id, id },
      body: change,
      brand,
      meaning: { means: "amend", id, change }
    })
    if (status === 404 && context.facts.erasing.has(personOf(brand, person))) return
    if (status === 404 && context.facts.prunedLeads.has(id)) return
    if (status !== 200) context.facts.violate("calls succeed", `a change of ${person} was answered ${status}`)
    context.facts.coverageMarks.add("a lead was changed")
  })

/** Who was erased is noted when the service has said so. */
export const erase = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  person: string
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { facts, world } = context
    const id = brand.leadIds.get(person)
    if (id === undefined || facts.erasing.has(personOf(brand, person))) return
    facts.erasing.add(personOf(brand, person))
    const { status } = yield* persistently(context, caller, {
      method: "DELETE",
      route: leadRoute,
      params: { brandId: brand.id, id },
      brand,
      meaning: { means: "erase", id, person }
    })
    // 404: an earlier call did it, and its answer was lost.
    if (status !== 204 && status !== 404) facts.violate("calls succeed", `an erasure was answered ${status}`)
    if (status === 404 && facts.prunedLeads.has(id) && !brand.reference.erased.includes(person)) {
      // There was nothing left to erase: the person may be seen again.
      facts.erasing.delete(personOf(brand, person))
      return
    }
    facts.erased.set(personOf(brand, person), { brandId: brand.id, extId: person, at: world.kernel.now })
    facts.coverageMarks.add("a person was erased")
  })

/** Reads everything that is held about a person; nothing where the person is no lead yet. */
export const exported = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  person: string
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const id = brand.leadIds.get(person)
    if (id === undefined) return
    yield* persistently(context, caller, {
      route: `${leadRoute}/export`,
      params: { brandId: brand.id, id },
      brand,
      meaning: { means: "export", id }
    })
  })

/** Puts the totals of a post up to a day. Sent twice it changes nothing. */
export const reading = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { day, post, totals }: Pick<Extract<Action, { do: "reading" }>, "day" | "post" | "totals">
): Effect.Effect<void> =>
  Effect.asVoid(
    succeeding(context, caller, {
      method: "PUT",
      route: "/operator/brands/{brandId}/campaigns/{id}/posts/{postId}/snapshots/{day}",
      params: { brandId: brand.id, id: brand.campaignId, postId: post, day },
      body: totals,
      brand,
      meaning: { means: "reading", post, day, totals }
    })
  )
