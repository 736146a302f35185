/** The read shapes at one size: both servers over the same leads, in turn, after their answers were compared. */
import assert from "node:assert/strict"
import type { Progress } from "./BulkLoad.ts"
import { databaseOf } from "./Files.ts"
import { get, getPatiently, measure, measureBare, patienceSeconds, type Rate, warmUp } from "./Load.ts"
import { type Programs, startBare, startPlain, startSubject, type Server } from "./Servers.ts"
import { pathOf, pathsOf, type Shape } from "./Shape.ts"
import { bareShapes, shapesOf } from "./Shapes.ts"
import { keyOf } from "./SubjectDatabase.ts"

/** How often and how long both servers are measured in turn. */
export interface Pace {
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
}

/** One shape at one size: ours beside the plain server, a figure a round. */
export interface Reading {
  readonly shape: Shape
  readonly leads: number
  readonly subject: ReadonlyArray<Rate>
  /** Rates of the rounds in which every request had an answer within `patienceSeconds`. */
  readonly plain: ReadonlyArray<Rate>
}

/** One shape beside a server that sends the same bytes ready. `atLeast` is the least ratio. */
export interface BareReading {
  readonly name: string
  readonly leads: number
  readonly atLeast: number
  readonly subject: ReadonlyArray<Rate>
  readonly bare: ReadonlyArray<Rate>
}

const key = keyOf(1)

/** A process just started is slow, and would be so in the shape that is measured first. */
const warmUpSeconds = 2
const warmUpPaths = ["/signals/leads", "/signals/leads/1", "/signals/leads?pageSize=100&sort=name:asc"]

/** Where two answers differ first; null where they are the same. */
export const difference = (a: unknown, b: unknown, path = ""): string | null => {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return Object.is(a, b) ? null : `${path}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`
  const [left, right] = [a, b] as [Record<string, unknown>, Record<string, unknown>]
  // The meta first: two totals say more than two ids.
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort().reverse()
  for (const name of names) {
    const found = difference(left[name], right[name], `${path}.${name}`)
    if (found !== null) return found
  }
  return null
}

/** The number of drawn requests; fewer, one at least, where they take longer than this. */
const comparedRequests = 10
const comparedMillis = 5000

/** The same leads, the same total, the same of everything. */
const compare = async (shape: Shape, subject: Server, plain: Server): Promise<void> => {
  const { paths } = shape
  const compared =
    typeof paths === "function"
      ? Array.from({ length: comparedRequests }, (_, n) => paths(n))
      : [paths[0]!, paths.at(-1)!]
  const startedAt = performance.now()
  for (const path of new Set(compared)) {
    const [ours, theirs] = await Promise.all([
      get({ url: subject.url, key }, path),
      getPatiently({ url: plain.url, key }, path)
    ])
    assert.equal(ours.status, 200, `${shape.name}: ${path}: ${ours.text}`)
    if (theirs === null) return
    assert.equal(theirs.status, 200, `${shape.name}: ${path}: ${theirs.text}`)
    const found = difference(JSON.parse(ours.text), JSON.parse(theirs.text))
    assert.equal(found, null, `${shape.name}: ${path}: the answers differ at ${found}`)
    if (performance.now() - startedAt > comparedMillis) return
  }
}

const headersLike = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(([name]) => !["date", "connection", "keep-alive", "transfer-encoding"].includes(name))
  )

const measureAgainstBare = async (
  subject: Server,
  shape: Shape,
  atLeast: number,
  leads: number,
  pace: Pace
): Promise<BareReading> => {
  const paths = [pathOf(shape, 0)]
  const answer = await get({ url: subject.url, key }, paths[0]!)
  const bare = await startBare(answer.text, headersLike(answer.headers))
  const rates = { subject: [] as Array<Rate>, bare: [] as Array<Rate> }
  try {
    await measureBare({ url: bare.url, key, paths }, pace.warmUpSeconds)
    for (let round = 0; round < pace.rounds; round++) {
      rates.subject.push(await measureBare({ url: subject.url, key, paths }, pace.seconds))
      rates.bare.push(await measureBare({ url: bare.url, key, paths }, pace.seconds))
    }
  } finally {
    await bare.stop()
  }
  return { name: shape.name, leads, atLeast, ...rates }
}

/** What is measured at one size. */
export interface ReadingOptions {
  /** Start the two servers, over the same leads. */
  readonly servers: { readonly subject: () => Promise<Server>; readonly plain: () => Promise<Server> }
  readonly leads: number
  readonly pace: Pace
  readonly wanted: (name: string) => boolean
  readonly progress: Progress
}

/** The servers over files. */
export const fileServers = async (
  programs: Programs,
  leads: number,
  progress: Progress
): Promise<ReadingOptions["servers"]> => {
  const subjectFile = await databaseOf("subject", leads, progress)
  const plainFile = await databaseOf("plain", leads, progress)
  return {
    subject: () => startSubject(programs, subjectFile),
    plain: () => startPlain(programs, plainFile)
  }
}

/** Throws where the two servers answer a shape differently, before it measures that shape. */
export const measureReading = async ({ leads, pace, progress, servers, wanted }: ReadingOptions) => {
  const subject = await servers.subject()
  const plain = await servers.plain()
  const readings: Array<Reading> = []
  const bareReadings: Array<BareReading> = []
  try {
    const shapes = (await shapesOf(leads, { url: subject.url, key })).filter(({ name }) => wanted(name))
    if (shapes.length === 0) return { readings, bareReadings }
    progress.say(`${leads.toLocaleString("en")} leads: warming up`)
    for (const { url } of [subject, plain]) await measureBare({ url, key, paths: warmUpPaths }, warmUpSeconds)
    for (const shape of shapes) {
      progress.say(`${leads.toLocaleString("en")} leads: ${shape.name}`)
      await compare(shape, subject, plain)
      const [ours, theirs] = [subject, plain].map(({ url }) => ({ url, key, paths: pathsOf(shape) }))
      await warmUp(ours!, pace.warmUpSeconds)
      let isAnswered = await warmUp(theirs!, pace.warmUpSeconds)
      const rates = { subject: [] as Array<Rate>, plain: [] as Array<Rate> }
      for (let round = 0; round < pace.rounds; round++) {
        const rate = await measure(ours!, pace.seconds)
        if (rate === null) throw new Error(`${shape.name}: no answer within ${patienceSeconds} s`)
        rates.subject.push(rate)
        const plainRate = isAnswered ? await measure(theirs!, pace.seconds) : null
        // Others of the shape would take as long.
        isAnswered = plainRate !== null
        if (plainRate !== null) rates.plain.push(plainRate)
      }
      readings.push({ shape, leads, ...rates })
      const against = bareShapes.find(({ name }) => name === shape.name)
      if (against !== undefined) {
        bareReadings.push(await measureAgainstBare(subject, shape, against.atLeast, leads, pace))
      }
    }
  } finally {
    await Promise.all([subject.stop(), plain.stop()])
  }
  return { readings, bareReadings }
}
