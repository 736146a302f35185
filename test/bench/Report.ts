/** The figures as lines: each with its reference, their ratio, the spread, the target, and whether it is reached. */
import type { FlatnessFigure, Sizes } from "./Flatness.ts"
import type { BareReading, Reading } from "./Reading.ts"
import { patienceSeconds, type Rate } from "./Load.ts"
import type { OrderedFigure } from "./OrderedDeliveries.ts"
import { maxSlowdown } from "./Shapes.ts"
import { median, formatted, spread } from "./Statistics.ts"

/** The least that an ordered webhook gets of what one without an order gets. */
const orderedTarget = 0.7

/** One line of a table, each figure as text. */
export interface Line {
  readonly shape: string
  readonly leads: number | null
  readonly figure: string
  readonly spread: string
  readonly reference: string
  readonly referenceSpread: string
  readonly ratio: string
  readonly target: string
  /** Null where there is no target. */
  readonly reached: boolean | null
}

/** A table with its title, and a note that says the units. */
export interface Section {
  readonly title: string
  readonly note: string
  readonly lines: ReadonlyArray<Line>
}

/** Two rows of figures whose ratio has a minimum as its target. */
export const pair = (
  shape: string,
  leads: number | null,
  subject: ReadonlyArray<number>,
  reference: ReadonlyArray<number>,
  atLeast: number | null
): Line => {
  const ratio = median(subject) / median(reference)
  return {
    shape,
    leads,
    figure: formatted(median(subject)),
    spread: spread(subject),
    reference: formatted(median(reference)),
    referenceSpread: spread(reference),
    ratio: formatted(ratio),
    target: atLeast === null ? "" : `≥ ${formatted(atLeast)}`,
    reached: atLeast === null ? null : ratio >= atLeast
  }
}

/** Rates whose reference had no answer within `patienceSeconds`: the ratio is greater than what one answer then would make it. */
const pairUnanswered = (
  shape: string,
  leads: number | null,
  subject: ReadonlyArray<number>,
  atLeast: number | null
): Line => {
  const line = pair(shape, leads, subject, [1 / patienceSeconds], atLeast)
  return {
    ...line,
    reference: `no answer within ${patienceSeconds} s`,
    referenceSpread: "",
    ratio: `> ${line.ratio}`
  }
}

/** One row of figures that has a minimum as its target. */
export const minimum = (
  shape: string,
  leads: number | null,
  figures: ReadonlyArray<number>,
  atLeast: number | null
): Line => ({
  ...limited(shape, leads, figures, null),
  target: atLeast === null ? "" : `≥ ${formatted(atLeast)}`,
  reached: atLeast === null ? null : median(figures) >= atLeast
})

/** Two rows of figures whose ratio has a maximum as its target. */
export const slowdown = (
  shape: string,
  leads: number | null,
  subject: ReadonlyArray<number>,
  reference: ReadonlyArray<number>,
  atMost: number | null
): Line => ({
  ...pair(shape, leads, subject, reference, null),
  target: atMost === null ? "" : `≤ ${formatted(atMost)}`,
  reached: atMost === null ? null : median(subject) / median(reference) <= atMost
})

/** One row of figures that has a maximum as its target. */
export const limited = (
  shape: string,
  leads: number | null,
  figures: ReadonlyArray<number>,
  atMost: number | null,
  reference: ReadonlyArray<number> | null = null
): Line => ({
  shape,
  leads,
  figure: formatted(median(figures)),
  spread: spread(figures),
  reference: reference === null ? "" : formatted(median(reference)),
  referenceSpread: reference === null ? "" : spread(reference),
  ratio: "",
  target: atMost === null ? "" : `≤ ${formatted(atMost)}`,
  reached: atMost === null ? null : median(figures) <= atMost
})

/** Ordered webhooks beside others: rates, and what an event costs. */
export const orderedSection = (figures: ReadonlyArray<OrderedFigure>): Section => ({
  title: "Ordered deliveries",
  note: 'Events a second to one webhook with `ordering: "lead"`, of 1,000 leads, each posted alone; the reference is the same webhook without an order, in turn. The lines with cpu are microseconds of processor time of the service\'s process for each event.',
  lines: figures.flatMap(({ ordered, store, unordered }) => {
    const name = `deliveries-ordered-${store.toLowerCase()}`
    const of = (key: "cpuMicros" | "perSecond") =>
      [ordered.map((each) => each[key]), unordered.map((each) => each[key])] as const
    return [
      pair(name, null, ...of("perSecond"), orderedTarget),
      slowdown(`${name}-cpu`, null, ...of("cpuMicros"), null)
    ]
  })
})

const perSecond = (rates: ReadonlyArray<Rate>): ReadonlyArray<number> => rates.map((rate) => rate.perSecond)

/** The target at this size; between the two sizes there is none. */
const targetOf = ({ leads, shape }: Reading): number | null => {
  if (leads === 10_000) return shape.atSmall
  return leads === 1_000_000 ? (shape.atLarge ?? null) : null
}

