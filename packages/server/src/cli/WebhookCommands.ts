/** `lead-signals webhooks …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { DeliveryQueries, eventTypes } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { group, leaf } from "@lead-signals/command-line"
import {
  brand,
  calling,
  type Columns,
  listOfBrand,
  keyedOptions,
  operatorOptions,
  pathOf,
  printResource,
  tableOf
} from "./OperatorCommand.ts"

const id = Args.text({ name: "WEBHOOK-ID" }).pipe(
  Args.withDescription("Id of the webhook; `webhooks list` shows it")
)
const target = Args.text({ name: "URL" }).pipe(
  Args.withDescription("URL that receives the events: public, and https")
)
const events = Options.text("events").pipe(
  Options.withDescription(`Event types, separated by commas [${eventTypes.join(",")}]`),
  Options.withDefault(eventTypes.join(","))
)
const since = Options.text("since").pipe(
  Options.withDescription("Sends again the deliveries that died at this time or later, like 2026-01-31")
)
const state = Options.choice("state", DeliveryQueries.reportedStates).pipe(
  Options.withDescription("Only deliveries in this state"),
  Options.optional
)
const webhookOptions = { id, brand, ...operatorOptions }

const deliveryColumns: Columns = {
  id: ({ id }) => id,
  event: ({ event }) => event,
  lead: ({ leadId }) => leadId,
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts,
  created: ({ createdAt }) => createdAt
}

const switchLeaf = (name: "enable" | "disable", summary: string) =>
  leaf(
    name,
    { summary },
    webhookOptions,
    calling((call, given) =>
      Effect.map(
        call("PATCH", pathOf(given.brand, "webhooks", given.id), { enabled: name === "enable" }),
        printResource((webhook) => `Webhook ${webhook.id} is ${name}d.`)
      )
    )
  )

export const webhooksCommand = group(
  "webhooks",
  {
    summary: "Creates, tests and changes the webhooks of a brand; lists and recovers their deliveries",
    examples: [
      ["lead-signals webhooks create https://example.com/hook --brand 2", ""],
      ["lead-signals webhooks deliveries 1 --brand 2 --state dead", ""]
    ]
  },
  [
    listOfBrand("webhooks", "Lists the webhooks of a brand", {
      id: ({ id }) => id,
      url: ({ url }) => url,
      events: ({ events }) => events,
      enabled: ({ enabled }) => enabled,
      "failing since": ({ failingSince }) => failingSince
    }),
    leaf(
      "create",
      {
        summary: "Creates a webhook",
        details: ["The secret is printed only now; `rotate-secret` makes a new one."]
      },
      { target, brand, events, ...keyedOptions },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "webhooks"), {
            url: given.target,
            events: given.events.split(",")
          }),
          printResource(({ id, secret, url }) => `Webhook ${id} to ${url}\nSecret ${secret}`)
        )
      )
    ),
    leaf(
      "test",
      { summary: "Sends a test event, which concerns nobody" },
      { ...webhookOptions, ...keyedOptions },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "webhooks", given.id, "test")),
          printResource(({ deliveryId }) => `Queued as ${deliveryId}.`)
        )
      )
    ),
    leaf(
      "deliveries",
      { summary: "Lists a webhook's newest deliveries" },
      { ...webhookOptions, state },
      calling((call, given) => {
        const query = Option.match(given.state, { onNone: () => "", onSome: (only) => `?state=${only}` })
        return Effect.map(
          call("GET", `${pathOf(given.brand, "webhooks", given.id, "deliveries")}${query}`),
          ({ data, meta }) => ({
            value: { data, meta },
            text: `${tableOf(deliveryColumns, data)}\n${data.length} of ${meta.pagination.total}`
          })
        )
      })
    ),
    leaf(
      "recover",
      { summary: "Sends again the dead deliveries since a time" },
      { ...webhookOptions, since, ...keyedOptions },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "webhooks", given.id, "recover"), { since: given.since }),
          printResource(({ queued }) => `Queued ${queued}.`)
        )
      )
    ),
    leaf(
      "rotate-secret",
      { summary: "Makes a new secret; the old one also signs for a day" },
      { ...webhookOptions, ...keyedOptions },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "webhooks", given.id, "rotate-secret")),
          printResource(
            ({ previousSecretExpiresAt, secret }) =>
              `Secret ${secret}\nThe previous secret also signs until ${previousSecretExpiresAt}.`
          )
        )
      )
    ),
    switchLeaf("enable", "Enables a webhook, and sends the deliveries that were held"),
    switchLeaf("disable", "Disables a webhook, and holds its deliveries"),
    leaf(
      "delete",
      { summary: "Deletes a webhook with its deliveries" },
      webhookOptions,
      calling((call, given) =>
        Effect.as(call("DELETE", pathOf(given.brand, "webhooks", given.id)), {
          value: { id: given.id, deleted: true },
          text: `Webhook ${given.id} is deleted.`
        })
      )
    )
  ]
)
