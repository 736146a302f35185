/**
 * What each mechanism gains: the server beside itself without the mechanism, in turn, over one file. Repeated requests mostly
 * measure caches, so that most mechanisms have shapes whose requests differ each time, too.
 */
import assert from "node:assert/strict"
import type { Ablated, AblationFigure, Rounds } from "./AblationReport.ts"
import type { Ablation } from "./Ablations.ts"
import type { Progress } from "./BulkLoad.ts"
import * as Data from "./Data.ts"
import { copyOf, databaseOf, removeDatabase } from "./Files.ts"
import { connections, get, measureBare } from "./Load.ts"
import { startProber } from "./LoopDelay.ts"
import { newObservation } from "./NewObservation.ts"
import type { Pace } from "./Reading.ts"
import { bundleChanged, operatorToken, type Programs, type Server, startSubject } from "./Servers.ts"
import { pathOf, pathsOf, type Shape } from "./Shape.ts"
import { shapesOf } from "./Shapes.ts"
import { median, quantile } from "./Statistics.ts"
import { keyOf } from "./SubjectDatabase.ts"

const key = keyOf(1)
const warmUpPaths = ["/signals/leads", "/signals/leads/1"]
const warmUpSeconds = 2

/** Each ablation draws other requests: the server as it is serves them all, and keeps what it has answered. */
const requestsOfAblation = 1_000_000

const comparedRequests = 5
const readsAfterWrites = 8
const clientsBeside = 4

type Measure = (server: Server) => Promise<number>

