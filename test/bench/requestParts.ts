/**
 * `npm run bench -- request-parts`: processor time of a request at the server, at the reference, at the floor of the shape and at a bare
 * node:http that sends the same bytes, in turn; and by a profile of the server, what of it each part of the program takes. Time counts
 * for the part whose code ran: that of fibers is Effect's, whatever step they run.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { SourceMap, type SourceMapPayload } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { databaseOf } from "./Files.ts"
import { get, measureBare } from "./Load.ts"
import { preciseMillisOf } from "./ProcessorTime.ts"
import {
  bundleFloor,
  bundlePrograms,
  type Floor,
  type Server,
  startBare,
  startFloor,
  startPlain,
  startSubject
} from "./Servers.ts"
import { pathOf, pathsOf, type Shape } from "./Shape.ts"
import { shapesOf } from "./Shapes.ts"
import { formatted, median } from "./Statistics.ts"
import { keyOf } from "./SubjectDatabase.ts"

const { values } = parseArgs({
  options: {
    leads: { type: "string", default: "10000" },
    shape: { type: "string", default: "first-page,detail,random-detail" },
    seconds: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" }
  }
})
const [leads, seconds, rounds] = [values.leads, values.seconds, values.rounds].map(Number) as [
  number,
  number,
  number
]
/** Until all of its code is compiled. */
const warmUpSeconds = 4
const key = keyOf(1)
const say = (text: string): void => void process.stderr.write(`${text}\n`)

const floors: Readonly<Record<string, Floor>> = {
  "random-page": "PagesAlone",
  "random-detail": "DetailsAlone"
}

/** What a source belongs to: the first part whose pattern is in its path, or in the name of a function of Node's own. */
const parts: ReadonlyArray<readonly [part: string, sources: RegExp]> = [
  [
    "sending the answer",
    /^(?:writev|writeUtf8String|writeLatin1String|writeBuffer)$|stream_base_commons|ResponseBatcher|UnreadBody/
  ],
  ["freeing memory", /^\(garbage collector\)$/],
  ["SQLite", /better-sqlite3|connection\/DriverConnection|SharedSnapshot|BusyRetry/],
  [
    "key: its form, its hash, its row",
    /noble|node:internal\/encoding|KeyFormat|usecases\/Keys|Authentication|KeyStore|ClientAddress|DirectoryRows/
  ],
  ["limit of the key", /RateLimit|RateWindows/],
  ["log and audit", /server\/src\/Log|http\/src\/(?:LogLine|RequestLog|KeyReads)/],
  ["metrics", /telemetry|effect\/src\/internal\/metric|perf\/performance|^now$/],
  ["id of the request", /http\/src\/(?:Entropy|RequestRecord)|encoding\/base64|internal\/crypto/],
  ["Effect: fibers and their steps", /\/effect\/src\//],
  ["target, route and query", /http\/src\/(?:Target|Routes|FastPath|Respond)|domain\/src\/queries/],
  [
    "rows, views and JSON",
    /sql-rows|domain\/src\/(?:views|model)|store-sqlite\/src\/rows|http\/src\/(?:EncodedBodyCache|endpoints)/
  ],
  ["caches and plans of the store", /store-sqlite/],
  ["Node: sockets, HTTP, timers", /^node:/],
  ["listener and headers", /http\/src/]
]
const otherPart = "other"

interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

interface Profile {
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly callFrame: Frame }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

/** Seconds from the beginning and to the end of the load, before the end of the profile. */
interface Span {
  readonly from: number
  readonly to: number
}

/** The share of each part in the work of that time. */
const sharesIn = (profile: Profile, map: SourceMap, { from, to }: Span): ReadonlyMap<string, number> => {
  const partOf = new Map(
    profile.nodes.map(({ callFrame, id }) => {
      const { columnNumber, functionName, lineNumber, url } = callFrame
      const entry = url.endsWith(".mjs") ? map.findEntry(lineNumber, columnNumber) : null
      const original = entry !== null && "originalSource" in entry ? String(entry.originalSource) : url
      const source = original === "" ? functionName : original
      return [id, parts.find(([, sources]) => sources.test(source))?.[0] ?? otherPart] as const
    })
  )
  const idle = new Set(
    profile.nodes
      .filter(({ callFrame }) => /^\((?:idle|program|root)\)$/.test(callFrame.functionName))
      .map(({ id }) => id)
  )
  const shares = new Map<string, number>()
  let sum = 0
  let before = 0
  for (let i = profile.samples.length - 1; i >= 0 && before < from * 1e6; i--) {
    const [node, micros] = [profile.samples[i]!, profile.timeDeltas[i]!]
    before += micros
    if (before < to * 1e6 || idle.has(node)) continue
    sum += micros
    const part = partOf.get(node)!
    shares.set(part, (shares.get(part) ?? 0) + micros)
  }
  return new Map(Array.from(shares, ([part, micros]) => [part, micros / sum]))
}

/** The bundle's source map, and the largest profile, which is that of the serving thread. */
const profiled = (folder: string, program: string, span: Span): ReadonlyMap<string, number> => {
  const files = readdirSync(folder).map((name) => join(folder, name))
  const largest = files.toSorted((a, b) => statSync(b).size - statSync(a).size)[0]!
  const map = new SourceMap(JSON.parse(readFileSync(`${program}.map`, "utf8")) as SourceMapPayload)
  return sharesIn(JSON.parse(readFileSync(largest, "utf8")) as Profile, map, span)
}

const headersLike = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(([name]) => !["date", "connection", "keep-alive", "transfer-encoding"].includes(name))
  )

