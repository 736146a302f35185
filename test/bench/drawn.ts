/**
 * `node scripts/run.mjs test/bench/drawn.ts [--leads 1000000] [--shape random-syllables,random-name-part,random-detail,random-page] [--seconds 5]
 * [--rounds 3]`: requests over HTTP that differ each time, at the server alone. The plain reference of `npm run bench` answers some of
 * these shapes once a second or less, so it takes long to be measured beside. Prints rates, waits, and the processor time of a request by
 * thread, which other work on the machine changes least.
 */
import { readdirSync, readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { databaseOf } from "./Files.ts"
import { get, measureBare } from "./Load.ts"
import { bundlePrograms, startSubject } from "./Servers.ts"
import { pathOf, pathsOf } from "./Shape.ts"
import { shapesOf } from "./Shapes.ts"
import { median } from "./Statistics.ts"
import { keyOf } from "./SubjectDatabase.ts"

const { values } = parseArgs({
  options: {
    leads: { type: "string", default: "1000000" },
    shape: { type: "string", default: "random-syllables,random-name-part,random-detail,random-page" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" }
  }
})
const leads = Number(values.leads)
const key = keyOf(1)

/** Microseconds that each thread has worked. */
const workedMicros = (pid: number): ReadonlyMap<string, number> =>
  new Map(
    readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      try {
        const nanos = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0])
        return [[thread, nanos / 1000] as const]
      } catch {
        return []
      }
    })
  )

/** A search brings its brand into memory when it takes long; until then the file answers. */
const untilInMemory = async (url: string, paths: () => string, pid: number): Promise<void> => {
  const startedAt = performance.now()
  for (let fast = 0; fast < 20 && performance.now() - startedAt < 300_000;) {
    const before = workedMicros(pid)
    await get({ url, key }, paths())
    const after = workedMicros(pid)
    const most = Math.max(...[...after].map(([thread, micros]) => micros - (before.get(thread) ?? 0)))
    fast = most < 8000 ? fast + 1 : 0
  }
  process.stdout.write(`in memory after ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`)
}

const programs = await bundlePrograms()
const file = await databaseOf("subject", leads, { say: (text) => void process.stderr.write(`${text}\n`) })
const server = await startSubject(programs, file)
try {
  const shapes = (await shapesOf(leads, { url: server.url, key })).filter(({ name }) =>
    values.shape.split(",").includes(name)
  )
  for (const shape of shapes) {
    // Those of a run before are in caches of the system.
    const paths = pathsOf(shape, Math.floor(Math.random() * 1_000_000))
    const next = typeof paths === "function" ? paths : () => pathOf(shape, 0)
    if (/syllables|name-part|search/.test(shape.name)) await untilInMemory(server.url, next, server.pid)
    await measureBare({ url: server.url, key, paths: next }, 1)
    for (let round = 0; round < Number(values.rounds); round++) {
      const before = workedMicros(server.pid)
      const millis: Array<number> = []
      const rate = await measureBare({ url: server.url, key, paths: next }, Number(values.seconds), millis)
      const used = [...workedMicros(server.pid)]
        .map(([thread, micros]) => [thread, (micros - (before.get(thread) ?? 0)) / millis.length] as const)
        .filter(([, micros]) => micros >= 5)
        .sort(([, a], [, b]) => b - a)
        .map(
          ([thread, micros]) =>
            `${thread === String(server.pid) ? "serving" : "another"} ${micros.toFixed(0)}`
        )
      const sorted = millis.toSorted((a, b) => a - b)
      const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
      process.stdout.write(
        `${shape.name}: ${rate.perSecond.toFixed(0)}/s, median ${median(millis).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; µs of threads a request: ${used.join(", ")}\n`
      )
    }
  }
} finally {
  await server.stop()
}
