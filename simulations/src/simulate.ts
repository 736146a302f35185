/** `pnpm simulate`: the command. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { bench } from "./Bench.ts"
import { type Bug, bugNamed, bugs } from "./bugs/index.ts"
import { bundle } from "./bugs/Planting.ts"
import { huntAll } from "./BugHunt.ts"
import { campaign, processors, type SeedReport, type SeedRun } from "./Campaign.ts"
import { bugsTable, huntSummary } from "./report/BugsTable.ts"
import * as Html from "./report/Html.ts"
import { Progress } from "./report/Progress.ts"
import {
  type Given,
  marksTable,
  missedMarks,
  repeatLine,
  replaySummary,
  runSummary,
  storySummary
} from "./report/Summary.ts"
import { check, inputOf, run, type RunInput, type RunReport, type StoreKind } from "./Run.ts"
import type { Scenario } from "./Scenario.ts"
import { scenarioNamed, scenarioNames } from "./Scenarios.ts"
import { shrink } from "./Shrink.ts"
import { compareReplay, inputOfStory, readStory, type Story, storyOf } from "./Story.ts"

const exitCodes = { held: 0, violated: 1, usage: 2, vacuous: 3, stuck: 4, crashed: 5 }

/** Of fewer seeds nobody can expect that they meet everything. */
const seedsForMarks = 50
/** From so many seeds on it pays to start more processes. */
const seedsForProcesses = 6
const storyFolder = ".simulations"

const help = `Runs the whole service for hours and days of virtual time, from one seed, under faults.

  pnpm simulate list                     what scenarios there are
  pnpm simulate <scenario> [options]     run one, by one seed or many
  pnpm simulate replay FILE              run a story again, and say whether it still breaks its rule
  pnpm simulate nightly [--minutes 60]   every scenario and then swarm seeds until the time is up
  pnpm simulate bugs [--seeds 300]       which planted bugs the oracles find, after how many seeds, in how small a story
  pnpm simulate bench                    how fast it is

Options
  --seed N         the seed, or the first of several       1
  --seeds K        how many seeds, one after the other     1
  --store NAME     memory or sqlite                        memory
  --until 24h      instead of the scenario's hours
  --bug NAME       with a planted bug; of bugs: only this one; of replay: none for the code as it is
  --check          run each twice, and tell the first event that differs
  --report FILE    an HTML page of the run: the last, or the one that broke a rule
  --story FILE     where the story of a broken rule goes   .simulations/<scenario>-<seed>.json
  --no-shrink      tell a broken rule's story as it is
  --jobs N         how many processes share the seeds      one for each processor
  --minutes M      how long nightly goes on                60
  --write FILE     of bugs: a table in Markdown
  --json           one line of JSON a seed

The same scenario, seed and options give the same history everywhere, over whatever store; its digest is the last line.
Exit codes: 0 held, 1 violated, 2 wrong usage, 3 proved nothing, 4 stuck, 5 the simulator itself failed.
`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const stop = (message: string): never => {
  process.stderr.write(`${message}\n`)
  return process.exit(exitCodes.usage)
}

const integer = (
  name: string,
  value: string | undefined,
  otherwise: number,
  [least, greatest]: readonly [number, number]
): number => {
  if (value === undefined) return otherwise
  return /^[0-9]{1,12}$/.test(value) && Number(value) >= least && Number(value) <= greatest
    ? Number(value)
    : stop(`--${name} takes an integer from ${least} to ${greatest}.`)
}

const hoursOf = (value: string | undefined): number | undefined => {
  if (value === undefined) return undefined
  const [, n, unit] = /^([0-9]{1,6}(?:\.[0-9]{1,9})?)(m|h|d)$/.exec(value) ?? []
  if (n === undefined || Number(n) === 0) return stop("--until takes a duration like 90m, 24h or 3d.")
  return Number(n) * { m: 1 / 60, h: 1, d: 24 }[unit as "m" | "h" | "d"]
}

const options = {
  seed: { type: "string" },
  seeds: { type: "string" },
  store: { type: "string" },
  until: { type: "string" },
  bug: { type: "string" },
  check: { type: "boolean", default: false },
  report: { type: "string" },
  story: { type: "string" },
  "no-shrink": { type: "boolean", default: false },
  jobs: { type: "string" },
  minutes: { type: "string" },
  write: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false }
} as const

