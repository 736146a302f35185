/** Records of brands in maps by id. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import type { Memory } from "./MemoryState.ts"

/** The records of a brand, in the order of their ids. */
export const listOfBrand = <A extends { readonly brandId: string }>(
  things: Map<string, A>,
  brandId: string
): Effect.Effect<ReadonlyArray<A>> =>
  Effect.sync(() => [...things.values()].filter((thing) => thing.brandId === brandId))

/** The record with this id; undefined where there is none, or another brand has it. */
export const findInBrand = <A extends { readonly brandId: string }>(
  things: Map<string, A>,
  brandId: string,
  id: string
): A | undefined => {
  const found = things.get(id)
  return found?.brandId === brandId ? found : undefined
}

/** Gives the record the next id of the sequence. */
export const withId = <A extends object>(
  memory: Memory,
  sequence: string,
  thing: A
): A & { readonly id: string } => ({
  ...thing,
  id: String(memory.next(sequence))
})

/** Adds the record, or replaces the one with its id. */
export const put = <A extends { readonly id: string }>(things: Map<string, A>, thing: A): A => {
  things.set(thing.id, thing)
  return thing
}

/** Renames the record; none where there is none. */
export const rename = <A extends { readonly id: string; readonly name: string }>(
  things: Map<string, A>,
  found: A | undefined,
  name: string
): Option.Option<A> => Option.map(Option.fromNullable(found), (before) => put<A>(things, { ...before, name }))

/** Creates something in a brand. Fails when the brand is missing or being deleted. */
export const createInBrand = <A>(
  memory: Memory,
  brandId: string,
  create: () => A
): Effect.Effect<A, StoreUnavailable> =>
  Effect.suspend(() =>
    memory.brands.get(brandId)?.deletionStartedAt === null
      ? Effect.sync(create)
      : Effect.fail(new StoreUnavailable({ reason: "the brand is being deleted" }))
  )
