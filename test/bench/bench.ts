/** `npm run bench`: runs every measurement in one process. `--help` lists the options. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Progress } from "./BulkLoad.ts"
import { measureAblations } from "./Ablate.ts"
import { againstAsJson, againstAsMarkdown, againstAsText, measureAgainst, verdictOf } from "./Against.ts"
import { measureConsole } from "./ConsoleInteractions.ts"
import { copyOf, databaseOf, readThrough } from "./Files.ts"
import { type Ablated, ablationsAsJson, ablationsAsMarkdown, ablationsAsText } from "./AblationReport.ts"
import { measureAfterWrites } from "./AfterWrites.ts"
import { drawnSection, drawnShapes, measureDrawn } from "./DrawnRequests.ts"
import { importSection, measureImport } from "./MeasuredImport.ts"
import { measureFlatness } from "./Flatness.ts"
import { measureLoopDelay } from "./LoopDelay.ts"
import { machine as machineFacts, watchStolenTime } from "./Machine.ts"
import { measureMemory } from "./Memory.ts"
import { help, type Options, readOptions, UsageError } from "./Options.ts"
import { type BareReading, fileServers, measureReading, type Reading } from "./Reading.ts"
import {
  afterWriteSection,
  asMarkdown,
  asText,
  bareSection,
  flatnessSection,
  limited,
  orderedSection,
  readingSections,
  type Section,
  slowdown
} from "./Report.ts"
import { type Measurement, measurements } from "./Measurements.ts"
import { measureOnPostgres } from "./postgres/Measure.ts"
import { deliverySections, ingestSections } from "./WriteSections.ts"
import { bundlePrograms, importBuilt } from "./Servers.ts"
import { measureColdDemo, measureStart } from "./StartUp.ts"

const startedAt = performance.now()
const progress: Progress = {
  say: (text) => {
    const said = `${((performance.now() - startedAt) / 60_000).toFixed(1)} min: ${text}`
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${said}` : `${said}\n`)
  }
}

/** Ends the process where the error is one of how it was called. */
const refuse = (error: unknown): never => {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  return process.exit(2)
}

const parse = (): Options | null => {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    return refuse(error)
  }
}

const otherThanReading = /^(?:written|ingest|deliveries|start|memory|loop|drawn|import)/

const isolationSlowdown = 1.5
const startSeconds = 1
const coldDemoSeconds = 5
const memoryBytes = 2048
const blockedMillis = 50

