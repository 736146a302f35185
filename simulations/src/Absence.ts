/** The service is off for longer than removals are remembered, while readers of the feed of changes keep their cursors. [CHG-5] */
import { Effect } from "effect"
import { bodyOf, type ActorContext, type Caller, persistently } from "./actors/ActorContext.ts"
import { caller, look, ofBrand } from "./actors/OperatorCalls.ts"
import { erase } from "./actors/Operator.ts"
import { type KnownBrand, personOf } from "./world/KnownFacts.ts"

const day = 86_400_000

/** Pages that a reader takes before it stops: the first ones, which have few leads. */
const pagesRead = 3
const pageSize = 2

/** Reads a page after the cursor; null from the beginning. Answers the next cursor, null where the one given has expired. */
const readPage = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  cursor: string | null,
  size: number
): Effect.Effect<string | null> =>
  Effect.map(
    persistently(context, by, {
      route: `${ofBrand}/changes`,
      params: { brandId: brand.id },
      query: `pageSize=${size}${cursor === null ? "" : `&cursor=${cursor}`}`,
      brand,
      meaning: look
    }),
    (response) => {
      if (response.status === 200) return bodyOf(response).meta.cursor
      if (response.status === 410) context.facts.coverageMarks.add("a cursor had expired")
      return null
    }
  )

/** Reads the feed to its end from the cursor on. */
const readOn = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  cursor: string | null
): Effect.Effect<string | null> => readPage(context, by, brand, cursor, 100)

/** Erases somebody who is a lead; nothing where nobody is left. */
const eraseSomebody = (context: ActorContext, by: Caller, brand: KnownBrand): Effect.Effect<void> =>
  Effect.suspend(() => {
    const there = new Set(brand.reference.rows.map(({ extId }) => extId))
    const person = [...brand.leadIds.keys()].find(
      (extId) => there.has(extId) && !context.facts.erasing.has(personOf(brand, extId))
    )
    return person === undefined ? Effect.void : erase(context, by, brand, person)
  })

/**
 * Readers stop at their cursors, a lead is erased, and another reader begins; the service is off for the days. Then all go on, once more
 * after another removal, which lets the store forget the earlier one. A new reader begins in the end.
 */
export const beOff = (
  context: ActorContext,
  brands: ReadonlyArray<KnownBrand>,
  days: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { world } = context
    const of = (brand: KnownBrand) =>
      caller({ party: `operator ${brand.index}`, label: `absence ${brand.index}` })
    const kept = new Map<KnownBrand, ReadonlyArray<string | null>>()
    for (const brand of brands) {
      const by = of(brand)
      const cursors: Array<string | null> = [null]
      for (let page = 1; page <= pagesRead; page++)
        cursors.push(yield* readPage(context, by(`page ${page}`), brand, cursors.at(-1)!, pageSize))
      cursors.push(yield* readOn(context, by("to the end"), brand, cursors.at(-1)!))
      yield* eraseSomebody(context, by("erase"), brand)
      cursors.push(yield* readOn(context, by("anew"), brand, null))
      kept.set(brand, [...new Set(cursors)])
    }
    world.processes.standDown(days * day)
    yield* Effect.sleep(days * day)
    while (!world.isUp) yield* Effect.sleep(100)
    for (const round of [1, 2])
      for (const [brand, cursors] of kept) {
        const by = of(brand)
        for (const [i, cursor] of cursors.entries())
          yield* readOn(context, by(`round ${round} from ${i}`), brand, cursor)
        yield* eraseSomebody(context, by(`erase ${round}`), brand)
      }
    // A reader that begins now never had the leads that are gone: none of its cursors may expire.
    for (const brand of brands) {
      const by = of(brand)
      let cursor: string | null = null
      for (let page = 1; page <= pagesRead; page++) {
        cursor = yield* readPage(context, by(`new page ${page}`), brand, cursor, 1)
        if (cursor === null) break
      }
    }
    context.facts.coverageMarks.add("the service was off for months")
  })
