/** `pnpm simulate <scenario> [--seed N] [--seeds K] [--until 24h] [--check] [--json]`: the command. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { parseArgs } from "node:util"
import { type Bug, bugNamed, bugs } from "./bugs/index.ts"
import { check, type RunReport, simulate } from "./Run.ts"
import type { Scenario } from "./Scenario.ts"
import { scenarioNamed, scenarioNames } from "./Scenarios.ts"
import { marksTable, repeatLine, runSummary } from "./Summary.ts"

const exitCodes = { held: 0, violated: 1, usage: 2, vacuous: 3, stuck: 4, crashed: 5 }

/** Of fewer seeds nobody can expect that they meet everything. */
const seedsForMarks = 50

const help = `Runs the whole service for hours and days of virtual time, from one seed, under faults.

  pnpm simulate list                     what scenarios there are
  pnpm simulate <scenario> [options]
  pnpm simulate bugs                     which planted bugs the oracles find, and after how many seeds

Options
  --seed N      the seed, or the first of several     1
  --seeds K     how many seeds, one after the other   1
  --until 24h   instead of the scenario's hours
  --bug NAME    with a planted bug
  --check       run each twice, and tell the first event that differs
  --json        one line of JSON a seed

The same scenario, seed and options give the same history everywhere; its digest is the last line.
Exit codes: 0 held, 1 violated, 2 wrong usage, 3 proved nothing, 4 stuck, 5 the simulator itself failed.
`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const stop = (message: string): never => {
  process.stderr.write(`${message}\n`)
  return process.exit(exitCodes.usage)
}

const integer = (name: string, value: string | undefined, otherwise: number, least: number): number => {
  if (value === undefined) return otherwise
  return /^[0-9]{1,12}$/.test(value) && Number(value) >= least
    ? Number(value)
    : stop(`--${name} takes an integer of at least ${least}.`)
}

const hoursOf = (value: string | undefined): number | undefined => {
  if (value === undefined) return undefined
  const [, n, unit] = /^([0-9]{1,6}(?:\.[0-9]{1,3})?)(m|h|d)$/.exec(value) ?? []
  if (n === undefined || Number(n) === 0) return stop("--until takes a duration like 90m, 24h or 3d.")
  return Number(n) * { m: 1 / 60, h: 1, d: 24 }[unit as "m" | "h" | "d"]
}

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: "string" },
        seeds: { type: "string" },
        until: { type: "string" },
        bug: { type: "string" },
        check: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false }
      }
    })
  } catch (error) {
    return stop(
      `${(error as Error).message.split("\n")[0]!.replace(/\.?$/, ".")} --help tells what there is.`
    )
  }
}

const list = (): void => {
  for (const name of scenarioNames()) say(`${name}\n  ${scenarioNamed(name)!.about}\n`)
}

/** After so many seeds a bug counts as not found. */
const seedsForBugs = 300

/** Each bug over seeds of the swarm until an oracle finds it; answers whether all were found. */
const findBugs = (hours: number | undefined): number => {
  const swarm = scenarioNamed("swarm")!
  const width = Math.max(...bugs.map(({ name }) => name.length))
  let found = 0
  for (const { name, plant } of bugs) {
    let line = `not found in ${seedsForBugs} seeds`
    for (let seed = 1; seed <= seedsForBugs; seed++) {
      const report = simulate(swarm, seed, { plant, ...(hours === undefined ? {} : { hours }) })
      if (report.outcome === "held") continue
      line = `seed ${String(seed).padStart(3)}  ${report.violation?.oracle ?? "stuck"}`
      found++
      break
    }
    say(`  ${name.padEnd(width)}  ${line}`)
  }
  say(`${found} of ${bugs.length} found`)
  return found === bugs.length ? exitCodes.held : exitCodes.violated
}

const exitCodeOf = (reports: ReadonlyArray<RunReport>, scenario: Scenario): number => {
  for (const outcome of ["violated", "stuck"] as const) {
    if (reports.some((report) => report.outcome === outcome)) return exitCodes[outcome]
  }
  if (reports.some(({ counts }) => counts.engagements === 0)) return exitCodes.vacuous
  const isMissed = scenario.marks.some((mark) => reports.every(({ marks }) => !marks.has(mark)))
  return reports.length >= seedsForMarks && isMissed ? exitCodes.vacuous : exitCodes.held
}

