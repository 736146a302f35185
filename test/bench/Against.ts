/** The server of an earlier commit beside the one of this tree, in turn, on every shape that is read: whether any became slower. */
import { alternately, read } from "./Ablate.ts"
import type { Progress } from "./BulkLoad.ts"
import { earlierCommit, subjectOf } from "./EarlierCommit.ts"
import { databaseOf, readThrough } from "./Files.ts"
import { measureBare } from "./Load.ts"
import { preciseMillisOf } from "./ProcessorTime.ts"
import { difference, type Pace } from "./Reading.ts"
import { markdownTable, textTable } from "./Report.ts"
import { bundlePrograms, type Server, startSubject } from "./Servers.ts"
import { pathOf, pathsOf, type Shape } from "./Shape.ts"
import { shapesOf } from "./Shapes.ts"
import { median, quantile, formatted } from "./Statistics.ts"
import { keyOf } from "./SubjectDatabase.ts"

const key = keyOf(1)
const warmUpPaths = ["/signals/leads", "/signals/leads/1"]
const warmUpSeconds = 2

/** A shape may be as slow as this beside the earlier commit. */
const minRatio = 0.85

/** Requests of which the leads that they find are counted. */
const countedRequests = 20

/** A request may find so many times as many leads in one file as in the other, or so many more where both find some. */
const maxHitsRatio = 1.5
const maxHitsApart = 2

/** Share of the requests that may find other numbers of leads. */
const maxOtherShare = 0.2

/** One shape at both commits, in turn. */
export interface AgainstFigure {
  readonly shape: string
  readonly leads: number
  /** Leads that its first requests find, each in turn; null where its answers are no lists. */
  readonly hits: { readonly earlier: ReadonlyArray<number>; readonly now: ReadonlyArray<number> } | null
  /** Where their answers to the first request differ, earlier and now; null where they are the same. */
  readonly difference: string | null
  /** Requests a second, a figure a round. */
  readonly earlier: ReadonlyArray<number>
  readonly now: ReadonlyArray<number>
  /** Microseconds of processor time of a request, of all threads: other work on the machine changes them least. */
  readonly micros: { readonly earlier: ReadonlyArray<number>; readonly now: ReadonlyArray<number> }
}

/**
 * Whether both servers do the same work for it. Where the generator of the leads has other names than at the earlier commit, a search for
 * a part of a name of now found nothing there, which is sooner done.
 */
export const isComparable = ({ hits }: Pick<AgainstFigure, "hits">): boolean => {
  if (hits === null) return true
  const others = hits.now.filter((now, n) => {
    const [less, more] = [Math.min(now, hits.earlier[n]!), Math.max(now, hits.earlier[n]!)]
    return more > less * maxHitsRatio && (less === 0 || more - less > maxHitsApart)
  })
  return others.length <= hits.now.length * maxOtherShare
}

/** How many times as fast as the earlier commit, of each round: its two figures were measured next to each other. */
const ratiosOf = ({ earlier, now }: AgainstFigure): ReadonlyArray<number> =>
  now.map((figure, round) => figure / earlier[round]!)

/** The earlier processor time by the present one: above 1 where a request takes less now. */
const processorRatioOf = ({ micros }: AgainstFigure): number => median(micros.earlier) / median(micros.now)

/** On a noisy machine a ratio is easily one of chance: slower is what most rounds are, and what takes as much more processor time. */
export const verdictOf = (figure: AgainstFigure): "as fast" | "slower" | "unclear" | "other hits" => {
  if (!isComparable(figure)) return "other hits"
  const ratios = ratiosOf(figure)
  if (median(ratios) >= minRatio) return "as fast"
  return quantile(ratios, 0.75) < minRatio && processorRatioOf(figure) < minRatio ? "slower" : "unclear"
}

/** The commit to compare with, by any name that git knows, and what to measure. */
export interface AgainstOptions {
  readonly commit: string
  readonly leads: ReadonlyArray<number>
  readonly pace: Pick<Pace, "rounds" | "seconds">
  readonly wanted: (shape: string) => boolean
  readonly progress: Progress
}

const totalOf = async (server: Server, path: string): Promise<number | null> => {
  const answer = JSON.parse(await read(server, path)) as {
    readonly meta?: { readonly pagination?: { readonly total?: number } }
  }
  return answer.meta?.pagination?.total ?? null
}

const hitsOf = async (shape: Shape, earlier: Server, now: Server): Promise<AgainstFigure["hits"]> => {
  const count = typeof shape.paths === "function" ? countedRequests : 1
  const paths = Array.from({ length: count }, (_, n) => pathOf(shape, n))
  const hits = { earlier: [] as Array<number>, now: [] as Array<number> }
  for (const path of paths) {
    const [before, after] = [await totalOf(earlier, path), await totalOf(now, path)]
    if (before === null || after === null) return null
    hits.earlier.push(before)
    hits.now.push(after)
  }
  return hits
}

