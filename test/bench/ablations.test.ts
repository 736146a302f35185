/** Every ablation changes the source as it is now; that the changed server still gives the same answers, the benchmark checks. */
import { Planting } from "@lead-signals/simulations/bugs"
import { describe, expect, it } from "vitest"
import { ablations } from "./Ablations.ts"

describe.each(ablations)("the ablation $name", (ablation) => {
  it("changes its module", async () => {
    const text = Planting.sourceOf(ablation)
    expect(await Planting.planted(ablation, text)).not.toBe(text)
  })
})
