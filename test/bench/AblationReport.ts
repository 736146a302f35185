/** What each mechanism gains, as a table: a line a shape, and a line a mechanism with the greatest of its gains. */
import type { Ablation } from "./Ablations.ts"
import { markdownTable, textTable } from "./Report.ts"
import { median, quantile, formatted } from "./Statistics.ts"

/** A figure a round, of the server as it is and without the mechanism. */
export interface Rounds {
  readonly whole: ReadonlyArray<number>
  readonly ablated: ReadonlyArray<number>
}

/** Rounds with the mechanism and without it, in turn, of one shape. */
export interface AblationFigure extends Rounds {
  readonly shape: string
  readonly leads: number
  readonly requests: "repeated" | "varied" | "after writes" | "beside" | "writes"
  readonly unit: "per second" | "ms"
}

/** All figures of one mechanism, as far as they came. */
export interface Ablated {
  readonly ablation: Ablation
  readonly figures: ReadonlyArray<AblationFigure>
  /** Why there are no further figures; null where all shapes were measured. */
  readonly failure: string | null
}

/** How many times as fast the server is with the mechanism, of each round: its two figures were measured next to each other. */
export const gainsOf = ({ ablated, unit, whole }: AblationFigure): ReadonlyArray<number> =>
  whole.map((figure, round) => (unit === "ms" ? ablated[round]! / figure : figure / ablated[round]!))

/** A mechanism that gains less on every shape that a user would notice is not worth its code. */
const minGain = 1.3

const headings = ["mechanism", "shape", "requests", "leads", "with", "without", "gain", "middle half"]
const summaryHeadings = ["mechanism", "what it does", "greatest gain", "on", `≥ ${minGain}`]

interface Gain {
  readonly shape: string
  readonly median: number
  /** Half of the rounds lie between these. */
  readonly low: number
  readonly high: number
}

const gainOf = (figure: AblationFigure): Gain => {
  const gains = gainsOf(figure)
  return {
    shape: figure.shape,
    median: median(gains),
    low: quantile(gains, 0.25),
    high: quantile(gains, 0.75)
  }
}

const times = (gain: number): string => `${gain.toFixed(2)}×`

const lineOf = (name: string, figure: AblationFigure): ReadonlyArray<string> => {
  const unit = figure.unit === "ms" ? " ms" : "/s"
  const gain = gainOf(figure)
  return [
    name,
    figure.shape,
    figure.requests,
    figure.leads.toLocaleString("en"),
    `${formatted(median(figure.whole))}${unit}`,
    `${formatted(median(figure.ablated))}${unit}`,
    times(gain.median),
    `${gain.low.toFixed(2)}–${gain.high.toFixed(2)}`
  ]
}

const maxGain = (figures: ReadonlyArray<AblationFigure>): Gain | null =>
  figures.map(gainOf).sort((a, b) => b.median - a.median)[0] ?? null

/** On a noisy machine a greatest gain is easily one of chance: it counts where most rounds have it. */
const verdictOf = ({ failure, figures }: Ablated): string => {
  const gains = figures.map(gainOf)
  if (failure !== null) return "failed"
  if (gains.some(({ low }) => low >= minGain)) return "yes"
  return gains.some(({ high }) => high >= minGain) ? "unclear" : "no"
}

/** Figures of all sizes of one mechanism together. */
const byMechanism = (ablated: ReadonlyArray<Ablated>): ReadonlyArray<Ablated> =>
  [...new Set(ablated.map(({ ablation }) => ablation))].map((ablation) => ({
    ablation,
    figures: ablated.flatMap((each) => (each.ablation === ablation ? each.figures : [])),
    failure: ablated.find((each) => each.ablation === ablation && each.failure !== null)?.failure ?? null
  }))

const lines = (ablated: ReadonlyArray<Ablated>): ReadonlyArray<ReadonlyArray<string>> =>
  byMechanism(ablated).flatMap(({ ablation, figures }) => figures.map((each) => lineOf(ablation.name, each)))

const summary = (ablated: ReadonlyArray<Ablated>): ReadonlyArray<ReadonlyArray<string>> =>
  byMechanism(ablated).map((each) => {
    const { about, name } = each.ablation
    const gain = maxGain(each.figures)
    return [name, about, gain === null ? "" : times(gain.median), gain?.shape ?? "", verdictOf(each)]
  })

const failures = (ablated: ReadonlyArray<Ablated>): ReadonlyArray<string> =>
  ablated.flatMap(({ ablation, failure }) =>
    failure === null ? [] : [`Without ${ablation.name} the server failed: ${failure}`]
  )

const note =
  "The server beside itself without one mechanism, in turn, over one file: requests a second of 16 connections, or milliseconds of one request. Figures are medians; a gain is that of the rounds' ratios."

/** For a terminal; failures come last. */
export const ablationsAsText = (ablated: ReadonlyArray<Ablated>): string =>
  [
    "Ablation",
    note,
    ...textTable(headings, lines(ablated), 3),
    "",
    ...textTable(summaryHeadings, summary(ablated), 2),
    ...failures(ablated),
    ""
  ].join("\n")

/** A page with the machine and the command that made it. */
export const ablationsAsMarkdown = (
  ablated: ReadonlyArray<Ablated>,
  machine: ReadonlyArray<string>,
  command: string
): string =>
  [
    "# What each mechanism gains",
    "",
    `Written by \`${command}\`. ${note}`,
    "",
    ...machine.map((each) => `- ${each}`),
    "",
    ...markdownTable(summaryHeadings, summary(ablated), 2),
    "",
    ...markdownTable(headings, lines(ablated), 3),
    ...failures(ablated).flatMap((each) => ["", each]),
    ""
  ].join("\n")

/** For programs: every round, and the verdict by which a mechanism stays or goes. */
export const ablationsAsJson = (ablated: ReadonlyArray<Ablated>, machine: ReadonlyArray<string>): string =>
  JSON.stringify(
    {
      machine,
      ablations: byMechanism(ablated).map((each) => ({
        name: each.ablation.name,
        about: each.ablation.about,
        verdict: verdictOf(each),
        failure: each.failure,
        shapes: each.figures.map((figure) => ({ ...figure, gains: gainsOf(figure) }))
      }))
    },
    null,
    2
  )
