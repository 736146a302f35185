/**
 * Imports into an empty brand as users run them, the server and `lead-signals import` as processes of their own. Meanwhile a client reads the
 * first page. Processor time of a line by thread, since rates depend on what else the machine does, and how far off the time left was that
 * the command printed.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Progress } from "./BulkLoad.ts"
import * as Data from "./Data.ts"
import { newObservation } from "./NewObservation.ts"
import { microsOfEnded } from "./ProcessorTime.ts"
import { limited, type Section } from "./Report.ts"
import { operatorToken, startSubject } from "./Servers.ts"
import { quantile } from "./Statistics.ts"

/** What is imported, and what is read meanwhile. */
export interface ImportOptions {
  readonly lines: number
  /** `people`: persons each of whom is new; `life`: some eight engagements a person. */
  readonly kind: "people" | "life"
  /** Milliseconds between two reads of the first page; 0 for none. */
  readonly readEveryMillis: number
}

/** The observations of brand one, in the order in which they were tracked. */
function* life(lines: number, signalIds: ReadonlyArray<string>): Generator<unknown> {
  const timeline = Data.timeline(Math.ceil(lines / 8))
  for (const { brandId, emittedAt, leadId, post, signalId, trackedAt, ...engagement } of Data.engagementFacts(
    timeline
  )) {
    if (brandId !== 1) continue
    const { company, firstName: _first, lastName: _last, ...person } = Data.personOf(leadId)
    yield {
      signalId: signalIds[signalId - 1],
      person: { ...person, company: Data.companies[company] },
      engagement: {
        id: engagement.id,
        type: engagement.type,
        reactionType: engagement.reactionType,
        commentText: engagement.commentText,
        postUrl: post.url,
        postContent: post.content,
        postPostedAt: new Date(post.postedAt).toISOString(),
        postAuthor: post.authorName,
        postAuthorDetail: post.author,
        emittedAt: new Date(emittedAt).toISOString(),
        trackedAt: new Date(trackedAt).toISOString()
      }
    }
  }
}

function* people(signalIds: ReadonlyArray<string>): Generator<unknown> {
  for (let n = 0; ; n++) yield newObservation(n, signalIds[n % 3]!)
}

const writeFile = (file: string, lines: number, observations: Iterable<unknown>): number => {
  const fd = openSync(file, "w")
  let count = 0
  let text = ""
  for (const observation of observations) {
    text += `${JSON.stringify(observation)}\n`
    if (text.length > 1 << 20) {
      writeSync(fd, text)
      text = ""
    }
    if (++count === lines) break
  }
  writeSync(fd, text)
  closeSync(fd)
  return count
}

const tickMicros = 10_000

/** Microseconds of each thread of the process. */
const threadMicros = (pid: number): ReadonlyMap<string, number> =>
  new Map(
    readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      try {
        const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")
        const fields = stat.split(") ").at(-1)!.split(" ").map(Number)
        return [[thread, (fields[11]! + fields[12]!) * tickMicros] as const]
      } catch {
        return []
      }
    })
  )

const call = async (url: string, token: string, json?: unknown): Promise<any> => {
  const response = await fetch(url, {
    method: json === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { body: JSON.stringify(json) })
  })
  return response.json()
}

/** Milliseconds that the serving thread has worked. */
const workedMillis = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6

/** A read's milliseconds, and those that the serving thread worked meanwhile: what the read would wait for on a machine of its own. */
interface Wait {
  readonly millis: number
  readonly worked: number
}

/** Reads of the first page until the signal aborts, with so many milliseconds between two. */
const readMeanwhile = async (
  { pid, url }: { readonly pid: number; readonly url: string },
  key: string,
  everyMillis: number,
  stop: AbortSignal
): Promise<ReadonlyArray<Wait>> => {
  const waits: Array<Wait> = []
  if (everyMillis === 0) return waits
  while (!stop.aborted) {
    const [startedAt, worked] = [performance.now(), workedMillis(pid)]
    await call(`${url}/signals/leads`, key)
    waits.push({ millis: performance.now() - startedAt, worked: workedMillis(pid) - worked })
    await new Promise((resume) => setTimeout(resume, everyMillis))
  }
  return waits
}

const left = /(?:(\d+) min )?(\d+) s left/

