/** `lead-signals leads …`. */
import * as Options from "@effect/cli/Options"
import { eventTypes } from "@lead-signals/domain"
import { group, leaf } from "@lead-signals/command-line"
import { Effect } from "effect"
import { terminalSafeJsonLines } from "../UntrustedText.ts"
import { leadEraseCommand } from "./LeadEraseCommand.ts"
import { leadExportCommand } from "./LeadExportCommand.ts"
import { engagementParametersOf, filterOptions, id, parametersOf } from "./LeadOptions.ts"
import { changeColumns, csvColumns, describeLead, leadColumns } from "./LeadOutput.ts"
import { leadSetCommand } from "./LeadSetCommand.ts"
import {
  brand,
  calling,
  integerOption,
  keyedOptions,
  listing,
  listingOptions,
  operatorOptions,
  pageListing,
  pageOptions,
  pathOf,
  printResource,
  queryOf,
  readingOne,
  readingOptions,
  textOption
} from "./OperatorCommand.ts"

const changesLeaf = leaf(
  "changes",
  {
    summary: "Lists what changed since a cursor, in the order of commits, with leads that are gone",
    details: [
      "Without --cursor it begins with the brand's first lead. meta.cursor of the JSON, or the line under the table, is where the next call goes",
      "on. On `cursor_expired` begin again without one, and drop the leads that do not come. The audit log has the calls."
    ],
    examples: [
      ["lead-signals leads changes --brand 2 --output table", "the first hundred"],
      ["lead-signals leads changes --brand 2 --cursor $(cat cursor) | jq -r .meta.cursor", ""]
    ]
  },
  {
    brand,
    cursor: textOption("cursor", "Where the call before ended [the first lead]"),
    pageSize: integerOption("page-size", "How many at most, to 100, or 25 with engagements [100]"),
    engagements: filterOptions.engagements,
    engagementDetail: filterOptions.engagementDetail,
    ...listingOptions
  },
  listing((call, given) =>
    Effect.map(
      call(
        "GET",
        pathOf(given.brand, "changes") +
          queryOf({ cursor: given.cursor, pageSize: given.pageSize, ...engagementParametersOf(given) })
      ),
      (answer) => ({
        value: answer,
        items: answer.data,
        columns: changeColumns,
        footer: `${answer.meta.hasMore ? "More follow" : "These are all"}: --cursor ${answer.meta.cursor}`
      })
    )
  )
)

/** `lead-signals leads`, with `set`, `export` and `erase` from their own modules. */
export const leadsCommand = group(
  "leads",
  {
    summary: "Lists, shows, changes, exports and erases the leads of a brand",
    examples: [
      ["lead-signals leads list --brand 2 --search ada --sort score1:desc", ""],
      ["lead-signals leads list --brand 2 --watch", "the newest, again every two seconds"],
      ["lead-signals leads export --brand 2 --out leads.csv", ""]
    ]
  },
  [
    leaf(
      "list",
      {
        summary: "Lists leads, a page at a time; `leads export` has all of them",
        examples: [["lead-signals leads list --brand 2 --qualified true --created-after 2026-01-31", ""]]
      },
      {
        brand,
        ...filterOptions,
        sort: textOption("sort", "createdAt, updatedAt, name or score1, with :asc or :desc [createdAt:desc]"),
        ...pageOptions,
        ...listingOptions
      },
      listing((call, given) =>
        Effect.map(
          call(
            "GET",
            pathOf(given.brand, "leads") +
              queryOf({
                ...parametersOf(given),
                sort: given.sort,
                page: given.page,
                pageSize: given.pageSize
              })
          ),
          (answer) => pageListing(leadColumns, answer, csvColumns)
        )
      )
    ),
    leaf(
      "show",
      { summary: "Shows a lead with its newest engagements" },
      { id, brand, ...readingOptions },
      readingOne((call, given) =>
        Effect.map(call("GET", pathOf(given.brand, "leads", given.id)), ({ data }) => ({
          value: data,
          text: describeLead(data)
        }))
      )
    ),
    changesLeaf,
    leadSetCommand,
    leadExportCommand,
    leaf(
      "data",
      {
        summary: "Prints everything that is held about a person, as JSON, for their own request",
        details: ["The audit log has the call."]
      },
      { id, brand, ...operatorOptions },
      calling((call, given) =>
        Effect.map(call("GET", pathOf(given.brand, "leads", given.id, "export")), ({ data }) => ({
          value: data,
          text: terminalSafeJsonLines(data)
        }))
      )
    ),
    leaf(
      "resend",
      { summary: "Sends a lead's newest event of a type to one webhook again" },
      {
        id,
        brand,
        webhook: Options.text("webhook").pipe(
          Options.withDescription("Id of the webhook; `webhooks list` shows it")
        ),
        event: Options.choice("event", eventTypes).pipe(Options.withDescription("The event's type")),
        ...keyedOptions
      },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "leads", given.id, "resend"), {
            webhookId: given.webhook,
            event: given.event
          }),
          printResource(({ deliveryId }) => `Queued as ${deliveryId}.`)
        )
      )
    ),
    leadEraseCommand
  ]
)
