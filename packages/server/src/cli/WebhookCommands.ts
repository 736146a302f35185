/** `lead-signals webhooks …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { group, leaf } from "@lead-signals/command-line"
import { eventTypes } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { asking, brand, operatorOptions, table } from "./Operator.ts"

const webhooksOf = (brandId: string): string => `/operator/brands/${encodeURIComponent(brandId)}/webhooks`
const webhookOf = (brandId: string, id: string): string => `${webhooksOf(brandId)}/${encodeURIComponent(id)}`

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
const changing = { id, brand, ...operatorOptions }

const switched = (name: "enable" | "disable", summary: string) =>
  leaf(
    name,
    { summary },
    changing,
    asking((call, given) =>
      Effect.map(
        call("PATCH", webhookOf(given.brand, given.id), { enabled: name === "enable" }),
        ({ data }) => ({ value: data, text: `Webhook ${data.id} is ${name}d.` })
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
    leaf(
      "list",
      { summary: "Lists them" },
      { brand, ...operatorOptions },
      asking((call, given) =>
        Effect.map(call("GET", webhooksOf(given.brand)), ({ data }) => ({
          value: data,
          text: table(
            ["id", "url", "events", "enabled", "failing since"],
            data.map((each: any) => [each.id, each.url, each.events, each.enabled, each.failingSince])
          )
        }))
      )
    ),
    leaf(
      "create",
      {
        summary: "Creates one",
        details: ["Its secret is printed this once; `rotate-secret` makes another."]
      },
      { target, brand, events, ...operatorOptions },
      asking((call, given) =>
        Effect.map(
          call("POST", webhooksOf(given.brand), { url: given.target, events: given.events.split(",") }),
          ({ data }) => ({ value: data, text: `Webhook ${data.id} to ${data.url}\nSecret ${data.secret}` })
        )
      )
    ),
    leaf(
      "test",
      { summary: "Sends it an event that tells of nobody" },
      changing,
      asking((call, given) =>
        Effect.map(call("POST", `${webhookOf(given.brand, given.id)}/test`), ({ data }) => ({
          value: data,
          text: `Queued as ${data.deliveryId}.`
        }))
      )
    ),
    leaf(
      "deliveries",
      { summary: "Lists its newest deliveries" },
      { ...changing, state },
      asking((call, given) => {
        const query = Option.match(given.state, { onNone: () => "", onSome: (only) => `?state=${only}` })
        return Effect.map(
          call("GET", `${webhookOf(given.brand, given.id)}/deliveries${query}`),
          ({ data, meta }) => ({
            value: { data, meta },
            text: `${table(
              ["id", "event", "lead", "state", "attempts", "created"],
              data.map((each: any) => [
                each.id,
                each.event,
                each.leadId,
                each.state,
                each.attempts,
                each.createdAt
              ])
            )}\n${data.length} of ${meta.pagination.total}`
          })
        )
      })
    ),
    leaf(
      "recover",
      { summary: "Sends again what died since a time" },
      { ...changing, since },
      asking((call, given) =>
        Effect.map(
          call("POST", `${webhookOf(given.brand, given.id)}/recover`, { since: given.since }),
          ({ data }) => ({ value: data, text: `Queued ${data.queued}.` })
        )
      )
    ),
    leaf(
      "rotate-secret",
      { summary: "Makes a new secret; the old one signs too for a day" },
      changing,
      asking((call, given) =>
        Effect.map(call("POST", `${webhookOf(given.brand, given.id)}/rotate-secret`), ({ data }) => ({
          value: data,
          text: `Secret ${data.secret}`
        }))
      )
    ),
    switched("enable", "Sends what it is owed, and goes on"),
    switched("disable", "Holds its deliveries until it is enabled"),
    leaf(
      "delete",
      { summary: "Removes it with its deliveries" },
      changing,
      asking((call, given) =>
        Effect.as(call("DELETE", webhookOf(given.brand, given.id)), {
          value: { id: given.id, deleted: true },
          text: `Webhook ${given.id} is deleted.`
        })
      )
    )
  ]
)