const read = () => {
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    return stop(
      `${(error as Error).message.split("\n")[0]!.replace(/\.?$/, ".")} --help tells what there is.`
    )
  }
}

const { positionals, values } = read()
const isJson = values.json
const progress = new Progress(isJson)

/** Set in the process that a bug was planted in. */
const planted = process.env["LEAD_SIGNALS_PLANTED_BUG"] ?? null
const plantedWorker = process.env["LEAD_SIGNALS_PLANTED_WORKER"]

const storeOf = (value: string | undefined): StoreKind =>
  value === undefined || value === "memory" || value === "sqlite"
    ? (value ?? "memory")
    : stop("--store takes memory or sqlite.")

const bugOf = (name: string): Bug =>
  bugNamed(name) ?? stop(`There is no bug "${name}"; there are ${bugs.map((bug) => bug.name).join(", ")}.`)

const store = storeOf(values.store)
const hours = hoursOf(values.until)
const firstSeed = integer("seed", values.seed, 1, [0, 999_999_999_999])
const seedsTaken = [1, 1_000_000] as const
const jobs = integer("jobs", values.jobs, processors(), [1, 256])

/** What could not be written keeps nothing else from being told. */
let isUnwritten = false

const writeFile = (file: string, text: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch (error) {
    isUnwritten = true
    const code = (error as NodeJS.ErrnoException).code ?? "unknown"
    process.stderr.write(`${file} can't be written: ${code}.\n`)
  }
}

const givenOf = (scenario: string, seed: number, of: StoreKind = store): Given => ({
  scenario,
  seed,
  until: values.until,
  store: of,
  bug: planted
})

/** Makes the story of a broken rule small, keeps it, and tells it. */
const tellStory = (
  given: Given,
  input: RunInput,
  report: RunReport
): { readonly story: Story; readonly report: RunReport; readonly text: string; readonly file: string } => {
  const isSmall = values["no-shrink"] !== true
  const small = isSmall
    ? shrink(input, report, (each, untilSeconds) => run(each, given.store, untilSeconds), {
        onProgress: (runs, { faults, plan }) =>
          progress.tell(
            null,
            `making the story small: ${runs} runs, ${plan.actions.length} actions, ${(faults?.length ?? 0) + plan.troubles.length} faults`
          )
      })
    : { input: { ...input, faults: report.faults }, report, runs: 0 }
  progress.clear()
  const story = storyOf(
    { scenario: given.scenario, store: given.store, bug: planted },
    small.input,
    small.report
  )
  const file =
    values.story ??
    join(storyFolder, `${given.scenario}-${given.seed}${planted === null ? "" : `-${planted}`}.json`)
  writeFile(file, `${JSON.stringify(story, null, 1)}\n`)
  return { story, report: small.report, file, text: storySummary(story, small.runs, file) }
}

const writeReport = (given: Given, report: RunReport, story: Story | null): void => {
  if (values.report === undefined) return
  const title = `${given.scenario} · seed ${given.seed}${given.bug === null ? "" : ` · ${given.bug}`}`
  writeFile(values.report, Html.page({ title, repeat: repeatLine(given), report, story }))
}

const jsonLine = (
  { counts, digest, marks, outcome, violation }: Omit<SeedReport, "seed" | "scenario" | "store">,
  given: Given
) =>
  JSON.stringify({
    scenario: given.scenario,
    seed: given.seed,
    store: given.store,
    outcome,
    violation,
    counts,
    marks: [...marks],
    digest
  })

const codeOf = ({ outcome }: Pick<RunReport, "outcome">): number =>
  outcome === "held" ? exitCodes.held : outcome === "stuck" ? exitCodes.stuck : exitCodes.violated

/** Of a campaign the run that broke a rule is run again here, to be told: it must break it again. */
const tellAgain = (given: Given): string => {
  const input = inputOf(scenarioNamed(given.scenario)!, given.seed, hours)
  const again = run(input, given.store)
  if (again.outcome === "held") {
    throw new Error(`${repeatLine(given)} broke a rule in one process and held in another`)
  }
  const told = tellStory(given, input, again)
  writeReport(given, told.report, told.story)
  return told.text
}

/**
 * Whether runs have proved nothing: nobody was seen, or what the scenario declares was not met. A part of a scenario's
 * hours need not meet it, and of the swarm a few seeds need not.
 */