const operator = async (
  { url }: Server,
  method: "PATCH" | "POST",
  path: string,
  body: object
): Promise<string> => {
  const response = await fetch(`${url}/operator/brands/1/${path}`, {
    method,
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
  return text
}

/** The text of an answer. Throws where the status is not 200, with the beginning of the answer. */
export const read = async ({ url }: Server, path: string): Promise<string> => {
  const { status, text } = await get({ url, key }, path)
  if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 200)}`)
  return text
}

/** Requests a second; the sequence of each server goes on from round to round. */
const rateOf = (shape: Shape, first: number, seconds: number): Measure => {
  const paths = new Map<Server, ReturnType<typeof pathsOf>>()
  return async (server) => {
    if (!paths.has(server)) paths.set(server, pathsOf(shape, first))
    return (await measureBare({ url: server.url, key, paths: paths.get(server)! }, seconds)).perSecond
  }
}

/** Milliseconds of a read right after a write, which is in no time. */
const millisAfterWrites = (shape: Shape, leads: number): Measure => {
  let written = 0
  const write = async (server: Server): Promise<void> => {
    let id = 1 + ((written * 7919) % (Data.idsOf(leads) - 1))
    if (Data.brandOf(id) !== 1) id++
    await operator(server, "PATCH", `leads/${id}`, { score1: written++ % 100 })
  }
  return async (server) => {
    const millis: Array<number> = []
    // What another process wrote is unknown to this one: the first read of a round puts that right.
    for (let n = 0; n <= readsAfterWrites; n++) {
      await write(server)
      const startedAt = performance.now()
      await read(server, pathOf(shape, n))
      if (n > 0) millis.push(performance.now() - startedAt)
    }
    return median(millis)
  }
}

/** The 99th percentile of the milliseconds that a cheap request takes while some clients request the shape. */
const millisBeside = (shape: Shape, first: number, seconds: number): Measure => {
  const paths = new Map<Server, number>()
  return async (server) => {
    const over = new AbortController()
    const client = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const n = paths.get(server) ?? first
        paths.set(server, n + 1)
        await read(server, pathOf(shape, n))
      }
    }
    const end = startProber(server.url)
    const clients = Array.from({ length: clientsBeside }, client)
    // The prober itself warms up for a while.
    await new Promise((resolve) => setTimeout(resolve, Math.max(1000, seconds * 1000)))
    const millis = await end()
    over.abort()
    await Promise.all(clients)
    return quantile(millis, 0.99)
  }
}

/** Observations a second, one a request. */
const observationsPerSecond = (seconds: number): Measure => {
  let number = 0
  return async (server) => {
    const startedAt = performance.now()
    let done = 0
    const client = async (): Promise<void> => {
      while (performance.now() - startedAt < seconds * 1000) {
        await operator(server, "POST", "observations", { observations: [newObservation(number++, "1")] })
        done++
      }
    }
    await Promise.all(Array.from({ length: connections }, client))
    return (done * 1000) / (performance.now() - startedAt)
  }
}

/** The figures of two servers in turn, beginning with the other one each round. */
export const alternately = async (
  measure: Measure,
  whole: Server,
  ablated: Server,
  rounds: number
): Promise<Rounds> => {
  const figures = { whole: [] as Array<number>, ablated: [] as Array<number> }
  await measure(whole)
  await measure(ablated)
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) figures.whole.push(await measure(whole))
    figures.ablated.push(await measure(ablated))
    if (round % 2 === 1) figures.whole.push(await measure(whole))
  }
  return figures
}

const written = "written-"
const beside = "beside-"
const observations = "observations"

const writes = (shape: string): boolean => shape === observations || shape.startsWith(written)

/** What an ablation measures; `wanted` chooses among the shapes of the mechanisms. */
export interface AblateOptions {
  readonly programs: Programs
  readonly ablations: ReadonlyArray<Ablation>
  readonly leads: number
  readonly pace: Pick<Pace, "rounds" | "seconds">
  readonly wanted: (shape: string) => boolean
  readonly progress: Progress
}

/** A server that gives other answers without a mechanism, or none, is measured no further: that is its `failure`. */
export const measureAblations = async ({
  ablations,
  leads,
  pace,
  programs,
  progress,
  wanted
}: AblateOptions): Promise<ReadonlyArray<Ablated>> => {
  const chosen = ablations
    .map((ablation) => ({ ablation, names: ablation.shapes.filter(wanted) }))
    .filter(({ names }) => names.length > 0)
  if (chosen.length === 0) return []
  const original = await databaseOf("subject", leads, progress)
  const isWritten = chosen.some(({ names }) => names.some(writes))
  const file = isWritten ? copyOf(original) : original
  const running: Array<Server> = []
  const start = async (subject: string): Promise<Server> => {
    const server = await startSubject({ subject }, file)
    running.push(server)
    await measureBare({ url: server.url, key, paths: warmUpPaths }, warmUpSeconds)
    return server
  }
  const stop = async (server: Server): Promise<void> => {
    running.splice(running.indexOf(server), 1)
    await server.stop()
  }
  try {
    const whole = await start(programs.subject)
    const shapes = new Map((await shapesOf(leads, { url: whole.url, key })).map((each) => [each.name, each]))
    const shapeOf = (name: string): Shape => {
      const shape = shapes.get(name.replace(/^(?:written|beside)-/, ""))
      if (shape === undefined) throw new Error(`there is no shape ${name}`)
      return shape
    }
    // A wrong name is noticed before anything is measured.
    for (const { names } of chosen) for (const name of names) if (name !== observations) shapeOf(name)
    progress.say("bundling a server without each mechanism")
    const bundles: Array<string> = []
    for (const { ablation } of chosen) bundles.push(await bundleChanged(ablation))
    const results: Array<Ablated> = []
    for (const [i, { ablation, names }] of chosen.entries()) {
      const ablated = await start(bundles[i]!)
      const first = i * requestsOfAblation
      const figureOf = async (name: string): Promise<AblationFigure> => {
        progress.say(
          `${leads.toLocaleString("en")} leads, without ${ablation.name} (${i + 1} of ${chosen.length}): ${name}`
        )
        const measured = async (
          requests: AblationFigure["requests"],
          unit: AblationFigure["unit"],
          measure: Measure
        ): Promise<AblationFigure> => ({
          shape: name,
          leads,
          requests,
          unit,
          ...(await alternately(measure, whole, ablated, pace.rounds))
        })
        if (name === observations)
          return await measured("writes", "per second", observationsPerSecond(pace.seconds))
        const shape = shapeOf(name)
        for (let n = 0; n < comparedRequests; n++) {
          const path = pathOf(shape, first + n)
          const message = `${path}: the answer is another one without ${ablation.name}`
          assert.deepEqual(
            JSON.parse(await read(ablated, path)),
            JSON.parse(await read(whole, path)),
            message
          )
        }
        if (name.startsWith(written))
          return await measured("after writes", "ms", millisAfterWrites(shape, leads))
        if (name.startsWith(beside))
          return await measured("beside", "ms", millisBeside(shape, first, pace.seconds))
        const requests = typeof shape.paths === "function" ? "varied" : "repeated"
        return await measured(requests, "per second", rateOf(shape, first, pace.seconds))
      }
      if (ablation.warmUp !== undefined) {
        progress.say(`${leads.toLocaleString("en")} leads, without ${ablation.name}: warming up`)
        const paths = pathsOf(shapeOf(ablation.warmUp.shape), first)
        const { seconds } = ablation.warmUp
        for (const { url } of [whole, ablated]) await measureBare({ url, key, paths }, seconds)
      }
      const figures: Array<AblationFigure> = []
      let failure: string | null = null
      try {
        for (const name of names) figures.push(await figureOf(name))
      } catch (error) {
        failure = (error as Error).message
      }
      results.push({ ablation, figures, failure })
      await stop(ablated)
    }
    return results
  } finally {
    await Promise.all([...running].map(stop))
    if (isWritten) removeDatabase(file)
  }
}
