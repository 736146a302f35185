/**
 * How long the server keeps others waiting while it lists 25 leads with 20 engagements each and their detail, counts a
 * common search and takes in observations: the longest answer to a cheap question that is asked all the while. One client
 * of each kind, so that what is seen is the work of few requests and no queue of many.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Progress } from "./BulkLoad.ts"
import { copyOf, databaseOf, removeDatabase } from "./Files.ts"
import { newObservation } from "./Ingest.ts"
import { get } from "./Load.ts"
import { operatorToken, type Programs, startSubject } from "./Servers.ts"
import { quantile } from "./Statistics.ts"
import { keyOf } from "./SubjectDatabase.ts"
import { commonWord } from "./Words.ts"

export interface LoopFigure {
  readonly load: string
  readonly leads: number
  /** Of each round. */
  readonly longestMillis: ReadonlyArray<number>
  readonly p99Millis: ReadonlyArray<number>
}

const list = "/signals/leads?includeEngagements=true&includeEngagementDetail=true&pageSize=25"
const search = `/signals/leads?search=${commonWord.toLowerCase()}`

export const measureLoopDelay = async (
  programs: Programs,
  leads: number,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
  progress: Progress
): Promise<ReadonlyArray<LoopFigure>> => {
  const file = copyOf(await databaseOf("subject", leads, progress))
  const server = await startSubject(programs, file)
  const key = keyOf(1)
  let number = 0
  const read = (path: string) => async (): Promise<void> => {
    const { status } = await get({ url: server.url, key }, path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
  }
  const observe = async (length: number): Promise<void> => {
    const observations = Array.from({ length }, () => newObservation(number++, "1"))
    const response = await fetch(`${server.url}/operator/brands/1/observations`, {
      method: "POST",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      body: JSON.stringify({ observations })
    })
    const text = await response.text()
    if (response.status !== 200 || !text.includes('"recorded"')) throw new Error(text.slice(0, 200))
  }
  const loads: ReadonlyArray<readonly [string, ReadonlyArray<() => Promise<void>>]> = [
    ["idle", []],
    ["lists with detail", [read(list)]],
    ["common search", [read(search)]],
    ["observations one by one", [() => observe(1)]],
    ["observations by 500", [() => observe(500)]],
    ["mixed", [read(list), read(search), () => observe(1), () => observe(500)]]
  ]
  /** How long the answers took that were asked for while these clients were busy. */
  const answersBeside = async (
    clients: ReadonlyArray<() => Promise<void>>
  ): Promise<ReadonlyArray<number>> => {
    const over = new AbortController()
    for (const client of clients) await client()
    const prober = fork(fileURLToPath(new URL("Prober.mjs", import.meta.url)), [server.url], { execArgv: [] })
    const busy = clients.map(async (client) => {
      while (!over.signal.aborted) await client()
    })
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    prober.send({})
    const [{ millis }] = (await once(prober, "message")) as [{ millis: ReadonlyArray<number> }]
    over.abort()
    await Promise.all(busy)
    return millis
  }
  const figures: Array<LoopFigure> = []
  try {
    for (const [load, clients] of loads) {
      const [longestMillis, p99Millis]: [Array<number>, Array<number>] = [[], []]
      for (let round = 1; round <= rounds; round++) {
        progress.say(`${leads.toLocaleString("en")} leads: event loop, ${load}, round ${round}`)
        const millis = await answersBeside(clients)
        longestMillis.push(Math.max(...millis))
        p99Millis.push(quantile(millis, 0.99))
      }
      figures.push({ load, leads, longestMillis, p99Millis })
    }
  } finally {
    await server.stop()
    removeDatabase(file)
  }
  return figures
}
