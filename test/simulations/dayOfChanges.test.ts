/** A day of writing, nearly an engagement a second, and the copy of a client that follows the feed of changes through it. */
import { scenarioNamed, simulate } from "@lead-signals/simulations"
import { Record } from "effect"
import { expect, it } from "vitest"
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
  }
}

it.runIf(isThorough)(
  "leaves the copy of who follows the feed equal to the store after a day of writing [CHG-1, CHG-3]",
  () => {
    const { checks, counts, coverageMarks, outcome, violation } = simulate(
      { ...race, hours, brands: [brand] },
      1
    )
    expect([outcome, violation]).toEqual(["passed", null])
    const compared = checks.find(({ oracle }) => oracle === "mirrors converge")!.judged
    const { changes, engagements, requests, simulatedSeconds } = counts
    console.log(
      `${requests} requests in ${simulatedSeconds} s, ${engagements} engagements, ${changes} changes read, ${compared} leads of copies compared and equal`
    )
    expect(engagements).toBeGreaterThan(simulatedSeconds / 2)
    expect(coverageMarks).toContain("a sync was told of a removed lead")
    expect(changes).toBeGreaterThan(compared)
  }
)