const measureAll = async ({ isConsole, leads, quick, shapes }: Options): Promise<ReadonlyArray<Section>> => {
  const wanted = (name: string): boolean =>
    shapes === null || shapes.some((shape) => name === shape || name.startsWith(`${shape}-`))
  const pace = quick
    ? { rounds: 2, seconds: 0.4, warmUpSeconds: 0.1 }
    : { rounds: 3, seconds: 0.8, warmUpSeconds: 0.3 }
  const rounds = quick ? 1 : 3
  const [smallest, largest] = [leads[0]!, leads.at(-1)!]
  const programs = await bundlePrograms()
  const sections: Array<Section> = []
  try {
    if (isConsole) {
      const parts = { pages: wanted("pages"), live: wanted("live") }
      const consolePace = { parts, rounds: quick ? 3 : 20, liveSeconds: quick ? 15 : 60 }
      for (const size of leads)
        sections.push(...(await measureConsole(programs, size, consolePace, progress)))
      return sections
    }
    const readings: Array<Reading> = []
    const bareReadings: Array<BareReading> = []
    // Servers over a large file are not started for what does not read from them.
    const reads = shapes === null || shapes.some((shape) => !otherThanReading.test(shape))
    for (const size of reads ? leads : []) {
      const servers = await fileServers(programs, size, progress)
      for (const kind of ["subject", "plain"] as const)
        await readThrough(await databaseOf(kind, size, progress))
      const measured = await measureReading({ servers, leads: size, pace, wanted, progress })
      readings.push(...measured.readings)
      bareReadings.push(...measured.bareReadings)
    }
    sections.push(...readingSections(readings))
    if (bareReadings.length > 0) sections.push(bareSection(bareReadings))
    const sizes = { few: smallest, many: largest }
    const isOneSize = smallest === largest
    if (reads && !isOneSize) {
      const flatnessPace = quick ? { rounds: 4, seconds: 0.2 } : { rounds: 4, seconds: 0.3 }
      const figures = await measureFlatness(programs, sizes, flatnessPace, wanted, progress)
      sections.push(flatnessSection(sizes, figures))
    }
    if (!isOneSize && (shapes === null || shapes.some((shape) => shape.startsWith("written")))) {
      const figures = await measureAfterWrites(programs, sizes, quick ? 5 : 25, wanted, progress)
      sections.push(afterWriteSection(sizes, figures))
    }
    const drawn = drawnShapes.filter((name) => wanted(`drawn-${name}`))
    if (drawn.length > 0) {
      const drawnPace = quick ? { rounds: 2, seconds: 1 } : { rounds: 3, seconds: 4 }
      const options = { leads: largest, shapes: drawn, ...drawnPace }
      sections.push(drawnSection(largest, await measureDrawn(programs, options, progress)))
    }
    if (wanted("ingest") || shapes?.some((shape) => shape.startsWith("ingest"))) {
      const { measureIngest } = await importBuilt<typeof import("./Ingest.ts")>("Ingest")
      const files = {
        subject: copyOf(await databaseOf("subject", smallest, progress)),
        floor: copyOf(await databaseOf("subject", smallest, progress), "floor"),
        plain: copyOf(await databaseOf("plain", smallest, progress))
      }
      for (const file of Object.values(files)) await readThrough(file)
      const figures = (
        await measureIngest(
          { leads: smallest, ...files },
          { rounds, seconds: quick ? 0.4 : 1.5, warmUpSeconds: quick ? 1 : 8 },
          progress
        )
      ).filter(
        ({ name }) => shapes === null || shapes.some((each) => each === "ingest" || each === `ingest-${name}`)
      )
      sections.push(...ingestSections(figures))
    }
    const receiver = fileURLToPath(new URL("CountingReceiver.mjs", import.meta.url))
    const importDeliveries = () => importBuilt<typeof import("./Deliveries.ts")>("Deliveries")
    if (wanted("deliveries")) {
      const figures = await (
        await importDeliveries()
      ).measureDeliveries(receiver, rounds, quick ? 1500 : 5000, progress)
      sections.push(...deliverySections(figures))
    }
    if (wanted("deliveries-ordered")) {
      const { measureOrdered } =
        await importBuilt<typeof import("./OrderedDeliveries.ts")>("OrderedDeliveries")
      const size = { rounds: quick ? 2 : 3, events: quick ? 3000 : 10_000 }
      sections.push(orderedSection(await measureOrdered(receiver, ["memory", "SQLite"], size, progress)))
    }
    if (wanted("deliveries-beside-hanging")) {
      const seconds = quick ? 4 : 6
      const figures = await (await importDeliveries()).measureIsolation(receiver, rounds, seconds, progress)
      sections.push({
        title: "Deliveries beside a webhook that hangs",
        note: "Milliseconds from commit to receipt at the other 49 of 50 webhooks, 5 events a second, median and 99th percentile; the reference is with all 50 answering.",
        lines: figures.map(({ hanging, quantile, well }) =>
          slowdown(
            `deliveries-beside-hanging-p${quantile * 100}`,
            null,
            hanging,
            well,
            quantile === 0.99 ? isolationSlowdown : null
          )
        )
      })
    }
    if (wanted("start")) {
      const { reference, subject } = await measureStart(programs, largest, rounds, progress)
      sections.push({
        title: "Start",
        note: `Seconds from the start of the process to its first answer: built, on ${largest.toLocaleString("en")} leads beside reference (a); from source, with the demo filled.`,
        lines: [
          limited("start-existing", largest, subject, startSeconds, reference),
          limited("start-cold-demo", null, await measureColdDemo(rounds, progress), coldDemoSeconds)
        ]
      })
    }
    if (wanted("memory")) {
      const count = quick ? 5000 : 20_000
      progress.say("memory")
      const { firstPageMillis, lastPageMillis, plainBytes, storeBytes } = await measureMemory(count)
      sections.push({
        title: "Memory store",
        note: `${count.toLocaleString("en")} leads with 8 engagements each: bytes a lead beyond the data (the reference: the data itself), and milliseconds of a page (the reference: the first).`,
        lines: [
          limited("memory-per-lead", count, [storeBytes - plainBytes], memoryBytes, [plainBytes]),
          limited("memory-last-page", count, [lastPageMillis], null, [firstPageMillis])
        ]
      })
    }
    if (wanted("loop")) {
      const figures = await measureLoopDelay(programs, largest, { rounds, seconds: quick ? 2 : 3 }, progress)
      sections.push({
        title: `Event loop, ${largest.toLocaleString("en")} leads`,
        note: "Milliseconds until a cheap request is answered, which is sent every 5 ms meanwhile: the longest of each round; the reference is the 99th percentile.",
        lines: figures.map(({ leads, load, maxMillis, p99Millis }) =>
          limited(`loop-${load.replaceAll(" ", "-")}`, leads, maxMillis, blockedMillis, p99Millis)
        )
      })
    }
    if (wanted("import")) {
      const options = { lines: largest, kind: "people", readEveryMillis: 20 } as const
      sections.push(importSection(await measureImport(programs.subject, options, progress)))
    }
  } finally {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K")
  }
  return sections.filter(({ lines }) => lines.length > 0)
}

