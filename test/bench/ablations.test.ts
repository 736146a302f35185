/** Every ablation changes the source as it is now; that the changed server still gives the same answers, the benchmark checks. */
import { PlantedModules } from "@lead-signals/simulations/bugs"
import { transform } from "esbuild"
import { describe, expect, it } from "vitest"
import { type AblationFigure, ablationsAsJson, gainsOf } from "./AblationReport.ts"
import { ablations } from "./Ablations.ts"

describe.each(ablations)("the ablation $name", (ablation) => {
  it("changes its module into another that is TypeScript", async () => {
    const text = PlantedModules.sourceOf(ablation)
    const changed = await PlantedModules.planted(ablation, text)
    expect(changed).not.toBe(text)
    await transform(changed, { loader: "ts" })
  })
})

describe("the report", () => {
  const [ablation] = ablations
  const figure = (unit: AblationFigure["unit"], whole: Array<number>, ablated: Array<number>) => ({
    shape: "detail",
    leads: 10_000,
    requests: "repeated" as const,
    unit,
    whole,
    ablated
  })
  const verdictOf = (...figures: ReadonlyArray<AblationFigure>): string =>
    JSON.parse(ablationsAsJson([{ ablation: ablation!, figures, failure: null }], [])).ablations[0].verdict

  it("takes more requests and fewer milliseconds for a gain", () => {
    expect(gainsOf(figure("per second", [300, 200], [100, 200]))).toEqual([3, 1])
    expect(gainsOf(figure("ms", [2, 2], [4, 1]))).toEqual([2, 0.5])
  })

  it("calls a gain sure where three of four rounds have it, and unclear where one of four has", () => {
    expect(verdictOf(figure("per second", [2, 2, 2, 1], [1, 1, 1, 1]))).toBe("yes")
    expect(verdictOf(figure("per second", [2, 1, 1, 1], [1, 1, 1, 1]))).toBe("unclear")
    expect(verdictOf(figure("per second", [1.2, 1.2, 1.2, 1.2], [1, 1, 1, 1]))).toBe("no")
    expect(verdictOf(figure("ms", [1, 1, 1, 1], [1, 1, 1, 1]), figure("ms", [1, 1, 1], [2, 2, 2]))).toBe(
      "yes"
    )
  })
})
