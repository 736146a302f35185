/** From the start of the process to the first answer: built, on a file that is there; and from source, with the demo to fill. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sourceServer } from "../../scripts/bundle.mjs"
import type { Progress } from "./BulkLoad.ts"
import { databaseOf } from "./Files.ts"
import { get } from "./Load.ts"
import {
  commandOfServer,
  operatorToken,
  type Programs,
  start,
  startPlain,
  startSubject,
  type Server
} from "./Servers.ts"
import { keyOf } from "./SubjectDatabase.ts"

/** Seconds. */
const untilAnswer = async (begin: () => Promise<Server>, path: string, key: string): Promise<number> => {
  const startedAt = performance.now()
  const server = await begin()
  const { status } = await get({ url: server.url, key }, path)
  const seconds = (performance.now() - startedAt) / 1000
  await server.stop()
  if (status !== 200) throw new Error(`the first answer was ${status}`)
  return seconds
}

/** Milliseconds, a figure a round. */
export interface StartFigure {
  readonly subject: ReadonlyArray<number>
  readonly reference: ReadonlyArray<number>
}

/** Each round starts both servers once, in turn. */
export const measureStart = async (
  programs: Programs,
  leads: number,
  rounds: number,
  progress: Progress
): Promise<StartFigure> => {
  const subjectFile = await databaseOf("subject", leads, progress)
  const plainFile = await databaseOf("plain", leads, progress)
  const figures = { subject: [] as Array<number>, reference: [] as Array<number> }
  for (let round = 0; round < rounds; round++) {
    progress.say(`${leads.toLocaleString("en")} leads: start, round ${round + 1}`)
    const [path, key] = ["/signals/leads", keyOf(1)]
    figures.subject.push(await untilAnswer(() => startSubject(programs, subjectFile), path, key))
    figures.reference.push(await untilAnswer(() => startPlain(programs, plainFile), path, key))
  }
  return figures
}

/** As `npm start` does after its installation, with no bundle of the sources yet, in an empty folder. */
export const measureColdDemo = async (rounds: number, progress: Progress): Promise<ReadonlyArray<number>> => {
  const seconds: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    progress.say(`cold start of the demo, round ${round + 1}`)
    const folder = mkdtempSync(join(tmpdir(), "bench-"))
    rmSync(sourceServer, { force: true })
    try {
      seconds.push(
        await untilAnswer(
          () =>
            start([commandOfServer], {
              LEAD_SIGNALS_DATABASE: join(folder, "demo.sqlite"),
              LEAD_SIGNALS_LOG: "json",
              LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
            }),
          "/health/ready",
          ""
        )
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  return seconds
}
