/**
 * Whether a shape takes as long among many leads as among few: a server over each, measured in turn, within seconds of each
 * other. Figures that are minutes apart say more of the machine than of the sizes.
 */
import type { Progress } from "./BulkLoad.ts"
import { databaseOf } from "./Files.ts"
import { measureBare, type Target } from "./Load.ts"
import { type Programs, startSubject } from "./Servers.ts"
import { pathsOf } from "./Shape.ts"
import { shapesOf } from "./Shapes.ts"
import { keyOf } from "./SubjectDatabase.ts"

/** Milliseconds at the two sizes, each of one round, the rounds in turn. */
export interface FlatnessFigure {
  readonly shape: string
  readonly few: ReadonlyArray<number>
  readonly many: ReadonlyArray<number>
}

/** Numbers of leads. */
export interface Sizes {
  readonly few: number
  readonly many: number
}

/** `seconds` are those of each round and size. */
export interface FlatnessPace {
  readonly rounds: number
  readonly seconds: number
}

const key = keyOf(1)
const warmUpSeconds = 2

/** One figure for each shape that `wanted` chooses. */
export const measureFlatness = async (
  programs: Programs,
  sizes: Sizes,
  pace: FlatnessPace,
  wanted: (name: string) => boolean,
  progress: Progress
): Promise<ReadonlyArray<FlatnessFigure>> => {
  const serve = async (leads: number) => {
    const server = await startSubject(programs, await databaseOf("subject", leads, progress))
    const shapes = (await shapesOf(leads, { url: server.url, key })).filter(({ name }) => wanted(name))
    for (const shape of shapes.slice(0, 3)) {
      await measureBare({ url: server.url, key, paths: pathsOf(shape) }, warmUpSeconds)
    }
    return { server, shapes }
  }
  const few = await serve(sizes.few)
  const many = await serve(sizes.many)
  const figures: Array<FlatnessFigure> = []
  try {
    for (const [i, shape] of few.shapes.entries()) {
      const { name } = shape
      progress.say(`${sizes.few.toLocaleString("en")} and ${sizes.many.toLocaleString("en")} leads: ${name}`)
      const ofFew: Target = { url: few.server.url, key, paths: pathsOf(shape) }
      const ofMany: Target = { url: many.server.url, key, paths: pathsOf(many.shapes[i]!) }
      const millis = { few: [] as Array<number>, many: [] as Array<number> }
      const askFew = async () => millis.few.push((await measureBare(ofFew, pace.seconds)).medianMillis)
      const askMany = async () => millis.many.push((await measureBare(ofMany, pace.seconds)).medianMillis)
      await measureBare(ofFew, pace.seconds)
      await measureBare(ofMany, pace.seconds)
      for (let round = 0; round < pace.rounds; round++) {
        // A machine that becomes slower or faster does so for both.
        const [first, second] = round % 2 === 0 ? [askFew, askMany] : [askMany, askFew]
        await first()
        await second()
      }
      figures.push({ shape: name, ...millis })
    }
  } finally {
    await Promise.all([few.server.stop(), many.server.stop()])
  }
  return figures
}