const measureAllOnPostgres = ({ leads, quick, shapes }: Options) => {
  const wanted = (name: string): boolean =>
    shapes === null || shapes.some((shape) => name === shape || name.startsWith(`${shape}-`))
  return measureOnPostgres({
    leads,
    quick,
    wanted,
    isReadingWanted: shapes === null || shapes.some((shape) => !otherThanReading.test(shape)),
    pace: quick
      ? { rounds: 2, seconds: 0.4, warmUpSeconds: 0.1 }
      : { rounds: 3, seconds: 1.5, warmUpSeconds: 0.5 },
    progress
  })
}

const measureAllAblations = async (
  { leads, quick, shapes }: Options,
  ablations: NonNullable<Options["ablate"]>
): Promise<ReadonlyArray<Ablated>> => {
  const wanted = (name: string): boolean =>
    shapes === null || shapes.some((shape) => name === shape || name.startsWith(`${shape}-`))
  const pace = quick ? { rounds: 3, seconds: 0.3 } : { rounds: 9, seconds: 0.6 }
  const programs = await bundlePrograms()
  const all: Array<Ablated> = []
  try {
    for (const size of leads) {
      all.push(...(await measureAblations({ programs, ablations, leads: size, pace, wanted, progress })))
    }
  } finally {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K")
  }
  return all
}

/** What is printed, and what is written in Markdown. */
interface Report {
  readonly isEmpty: boolean
  readonly hasFailed: boolean
  readonly text: string
  readonly json: string
  readonly markdown: string
}

const given = process.argv.slice(2).filter((word) => word !== "--")
const command = ["npm run bench", ...(given.length === 0 ? [] : ["--", ...given])].join(" ")

const measure = async (options: Options): Promise<Report> => {
  const stolenTime = watchStolenTime()
  const conditions = () => [...machineFacts(), ...stolenTime()]
  if (options.ablate !== null) {
    const ablated = await measureAllAblations(options, options.ablate)
    const machine = conditions()
    return {
      isEmpty: ablated.length === 0,
      hasFailed: ablated.some(({ failure }) => failure !== null),
      text: ablationsAsText(ablated),
      json: ablationsAsJson(ablated, machine),
      markdown: ablationsAsMarkdown(ablated, machine, command)
    }
  }
  if (options.against !== null) {
    const { against, leads, quick, shapes } = options
    const figures = await measureAgainst({
      commit: against,
      leads,
      pace: quick ? { rounds: 3, seconds: 0.3 } : { rounds: 9, seconds: 0.6 },
      wanted: (name) =>
        shapes === null || shapes.some((shape) => name === shape || name.startsWith(`${shape}-`)),
      progress
    })
    const machine = conditions()
    return {
      isEmpty: figures.length === 0,
      hasFailed: figures.some((figure) => verdictOf(figure) === "slower"),
      text: figures.length === 0 ? "" : againstAsText(figures, against),
      json: againstAsJson(figures, machine),
      markdown: figures.length === 0 ? "" : againstAsMarkdown(figures, machine, against, command)
    }
  }
  const { facts, sections } =
    options.store === "postgres"
      ? await measureAllOnPostgres(options)
      : { sections: await measureAll(options), facts: [] }
  const machine = [...conditions(), ...facts]
  return {
    isEmpty: sections.length === 0,
    hasFailed: false,
    text: asText(sections),
    json: JSON.stringify({ machine, sections }, null, 2),
    markdown: asMarkdown(sections, machine, command)
  }
}

/** Runs the module of the measurement with the arguments behind its name, as it runs alone. */
const run = async (
  { about, module, name, usage }: Measurement,
  args: ReadonlyArray<string>
): Promise<void> => {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`Usage: npm run bench -- ${`${name} ${usage}`.trim()}\n\nMeasures ${about}.\n`)
    return
  }
  process.argv.splice(2, process.argv.length, ...args)
  await import(`./${module}`)
}

const runShapes = async (options: Options): Promise<void> => {
  const { hasFailed, isEmpty, json, markdown, text } = await measure(options).catch(refuse)
  if (hasFailed) process.exitCode = 1
  if (isEmpty) {
    process.stderr.write(`There is no shape ${options.shapes?.join(", ")}.\n`)
    process.exitCode = 2
  }
  process.stdout.write(options.json ? `${json}\n` : text)
  const name = options.store === "postgres" ? "RESULTS-POSTGRES.md" : "RESULTS.md"
  const results = fileURLToPath(new URL(name, import.meta.url))
  const isOther = options.isConsole || options.ablate !== null || options.against !== null
  const isFull = !options.quick && !isOther && options.shapes === null
  const file = options.write ?? (isFull ? results : null)
  if (file !== null) writeFileSync(file, markdown)
}

const measurement = measurements.find(({ name }) => name === given[0])
if (measurement !== undefined) await run(measurement, given.slice(1))
else {
  const options = parse()
  if (options === null) process.stdout.write(help)
  else await runShapes(options)
}