const isVacuous = (
  scenario: Scenario,
  met: ReadonlyMap<string, number>,
  seeds: number,
  seen: number
): boolean => {
  const isJudged = hours === undefined && (!scenario.swarm || seeds >= seedsForMarks)
  return seen === 0 || (isJudged && missedMarks(scenario, met).length > 0)
}

/** One seed, here: with everything that there is to tell of it. */
const runOne = (
  scenario: Scenario,
  seed: number,
  { isAlone, tells }: { readonly isAlone: boolean; readonly tells: boolean }
): { readonly report: RunReport; readonly code: number } => {
  const given = givenOf(scenario.name, seed)
  const input = inputOf(scenario, seed, hours)
  const startedAt = performance.now()
  const report = run(input, store)
  const seconds = (performance.now() - startedAt) / 1000
  if (isJson) say(jsonLine({ ...report, marks: [...report.marks] }, given))
  else if (isAlone || report.outcome !== "held") say(runSummary(report, seconds, given))
  if (values.check) {
    const parted = check(input, store)
    if (parted !== null) {
      say(`Two runs of ${repeatLine(given)} part at: ${JSON.stringify(parted)}`)
      return { report, code: exitCodes.crashed }
    }
  }
  if (report.outcome === "held") {
    // Not over that of a seed that broke a rule.
    if (tells) writeReport(given, report, null)
    return { report, code: exitCodes.held }
  }
  const code = codeOf(report)
  if (!tells) return { report, code }
  const told = tellStory(given, input, report)
  if (!isJson) say(`\n${told.text}`)
  writeReport(given, told.report, told.story)
  return { report, code }
}

const digestOf = (digests: ReadonlyArray<string>): string =>
  digests.length === 1 ? digests[0]! : bytesToHex(sha256(utf8ToBytes(digests.join("\n"))))

/** Many seeds, shared by processes; the first that breaks a rule is told in full. */
const runMany = async (scenario: Scenario, seeds: number): Promise<number> => {
  const met = new Map<string, number>()
  const digests: Array<string> = []
  let [held, engagements, code] = [0, 0, exitCodes.held]
  const startedAt = performance.now()
  const all = Array.from({ length: seeds }, (_, i): SeedRun => ({
    scenario: scenario.name,
    seed: firstSeed + i,
    hours: hours ?? null,
    store
  }))
  await campaign(
    all,
    (report) => {
      digests.push(report.digest)
      engagements += report.counts.engagements
      for (const mark of report.marks) met.set(mark, (met.get(mark) ?? 0) + 1)
      if (report.outcome === "held") held++
      const given = givenOf(scenario.name, report.seed)
      progress.clear()
      if (isJson) say(jsonLine(report, given))
      else if (report.outcome !== "held") say(runSummary(report, 0, given))
      if (report.outcome !== "held" && code === exitCodes.held) {
        code = codeOf(report)
        const told = tellAgain(given)
        if (!isJson) say(`\n${told}\n`)
      }
      progress.tell(digests.length / seeds, `${digests.length} of ${seeds} seeds, ${held} held`)
    },
    { parallel: Math.min(jobs, seeds), ...(plantedWorker === undefined ? {} : { program: plantedWorker }) }
  )
  progress.clear()
  const minutes = (performance.now() - startedAt) / 60_000
  if (!isJson) {
    say(
      `${scenario.name} · seeds ${firstSeed} to ${firstSeed + seeds - 1} · ${held} held · ${Math.round(seeds / minutes)} a minute`
    )
    for (const line of marksTable(scenario.marks, met, seeds)) say(line)
    say(`digest: ${digestOf(digests)}`)
  }
  if (code !== exitCodes.held) return code
  const last = firstSeed + seeds - 1
  if (values.report !== undefined) {
    writeReport(givenOf(scenario.name, last), run(inputOf(scenario, last, hours), store), null)
  }
  if (!isVacuous(scenario, met, seeds, engagements)) return exitCodes.held
  tellVacuous(scenario, met)
  return exitCodes.vacuous
}

const missedText = (scenario: Scenario, met: ReadonlyMap<string, number>): string =>
  missedMarks(scenario, met).length === 0 || hours !== undefined
    ? "nobody was seen"
    : `it never met "${missedMarks(scenario, met).join('", "')}"`

const tellVacuous = (scenario: Scenario, met: ReadonlyMap<string, number>): void =>
  void process.stderr.write(`It proved nothing: ${missedText(scenario, met)}.\n`)

