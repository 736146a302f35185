/** `lead-signals signals …` and `campaigns …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { sourceTypes } from "@lead-signals/domain"
import { Effect } from "effect"
import { group, leaf } from "@lead-signals/command-line"
import { brand, calling, listOfBrand, operatorOptions, pathOf, printResource } from "./OperatorCommand.ts"

type Kind = "signals" | "campaigns"

const name = Args.text({ name: "NAME" }).pipe(Args.withDescription("What it is called"))
const idIn = (kind: Kind) =>
  Args.text({ name: "ID" }).pipe(Args.withDescription(`Its id, as \`${kind} list\` tells it`))

const renameLeaf = (kind: Kind) =>
  leaf(
    "rename",
    { summary: "Renames one" },
    { id: idIn(kind), name, brand, ...operatorOptions },
    calling((call, given) =>
      Effect.map(
        call("PATCH", pathOf(given.brand, kind, given.id), { name: given.name }),
        printResource(({ id, name }) => `${id} is called ${name}.`)
      )
    )
  )

const deleteLeaf = (kind: Kind, summary: string, details: ReadonlyArray<string> = []) =>
  leaf(
    "delete",
    { summary, details },
    { id: idIn(kind), brand, ...operatorOptions },
    calling((call, given) =>
      Effect.as(call("DELETE", pathOf(given.brand, kind, given.id)), {
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
    listOfBrand("signals", "Lists them", {
      id: ({ id }) => id,
      name: ({ name }) => name,
      "signal type": ({ signalType }) => signalType,
      source: ({ source }) => source.type,
      value: ({ source }) => source.value
    }),
    leaf(
      "create",
      { summary: "Creates one" },
      { name, type, value, signalType, brand, ...operatorOptions },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "signals"), {
            name: given.name,
            signalType: given.signalType === "" ? given.type : given.signalType,
            source: { type: given.type, value: given.value }
          }),
          printResource(({ id, source }) => `Signal ${id} watches ${source.value}`)
        )
      )
    ),
    renameLeaf("signals"),
    deleteLeaf("signals", "Deletes one; its leads stay", [
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
    listOfBrand("campaigns", "Lists them", {
      id: ({ id }) => id,
      name: ({ name }) => name,
      created: ({ createdAt }) => createdAt
    }),
    leaf(
      "create",
      { summary: "Creates one" },
      { name, brand, ...operatorOptions },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "campaigns"), { name: given.name }),
          printResource(({ id, name }) => `Campaign ${id}, ${name}`)
        )
      )
    ),
    renameLeaf("campaigns"),
    deleteLeaf("campaigns", "Deletes one with its snapshots")
  ]
)
