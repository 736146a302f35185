/**
 * Requests over HTTP that differ each time, at the server alone: the plain reference of `npm run bench` answers some of these shapes
 * once a second or less. Rates, waits, and the processor time of a request by thread, which other work on the machine changes least.
 */
import { readdirSync, readFileSync } from "node:fs"
import type { Progress } from "./BulkLoad.ts"
import { databaseOf } from "./Files.ts"
import { get, measureBare, type Paths } from "./Load.ts"
import { limited, minimum, type Section } from "./Report.ts"
import { bundleFloor, type Floor, type Programs, type Server, startFloor, startSubject } from "./Servers.ts"
import { pathOf, pathsOf } from "./Shape.ts"
import { shapesOf } from "./Shapes.ts"
import { median, quantile } from "./Statistics.ts"
import { keyOf } from "./SubjectDatabase.ts"

/** The shapes that `npm run bench -- drawn` measures unless told otherwise. */
export const drawnShapes: ReadonlyArray<string> = [
  "random-syllables",
  "random-name-part",
  "random-detail",
  "random-page"
]

/** Requests a second at least, and milliseconds of 99 % at most, among a million leads. */
const targets: Readonly<Record<string, { readonly perSecond: number; readonly p99Millis?: number }>> = {
  "random-syllables": { perSecond: 1500, p99Millis: 50 },
  "random-name-part": { perSecond: 1000, p99Millis: 50 },
  "random-page": { perSecond: 2000 }
}

/** By the shapes that have one. */
const floors: Readonly<Record<string, Floor>> = {
  "random-page": "PagesAlone",
  "random-detail": "DetailsAlone"
}

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

const comparedAnswers = 40
const fastMicros = 8000
const fastInARow = 20
const maxLoadMillis = 300_000

/** A search brings its brand into memory when it takes long; until then the file answers. Returns the seconds that it took. */
const untilInMemory = async (url: string, paths: () => string, pid: number): Promise<number> => {
  const startedAt = performance.now()
  for (let fast = 0; fast < fastInARow && performance.now() - startedAt < maxLoadMillis;) {
    const before = workedMicros(pid)
    await get({ url, key }, paths())
    const most = Math.max(
      ...[...workedMicros(pid)].map(([thread, micros]) => micros - (before.get(thread) ?? 0))
    )
    fast = most < fastMicros ? fast + 1 : 0
  }
  return (performance.now() - startedAt) / 1000
}

interface DrawnRound {
  readonly perSecond: number
  readonly medianMillis: number
  readonly p99Millis: number
  /** Microseconds of a request, of the thread that serves and of each other that worked for five or more. */
  readonly servingMicros: number
  readonly otherMicros: ReadonlyArray<number>
}

/** One shape, a figure a round. */
export interface DrawnFigure {
  readonly shape: string
  /** Null for a shape that is no search. */
  readonly secondsUntilInMemory: number | null
  readonly rounds: ReadonlyArray<DrawnRound>
  /** The floor, in turn; null for a shape without one. */
  readonly floor: ReadonlyArray<DrawnRound> | null
}

/** `seconds` are those of each round. */
export interface DrawnOptions {
  readonly leads: number
  readonly shapes: ReadonlyArray<string>
  readonly rounds: number
  readonly seconds: number
}

const measureRound = async ({ pid, url }: Server, paths: Paths, seconds: number): Promise<DrawnRound> => {
  const before = workedMicros(pid)
  const millis: Array<number> = []
  const { perSecond } = await measureBare({ url, key, paths }, seconds, millis)
  const used = [...workedMicros(pid)].map(
    ([thread, micros]) => [thread, (micros - (before.get(thread) ?? 0)) / millis.length] as const
  )
  return {
    perSecond,
    medianMillis: median(millis),
    p99Millis: quantile(millis, 0.99),
    servingMicros: used.find(([thread]) => thread === String(pid))![1],
    otherMicros: used
      .filter(([thread, micros]) => thread !== String(pid) && micros >= 5)
      .map(([, micros]) => micros)
      .toSorted((a, b) => b - a)
  }
}

