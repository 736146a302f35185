/**
 * `npm run bench -- imports [--lines 50000] [--kind people|life] [--rounds 1] [--reads 20] [PROGRAM…]`: imports into an empty
 * brand. `people` are lines of persons each of whom is new, `life` some eight engagements a person. Meanwhile a client reads the first
 * page, with so many milliseconds between two reads; 0 for none. Programs are bundles of the server, measured in turn; without one the
 * sources are.
 */
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { measureImport } from "./MeasuredImport.ts"
import { bundlePrograms } from "./Servers.ts"
import { quantile } from "./Statistics.ts"

const { positionals, values } = parseArgs({
  options: {
    lines: { type: "string", default: "50000" },
    kind: { type: "string", default: "people" },
    rounds: { type: "string", default: "1" },
    reads: { type: "string", default: "20" }
  },
  allowPositionals: true
})

const shares = (all: ReadonlyArray<number>): string => {
  const [median, p99, longest] = [0.5, 0.99, 1].map((part) => quantile(all, part)?.toFixed(1) ?? "–")
  return `median ${median} ms, p99 ${p99}, longest ${longest}`
}

const measure = async (program: string): Promise<void> => {
  const { bytesOfLine, count, micros, seconds, secondsOff, waits } = await measureImport(
    program,
    {
      lines: Number(values.lines),
      kind: values.kind === "life" ? "life" : "people",
      readEveryMillis: Number(values.reads)
    },
    { say: () => {} }
  )
  const { command, otherThreads, serving } = micros
  process.stdout.write(
    [
      `${values.kind}, ${count} lines of ${bytesOfLine.toFixed(0)} bytes: ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)}/s`,
      `µs a line: serving thread ${serving.toFixed(0)}, other threads ${otherThreads.toFixed(0)}, command ${command.toFixed(0)}`,
      `first page, ${waits.length} reads: ${shares(waits.map(({ millis }) => millis))}; the serving thread worked ${shares(waits.map(({ worked }) => worked))}`,
      `time left: ${secondsOff.length} times, off by ${secondsOff.map((off) => off.toFixed(0)).join(", ")} s\n`
    ].join("; ")
  )
}

const programs =
  positionals.length > 0 ? positionals.map((each) => resolve(each)) : [(await bundlePrograms()).subject]
for (let round = 0; round < Number(values.rounds); round++) {
  for (const program of programs) {
    if (programs.length > 1) process.stdout.write(`${program.split("/").at(-1)}: `)
    await measure(program)
  }
}
