/** The operator: looks after leads, campaigns and the people who ask to be forgotten. */
import { Effect } from "effect"
import type { Action } from "../plan/Plan.ts"
import type { StagedBrand } from "../world/Ledger.ts"
import { type Caller, persistently, type Stage, succeeding } from "./Stage.ts"

const leadRoute = "/operator/brands/{brandId}/leads/{id}"

export const amend = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  { change, person }: Extract<Action, { do: "amend" }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const id = brand.leadIds.get(person)
    if (id === undefined) return
    const { status } = yield* persistently(stage, caller, {
      method: "PATCH",
      route: leadRoute,
      params: { brandId: brand.id, id },
      body: change,
      brand,
      meaning: { means: "amend", id, change }
    })
    if (status === 404 && stage.ledger.erasing.has(person)) return
    if (status !== 200) stage.ledger.violate("calls succeed", `a change of ${person} was answered ${status}`)
    stage.ledger.marks.add("a lead was changed")
  })

/** Who was erased is noted when the service has said so. */
export const erase = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  person: string
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { ledger, world } = stage
    const id = brand.leadIds.get(person)
    if (id === undefined || ledger.erasing.has(person)) return
    ledger.erasing.add(person)
    const { status } = yield* persistently(stage, caller, {
      method: "DELETE",
      route: leadRoute,
      params: { brandId: brand.id, id },
      brand,
      meaning: { means: "erase", id, person }
    })
    // 404: an earlier call did it, and its answer was lost.
    if (status !== 204 && status !== 404) ledger.violate("calls succeed", `an erasure was answered ${status}`)
    ledger.erased.set(person, world.kernel.now)
    ledger.marks.add("a person was erased")
  })

export const exported = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  person: string
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const id = brand.leadIds.get(person)
    if (id === undefined) return
    yield* persistently(stage, caller, {
      route: `${leadRoute}/export`,
      params: { brandId: brand.id, id },
      brand,
      meaning: { means: "export", id }
    })
  })

export const reading = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  { day, post, totals }: Extract<Action, { do: "reading" }>
): Effect.Effect<void> =>
  Effect.asVoid(
    succeeding(stage, caller, {
      method: "PUT",
      route: "/operator/brands/{brandId}/campaigns/{id}/posts/{postId}/snapshots/{day}",
      params: { brandId: brand.id, id: brand.campaignId, postId: post, day },
      body: totals,
      brand,
      meaning: { means: "reading", post, day, totals }
    })
  )
