/**
 * `npm run bench -- drawn [--leads 1000000] [--shape NAME,…] [--seconds 5] [--rounds 3]`: requests over HTTP that differ each time, at the
 * server alone. Prints each round.
 */
import { parseArgs } from "node:util"
import { drawnShapes, measureDrawn } from "./DrawnRequests.ts"
import { bundlePrograms } from "./Servers.ts"

const { values } = parseArgs({
  options: {
    leads: { type: "string", default: "1000000" },
    shape: { type: "string", default: drawnShapes.join(",") },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" }
  }
})

const options = {
  leads: Number(values.leads),
  shapes: values.shape.split(","),
  seconds: Number(values.seconds),
  rounds: Number(values.rounds)
}
const progress = { say: (text: string) => void process.stderr.write(`${text}\n`) }
for (const { floor, rounds, secondsUntilInMemory, shape } of await measureDrawn(
  await bundlePrograms(),
  options,
  progress
)) {
  if (secondsUntilInMemory !== null)
    process.stdout.write(`${shape}: in memory after ${secondsUntilInMemory.toFixed(0)} s\n`)
  const named = [
    ...rounds.map((round) => [shape, round] as const),
    ...(floor ?? []).map((round) => [`floor of ${shape}`, round] as const)
  ]
  for (const [name, { medianMillis, otherMicros, p99Millis, perSecond, servingMicros }] of named) {
    const others = otherMicros.map((micros) => `, another ${micros.toFixed(0)}`).join("")
    process.stdout.write(
      `${name}: ${perSecond.toFixed(0)}/s, median ${medianMillis.toFixed(1)} ms, p99 ${p99Millis.toFixed(1)} ms; µs of threads a request: serving ${servingMicros.toFixed(0)}${others}\n`
    )
  }
}
