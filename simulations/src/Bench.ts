/** How fast the simulator is. Each measurement has a process of its own, with the settings of a campaign's. */
import { forkProgram, withBundle } from "./Campaign.ts"
import { type Figure, floorMeasurements, measurements } from "./Measurements.ts"
import type { Progress } from "./report/Progress.ts"

const measured = (program: string, name: string): Promise<Figure> =>
  new Promise((resolve, reject) => {
    const child = forkProgram(program)
    child.on("message", (figure) => resolve(figure as Figure))
    child.on("error", reject)
    child.on("exit", (code) => reject(new Error(`The process that measured ${name} ended with ${code}`)))
    child.send(name)
  })

const rendered = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 })

const targetOf = ({ isRate, target }: Figure): string =>
  target === null ? "" : `, target ${isRate ? "at least" : "at most"} ${rendered(target)}`

const lineOf = (figure: Figure): string =>
  `${figure.name}: ${rendered(figure.value)} ${figure.unit}${targetOf(figure)} (${figure.work})`

/**
 * Measures the speed and prints each figure beside its target; with `isFloor` it measures the bare service instead. It always
 * ends with 0, as machines differ.
 */
export const bench = async (
  say: (text: string) => void,
  progress: Progress,
  { isFloor, isJson }: { readonly isFloor: boolean; readonly isJson: boolean }
): Promise<number> => {
  const figures: Array<Figure> = []
  const taken = isFloor ? floorMeasurements : measurements
  await withBundle("measurer.ts", async (program) => {
    for (const name of taken.keys()) {
      progress.update(figures.length / taken.size, name)
      const figure = await measured(program, name)
      figures.push(figure)
      progress.clear()
      if (!isJson) say(lineOf(figure))
    }
  })
  if (isJson) say(JSON.stringify({ figures }))
  return 0
}
