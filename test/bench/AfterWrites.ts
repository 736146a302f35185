/**
 * What a list takes when something was written just before: nothing that the server remembers of the state before helps it.
 * One request at a time over HTTP, after a lead was amended, which is in the time of neither; at two sizes in turn.
 */
import type { Progress } from "./BulkLoad.ts"
import * as Data from "./Data.ts"
import { copyOf, databaseOf, removeDatabase } from "./Files.ts"
import type { FlatnessFigure, Sizes } from "./Flatness.ts"
import { get } from "./Load.ts"
import { operatorToken, type Programs, startSubject } from "./Servers.ts"
import { pathOf } from "./Shape.ts"
import { shapesOf } from "./Shapes.ts"
import { keyOf } from "./SubjectDatabase.ts"

const key = keyOf(1)
const writesBefore = 10

const serve = async (programs: Programs, leads: number, progress: Progress) => {
  const file = copyOf(await databaseOf("subject", leads, progress))
  const server = await startSubject(programs, file)
  let written = 0
  const write = async (): Promise<void> => {
    let id = 1 + ((written * 7919) % (Data.idsOf(leads) - 1))
    if (Data.brandOf(id) !== 1) id++
    const response = await fetch(`${server.url}/operator/brands/1/leads/${id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      body: JSON.stringify({ score1: written++ % 100 })
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
  }
  const read = async (path: string): Promise<number> => {
    const startedAt = performance.now()
    const { status } = await get({ url: server.url, key }, path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return performance.now() - startedAt
  }
  for (let i = 0; i < writesBefore; i++) await write()
  return {
    shapes: await shapesOf(leads, { url: server.url, key }),
    read,
    readAfterWrite: async (path: string) => {
      await write()
      return await read(path)
    },
    stop: async () => {
      await server.stop()
      removeDatabase(file)
    }
  }
}

/**
 * One figure for each shape that `wanted` chooses, its waits in milliseconds at both sizes. It changes the scores of leads in copies of the files.
 */
export const measureAfterWrites = async (
  programs: Programs,
  sizes: Sizes,
  rounds: number,
  wanted: (name: string) => boolean,
  progress: Progress
): Promise<ReadonlyArray<FlatnessFigure>> => {
  const few = await serve(programs, sizes.few, progress)
  const many = await serve(programs, sizes.many, progress)
  const figures: Array<FlatnessFigure> = []
  try {
    for (const [i, shape] of few.shapes.entries()) {
      const { name } = shape
      if (!wanted(`written-${name}`)) continue
      progress.say(`${name}, after each write`)
      const shapeOfMany = many.shapes[i]!
      // The first may count what is put right from then on.
      await few.read(pathOf(shape, 0))
      await many.read(pathOf(shapeOfMany, 0))
      const millis = { few: [] as Array<number>, many: [] as Array<number> }
      for (let round = 0; round < rounds; round++) {
        millis.few.push(await few.readAfterWrite(pathOf(shape, round)))
        millis.many.push(await many.readAfterWrite(pathOf(shapeOfMany, round)))
      }
      figures.push({ shape: `written-${name}`, ...millis })
    }
  } finally {
    await Promise.all([few.stop(), many.stop()])
  }
  return figures
}
