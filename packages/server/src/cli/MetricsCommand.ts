/** `lead-signals metrics`. */
import { leaf } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { type Operator, readText } from "./OperatorClient.ts"
import { listing, listingOptions, textOption } from "./OperatorCommand.ts"
import type { Columns } from "./Output.ts"

/** One sample of the page. */
interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** A number; `NaN`, `+Inf` and `-Inf` as texts, since JSON has none of them. */
  readonly value: number | string
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/

const escapes: Readonly<Record<string, string>> = { n: "\n" }

/** The samples of a page in Prometheus' text format, in its order. Lines of another form are left out. */
const samplesOf = (page: string): ReadonlyArray<Sample> =>
  page.split("\n").flatMap((text) => {
    const [, name, labels = "", number] = line.exec(text) ?? []
    if (name === undefined) return []
    const value = Number(number)
    return [
      {
        name,
        labels: Object.fromEntries(
          Array.from(labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g), ([, key, quoted]) => [
            key!,
            quoted!.replace(/\\(.)/g, (_, escaped: string) => escapes[escaped] ?? escaped)
          ])
        ),
        value: Number.isFinite(value) ? value : number!
      }
    ]
  })

const columns: Columns = {
  metric: ({ name }) => name,
  labels: ({ labels }) =>
    Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
  value: ({ value }) => value
}

/** `lead-signals metrics`: the samples of GET /metrics as a table, for people. */
export const metricsCommand = leaf(
  "metrics",
  {
    summary: "Lists the server's metrics; Prometheus itself reads /metrics",
    examples: [["lead-signals metrics --name webhook --watch", "those whose name has this in it"]]
  },
  { name: textOption("name", "Only metrics whose name has this text in it"), ...listingOptions },
  listing((_, given, operator: Operator) =>
    Effect.map(readText(operator, "/metrics"), (page) => {
      const part = Option.getOrElse(given.name, () => "")
      const items = samplesOf(page).filter(({ name }) => name.includes(part))
      return { value: items, items, columns }
    })
  )
)