const campaign = (
  scenario: Scenario,
  options: {
    readonly first: number
    readonly seeds: number
    readonly hours: number | undefined
    readonly bug: Bug | undefined
    readonly check: boolean
    readonly json: boolean
  }
): number => {
  const { first, hours, json, seeds } = options
  const given = { hours, bug: options.bug?.name }
  const reports: Array<RunReport> = []
  const isTerminal = process.stderr.isTTY === true
  const startedAt = performance.now()
  for (let seed = first; seed < first + seeds; seed++) {
    const runOptions = {
      ...(hours === undefined ? {} : { hours }),
      ...(options.bug === undefined ? {} : { plant: options.bug.plant })
    }
    const runStartedAt = performance.now()
    const report = simulate(scenario, seed, runOptions)
    const seconds = (performance.now() - runStartedAt) / 1000
    // Of many runs the traces are too much to keep.
    reports.push(seeds === 1 ? report : { ...report, trace: [] })
    if (json) {
      const { counts, digest, marks, outcome, violation } = report
      say(
        JSON.stringify({
          scenario: scenario.name,
          seed,
          outcome,
          violation,
          counts,
          marks: [...marks],
          digest
        })
      )
    } else if (seeds === 1 || report.outcome !== "held") {
      if (isTerminal) process.stderr.write("\r\u001b[2K")
      say(runSummary(report, seconds, given))
    } else if (isTerminal) {
      process.stderr.write(`\r\u001b[2K${seed - first + 1} of ${seeds} seeds`)
    }
    if (options.check) {
      const parted = check(scenario, seed, runOptions)
      if (parted !== null) {
        say(`Two runs of ${repeatLine(report, given)} part at: ${JSON.stringify(parted)}`)
        return exitCodes.crashed
      }
    }
  }
  if (isTerminal) process.stderr.write("\r\u001b[2K")
  if (!json && seeds > 1) {
    const minutes = (performance.now() - startedAt) / 60_000
    const held = reports.filter(({ outcome }) => outcome === "held").length
    const met = new Map<string, number>()
    for (const { marks } of reports) for (const mark of marks) met.set(mark, (met.get(mark) ?? 0) + 1)
    say(
      `${scenario.name} · seeds ${first} to ${first + seeds - 1} · ${held} held · ${Math.round(seeds / minutes)} a minute`
    )
    for (const line of marksTable(scenario, met, seeds)) say(line)
  }
  const digest =
    seeds === 1
      ? reports[0]!.digest
      : bytesToHex(sha256(utf8ToBytes(reports.map((report) => report.digest).join("\n"))))
  if (!json) say(`digest: ${digest}`)
  return exitCodeOf(reports, scenario)
}

// Whoever reads only the beginning has seen enough.
process.stdout.on("error", () => process.exit(exitCodes.held))

const { positionals, values } = read()
const [name, ...more] = positionals
if (values.help) {
  process.stdout.write(help)
} else if (name === undefined) {
  process.stderr.write(help)
  process.exitCode = exitCodes.usage
} else if (more.length > 0) {
  stop(`"${more[0]}" is one too many: one scenario at a time.`)
} else if (name === "list") {
  list()
} else if (name === "bugs") {
  process.exitCode = findBugs(hoursOf(values.until))
} else {
  const scenario =
    scenarioNamed(name) ?? stop(`There is no scenario "${name}"; there are ${scenarioNames().join(", ")}.`)
  const options = {
    first: integer("seed", values.seed, 1, 0),
    seeds: integer("seeds", values.seeds, 1, 1),
    hours: hoursOf(values.until),
    bug:
      values.bug === undefined
        ? undefined
        : (bugNamed(values.bug) ??
          stop(`There is no bug "${values.bug}"; there are ${bugs.map((bug) => bug.name).join(", ")}.`)),
    check: values.check,
    json: values.json
  }
  try {
    process.exitCode = campaign(scenario, options)
  } catch (error) {
    process.stderr.write(`The simulator itself failed: ${(error as Error).stack ?? String(error)}\n`)
    process.exitCode = exitCodes.crashed
  }
}