const microsOf = async ({ pid, url }: Server, shape: Shape, first: number, time: number): Promise<number> => {
  const before = preciseMillisOf(pid)
  const millis: Array<number> = []
  await measureBare({ url, key, paths: pathsOf(shape, first) }, time, millis)
  return ((preciseMillisOf(pid) - before) * 1000) / millis.length
}

const programs = await bundlePrograms()
const files = {
  subject: await databaseOf("subject", leads, { say }),
  plain: await databaseOf("plain", leads, { say })
}
const subject = await startSubject(programs, files.subject)
const plain = await startPlain(programs, files.plain)
const wanted = values.shape.split(",")
const shapes = (await shapesOf(leads, { url: subject.url, key })).filter(({ name }) => wanted.includes(name))
for (const shape of shapes) {
  const answer = await get({ url: subject.url, key }, pathOf(shape, 0))
  const floor = floors[shape.name]
  const servers: ReadonlyArray<readonly [string, Server]> = [
    ["server", subject],
    ["reference", plain],
    ...(floor === undefined
      ? []
      : [[`floor (${floor})`, await startFloor(await bundleFloor(floor), files.subject)] as const]),
    ["bare node:http", await startBare(answer.text, headersLike(answer.headers))]
  ]
  const micros = new Map(servers.map(([name]) => [name, [] as Array<number>]))
  for (const [, server] of servers) await microsOf(server, shape, 0, warmUpSeconds)
  for (let round = 1; round <= rounds; round++) {
    for (const [name, server] of servers)
      micros.get(name)!.push(await microsOf(server, shape, round * 1_000_000, seconds))
  }
  for (const [, server] of servers.slice(2)) await server.stop()
  const folder = mkdtempSync(join(tmpdir(), "lead-signals-profile-"))
  try {
    process.env["BENCH_NODE_OPTIONS"] = `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=200`
    const server = await startSubject(programs, files.subject)
    await microsOf(server, shape, 0, warmUpSeconds)
    await microsOf(server, shape, 1_000_000, seconds)
    const endedAt = performance.now()
    await server.stop()
    const to = (performance.now() - endedAt) / 1000
    const shares = profiled(folder, programs.subject, { from: to + seconds, to })
    const whole = median(micros.get("server")!)
    process.stdout.write(
      `\n${shape.name}, ${leads.toLocaleString("en")} leads, µs of processor time a request\n`
    )
    for (const [name] of servers)
      process.stdout.write(`${name.padEnd(36)}${formatted(median(micros.get(name)!)).padStart(6)}\n`)
    process.stdout.write("of the server:\n")
    for (const [part, share] of [...shares].toSorted(([, a], [, b]) => b - a))
      process.stdout.write(`  ${part.padEnd(34)}${(share * whole).toFixed(1).padStart(6)}\n`)
  } finally {
    delete process.env["BENCH_NODE_OPTIONS"]
    rmSync(folder, { recursive: true, force: true })
  }
}
await Promise.all([subject.stop(), plain.stop()])
