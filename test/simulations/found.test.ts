/** The bugs that simulation found: each counterexample holds now, and breaks its rule again when the bug is put back. */
import { compareReplay, inputOfCounterexample, readCounterexample, run } from "@lead-signals/simulations"
import { Either } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { bundleSimulate } from "../harness/SimulateCommand.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const simulateCommand = await bundleSimulate()

const folder = fileURLToPath(new URL("../../simulations/found", import.meta.url))
const files = readdirSync(folder)

/** Counterexamples to oracles: what they reported was right. */
const alarms = fileURLToPath(new URL("alarms", import.meta.url))

describe("a false alarm that is mended", () => {
  it.each(readdirSync(alarms))("%s is none, on the decisions of its counterexample [ORD-2]", (file) => {
    const counterexample = Either.getOrThrow(readCounterexample(readFileSync(`${alarms}/${file}`, "utf8")))
    const report = run(inputOfCounterexample(counterexample), counterexample.store)
    expect([report.violation, compareReplay(counterexample, report)]).toEqual([null, { replayed: "passed" }])
  })
})

describe("what was found", () => {
  it.each(files)("%s holds now, on the decisions of its counterexample [RATE-3]", (file) => {
    const counterexample = Either.getOrThrow(readCounterexample(readFileSync(`${folder}/${file}`, "utf8")))
    const report = run(inputOfCounterexample(counterexample), counterexample.store)
    expect([report.outcome, report.violation, compareReplay(counterexample, report)]).toEqual([
      "passed",
      null,
      { replayed: "passed" }
    ])
  })

  it.each(isThorough ? files : [])("%s breaks its rule with the bug put back", async (file) => {
    const counterexample = Either.getOrThrow(readCounterexample(readFileSync(`${folder}/${file}`, "utf8")))
    const again = await simulateCommand(["replay", `${folder}/${file}`])
    expect([again.code, again.out.includes(`${counterexample.violates.oracle}: `)]).toEqual([1, true])
  })

  it("is listed, each with its counterexample", () => {
    const list = readFileSync(`${folder}/../FOUND.md`, "utf8")
    for (const file of files) expect(list).toContain(`found/${file}`)
  })
})
