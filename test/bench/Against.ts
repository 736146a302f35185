/** The server of an earlier commit beside the one of this tree, in turn, on every shape that is read: whether any became slower. */
import { alternately, rateOf, read } from "./Ablate.ts"
import type { Progress } from "./BulkLoad.ts"
import { earlierCommit, subjectOf } from "./EarlierCommit.ts"
import { databaseOf } from "./Files.ts"
import { measureBare } from "./Load.ts"
import { difference, type Pace } from "./Reading.ts"
import { markdownTable, textTable } from "./Report.ts"
import { bundlePrograms, startSubject } from "./Servers.ts"
import { pathOf } from "./Shape.ts"
import { shapesOf } from "./Shapes.ts"
import { median, quantile, formatted } from "./Statistics.ts"
import { keyOf } from "./SubjectDatabase.ts"

const key = keyOf(1)
const warmUpPaths = ["/signals/leads", "/signals/leads/1"]
const warmUpSeconds = 2

/** A shape may be as slow as this beside the earlier commit. */
const minRatio = 0.85

export interface AgainstFigure {
  readonly shape: string
  readonly leads: number
  /** Where their answers to the first request differ, earlier and now; null where they are the same. */
  readonly difference: string | null
  /** Requests a second, a figure a round. */
  readonly earlier: ReadonlyArray<number>
  readonly now: ReadonlyArray<number>
}

/** How many times as fast as the earlier commit, of each round: its two figures were measured next to each other. */
const ratiosOf = ({ earlier, now }: AgainstFigure): ReadonlyArray<number> =>
  now.map((figure, round) => figure / earlier[round]!)

/** On a noisy machine a ratio is easily one of chance: slower is what most rounds are. */
export const verdictOf = (figure: AgainstFigure): "as fast" | "slower" | "unclear" => {
  const ratios = ratiosOf(figure)
  if (median(ratios) >= minRatio) return "as fast"
  return quantile(ratios, 0.75) < minRatio ? "slower" : "unclear"
}

export interface AgainstOptions {
  readonly commit: string
  readonly leads: ReadonlyArray<number>
  readonly pace: Pick<Pace, "rounds" | "seconds">
  readonly wanted: (shape: string) => boolean
  readonly progress: Progress
}

/** Throws `UsageError` where there is no such commit. */
export const measureAgainst = async ({
  commit,
  leads,
  pace,
  progress,
  wanted
}: AgainstOptions): Promise<ReadonlyArray<AgainstFigure>> => {
  const sources = earlierCommit(commit)
  const programs = await bundlePrograms()
  const figures: Array<AgainstFigure> = []
  for (const size of leads) {
    const before = await subjectOf(sources, size, progress)
    const file = await databaseOf("subject", size, progress)
    const earlier = await startSubject(before, before.file)
    const now = await startSubject(programs, file)
    try {
      const shapes = (await shapesOf(size, { url: now.url, key })).filter(({ name }) => wanted(name))
      for (const { url } of [earlier, now]) await measureBare({ url, key, paths: warmUpPaths }, warmUpSeconds)
      for (const [i, shape] of shapes.entries()) {
        progress.say(`${size.toLocaleString("en")} leads: ${shape.name} (${i + 1} of ${shapes.length})`)
        const [before, after] = await Promise.all([earlier, now].map((each) => read(each, pathOf(shape, 0))))
        const rounds = await alternately(rateOf(shape, 1, pace.seconds), now, earlier, pace.rounds)
        figures.push({
          shape: shape.name,
          leads: size,
          difference: difference(JSON.parse(before!), JSON.parse(after!)),
          earlier: rounds.ablated,
          now: rounds.whole
        })
      }
    } finally {
      await Promise.all([earlier.stop(), now.stop()])
    }
  }
  return figures
}

const headings = ["shape", "leads", "earlier", "now", "ratio", "middle half", "verdict", "answers"]

const lineOf = (figure: AgainstFigure): ReadonlyArray<string> => {
  const ratios = ratiosOf(figure)
  return [
    figure.shape,
    figure.leads.toLocaleString("en"),
    `${formatted(median(figure.earlier))}/s`,
    `${formatted(median(figure.now))}/s`,
    `${median(ratios).toFixed(2)}×`,
    `${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)}`,
    verdictOf(figure),
    figure.difference === null ? "equal" : "others"
  ]
}

const note = (commit: string): string =>
  `The server of ${commit} and this one, in turn, each over its own file of the same leads: requests a second of 16 connections. Figures are medians; a ratio is that of the rounds' ratios, and slower is a shape with less than ${minRatio} in three rounds of four.`

const summary = (figures: ReadonlyArray<AgainstFigure>): string => {
  const ratios = figures.map((figure) => median(ratiosOf(figure)))
  const lowest = figures[ratios.indexOf(Math.min(...ratios))]!
  const count = (verdict: string): number => figures.filter((figure) => verdictOf(figure) === verdict).length
  return `${figures.length} shapes: ${count("as fast")} as fast, ${count("unclear")} unclear, ${count("slower")} slower; the least ratio is ${Math.min(...ratios).toFixed(2)}, of ${lowest.shape}.`
}

/** A line for each place at which answers differ, with a shape of them. */
const differences = (figures: ReadonlyArray<AgainstFigure>): ReadonlyArray<string> =>
  Array.from(new Map(figures.map(({ difference: found, shape }) => [found, shape])), ([found, shape]) =>
    found === null ? "" : `The answers of ${shape} differ at ${found}.`
  ).filter((line) => line !== "")

export const againstAsText = (figures: ReadonlyArray<AgainstFigure>, commit: string): string =>
  [
    "Against an earlier commit",
    note(commit),
    ...textTable(headings, figures.map(lineOf), 1),
    "",
    summary(figures),
    ...differences(figures),
    ""
  ].join("\n")

export const againstAsMarkdown = (
  figures: ReadonlyArray<AgainstFigure>,
  machine: ReadonlyArray<string>,
  commit: string,
  command: string
): string =>
  [
    "# Against an earlier commit",
    "",
    `Written by \`${command}\`. ${note(commit)}`,
    "",
    ...machine.map((each) => `- ${each}`),
    "",
    summary(figures),
    "",
    ...markdownTable(headings, figures.map(lineOf), 1),
    ...differences(figures).flatMap((line) => ["", line]),
    ""
  ].join("\n")

export const againstAsJson = (
  figures: ReadonlyArray<AgainstFigure>,
  machine: ReadonlyArray<string>
): string =>
  JSON.stringify(
    {
      machine,
      shapes: figures.map((figure) => ({ ...figure, ratios: ratiosOf(figure), verdict: verdictOf(figure) }))
    },
    null,
    2
  )
