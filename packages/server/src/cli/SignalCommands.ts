/** `lead-signals signals …` and `campaigns …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { sourceTypes } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { group, leaf, usage } from "@lead-signals/command-line"
import {
  brand,
  calling,
  listing,
  listingOptions,
  listOfBrand,
  keyedOptions,
  operatorOptions,
  pathOf,
  printResource,
  queryOf,
  readingOne,
  readingOptions,
  textOption
} from "./OperatorCommand.ts"
import { type Columns, described } from "./Output.ts"
import { spanOptions, spanOf } from "./SeriesCommands.ts"

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

const company = textOption(
  "company",
  `The company behind the source as JSON, like '{"id":12,"name":"Northwind"}'; not for post-url and posts-with-keywords`
)
const companyId = textOption(
  "company-id",
  "The company's id in the network, in digits; for li-company-mention"
)

/** Leaves it to the server to say what a company takes. */
const readCompany = (text: string) =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: () => usage(`--company takes JSON, like '{"id":12,"name":"Northwind"}'.`)
  })

/** `lead-signals signals`. --company takes JSON, which the server judges. */
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
      { name, type, value, signalType, company, companyId, brand, ...keyedOptions },
      calling((call, given) =>
        Effect.gen(function* () {
          const source = {
            type: given.type,
            value: given.value,
            ...(Option.isSome(given.company) ? { company: yield* readCompany(given.company.value) } : {}),
            ...(Option.isSome(given.companyId) ? { liCompanyId: given.companyId.value } : {})
          }
          const signalType = given.signalType === "" ? given.type : given.signalType
          return printResource(({ id, source: watched }) => `Signal ${id} watches ${watched.value}`)(
            yield* call("POST", pathOf(given.brand, "signals"), { name: given.name, signalType, source })
          )
        })
      )
    ),
    renameLeaf("signals"),
    deleteLeaf("signals", "Deletes a signal; its leads stay", [
      "The server rejects later observations of the signal. Leads and engagements that it caught stay and still show it."
    ])
  ]
)

const postColumns: Columns = {
  post: ({ postId }) => postId,
  day: ({ snapshotDate }) => snapshotDate,
  impressions: ({ impressions }) => impressions,
  reactions: ({ reactions }) => reactions,
  comments: ({ comments }) => comments,
  reposts: ({ reposts }) => reposts,
  "engagement rate": ({ engagementRate }) => engagementRate
}

const { post: _post, day: _day, ...figureColumns } = postColumns
const pointColumns: Columns = { start: ({ start }) => start, ...figureColumns }

const figure = (name: string) =>
  Options.integer(name).pipe(Options.withDescription(`All ${name} of the post up to that day`))

const figures = {
  impressions: figure("impressions"),
  reactions: figure("reactions"),
  comments: figure("comments"),
  reposts: figure("reposts")
}

/** The readings of a campaign's posts: what is put in, and what comes out. */
const readingLeaves = [
  leaf(
    "record",
    {
      summary: "Sets a post's cumulative totals of a day; those set before are replaced",
      examples: [
        [
          "lead-signals campaigns record 3 post-1 2026-01-31 --impressions 1200 --reactions 40 --comments 6 --reposts 2 --brand 2",
          ""
        ]
      ]
    },
    {
      id: idIn("campaigns"),
      post: Args.text({ name: "POST-ID" }).pipe(Args.withDescription("The post's id, as you name it")),
      day: Args.text({ name: "DAY" }).pipe(Args.withDescription("The day, as YYYY-MM-DD")),
      ...figures,
      brand,
      ...operatorOptions
    },
    calling(
      (call, given) =>
        Effect.map(
          call(
            "PUT",
            pathOf(given.brand, "campaigns", given.id, "posts", given.post, "snapshots", given.day),
            {
              impressions: given.impressions,
              reactions: given.reactions,
              comments: given.comments,
              reposts: given.reposts
            }
          ),
          printResource(
            ({ comments, impressions, reactions, reposts }) =>
              `As of ${given.day} the campaign has ${impressions} impressions, ${reactions} reactions, ${comments} comments and ${reposts} reposts.`
          )
        ),
      { postId: "POST-ID" }
    )
  ),
  leaf(
    "posts",
    { summary: "Lists a campaign's posts with their last totals, the most impressions first" },
    { id: idIn("campaigns"), brand, ...listingOptions },
    listing((call, given) =>
      Effect.map(call("GET", pathOf(given.brand, "campaigns", given.id, "posts")), ({ data }) => ({
        value: data,
        items: data,
        columns: postColumns
      }))
    )
  ),
  leaf(
    "metrics",
    {
      summary: "Shows a campaign's totals, those of its latest snapshot",
      examples: [["lead-signals campaigns metrics 3 --end 2026-01-31 --brand 2", "as they were that day"]]
    },
    {
      id: idIn("campaigns"),
      brand,
      start: textOption("start", "The latest snapshot from this day on, as YYYY-MM-DD"),
      end: textOption("end", "The latest snapshot up to this day [today]"),
      ...readingOptions
    },
    readingOne((call, given) =>
      Effect.map(
        call(
          "GET",
          pathOf(given.brand, "campaigns", given.id, "metrics") +
            queryOf({ startDate: given.start, endDate: given.end })
        ),
        ({ data }) => ({
          value: data,
          text: (columns) =>
            data.snapshotDate === null
              ? "No snapshot."
              : described(
                  {
                    snapshot: data.snapshotDate,
                    impressions: data.impressions,
                    reactions: data.reactions,
                    comments: data.comments,
                    reposts: data.reposts,
                    "engagement rate": data.engagementRate
                  },
                  columns
                )
        })
      )
    )
  ),
  leaf(
    "series",
    {
      summary: "Lists a campaign's figures at the end of each day or week",
      examples: [["lead-signals campaigns series 3 --start 2026-01-01 --end 2026-01-31 --brand 2", ""]]
    },
    {
      id: idIn("campaigns"),
      brand,
      ...spanOptions(["day", "week"]),
      post: textOption("post", "The figures of this post alone, by its id"),
      ...listingOptions
    },
    listing((call, given) =>
      Effect.map(
        call(
          "GET",
          pathOf(given.brand, "campaigns", given.id, "series") +
            queryOf({ ...spanOf(given), postId: given.post })
        ),
        ({ data }) => ({ value: data, items: data.points, columns: pointColumns })
      )
    )
  )
] as const

/** `lead-signals campaigns`, with the figures of their posts. */
export const campaignsCommand = group(
  "campaigns",
  {
    summary: "Lists, creates, renames and deletes the campaigns of a brand; records and lists their figures",
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
    ...readingLeaves,
    renameLeaf("campaigns"),
    deleteLeaf("campaigns", "Deletes a campaign with its snapshots")
  ]
)
