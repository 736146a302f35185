/** Options of `lead-signals leads …`, and the parameters of the API that they become. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Option } from "effect"
import { flagOption, textOption } from "./OperatorCommand.ts"

/** The argument of commands about one lead. Any text is taken: the server says what it takes. */
export const id = Args.text({ name: "LEAD-ID" }).pipe(
  Args.withDescription("Id of the lead; `leads list` shows it")
)

/** Which leads: the parameters of the list by the names of their options. */
export const filterOptions = {
  search: textOption("search", "Part of the name or of the headline, in any letter case"),
  signal: textOption("signal", "Leads with an engagement from this signal, by its id"),
  qualified: flagOption("qualified", "Leads with this flag"),
  exported: flagOption("exported", "Leads with this flag"),
  employee: flagOption("employee", "Leads with this flag"),
  createdAfter: textOption("created-after", "Leads created at this time or later, like 2026-01-31"),
  createdBefore: textOption("created-before", "Leads created at this time or earlier"),
  updatedAfter: textOption("updated-after", "Leads updated at this time or later"),
  updatedBefore: textOption("updated-before", "Leads updated at this time or earlier"),
  engagements: Options.boolean("engagements").pipe(
    Options.withDescription("Adds up to 20 newest engagements to each lead, in JSON")
  ),
  engagementDetail: Options.boolean("engagement-detail").pipe(
    Options.withDescription("Adds the post's author and the source to each of these engagements")
  )
}

interface Filter {
  readonly search: Option.Option<string>
  readonly signal: Option.Option<string>
  readonly qualified: Option.Option<string>
  readonly exported: Option.Option<string>
  readonly employee: Option.Option<string>
  readonly createdAfter: Option.Option<string>
  readonly createdBefore: Option.Option<string>
  readonly updatedAfter: Option.Option<string>
  readonly updatedBefore: Option.Option<string>
  readonly engagements: boolean
  readonly engagementDetail: boolean
}

const switched = (isOn: boolean): Option.Option<boolean> => (isOn ? Option.some(true) : Option.none())

/** Both parameters of the API about engagements: details alone imply the engagements. */
export const engagementParametersOf = ({
  engagementDetail,
  engagements
}: Pick<Filter, "engagements" | "engagementDetail">) => ({
  includeEngagements: switched(engagements || engagementDetail),
  includeEngagementDetail: switched(engagementDetail)
})

/** The parameters of the list of leads, by their names in the API. */
export const parametersOf = (given: Filter): Readonly<Record<string, Option.Option<string | boolean>>> => ({
  search: given.search,
  signalId: given.signal,
  qualified: given.qualified,
  exported: given.exported,
  isEmployee: given.employee,
  createdAfter: given.createdAfter,
  createdBefore: given.createdBefore,
  updatedAfter: given.updatedAfter,
  updatedBefore: given.updatedBefore,
  ...engagementParametersOf(given)
})
