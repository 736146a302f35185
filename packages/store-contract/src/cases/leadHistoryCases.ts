/** What every store must answer of leads, their engagements and their events after any history: what the reference does. */
import { Effect } from "effect"
import fc from "fast-check"
import { ChangeCopy } from "../ChangeCopy.ts"
import { checkFeed } from "../EventFeed.ts"
import { checkCounts } from "../IntervalCounts.ts"
import { playHistories } from "../GeneratedHistories.ts"
import { history, type HistoryQuery, historyQuery, startOfHistories, type Step } from "../LeadHistories.ts"
import {
  checkChanges,
  checkDetails,
  checkEvents,
  checkList,
  createLeadWorld,
  endingWorlds,
  type LeadWorld,
  playStep
} from "../LeadWorld.ts"
import type { SettableClock } from "../SettableClock.ts"
import type { Case } from "../StoreUnderTest.ts"

interface Worlds {
  readonly world: LeadWorld
  /** A second brand with the same people and engagement ids: nothing may cross. */
  readonly neighbour: LeadWorld
  readonly clock: SettableClock
}

const playAndCheck = (
  steps: ReadonlyArray<Step>,
  queries: ReadonlyArray<HistoryQuery>,
  { clock, neighbour, world }: Worlds
) =>
  Effect.gen(function* () {
    const copy = new ChangeCopy(world.brand.id, "none")
    const windowed = new ChangeCopy(world.brand.id, "plain")
    for (const [i, step] of steps.entries()) {
      yield* playStep(step, world, clock)
      // Readers that look after every third step, with pages of one and of two.
      if (i % 3 === 0) yield* copy.sync(1)
      if (i % 3 === 1) yield* windowed.sync(2)
      if (step.step !== "erase") yield* playStep(step, neighbour, clock)
    }
    for (const each of queries) yield* checkList(each, world)
    yield* checkDetails(world)
    yield* checkEvents(world, clock)
    yield* checkChanges([copy, windowed], 3, world)
    yield* checkFeed(world)
    yield* checkFeed(neighbour)
    yield* checkCounts(world)
  })

const agreesWithReference: Case = {
  title:
    "answers as the reference does, to the byte, over generated histories [LIST-2, LIST-3, LIST-4, LIST-5, LIST-8, TIME-5, TIME-8, SORT-5, SORT-6, PAGE-1, PAGE-3, ENG-1, ENG-2, ENG-3, ENG-7, ENG-8, ENG-9, ENG-10, DET-1, DET-4, AUTH-3, EVT-2, EVT-3, EVT-8, LIVE-1, SERIES-5, PII-3, CHG-1, CHG-3]",
  run: async (open) => {
    const { clock, store } = open
    const situations = new Set<string>()
    const drawn = fc.record({
      steps: history,
      queries: fc.array(historyQuery, { minLength: 12, maxLength: 12 })
    })
    await playHistories(
      store,
      store.leadHistories ?? 100,
      drawn,
      ({ steps }) => steps,
      ({ queries, steps }) =>
        open.run(
          Effect.gen(function* () {
            clock.millis = startOfHistories
            const world = yield* createLeadWorld
            const neighbour = yield* createLeadWorld
            yield* endingWorlds([world, neighbour], playAndCheck(steps, queries, { clock, neighbour, world }))
            if (world.reference.rows.some(({ engagements }) => engagements.length > 20))
              situations.add("a window was full")
          })
        )
    )
    store.onCoverage?.(situations)
  }
}

const survivesReopening: Case = {
  title: "keeps all of a history when it is closed and opened again at any step [STORE-2, EVT-3, PII-3]",
  reopens: true,
  run: async (open) => {
    const { clock, store } = open
    await playHistories(
      store,
      Math.ceil((store.leadHistories ?? 100) / 10),
      fc.record({
        steps: history,
        reopenAfter: fc.nat(3),
        queries: fc.array(historyQuery, { minLength: 6, maxLength: 6 })
      }),
      ({ reopenAfter, steps }) =>
        steps.flatMap((step, i) => (i === reopenAfter ? [step, { step: "reopen" }] : [step])),
      async ({ queries, reopenAfter, steps }) => {
        clock.millis = startOfHistories
        const world = await open.run(createLeadWorld)
        for (const [i, step] of steps.entries()) {
          await open.run(playStep(step, world, clock))
          if (i === reopenAfter) await open.reopen()
        }
        await open.reopen()
        await open.run(
          Effect.gen(function* () {
            for (const each of queries) yield* checkList(each, world)
            yield* checkDetails(world)
            yield* checkEvents(world, clock)
          }).pipe((checks) => endingWorlds([world], checks))
        )
      }
    )
  }
}

/** Cases of generated histories of leads. */
export const leadHistoryCases: ReadonlyArray<Case> = [agreesWithReference, survivesReopening]
