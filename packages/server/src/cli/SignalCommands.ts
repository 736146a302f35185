/** `lead-signals signals …` and `campaigns …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { sourceTypes } from "@lead-signals/domain"
import { Effect } from "effect"
import { group, leaf } from "@lead-signals/command-line"
import {
  brand,
  calling,
  listOfBrand,
  keyedOptions,
  operatorOptions,
  pathOf,
  printResource
} from "./OperatorCommand.ts"

const singular = { signals: "Signal", campaigns: "Campaign" } as const

type Kind = keyof typeof singular

const name = Args.text({ name: "NAME" }).pipe(Args.withDescription("The name"))
const idIn = (kind: Kind) =>
  Args.text({ name: "ID" }).pipe(
    Args.withDescription(`Id of the ${singular[kind].toLowerCase()}; \`${kind} list\` shows it`)
  )

const renameLeaf = (kind: Kind) =>
  leaf(
    "rename",
    { summary: `Renames a ${singular[kind].toLowerCase()}` },
    { id: idIn(kind), name, brand, ...operatorOptions },
    calling((call, given) =>
      Effect.map(
        call("PATCH", pathOf(given.brand, kind, given.id), { name: given.name }),
        printResource(({ id, name }) => `${singular[kind]} ${id} is now called ${name}.`)
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
        text: `${singular[kind]} ${given.id} is deleted.`
      })
    )
  )

const type = Options.choice("type", sourceTypes).pipe(Options.withDescription("Kind of the source"))
const value = Options.text("value").pipe(
  Options.withDescription(
    "The source: a URL for li-company-url, li-profile-url and post-url, words for the others"
  )
)
const signalType = Options.text("signal-type").pipe(
  Options.withDescription("The brand's name for signals of this kind [the source's type]"),
  Options.withDefault("")
)

export const signalsCommand = group(
  "signals",
  {
    summary: "Lists, creates, renames and deletes signals: what a brand watches",
    examples: [
      ["lead-signals signals create Launch --type posts-with-keywords --value 'our launch' --brand 2", ""],
      ["lead-signals signals rename 7 'Spring launch' --brand 2", ""]
    ]
  },
  [
    listOfBrand("signals", "Lists the signals of a brand", {
      id: ({ id }) => id,
      name: ({ name }) => name,
      "signal type": ({ signalType }) => signalType,
      source: ({ source }) => source.type,
      value: ({ source }) => source.value
    }),
    leaf(
      "create",
      { summary: "Creates a signal" },
      { name, type, value, signalType, brand, ...keyedOptions },
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
    deleteLeaf("signals", "Deletes a signal; its leads stay", [
      "The server rejects later observations of the signal. Leads and engagements that it caught stay and still show it."
    ])
  ]
)

export const campaignsCommand = group(
  "campaigns",
  {
    summary: "Lists, creates, renames and deletes the campaigns of a brand",
    examples: [["lead-signals campaigns rename 3 'Spring launch' --brand 2", ""]]
  },
  [
    listOfBrand("campaigns", "Lists the campaigns of a brand", {
      id: ({ id }) => id,
      name: ({ name }) => name,
      created: ({ createdAt }) => createdAt
    }),
    leaf(
      "create",
      { summary: "Creates a campaign" },
      { name, brand, ...keyedOptions },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "campaigns"), { name: given.name }),
          printResource(({ id, name }) => `Campaign ${id}, ${name}`)
        )
      )
    ),
    renameLeaf("campaigns"),
    deleteLeaf("campaigns", "Deletes a campaign with its snapshots")
  ]
)