/** One section for each number of leads. */
export const readingSections = (readings: ReadonlyArray<Reading>): ReadonlyArray<Section> =>
  [...new Set(readings.map(({ leads }) => leads))].map((leads) => ({
    title: `Reading, ${leads.toLocaleString("en")} leads`,
    note: "Requests a second over 16 connections; the reference is (a), Fastify and better-sqlite3 over plain tables.",
    lines: readings
      .filter((reading) => reading.leads === leads)
      .map((reading) => {
        const { name } = reading.shape
        const [ours, theirs] = [perSecond(reading.subject), perSecond(reading.plain)]
        const target = targetOf(reading)
        return theirs.length === 0
          ? pairUnanswered(name, leads, ours, target)
          : pair(name, leads, ours, theirs, target)
      })
  }))

/** The shapes that are measured beside bare `node:http`. */
export const bareSection = (readings: ReadonlyArray<BareReading>): Section => ({
  title: "Beside bare node:http",
  note: "Requests a second over 16 sockets that only send requests; the reference is (b), the same bytes sent ready.",
  lines: readings.map(({ atLeast, bare, leads, name, subject }) =>
    pair(name, leads, perSecond(subject), perSecond(bare), atLeast)
  )
})

const between = ({ few, many }: Sizes): string =>
  `from ${few.toLocaleString("en")} to ${many.toLocaleString("en")} leads`

const slowdowns = (figures: ReadonlyArray<FlatnessFigure>, leads: number): ReadonlyArray<Line> =>
  figures.map(({ few, many, shape }) => slowdown(shape, leads, many, few, maxSlowdown))

/** The median time with the most leads beside that with the fewest. */
export const flatnessSection = (sizes: Sizes, figures: ReadonlyArray<FlatnessFigure>): Section => ({
  title: `Flatness, ${between(sizes)}`,
  note: "Milliseconds, the median of a request among 16 at once, with the most leads; the reference is that with the fewest, measured in turn.",
  lines: slowdowns(figures, sizes.many)
})

/** The same shapes right after something was written. */
export const afterWriteSection = (sizes: Sizes, figures: ReadonlyArray<FlatnessFigure>): Section => ({
  title: `After each write, ${between(sizes)}`,
  note: "Milliseconds of a request, one at a time, each after a lead was amended, with the most leads; the reference is that with the fewest, measured in turn.",
  lines: slowdowns(figures, sizes.many)
})

type Row = ReadonlyArray<string>

const headings: Row = ["shape", "ours", "spread", "reference", "spread", "ratio", "target", "reached"]

const cells = (line: Line): Row => [
  line.shape,
  line.figure,
  line.spread,
  line.reference,
  line.referenceSpread,
  line.ratio,
  line.target,
  line.reached === null ? "" : line.reached ? "yes" : "no"
]

/** The first `names` columns hold names, the others figures, which stand to the right. */
export const textTable = (headings: Row, rows: ReadonlyArray<Row>, names = 1): ReadonlyArray<string> => {
  const all = [headings, ...rows]
  const widths = headings.map((_, i) => Math.max(...all.map((row) => row[i]!.length)))
  return all.map((row) =>
    row
      .map((cell, i) => (i < names ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join("  ")
      .trimEnd()
  )
}

/** For a terminal. */
export const asText = (sections: ReadonlyArray<Section>): string =>
  sections
    .map(
      ({ lines, note, title }) => `${title}\n${note}\n${textTable(headings, lines.map(cells)).join("\n")}\n`
    )
    .join("\n")

const escaped = (cell: string): string => cell.replaceAll("|", "\\|")

/** As `textTable`, aligned as the formatter aligns it, so that what is written passes the format check. */
export const markdownTable = (headings: Row, rows: ReadonlyArray<Row>, names = 1): ReadonlyArray<string> => {
  const all = [headings, ...rows.map((row) => row.map(escaped))]
  const widths = headings.map((_, i) => Math.max(i < names ? 3 : 4, ...all.map((row) => row[i]!.length)))
  const [head, ...body] = all.map(
    (row) =>
      `| ${row.map((cell, i) => (i < names ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(" | ")} |`
  )
  const rule = `| ${widths.map((width, i) => (i < names ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`
  return [head!, rule, ...body]
}

/** For test/bench/RESULTS.md: the machine, and the command that measured. */
export const asMarkdown = (
  sections: ReadonlyArray<Section>,
  machine: ReadonlyArray<string>,
  command: string
): string =>
  [
    "# What was measured",
    "",
    `Written by \`${command}\`. Each figure and its reference were measured in one run, in turn; figures are medians of the`,
    "rounds, spreads their least and greatest. Read the ratios: the absolutes are the machine's.",
    "",
    ...machine.map((each) => `- ${each}`),
    ...sections.flatMap(({ lines, note, title }) => [
      "",
      `## ${title}`,
      "",
      note,
      "",
      ...markdownTable(headings, lines.map(cells))
    ]),
    ""
  ].join("\n")
