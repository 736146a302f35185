/** `lead-signals signals …` and `campaigns …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { group, leaf } from "@lead-signals/command-line"
import { sourceTypes } from "@lead-signals/domain"
import { Effect } from "effect"
import { asking, brand, operatorOptions, table } from "./Operator.ts"

const pathOf = (kind: "signals" | "campaigns", brandId: string): string =>
  `/operator/brands/${encodeURIComponent(brandId)}/${kind}`

const name = Args.text({ name: "NAME" }).pipe(Args.withDescription("What it is called"))
const idOf = (what: string) =>
  Args.text({ name: "ID" }).pipe(Args.withDescription(`Its id, as \`${what} list\` tells it`))

const renaming = (kind: "signals" | "campaigns") =>
  leaf(
    "rename",
    { summary: "Renames one" },
    { id: idOf(kind), name, brand, ...operatorOptions },
    asking((call, given) =>
      Effect.map(
        call("PATCH", `${pathOf(kind, given.brand)}/${encodeURIComponent(given.id)}`, { name: given.name }),
        ({ data }) => ({ value: data, text: `${data.id} is called ${data.name}.` })
      )
    )
  )

const deleting = (kind: "signals" | "campaigns", summary: string, details: ReadonlyArray<string> = []) =>
  leaf(
    "delete",
    { summary, details },
    { id: idOf(kind), brand, ...operatorOptions },
    asking((call, given) =>
      Effect.as(call("DELETE", `${pathOf(kind, given.brand)}/${encodeURIComponent(given.id)}`), {
        value: { id: given.id, deleted: true },
        text: `${given.id} is deleted.`
      })
    )
  )

const type = Options.choice("type", sourceTypes).pipe(
  Options.withDescription("What kind of source it watches")
)
const value = Options.text("value").pipe(
  Options.withDescription(
    "What it watches: a URL for li-company-url, li-profile-url and post-url, else words"
  )
)
const signalType = Options.text("signal-type").pipe(
  Options.withDescription("What the brand calls signals of its kind [the source's type]"),
  Options.withDefault("")
)

export const signalsCommand = group(
  "signals",
  {
    summary: "What a brand watches",
    examples: [
      ["lead-signals signals create Launch --type posts-with-keywords --value 'our launch' --brand 2", ""],
      ["lead-signals signals rename 7 'Spring launch' --brand 2", ""]
    ]
  },
  [
    leaf(
      "list",
      { summary: "Lists them" },
      { brand, ...operatorOptions },
      asking((call, given) =>
        Effect.map(call("GET", pathOf("signals", given.brand)), ({ data }) => ({
          value: data,
          text: table(
            ["id", "name", "signal type", "source", "value"],
            data.map((each: any) => [
              each.id,
              each.name,
              each.signalType,
              each.source.type,
              each.source.value
            ])
          )
        }))
      )
    ),
    leaf(
      "create",
      { summary: "Creates one" },
      { name, type, value, signalType, brand, ...operatorOptions },
      asking((call, given) =>
        Effect.map(
          call("POST", pathOf("signals", given.brand), {
            name: given.name,
            signalType: given.signalType === "" ? given.type : given.signalType,
            source: { type: given.type, value: given.value }
          }),
          ({ data }) => ({ value: data, text: `Signal ${data.id} watches ${data.source.value}` })
        )
      )
    ),
    renaming("signals"),
    deleting("signals", "Deletes one; its leads stay", [
      "Observations of it are rejected from then on. Leads and engagements that it caught stay and show it as before."
    ])
  ]
)

export const campaignsCommand = group(
  "campaigns",
  {
    summary: "The campaigns of a brand",
    examples: [["lead-signals campaigns rename 3 'Spring launch' --brand 2", ""]]
  },
  [
    leaf(
      "list",
      { summary: "Lists them" },
      { brand, ...operatorOptions },
      asking((call, given) =>
        Effect.map(call("GET", pathOf("campaigns", given.brand)), ({ data }) => ({
          value: data,
          text: table(
            ["id", "name", "created"],
            data.map((each: any) => [each.id, each.name, each.createdAt])
          )
        }))
      )
    ),
    leaf(
      "create",
      { summary: "Creates one" },
      { name, brand, ...operatorOptions },
      asking((call, given) =>
        Effect.map(call("POST", pathOf("campaigns", given.brand), { name: given.name }), ({ data }) => ({
          value: data,
          text: `Campaign ${data.id}, ${data.name}`
        }))
      )
    ),
    renaming("campaigns"),
    deleting("campaigns", "Deletes one with its snapshots")
  ]
)
