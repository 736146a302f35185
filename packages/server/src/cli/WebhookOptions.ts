/** The settings of a webhook, as options of the commands that create or change one. */
import * as Options from "@effect/cli/Options"
import { eventTypes, webhookFormats, webhookOrderings } from "@lead-signals/domain"
import { Option } from "effect"
import { flagOption, integerOption, textOption } from "./OperatorCommand.ts"
import { listed } from "./OperatorsCommands.ts"

/** The event types that a new webhook gets. */
export const events = textOption("events", `Event types, separated by commas [${eventTypes.join(",")}]`)

/** The types that were named; all of them where none was. */
export const eventsOf = (given: Option.Option<string>): ReadonlyArray<string> =>
  Option.match(given, { onNone: () => eventTypes, onSome: listed })

/** How posts are made: their order, their form, and how many events one carries. */
export const postOptions = {
  ordering: Options.choice("ordering", webhookOrderings).pipe(
    Options.withDescription("lead: the events of one lead wait for each other [none]"),
    Options.optional
  ),
  maxDelay: Options.text("max-delay").pipe(
    Options.withDescription(
      "Seconds for which a failing event holds back its lead's later events, or none: as long as its retries last [none]"
    ),
    Options.filterMap(
      (text) =>
        text === "none"
          ? Option.some(null)
          : /^[0-9]{1,9}$/.test(text)
            ? Option.some(Number(text))
            : Option.none(),
      "--max-delay takes a number of seconds, or none."
    ),
    Options.optional
  ),
  format: Options.choice("format", webhookFormats).pipe(
    Options.withDescription("The form of the bodies [envelope]"),
    Options.optional
  ),
  maxBatch: integerOption("max-batch", "Events that one post may carry [1]"),
  maxWait: integerOption("max-wait", "Seconds that an event may wait for others to be sent with [0]")
}

/** All settings but URL and events. */
export const settingOptions = {
  description: textOption("description", "What the webhook is for, in your words"),
  enabled: flagOption("enabled", "false holds its deliveries [true]"),
  ...postOptions
}

type Given<Names extends string> = Readonly<Record<Names, Option.Option<string | number | null>>>

const fieldsOf = (
  given: Readonly<Record<string, Option.Option<unknown>>>
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

/** The fields of a webhook that `postOptions` gave; those that were not given are absent. */
export const postSettingsOf = ({
  format,
  maxBatch,
  maxDelay,
  maxWait,
  ordering
}: Given<keyof typeof postOptions>): Readonly<Record<string, unknown>> =>
  fieldsOf({ ordering, maxDelay, format, maxBatch, maxWait })

/** The fields of a webhook that `settingOptions` gave; those that were not given are absent. */
export const settingsOf = (given: Given<keyof typeof settingOptions>): Readonly<Record<string, unknown>> => ({
  ...fieldsOf({
    description: given.description,
    enabled: Option.map(given.enabled, (text) => text === "true")
  }),
  ...postSettingsOf(given)
})
