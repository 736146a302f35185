/** The command line of `npm run bench`. */
import { type Ablation, ablations } from "./Ablations.ts"
import { measurements } from "./Measurements.ts"

/** The command line, read and judged. */
export interface Options {
  /** The mechanisms to turn off, each by itself, instead of all other measurements; null: no ablation. */
  readonly ablate: ReadonlyArray<Ablation> | null
  /** The commit to measure in turn with this tree, instead of all other measurements; null: none. */
  readonly against: string | null
  readonly quick: boolean
  /** The console in a browser, and nothing else. */
  readonly isConsole: boolean
  readonly store: "sqlite" | "postgres"
  /** Null: all shapes. */
  readonly shapes: ReadonlyArray<string> | null
  readonly leads: ReadonlyArray<number>
  readonly json: boolean
  /** Where the table goes in Markdown; null: nowhere. */
  readonly write: string | null
}

/** What `--help` prints. */
export const help = `Usage: npm run bench -- [options]
       npm run bench -- MEASUREMENT [arguments]

Measures the server beside its references, in turn, in one run. A table goes to standard output, progress to standard
error. A run of all shapes at the full pace also writes test/bench/RESULTS.md, or RESULTS-POSTGRES.md, unless --write says
where.

  --quick             short rounds over 10,000 leads, in about two minutes
  --shape NAME,...    only the shapes whose names begin with one of these
  --leads N,...       sizes of the data [10000,100000,1000000]: multiples of 100 from 1000 to 1900000
  --ablate[=NAME,...] measures the gain of each mechanism, or of those named, on its shapes, by turning it off alone;
                      nothing else is measured [at 10000 and 1000000 leads, some 20 minutes each]
  --against COMMIT    measures the server of an earlier commit and this one in turn on the shapes that are read, and says which
                      became slower; exits with 1 where one is below 0.85 in three rounds of four [10000,1000000 leads]
  --console           measures the console alone, in Chromium: its shapes are pages and live [1000000 leads]
  --store postgres    measures nodes on Postgres beside a reference on the same server: BENCH_DATABASE_URL names it, and keeps
                      the data from run to run; without it the benchmark starts one of its own [10000,1000000 leads]
  --write FILE        writes the table in Markdown
  --json              prints the figures as one JSON document instead of the table
  --help              prints this text

The benchmark generates the data of a size once and keeps it below test/node_modules/.cache: 1,000,000 leads take some
minutes and about 13 GB. With the data there, npm run bench -- --leads 10000,1000000 takes some 40 minutes on two idle cores.

Measurements beside the shapes, with their arguments:
${measurements.map(({ about, name, usage }) => `  ${name.padEnd(20)}${about}\n${"".padEnd(22)}${usage === "" ? "without arguments" : usage}`).join("\n")}

Mechanisms for --ablate; --shape restricts their shapes:
${ablations.map(({ about, name }) => `  ${name.padEnd(20)}${about}`).join("\n")}
`

/** Its message says what an option takes. */
export class UsageError extends Error {}

const sizes = (text: string): ReadonlyArray<number> =>
  text
    .split(",")
    .map((each) => {
      const leads = /^[0-9]+$/.test(each) ? Number(each) : 0
      if (leads < 1000 || leads > 1_900_000 || leads % 100 !== 0)
        throw new UsageError(
          `--leads takes multiples of 100 from 1000 to 1900000, separated by commas, not "${each}"`
        )
      return leads
    })
    .sort((a, b) => a - b)

const ablationsOf = (names: string): ReadonlyArray<Ablation> =>
  names.split(",").map((name) => {
    const ablation = ablations.find((each) => each.name === name)
    if (ablation === undefined)
      throw new UsageError(`--ablate takes mechanisms that --help lists, not "${name}"`)
    return ablation
  })

/** Null when help was requested. */
export const readOptions = (args: ReadonlyArray<string>): Options | null => {
  let [quick, json, isConsole] = [false, false, false]
  let shapes: ReadonlyArray<string> | null = null
  let leads: ReadonlyArray<number> | null = null
  let ablate: ReadonlyArray<Ablation> | null = null
  let against: string | null = null
  let write: string | null = null
  let store: Options["store"] = "sqlite"
  const rest = args.flatMap((arg) => {
    const match = /^(--[a-z]+)=(.*)$/.exec(arg)
    return match === null ? [arg] : [match[1]!, match[2]!]
  })
  while (rest.length > 0) {
    const option = rest.shift()!
    const value = (): string => {
      const next = rest.shift()
      if (next === undefined || next.startsWith("--")) throw new UsageError(`${option} takes a value`)
      return next
    }
    switch (option) {
      case "--help":
      case "-h":
        return null
      case "--quick":
        quick = true
        break
      case "--console":
        isConsole = true
        break
      case "--ablate":
        ablate = rest[0] === undefined || rest[0].startsWith("--") ? ablations : ablationsOf(rest.shift()!)
        break
      case "--against":
        against = value()
        break
      case "--write":
        write = value()
        break
      case "--store": {
        const name = value()
        if (name !== "sqlite" && name !== "postgres")
          throw new UsageError(`--store takes sqlite or postgres, not "${name}"`)
        store = name
        break
      }
      case "--json":
        json = true
        break
      case "--shape":
        shapes = value().split(",")
        break
      case "--leads":
        leads = sizes(value())
        break
      case "--":
        break
      default:
        throw new UsageError(
          option.startsWith("-")
            ? `There is no option ${option}; --help lists the options`
            : `There is no measurement ${option}; --help lists them`
        )
    }
  }
  if (against !== null && (ablate !== null || isConsole || store !== "sqlite"))
    throw new UsageError("--against takes --quick, --shape, --leads, --write and --json beside it")
  const usual =
    ablate === null && against === null && store === "sqlite"
      ? [10_000, 100_000, 1_000_000]
      : [10_000, 1_000_000]
  const sizesOfRun = quick ? [10_000] : isConsole ? [1_000_000] : usual
  return { ablate, against, store, quick, isConsole, json, shapes, write, leads: leads ?? sizesOfRun }
}
