/**
 * `npm run bench -- imports [--lines 50000] [--kind people|life] [--rounds 1] [--reads 20] [PROGRAM…]`: imports into an empty
 * brand as users run them, the server and `lead-signals import` as processes of their own. `people` are lines of persons each of whom is new,
 * `life` some eight engagements a person. Meanwhile a client reads the first page, with so many milliseconds between two reads; 0 for none.
 * Prints the processor time of a line by thread, since rates depend on what else the machine does, and how far off the time left was that the
 * command printed. Programs are bundles of the server, measured in turn; without one the sources are.
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
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Data from "./Data.ts"
import { newObservation } from "./NewObservation.ts"
import { microsOfEnded } from "./ProcessorTime.ts"
import { bundlePrograms, operatorToken, startSubject } from "./Servers.ts"

const { positionals, values } = parseArgs({
  options: {
    lines: { type: "string", default: "50000" },
    kind: { type: "string", default: "people" },
    rounds: { type: "string", default: "1" },
    reads: { type: "string", default: "20" }
  },
  allowPositionals: true
})
const lines = Number(values.lines)
const folder = mkdtempSync(join(tmpdir(), "lead-signals-imports-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

/** The observations of brand one, in the order in which they were tracked. */
function* life(signalIds: ReadonlyArray<string>): Generator<unknown> {
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

const writeFile = (file: string, observations: Iterable<unknown>): number => {
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

const shares = (all: ReadonlyArray<number>): string => {
  const sorted = all.toSorted((a, b) => a - b)
  const [median, max, longest] = [0.5, 0.99, 1].map((part) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN).toFixed(1)
  )
  return `median ${median} ms, p99 ${max}, longest ${longest}`
}

/** Milliseconds that the serving thread has worked. */
const workedMillis = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6

/** A read's milliseconds, and those that the serving thread worked meanwhile: what the read would wait for on a machine of its own. */
interface Wait {
  readonly millis: number
  readonly worked: number
}

/** Reads of the first page until the signal aborts. */
const readMeanwhile = async (
  { pid, url }: { readonly pid: number; readonly url: string },
  key: string,
  stop: AbortSignal
): Promise<ReadonlyArray<Wait>> => {
  const waits: Array<Wait> = []
  while (Number(values.reads) > 0 && !stop.aborted) {
    const [startedAt, worked] = [performance.now(), workedMillis(pid)]
    await call(`${url}/signals/leads`, key)
    waits.push({ millis: performance.now() - startedAt, worked: workedMillis(pid) - worked })
    await new Promise((resume) => setTimeout(resume, Number(values.reads)))
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

const measure = async (program: string, round: number): Promise<void> => {
  const database = join(folder, `round-${round}.sqlite`)
  const server = await startSubject({ subject: program }, database)
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
    const count = writeFile(file, values.kind === "people" ? people(signalIds) : life(signalIds))
    const before = threadMicros(server.pid)
    const stop = new AbortController()
    const reading = readMeanwhile(server, key, stop.signal)
    const ran = await runImport(program, [file, "--brand", brand.id, "--url", server.url])
    stop.abort()
    const waits = await reading
    if (JSON.parse(ran.out).recorded !== count) throw new Error(ran.out)
    const used = [...threadMicros(server.pid)].map(
      ([thread, micros]) => [thread, (micros - (before.get(thread) ?? 0)) / count] as const
    )
    const serving = used.find(([thread]) => thread === String(server.pid))![1]
    const others = used.reduce((sum, [, micros]) => sum + micros, 0) - serving
    const off = ran.estimates.map(({ at: when, left: said }) => Math.abs(said - (ran.seconds - when)))
    process.stdout.write(
      [
        `${values.kind}, ${count} lines of ${(statSync(file).size / count).toFixed(0)} bytes: ${ran.seconds.toFixed(1)} s, ${(count / ran.seconds).toFixed(0)}/s`,
        `µs a line: serving thread ${serving.toFixed(0)}, other threads ${others.toFixed(0)}, command ${(ran.micros / count).toFixed(0)}`,
        `first page, ${waits.length} reads: ${shares(waits.map(({ millis }) => millis))}; the serving thread worked ${shares(waits.map(({ worked }) => worked))}`,
        `time left: ${off.length} times, off by ${off.map((each) => each.toFixed(0)).join(", ")} s\n`
      ].join("; ")
    )
  } finally {
    await server.stop()
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${database}${suffix}`, { force: true })
  }
}

const programs =
  positionals.length > 0 ? positionals.map((each) => resolve(each)) : [(await bundlePrograms()).subject]
for (let round = 0; round < Number(values.rounds); round++) {
  for (const program of programs) {
    if (programs.length > 1) process.stdout.write(`${program.split("/").at(-1)}: `)
    await measure(program, round)
  }
}