/** A floor that sent other bytes would be one of something else. */
const compareAnswers = async (server: Server, floor: Server, paths: () => string): Promise<void> => {
  for (let i = 0; i < comparedAnswers; i++) {
    const path = paths()
    const [own, lowest] = [
      await get({ url: server.url, key }, path),
      await get({ url: floor.url, key }, path)
    ]
    if (own.text !== lowest.text) throw new Error(`${path}: the floor sends other bytes than the server`)
  }
}

/** The server alone, over a file of `leads` leads that is made where it is missing. */
export const measureDrawn = async (
  programs: Pick<Programs, "subject">,
  { leads, rounds, seconds, shapes: wanted }: DrawnOptions,
  progress: Progress
): Promise<ReadonlyArray<DrawnFigure>> => {
  const file = await databaseOf("subject", leads, progress)
  const server = await startSubject(programs, file)
  const { pid, url } = server
  try {
    const figures: Array<DrawnFigure> = []
    const shapes = (await shapesOf(leads, { url, key })).filter(({ name }) => wanted.includes(name))
    for (const shape of shapes) {
      progress.say(`${leads.toLocaleString("en")} leads: drawn requests, ${shape.name}`)
      // Those of a run before are in caches of the system.
      const paths = pathsOf(shape, Math.floor(Math.random() * 1_000_000))
      const next = typeof paths === "function" ? paths : () => pathOf(shape, 0)
      const isSearch = /syllables|name-part|search/.test(shape.name)
      const secondsUntilInMemory = isSearch ? await untilInMemory(url, next, pid) : null
      const floorOf = floors[shape.name]
      const floor = floorOf === undefined ? null : await startFloor(await bundleFloor(floorOf), file)
      try {
        if (floor !== null) await compareAnswers(server, floor, next)
        const servers = floor === null ? [server] : [server, floor]
        for (const each of servers) await measureBare({ url: each.url, key, paths: next }, 1)
        const measured = servers.map((): Array<DrawnRound> => [])
        for (let round = 0; round < rounds; round++) {
          for (const [i, each] of servers.entries())
            measured[i]!.push(await measureRound(each, next, seconds))
        }
        const [own, lowest] = measured
        figures.push({ shape: shape.name, secondsUntilInMemory, rounds: own!, floor: lowest ?? null })
      } finally {
        await floor?.stop()
      }
    }
    return figures
  } finally {
    await server.stop()
  }
}

/** Four lines a shape. Targets are stated for 1,000,000 leads alone. */
export const drawnSection = (leads: number, figures: ReadonlyArray<DrawnFigure>): Section => ({
  title: `Drawn requests over HTTP, ${leads.toLocaleString("en")} leads`,
  note: "Requests a second over 16 sockets that only send requests, each drawn anew, when searches have their texts in memory. The lines with p99 are milliseconds of 99 % of them, those with cpu microseconds of processor time of the serving thread. The lines with floor are those of a program that only reads the rows and sends the bytes, in turn.",
  lines: figures.flatMap(({ floor, rounds, shape }) => {
    const target = leads === 1_000_000 ? targets[shape] : undefined
    const figureOf = (name: "perSecond" | "p99Millis" | "servingMicros", of = rounds) =>
      of.map((round) => round[name])
    return [
      minimum(`drawn-${shape}`, leads, figureOf("perSecond"), target?.perSecond ?? null),
      limited(`drawn-${shape}-p99`, leads, figureOf("p99Millis"), target?.p99Millis ?? null),
      limited(`drawn-${shape}-cpu`, leads, figureOf("servingMicros"), null),
      ...(floor === null
        ? []
        : [
            limited(`drawn-${shape}-floor`, leads, figureOf("perSecond", floor), null),
            limited(`drawn-${shape}-floor-cpu`, leads, figureOf("servingMicros", floor), null)
          ])
    ]
  })
})
