/**
 * `npm run bench -- lead-lists [--leads 1000000] [--every 1] [--bound 60]`: processor time of the server, with all its threads, for the lists
 * of leads that the console can ask for: what is typed letter by letter, with each filter, window, order and page size. A lead is recorded
 * before each request, so that nothing is answered by what the server has kept. Prints a line for each text and filter, over all
 * orders and pages, and how many lists took more than the bound. `--every 7` takes one list in seven;
 * `--program` measures another build of the server, and `--file` over a file that is there, to which it writes.
 */
import { parseArgs } from "node:util"
import { endsAt } from "./Data.ts"
import { recordNew } from "./ConsoleLive.ts"
import { copyOf, databaseOf, removeDatabase } from "./Files.ts"
import { get } from "./Load.ts"
import { newObservation } from "./NewObservation.ts"
import { preciseMillisOf } from "./ProcessorTime.ts"
import { bundlePrograms, operatorToken, startSubject } from "./Servers.ts"
import { median, quantile } from "./Statistics.ts"
import * as Words from "./Words.ts"

const { values } = parseArgs({
  options: {
    leads: { type: "string", default: "1000000" },
    every: { type: "string", default: "1" },
    bound: { type: "string", default: "60" },
    program: { type: "string" },
    file: { type: "string" }
  }
})
const leads = Number(values.leads)
const bound = Number(values.bound)

const millisPerDay = 86_400_000
const before = (days: number): string => new Date(endsAt - days * millisPerDay).toISOString()

const texts = ["", "e", "a", "ö", "en", "an", "eng", "engi", "engineer", Words.lastNames[11]!, Words.rareWord]

const filters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  none: {},
  qualified: { qualified: "true" },
  "not qualified": { qualified: "false" },
  "three flags": { qualified: "true", exported: "false", isEmployee: "false" },
  signal: { signalId: "1" },
  "rare signal": { signalId: "20" },
  "created, a day": { createdAfter: before(1) },
  "created, 90 days": { createdAfter: before(90) },
  "created, most": { createdAfter: before(700) },
  "created, a year between": { createdAfter: before(500), createdBefore: before(135) },
  "updated, 90 days": { updatedAfter: before(90) },
  "updated, most": { updatedAfter: before(700) },
  "both windows": { createdAfter: before(600), updatedAfter: before(200) },
  "window and flag": { createdAfter: before(600), qualified: "true" },
  "window and signal": { updatedAfter: before(600), signalId: "1" },
  all: { createdAfter: before(600), updatedAfter: before(500), signalId: "1", qualified: "false" }
}

const sorts = ["createdAt", "updatedAt", "name", "score1"].flatMap((field) => [
  `${field}:desc`,
  `${field}:asc`
])

const pages = [
  { pageSize: "25", page: "1" },
  { pageSize: "100", page: "1" },
  { pageSize: "25", page: "200" }
]

const programs = values.program === undefined ? await bundlePrograms() : { subject: values.program }
const say = (text: string): void => void process.stderr.write(`${text}\n`)
const file = values.file ?? copyOf(await databaseOf("subject", leads, { say }))
const server = await startSubject(programs, file)
const client = { url: server.url, key: operatorToken }
let written = 0

const measured = async (parameters: Readonly<Record<string, string>>): Promise<number> => {
  written += 1
  await recordNew(server.url, [newObservation(written, "1")])
  const startedAt = preciseMillisOf(server.pid)
  await get(client, `/operator/brands/1/leads?${new URLSearchParams(parameters).toString()}`)
  return preciseMillisOf(server.pid) - startedAt
}

/** A search brings its brand into memory when it takes long; until then the file answers. */
const untilInMemory = async (): Promise<void> => {
  const startedAt = performance.now()
  const workedBefore = preciseMillisOf(server.pid)
  await measured({ search: "engi", isEmployee: "true", sort: "name:desc" })
  for (let last = -1; ;) {
    const worked = preciseMillisOf(server.pid)
    if (worked - last < 20 || performance.now() - startedAt > 300_000) break
    last = worked
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  const millis = preciseMillisOf(server.pid) - workedBefore
  process.stdout.write(`in memory after ${(millis / 1000).toFixed(1)} s of processor time\n`)
}

try {
  await untilInMemory()
  const all: Array<number> = []
  let [listed, over] = [0, 0]
  process.stdout.write(
    "| text | filter | median | 95 % | most | the most for |\n| --- | --- | ---: | ---: | ---: | --- |\n"
  )
  for (const search of texts) {
    for (const [name, filter] of Object.entries(filters)) {
      const millis: Array<number> = []
      let most = [0, ""] as readonly [number, string]
      for (const sort of sorts) {
        for (const page of pages) {
          if (listed++ % Number(values.every) !== 0) continue
          const used = await measured({ ...filter, ...page, sort, ...(search === "" ? {} : { search }) })
          millis.push(used)
          if (used > most[0]) most = [used, `${sort}, ${page.pageSize} rows, page ${page.page}`]
        }
      }
      if (millis.length === 0) continue
      all.push(...millis)
      over += millis.filter((each) => each > bound).length
      const figures = [median(millis), quantile(millis, 0.95), most[0]].map((each) => each.toFixed(1))
      process.stdout.write(
        `| ${search === "" ? "–" : search} | ${name} | ${figures.join(" | ")} | ${most[1]} |\n`
      )
    }
  }
  const figures = [median(all), quantile(all, 0.95), quantile(all, 0.99), Math.max(...all)]
  process.stdout.write(
    `${all.length} lists: median ${figures[0]!.toFixed(1)}, 95 % ${figures[1]!.toFixed(1)}, 99 % ${figures[2]!.toFixed(1)}, most ${figures[3]!.toFixed(1)} ms; ${over} above ${bound} ms\n`
  )
} finally {
  await server.stop()
  if (values.file === undefined) removeDatabase(file)
}