/** Runs the import. Answers what it printed as JSON, its seconds, its processor time, and each time left that it printed with when. */
const runImport = async (program: string, args: ReadonlyArray<string>) => {
  const usedBefore = microsOfEnded(process.pid)
  const startedAt = performance.now()
  const seconds = (): number => (performance.now() - startedAt) / 1000
  const child = spawn(process.execPath, [program, "import", ...args, "--json"], {
    env: { ...process.env, LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const estimates: Array<{ readonly at: number; readonly left: number }> = []
  let out = ""
  child.stdout.on("data", (chunk) => (out += chunk))
  child.stderr.on("data", (chunk) => {
    const found = left.exec(String(chunk))
    if (found !== null) estimates.push({ at: seconds(), left: Number(found[1] ?? 0) * 60 + Number(found[2]) })
  })
  await once(child, "close")
  return { out, seconds: seconds(), micros: microsOfEnded(process.pid) - usedBefore, estimates }
}

/** What one import took, of `count` lines. */
export interface ImportFigure {
  readonly count: number
  readonly bytesOfLine: number
  readonly seconds: number
  /** Microseconds of processor time of a line. */
  readonly micros: { readonly serving: number; readonly otherThreads: number; readonly command: number }
  readonly waits: ReadonlyArray<Wait>
  /** Each time left that the command printed: by how many seconds it was wrong. */
  readonly secondsOff: ReadonlyArray<number>
}

/** Imports into an empty brand of a new file; `program` is a bundle of the server. */
export const measureImport = async (
  program: string,
  { kind, lines, readEveryMillis }: ImportOptions,
  progress: Progress
): Promise<ImportFigure> => {
  const folder = mkdtempSync(join(tmpdir(), "lead-signals-imports-"))
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
  process.once("exit", removeFolder)
  const server = await startSubject({ subject: program }, join(folder, "import.sqlite"))
  try {
    const brand = (await call(`${server.url}/operator/brands`, operatorToken, { name: "B" })).data
    const at = `${server.url}/operator/brands/${brand.id}`
    const { key } = (await call(`${at}/keys`, operatorToken, { label: "k", requestsPerMinute: 1_000_000 }))
      .data
    const source = { type: "posts-with-keywords", value: "v" }
    const signalIds: Array<string> = []
    for (let i = 0; i < Data.signalsOfBrand; i++) {
      const signal = await call(`${at}/signals`, operatorToken, { name: `S${i}`, signalType: "t", source })
      signalIds.push(signal.data.id)
    }
    const file = join(folder, "observations.jsonl")
    progress.say(`import: writing ${lines.toLocaleString("en")} lines`)
    const observations = kind === "people" ? people(signalIds) : life(lines, signalIds)
    const count = writeFile(file, lines, observations)
    // The server has closed connections meanwhile: they are not used again once the process has noticed.
    await new Promise((resume) => setTimeout(resume, 100))
    progress.say(`import: ${lines.toLocaleString("en")} lines`)
    const before = threadMicros(server.pid)
    const stop = new AbortController()
    const reading = readMeanwhile(server, key, readEveryMillis, stop.signal)
    const ran = await runImport(program, [file, "--brand", brand.id, "--url", server.url])
    stop.abort()
    const waits = await reading
    if (JSON.parse(ran.out).recorded !== count) throw new Error(ran.out)
    const used = [...threadMicros(server.pid)].map(
      ([thread, micros]) => [thread, (micros - (before.get(thread) ?? 0)) / count] as const
    )
    const serving = used.find(([thread]) => thread === String(server.pid))![1]
    const otherThreads = used.reduce((sum, [, micros]) => sum + micros, 0) - serving
    return {
      count,
      bytesOfLine: statSync(file).size / count,
      seconds: ran.seconds,
      micros: { serving, otherThreads, command: ran.micros / count },
      waits,
      secondsOff: ran.estimates.map(({ at: when, left: said }) => Math.abs(said - (ran.seconds - when)))
    }
  } finally {
    await server.stop()
    removeFolder()
  }
}

/** At most, of a million lines. */
const importSeconds = 240
const firstPageMillis = 50
const percentOff = 10

/** The figures as lines of the report. The target is stated for 1,000,000 lines alone. */
export const importSection = ({ count, micros, seconds, secondsOff, waits }: ImportFigure): Section => {
  const millis = waits.map((wait) => wait.millis)
  return {
    title: `Import of ${count.toLocaleString("en")} lines into an empty brand`,
    note: `One import by \`lead-signals import\`, the server and the command as processes of their own, each line a person who is new: seconds; microseconds of processor time of a line, of the server and of the command; milliseconds of a read of the first page meanwhile, median and 99 % of ${waits.length.toLocaleString("en")}, and how long the serving thread worked during 99 % of them; and by how many percent of the whole time each time left was wrong that the command printed.`,
    lines: [
      limited("import-seconds", count, [seconds], count === 1_000_000 ? importSeconds : null),
      limited("import-cpu-server", count, [micros.serving + micros.otherThreads], null),
      limited("import-cpu-command", count, [micros.command], null),
      limited("import-first-page-p50", count, [quantile(millis, 0.5)], null),
      limited("import-first-page-p99", count, [quantile(millis, 0.99)], firstPageMillis),
      limited(
        "import-first-page-worked-p99",
        count,
        [
          quantile(
            waits.map(({ worked }) => worked),
            0.99
          )
        ],
        null
      ),
      ...(secondsOff.length === 0
        ? []
        : [
            limited(
              "import-time-left-off",
              count,
              secondsOff.map((off) => (100 * off) / seconds),
              percentOff
            )
          ])
    ]
  }
}