const runScenario = async (scenario: Scenario): Promise<number> => {
  const seeds = integer("seeds", values.seeds, 1, seedsTaken)
  if (seeds >= seedsForProcesses && jobs > 1 && !values.check) return runMany(scenario, seeds)
  const met = new Map<string, number>()
  const digests: Array<string> = []
  let [code, seen] = [exitCodes.held, 0]
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const one = runOne(scenario, seed, { isAlone: seeds === 1, tells: code === exitCodes.held })
    digests.push(one.report.digest)
    for (const mark of one.report.marks) met.set(mark, (met.get(mark) ?? 0) + 1)
    if (code === exitCodes.held) code = one.code
    seen += one.report.counts.engagements
  }
  if (!isJson && seeds > 1) {
    say(`${scenario.name} · seeds ${firstSeed} to ${firstSeed + seeds - 1}`)
    for (const line of marksTable(scenario.marks, met, seeds)) say(line)
  }
  if (!isJson) say(`digest: ${digestOf(digests)}`)
  if (code === exitCodes.held && isVacuous(scenario, met, seeds, seen)) {
    tellVacuous(scenario, met)
    return exitCodes.vacuous
  }
  return code
}

/** The same command in a process into which the bug was planted. */
const withBug = async (bug: Bug): Promise<number> => {
  const [program, worker] = [await bundle("simulate.ts", bug), await bundle("worker.ts", bug)]
  try {
    const args = process.argv.slice(2)
    const at = args.findIndex((arg) => arg === "--bug")
    const rest = at >= 0 ? args.toSpliced(at, 2) : args.filter((arg) => !arg.startsWith("--bug="))
    // A story has its store.
    const isStored = bug.store === "sqlite" && values.store === undefined && positionals[0] !== "replay"
    const storeArgs = isStored ? ["--store", "sqlite"] : []
    const { status } = spawnSync(process.execPath, [program, ...rest, ...storeArgs], {
      stdio: "inherit",
      env: { ...process.env, LEAD_SIGNALS_PLANTED_BUG: bug.name, LEAD_SIGNALS_PLANTED_WORKER: worker }
    })
    return status ?? exitCodes.crashed
  } finally {
    rmSync(program, { force: true })
    rmSync(worker, { force: true })
  }
}

const replay = async (file: string | undefined): Promise<number> => {
  if (file === undefined) return stop("replay takes the file of a story.")
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    return stop(`${file} can't be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.`)
  }
  const found = readStory(text)
  if (found._tag === "Left") return stop(`${file} is no story: ${found.left}`)
  const story = found.right
  // A story of a planted bug is told with the bug in, unless it is asked how it goes without.
  const withWhich = values.bug ?? story.bug ?? "none"
  if (withWhich !== "none" && planted === null) return withBug(bugOf(withWhich))
  const report = run(inputOfStory(story), story.store)
  const given: Given = { ...story, until: undefined, bug: planted }
  const replayed = compareReplay(story, report)
  say(runSummary(report, 0, given).split("\n  again:")[0]!.trimEnd())
  say(`\n${replaySummary(story, replayed)}`)
  writeReport(given, report, story)
  say(`digest: ${report.digest}`)
  if (report.outcome !== "held") return codeOf(report)
  return replayed.replayed === "held" ? exitCodes.held : exitCodes.vacuous
}

const hunt = async (): Promise<number> => {
  const seeds = integer("seeds", values.seeds, 300, seedsTaken)
  const wanted = values.bug === undefined ? bugs : [bugOf(values.bug)]
  const width = Math.max(...wanted.map(({ name }) => name.length))
  let done = 0
  const hunted = await huntAll(wanted, seeds, (each) => {
    done++
    progress.clear()
    if (isJson) say(JSON.stringify(each))
    else say(`  ${each.bug.padEnd(width)}  ${huntSummary(each)}`)
    progress.tell(done / wanted.length, `${done} of ${wanted.length} bugs`)
  })
  progress.clear()
  const table = bugsTable(hunted, seeds)
  if (values.write !== undefined) writeFile(values.write, table.markdown)
  if (!isJson) say(table.summary)
  return hunted.every(({ oracle }) => oracle !== null) ? exitCodes.held : exitCodes.violated
}

