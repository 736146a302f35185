/** `lead-signals webhooks …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { eventTypes } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { group, leaf } from "@lead-signals/command-line"
import {
  brand,
  calling,
  type Columns,
  listOfBrand,
  operatorOptions,
  pathOf,
  printResource,
  tableOf
} from "./OperatorCommand.ts"

const id = Args.text({ name: "WEBHOOK-ID" }).pipe(Args.withDescription("Its id, as `webhooks list` tells it"))
const target = Args.text({ name: "URL" }).pipe(
  Args.withDescription("Where events are posted to: public, and https")
)
const events = Options.text("events").pipe(
  Options.withDescription(`Which, with commas between [${eventTypes.join(",")}]`),
  Options.withDefault(eventTypes.join(","))
)
const since = Options.text("since").pipe(
  Options.withDescription("From when on dead deliveries are sent again, like 2026-01-31")
)
const state = Options.choice("state", ["pending", "delivered", "dead"]).pipe(
  Options.withDescription("Those in this state alone"),
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
    summary: "The webhooks of a brand and their deliveries",
    examples: [
      ["lead-signals webhooks create https://example.com/hook --brand 2", ""],
      ["lead-signals webhooks deliveries 1 --brand 2 --state dead", ""]
    ]
  },
  [
    listOfBrand("webhooks", "Lists them", {
      id: ({ id }) => id,
      url: ({ url }) => url,
      events: ({ events }) => events,
      enabled: ({ enabled }) => enabled,
      "failing since": ({ failingSince }) => failingSince
    }),
    leaf(
      "create",
      {
        summary: "Creates one",
        details: ["Its secret is printed this once; `rotate-secret` makes another."]
      },
      { target, brand, events, ...operatorOptions },
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
      { summary: "Sends it an event that tells of nobody" },
      webhookOptions,
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "webhooks", given.id, "test")),
          printResource(({ deliveryId }) => `Queued as ${deliveryId}.`)
        )
      )
    ),
    leaf(
      "deliveries",
      { summary: "Lists its newest deliveries" },
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
      { summary: "Sends again what died since a time" },
      { ...webhookOptions, since },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "webhooks", given.id, "recover"), { since: given.since }),
          printResource(({ queued }) => `Queued ${queued}.`)
        )
      )
    ),
    leaf(
      "rotate-secret",
      { summary: "Makes a new secret; the old one signs too for a day" },
      webhookOptions,
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "webhooks", given.id, "rotate-secret")),
          printResource(({ secret }) => `Secret ${secret}`)
        )
      )
    ),
    switchLeaf("enable", "Sends what it is owed, and goes on"),
    switchLeaf("disable", "Holds its deliveries until it is enabled"),
    leaf(
      "delete",
      { summary: "Removes it with its deliveries" },
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