/** Requests a second, and in `micros` the processor time of each; the sequence of each server goes on from round to round. */
const measured = (shape: Shape, seconds: number, micros: ReadonlyMap<Server, Array<number>>) => {
  const paths = new Map([...micros.keys()].map((server) => [server, pathsOf(shape, 1)]))
  return async (server: Server): Promise<number> => {
    const before = preciseMillisOf(server.pid)
    const millis: Array<number> = []
    const target = { url: server.url, key, paths: paths.get(server)! }
    const { perSecond } = await measureBare(target, seconds, millis)
    micros.get(server)!.push(((preciseMillisOf(server.pid) - before) * 1000) / millis.length)
    return perSecond
  }
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
    for (const each of [before.file, file]) await readThrough(each)
    const earlier = await startSubject(before, before.file)
    const now = await startSubject(programs, file)
    try {
      const shapes = (await shapesOf(size, { url: now.url, key })).filter(({ name }) => wanted(name))
      for (const { url } of [earlier, now]) await measureBare({ url, key, paths: warmUpPaths }, warmUpSeconds)
      for (const [i, shape] of shapes.entries()) {
        progress.say(`${size.toLocaleString("en")} leads: ${shape.name} (${i + 1} of ${shapes.length})`)
        const [before, after] = await Promise.all([earlier, now].map((each) => read(each, pathOf(shape, 0))))
        const hits = await hitsOf(shape, earlier, now)
        const micros = new Map([earlier, now].map((server) => [server, [] as Array<number>]))
        const rounds = isComparable({ hits })
          ? await alternately(measured(shape, pace.seconds, micros), now, earlier, pace.rounds)
          : { whole: [], ablated: [] }
        // The first of each warmed it up.
        const [earlierMicros, nowMicros] = [earlier, now].map((server) => micros.get(server)!.slice(1))
        figures.push({
          shape: shape.name,
          leads: size,
          hits,
          difference: difference(JSON.parse(before!), JSON.parse(after!)),
          earlier: rounds.ablated,
          now: rounds.whole,
          micros: { earlier: earlierMicros!, now: nowMicros! }
        })
      }
    } finally {
      await Promise.all([earlier.stop(), now.stop()])
    }
  }
  return figures
}

const headings = [
  "shape",
  "leads",
  "earlier",
  "now",
  "ratio",
  "middle half",
  "verdict",
  "µs earlier",
  "µs now",
  "answers"
]

const lineOf = (figure: AgainstFigure): ReadonlyArray<string> => {
  const { hits, micros } = figure
  if (!isComparable(figure)) {
    const found = (leads: ReadonlyArray<number>): string => `finds ${formatted(median(leads))}`
    const [earlier, now] = [found(hits!.earlier), found(hits!.now)]
    return [
      figure.shape,
      figure.leads.toLocaleString("en"),
      earlier,
      now,
      "",
      "",
      verdictOf(figure),
      "",
      "",
      "others"
    ]
  }
  const ratios = ratiosOf(figure)
  return [
    figure.shape,
    figure.leads.toLocaleString("en"),
    `${formatted(median(figure.earlier))}/s`,
    `${formatted(median(figure.now))}/s`,
    `${median(ratios).toFixed(2)}×`,
    `${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)}`,
    verdictOf(figure),
    formatted(median(micros.earlier)),
    formatted(median(micros.now)),
    figure.difference === null ? "equal" : "others"
  ]
}

const note = (commit: string): string =>
  `The server of ${commit} and this one, in turn, each over its own file of the same leads: requests a second of 16 connections, and microseconds of processor time of a request, of all threads. Figures are medians; a ratio is that of the rounds' ratios, and slower is a shape with less than ${minRatio} in three rounds of four and of the processor time. A shape whose requests find another number of leads in the two files is not measured: the files have other names.`

const lowest = (name: string, ratios: ReadonlyArray<readonly [number, AgainstFigure]>): string => {
  const [ratio, { shape }] = ratios.reduce((found, each) => (each[0] < found[0] ? each : found))
  return `the least ratio of ${name} is ${ratio.toFixed(2)}, of ${shape}`
}

const summary = (figures: ReadonlyArray<AgainstFigure>): string => {
  const count = (verdict: string): number => figures.filter((figure) => verdictOf(figure) === verdict).length
  const measured = figures.filter(isComparable)
  const counts = `${figures.length} shapes: ${count("as fast")} as fast, ${count("unclear")} unclear, ${count("slower")} slower, ${count("other hits")} with other hits`
  if (measured.length === 0) return `${counts}.`
  const rates = measured.map((figure) => [median(ratiosOf(figure)), figure] as const)
  const times = measured.map((figure) => [processorRatioOf(figure), figure] as const)
  return `${counts}; ${lowest("rates", rates)}, and ${lowest("processor times", times)}.`
}

/** A line for each place at which answers differ, with a shape of them. */
const differences = (figures: ReadonlyArray<AgainstFigure>): ReadonlyArray<string> =>
  Array.from(new Map(figures.map(({ difference: found, shape }) => [found, shape])), ([found, shape]) =>
    found === null ? "" : `The answers of ${shape} differ at ${found}.`
  ).filter((line) => line !== "")

/** For a terminal; shapes whose answers differ come last. */
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

/** A page with the machine and the command that made it. */
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

/** For programs: every round, with ratios and verdict. */
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