const nightly = async (): Promise<number> => {
  const minutes = integer("minutes", values.minutes, 60, [1, 100_000])
  const endsAt = performance.now() + minutes * 60_000
  const swarm = scenarioNamed("swarm")!
  const met = new Map<string, number>()
  const digests: Array<string> = []
  let [seeds, swarmSeeds, broken, code] = [0, 0, 0, exitCodes.held]
  function* work(): Generator<SeedRun> {
    for (const name of scenarioNames()) {
      for (const of of ["memory", "sqlite"] as const)
        yield { scenario: name, seed: firstSeed, hours: null, store: of }
    }
    // Every tenth over SQLite, whose runs take longer.
    for (let i = 0; performance.now() < endsAt; i++) {
      yield {
        scenario: "swarm",
        seed: firstSeed + 1 + i,
        hours: null,
        store: i % 10 === 9 ? "sqlite" : "memory"
      }
    }
  }
  say(`nightly · from seed ${firstSeed} · ${minutes} minutes · ${jobs} processes`)
  await campaign(
    work(),
    (report) => {
      seeds++
      digests.push(report.digest)
      if (report.scenario === "swarm") {
        swarmSeeds++
        for (const mark of report.marks) met.set(mark, (met.get(mark) ?? 0) + 1)
      }
      if (report.outcome !== "held") {
        broken++
        progress.clear()
        const given = givenOf(report.scenario, report.seed, report.store)
        say(runSummary(report, 0, given))
        if (code === exitCodes.held) {
          code = codeOf(report)
          say(`\n${tellAgain(given)}\n`)
        }
      }
      const left = Math.max(0, endsAt - performance.now())
      progress.tell(
        1 - left / (minutes * 60_000),
        `${seeds} seeds, ${broken} broken, ${Math.ceil(left / 60_000)} minutes left`
      )
    },
    { parallel: jobs }
  )
  progress.clear()
  const missed = missedMarks(swarm, met)
  say(`${seeds} runs, ${swarmSeeds} of them seeds of swarm; ${broken} broken`)
  for (const line of marksTable(swarm.marks, met, swarmSeeds)) say(line)
  say(`digest: ${digestOf(digests)}`)
  if (code !== exitCodes.held) return code
  return missed.length > 0 && swarmSeeds >= seedsForMarks * 4 ? exitCodes.vacuous : exitCodes.held
}

/** What each command takes: anything else is a mistake that must not pass unseen. */
const optionsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  list: [],
  bench: ["json"],
  bugs: ["seeds", "bug", "write", "json"],
  nightly: ["seed", "minutes", "jobs", "story", "no-shrink"],
  replay: ["bug", "report"],
  scenario: [
    "seed",
    "seeds",
    "store",
    "until",
    "bug",
    "check",
    "report",
    "story",
    "no-shrink",
    "jobs",
    "json"
  ]
}

const main = async (): Promise<number> => {
  const [name, ...more] = positionals
  if (values.help) {
    process.stdout.write(help)
    return exitCodes.held
  }
  if (name === undefined) {
    process.stderr.write(help)
    return exitCodes.usage
  }
  if (more.length > (name === "replay" ? 1 : 0)) return stop(`"${more.at(-1)}" is one too many.`)
  const takes = Object.hasOwn(optionsOf, name) ? optionsOf[name]! : optionsOf["scenario"]!
  for (const option of Object.keys(values)) {
    const isGiven = values[option as keyof typeof values] !== false
    if (isGiven && !takes.includes(option))
      return stop(`${name} takes no --${option}; --help tells what there is.`)
  }
  switch (name) {
    case "list":
      for (const each of scenarioNames()) say(`${each}\n  ${scenarioNamed(each)!.about}\n`)
      return exitCodes.held
    case "bugs":
      return hunt()
    case "bench":
      return bench(say, progress, isJson)
    case "nightly":
      return nightly()
    case "replay":
      return replay(more[0])
    default: {
      const scenario =
        scenarioNamed(name) ??
        stop(`There is no scenario "${name}"; there are ${scenarioNames().join(", ")}.`)
      return values.bug === undefined ? runScenario(scenario) : withBug(bugOf(values.bug))
    }
  }
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever reads only the beginning has seen enough.
  if (error.code === "EPIPE") process.exit(exitCodes.held)
  process.stderr.write(`What is told can't be written: ${error.code ?? "unknown"}.\n`)
  process.exit(exitCodes.crashed)
})

try {
  const code = await main()
  process.exitCode = code === exitCodes.held && isUnwritten ? exitCodes.usage : code
} catch (error) {
  process.stderr.write(`The simulator itself failed: ${(error as Error).stack ?? String(error)}\n`)
  process.exitCode = exitCodes.crashed
}
