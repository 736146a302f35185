/**
 * What a list takes when something was written just before: nothing that the server remembers of the state before helps it.
 * One request at a time over HTTP, after a lead was amended, which is in the time of neither.
 */
import type { Progress } from "./BulkLoad.ts"
import * as Data from "./Data.ts"
import { copyOf, databaseOf, removeDatabase } from "./Files.ts"
import { get } from "./Load.ts"
import { operatorToken, type Programs, startSubject } from "./Servers.ts"
import { shapesOf } from "./Shapes.ts"
import { keyOf } from "./SubjectDatabase.ts"

export interface AfterWriteFigure {
  readonly shape: string
  readonly leads: number
  readonly millis: ReadonlyArray<number>
}

const key = keyOf(1)
const writesBefore = 10

export const measureAfterWrites = async (
  programs: Programs,
  leads: number,
  rounds: number,
  wanted: (name: string) => boolean,
  progress: Progress
): Promise<ReadonlyArray<AfterWriteFigure>> => {
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
  const figures: Array<AfterWriteFigure> = []
  try {
    for (let i = 0; i < writesBefore; i++) await write()
    const lastPage = async (path: string): Promise<number> =>
      JSON.parse((await get({ url: server.url, key }, path)).text).meta.pagination.pageCount
    for (const { name, paths } of await shapesOf(leads, lastPage)) {
      if (!wanted(`written-${name}`)) continue
      progress.say(`${leads.toLocaleString("en")} leads: ${name}, after each write`)
      // The first may count what is put right from then on.
      await read(paths[0]!)
      const millis: Array<number> = []
      for (let round = 0; round < rounds; round++) {
        await write()
        millis.push(await read(paths[round % paths.length]!))
      }
      figures.push({ shape: name, leads, millis })
    }
  } finally {
    await server.stop()
    removeDatabase(file)
  }
  return figures
}
