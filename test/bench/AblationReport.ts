/** What each mechanism gains, as a table: a line a shape, and a line a mechanism with the greatest of its gains. */
import { type Ablated, type AblationFigure, gainOf } from "./Ablate.ts"
import { markdownTable, textTable } from "./Report.ts"
import { median, shown, spread } from "./Statistics.ts"

/** A mechanism that gains less on every shape that a user would notice is not worth its code. */
const leastGain = 1.3

const headings = ["mechanism", "shape", "requests", "leads", "with", "spread", "without", "spread", "gain"]
const summaryHeadings = ["mechanism", "what it does", "greatest gain", `≥ ${leastGain}`]

const lineOf = (name: string, figure: AblationFigure): ReadonlyArray<string> => {
  const unit = figure.unit === "ms" ? " ms" : "/s"
  return [
    name,
    figure.shape,
    figure.requests,
    figure.leads.toLocaleString("en"),
    `${shown(median(figure.whole))}${unit}`,
    spread(figure.whole),
    `${shown(median(figure.ablated))}${unit}`,
    spread(figure.ablated),
    `${gainOf(figure).toFixed(2)}×`
  ]
}

const greatestGain = (figures: ReadonlyArray<AblationFigure>): number => Math.max(...figures.map(gainOf))

/** Figures of all sizes of one mechanism together. */
const byMechanism = (ablated: ReadonlyArray<Ablated>): ReadonlyArray<Ablated> =>
  [...new Set(ablated.map(({ ablation }) => ablation))].map((ablation) => ({
    ablation,
    figures: ablated.flatMap((each) => (each.ablation === ablation ? each.figures : []))
  }))

const lines = (ablated: ReadonlyArray<Ablated>): ReadonlyArray<ReadonlyArray<string>> =>
  byMechanism(ablated).flatMap(({ ablation, figures }) => figures.map((each) => lineOf(ablation.name, each)))

const summary = (ablated: ReadonlyArray<Ablated>): ReadonlyArray<ReadonlyArray<string>> =>
  byMechanism(ablated).map(({ ablation, figures }) => {
    const gain = greatestGain(figures)
    return [ablation.name, ablation.about, `${gain.toFixed(2)}×`, gain >= leastGain ? "yes" : "no"]
  })

const note =
  "The server beside itself without one mechanism, in turn, over one file: requests a second of 16 connections, or milliseconds of one request."

export const ablationsAsText = (ablated: ReadonlyArray<Ablated>): string =>
  [
    "Ablation",
    note,
    ...textTable(headings, lines(ablated), 3),
    "",
    ...textTable(summaryHeadings, summary(ablated), 2),
    ""
  ].join("\n")

export const ablationsAsMarkdown = (
  ablated: ReadonlyArray<Ablated>,
  machine: ReadonlyArray<string>,
  command: string
): string =>
  [
    "# What each mechanism gains",
    "",
    `Written by \`${command}\`. ${note}`,
    "Figures are medians of the rounds, spreads their least and greatest.",
    "",
    ...machine.map((each) => `- ${each}`),
    "",
    ...markdownTable(summaryHeadings, summary(ablated), 2),
    "",
    ...markdownTable(headings, lines(ablated), 3),
    ""
  ].join("\n")

export const ablationsAsJson = (ablated: ReadonlyArray<Ablated>, machine: ReadonlyArray<string>): string =>
  JSON.stringify(
    {
      machine,
      ablations: byMechanism(ablated).map(({ ablation: { about, name }, figures }) => ({
        name,
        about,
        greatestGain: greatestGain(figures),
        shapes: figures.map((figure) => ({ ...figure, gain: gainOf(figure) }))
      }))
    },
    null,
    2
  )
