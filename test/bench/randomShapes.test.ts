/** The requests that the benchmark draws: the same ones for every server, and hardly one of them twice. */
import { describe, expect, it } from "vitest"
import { randomShapes } from "./RandomShapes.ts"
import { pathOf, pathsOf, type Shape } from "./Shape.ts"

const leads = 100_000
const shapes = (): ReadonlyArray<readonly [string, Shape]> =>
  randomShapes(
    leads,
    Array.from({ length: 20 }, (_, i) => Math.floor(leads / (i + 2)))
  ).map((shape) => [shape.name, shape])

const first = (shape: Shape, length: number): ReadonlyArray<string> =>
  Array.from({ length }, (_, n) => pathOf(shape, n))

describe.each(shapes())("%s", (name, shape) => {
  it("asks every server for the same sequence", () => {
    const again = shapes().find(([other]) => other === name)![1]
    const next = pathsOf(again)
    if (typeof next !== "function") throw new Error("its requests are not drawn")
    expect(Array.from({ length: 100 }, next)).toEqual(first(shape, 100))
  })

  it("hardly ever repeats a request", () => {
    expect(new Set(first(shape, 2000)).size).toBeGreaterThan(1800)
  })
})
