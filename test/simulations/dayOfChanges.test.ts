/**
 * A day of writing, nearly an engagement a second, and the copy of a client that follows the feed of changes through it and waits for what is new:
 * over each store, and over one that three processes share behind a network.
 */
import { type Scenario, scenarioNamed, simulate } from "@lead-signals/simulations"
import { Record } from "effect"
import { describe, expect, it } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"

const hours = 24

const race = scenarioNamed("sync-race")!

/** The brand whose client follows the feed, without webhooks; its network and store are those of `sync-race`. */
const brand = {
  people: 400,
  consumers: [],
  perHour: {
    ...Record.map(race.brands[0]!.perHour, () => 0),
    observe: 1700,
    amend: 400,
    erase: 2,
    sync: 60,
    list: 100,
    detail: 100
  },
  changesWait: 20
}

const scenario: Scenario = { ...race, hours, brands: [brand] }

const shared: Scenario = { ...scenario, networkedStore: true, processes: { least: 3, most: 3 } }

describe.runIf(isThorough)(
  "after a day of writing the copy of who follows the feed is equal to the store",
  () => {
    it.each([
      ["in memory", scenario, "memory"],
      ["on SQLite", scenario, "sqlite"],
      ["behind a network, of three processes", shared, "memory"],
      ["on SQLite behind a network, of three processes", shared, "sqlite"]
    ] as const)("%s [CHG-1, CHG-3, CHG-4, CHG-6]", (name, of, store) => {
      const { checks, counts, coverageMarks, outcome, violation } = simulate(of, 1, { store })
      expect([outcome, violation]).toEqual(["passed", null])
      const compared = checks.find(({ oracle }) => oracle === "mirrors converge")!.judged
      const { changes, engagements, requests, simulatedSeconds } = counts
      console.log(
        `${name}: ${requests} requests in ${simulatedSeconds} s, ${engagements} engagements, ${changes} changes read, ${compared} leads of copies compared and equal`
      )
      expect(engagements).toBeGreaterThan(simulatedSeconds / 2)
      expect(coverageMarks).toContain("a sync was told of a removed lead")
      expect(coverageMarks).toContain("a sync waited for a change")
      expect(changes).toBeGreaterThan(compared)
    })
  }
)
