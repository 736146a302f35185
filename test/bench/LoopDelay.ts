/**
 * How long the server keeps others waiting while it lists 25 leads with 20 engagements each and their detail, counts a
 * common search, takes in observations, erases people with thousands of engagements and brings an older file to its version:
 * the longest answer to a cheap request that is sent all the while. One client of each kind, so that what is seen is the
 * work of few requests and no queue of many.
 */
import Database from "better-sqlite3"
import { fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { freePort } from "../harness/FreePort.ts"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import type { Progress } from "./BulkLoad.ts"
import { copyOf, databaseOf, removeDatabase } from "./Files.ts"
import { type NewObservation, newObservation } from "./NewObservation.ts"
import { get } from "./Load.ts"
import { operatorToken, type Programs, startSubject } from "./Servers.ts"
import { quantile } from "./Statistics.ts"
import { keyOf } from "./SubjectDatabase.ts"
import { commonWord } from "./Words.ts"

/** Waits of the cheap request beside one kind of load, in milliseconds, a figure a round. */
export interface LoopFigure {
  readonly load: string
  readonly leads: number
  /** The maximum of each round. */
  readonly maxMillis: ReadonlyArray<number>
  readonly p99Millis: ReadonlyArray<number>
}

const list = "/signals/leads?includeEngagements=true&includeEngagementDetail=true&pageSize=25"
const search = `/signals/leads?search=${commonWord.toLowerCase()}`

interface LoadOfLoop {
  readonly load: string
  /** What each does again and again. */
  readonly clients: ReadonlyArray<() => Promise<void>>
  /** Before each round. */
  readonly prepare?: () => Promise<void>
}

/** The number of engagements of each erased person. */
const erasedEngagements = 4000

/** The first is not measured. */
const erasuresARound = 3

/** Sends requests to a server from a process of its own until it gets the command to end; then reports how long the answers took. */
export const startProber = (url: string): (() => Promise<ReadonlyArray<number>>) => {
  const prober = fork(fileURLToPath(new URL("Prober.mjs", import.meta.url)), [url], { execArgv: [] })
  return async () => {
    prober.send({})
    const [{ millis }] = (await once(prober, "message")) as [{ millis: ReadonlyArray<number> }]
    return millis
  }
}

/** What is done at a time does not depend on how many leads there are; a million would take minutes a round. */
const upgradedLeads = 10_000
/** From here on the text indexes and the rank buckets are rebuilt, which is most of the work. */
const olderVersion = 9

/** How long the answers took while a server brought an older file to its version. */
const answersBesideUpgrade = async (
  programs: Programs,
  progress: Progress
): Promise<ReadonlyArray<number>> => {
  const file = copyOf(await databaseOf("subject", upgradedLeads, progress))
  try {
    const db = new Database(file)
    takeBackTo(db, olderVersion)
    db.close()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const starting = startSubject(programs, file, port)
    while ((await fetch(`${url}/health`).catch(() => null)) === null) await sleep(10)
    const end = startProber(url)
    const server = await starting
    const millis = await end()
    await server.stop()
    if (millis.length === 0) throw new Error("the upgrade ended before the first request")
    return millis
  } finally {
    removeDatabase(file)
  }
}

/** Over a copy of the file, because some loads erase and migrate. */
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
  const operator = async (method: "POST" | "DELETE", path: string, body?: object): Promise<string> => {
    const response = await fetch(`${server.url}/operator/brands/1/${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text.slice(0, 200))
    return text
  }
  /** The ids of the leads. */
  const record = async (observations: ReadonlyArray<NewObservation>): Promise<ReadonlyArray<number>> => {
    const text = await operator("POST", "observations", { observations })
    const { data } = JSON.parse(text) as { data: ReadonlyArray<{ outcome: string; leadId: number }> }
    if (data.some(({ outcome }) => outcome !== "recorded")) throw new Error(text.slice(0, 200))
    return data.map(({ leadId }) => leadId)
  }
  const observations = (length: number) => Array.from({ length }, () => newObservation(number++, "1"))
  const observe = async (length: number): Promise<void> => void (await record(observations(length)))
  const greatlyEngaged: Array<number> = []
  const prepareErasures = async (): Promise<void> => {
    while (greatlyEngaged.length < erasuresARound) {
      const { person } = newObservation(number, "1")
      let id = 0
      for (let done = 0; done < erasedEngagements; done += 500) {
        ;[id] = (await record(observations(500).map((each) => ({ ...each, person })))) as [number]
      }
      greatlyEngaged.push(id)
    }
  }
  const erase = async (): Promise<void> => {
    const id = greatlyEngaged.pop()
    if (id === undefined) await new Promise((resolve) => setTimeout(resolve, 50))
    else await operator("DELETE", `leads/${id}`)
  }
  const loads: ReadonlyArray<LoadOfLoop> = [
    { load: "idle", clients: [] },
    { load: "lists with detail", clients: [read(list)] },
    { load: "common search", clients: [read(search)] },
    { load: "observations one by one", clients: [() => observe(1)] },
    { load: "observations by 500", clients: [() => observe(500)] },
    { load: "erasures", clients: [erase], prepare: prepareErasures },
    { load: "mixed", clients: [read(list), read(search), () => observe(1), () => observe(500)] }
  ]
  /** How long requests took that were sent while these clients were busy. */
  const answersBeside = async (
    clients: ReadonlyArray<() => Promise<void>>
  ): Promise<ReadonlyArray<number>> => {
    const over = new AbortController()
    for (const client of clients) await client()
    const end = startProber(server.url)
    const busy = clients.map(async (client) => {
      while (!over.signal.aborted) await client()
    })
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    const millis = await end()
    over.abort()
    await Promise.all(busy)
    return millis
  }
  const figureOf = async (
    load: string,
    leads: number,
    answers: () => Promise<ReadonlyArray<number>>
  ): Promise<LoopFigure> => {
    const [maxMillis, p99Millis]: [Array<number>, Array<number>] = [[], []]
    for (let round = 1; round <= rounds; round++) {
      progress.say(`${leads.toLocaleString("en")} leads: event loop, ${load}, round ${round}`)
      const millis = await answers()
      maxMillis.push(Math.max(...millis))
      p99Millis.push(quantile(millis, 0.99))
    }
    return { load, leads, maxMillis, p99Millis }
  }
  const figures: Array<LoopFigure> = []
  try {
    for (const { clients, load, prepare } of loads) {
      const answers = async () => {
        await prepare?.()
        return answersBeside(clients)
      }
      figures.push(await figureOf(load, leads, answers))
    }
  } finally {
    await server.stop()
    removeDatabase(file)
  }
  figures.push(
    await figureOf(`upgrade of ${upgradedLeads}`, upgradedLeads, () =>
      answersBesideUpgrade(programs, progress)
    )
  )
  return figures
}
