/** `lead-signals webhooks …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { DeliveryQueries } from "@lead-signals/domain"
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
  pageListing,
  pageOptions,
  pathOf,
  printResource,
  queryOf,
  readingOne,
  readingOptions,
  textOption
} from "./OperatorCommand.ts"
import { type Columns, described, tableOf } from "./Output.ts"
import type { Json } from "./OperatorClient.ts"
import { listed } from "./OperatorsCommands.ts"
import { events, eventsOf, settingOptions, settingsOf } from "./WebhookOptions.ts"

const id = Args.text({ name: "WEBHOOK-ID" }).pipe(
  Args.withDescription("Id of the webhook; `webhooks list` shows it")
)
const target = Args.text({ name: "URL" }).pipe(
  Args.withDescription("URL that receives the events: public, and https")
)
const since = Options.text("since").pipe(
  Options.withDescription("Sends again the deliveries that died at this time or later, like 2026-01-31")
)
const state = Options.choice("state", DeliveryQueries.reportedStates).pipe(
  Options.withDescription("Only deliveries in this state"),
  Options.optional
)
const webhookOptions = { id, brand, ...operatorOptions }
const delivery = Args.text({ name: "DELIVERY-ID" }).pipe(
  Args.withDescription("Id of the delivery, wh_…; `webhooks deliveries` shows it")
)

const describeWebhook =
  (webhook: Json) =>
  (terminalColumns: number): string =>
    described(
      {
        id: webhook.id,
        url: webhook.url,
        events: webhook.events,
        description: webhook.description,
        enabled: webhook.enabled ? "yes" : "no",
        "disabled because": webhook.disabledReason,
        "failing since": webhook.failingSince,
        ordering: webhook.ordering,
        "held back for": webhook.maxDelay === null ? null : `${webhook.maxDelay} s`,
        format: webhook.format,
        "events a post": webhook.maxBatch,
        "waits for": `${webhook.maxWait} s`,
        created: webhook.createdAt
      },
      terminalColumns
    )

const attemptColumns: Columns = {
  attempt: ({ number }) => number,
  at: ({ at }) => at,
  took: ({ durationMillis }) => `${durationMillis} ms`,
  result: ({ error, status }) => status ?? error,
  response: ({ response }) => response
}

/** A delivery with its attempts, for people. */
const describeDelivery =
  (found: Json) =>
  (terminalColumns: number): string =>
    [
      described(
        {
          id: found.id,
          event: found.event,
          state: found.state,
          lead: found.leadId,
          engagement: found.engagementId,
          created: found.createdAt,
          "next attempt": found.nextAttemptAt,
          finished: found.finishedAt,
          "resend of": found.resendOf,
          "resent as": found.resentAs,
          body: found.body
        },
        terminalColumns
      ),
      "",
      found.log.length === 0 ? "No attempt yet." : tableOf(attemptColumns, found.log, terminalColumns)
    ].join("\n")

const deliveryColumns: Columns = {
  id: ({ id }) => id,
  event: ({ event }) => event,
  lead: ({ leadId }) => leadId,
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts,
  "last result": ({ lastAttempt }) => lastAttempt?.status ?? lastAttempt?.error,
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

/** `lead-signals webhooks`. Secrets are printed by `create` and `rotate-secret` alone. */
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
      { target, brand, events, ...settingOptions, ...keyedOptions },
      calling(
        (call, given) =>
          Effect.map(
            call("POST", pathOf(given.brand, "webhooks"), {
              url: given.target,
              events: eventsOf(given.events),
              ...settingsOf(given)
            }),
            printResource(({ id, secret, url }) => `Webhook ${id} to ${url}\nSecret ${secret}`)
          ),
        { url: "URL" }
      )
    ),
    leaf(
      "show",
      {
        summary: "Shows a webhook, or one of its deliveries with every attempt",
        examples: [["lead-signals webhooks show 1 wh_5f0c --brand 2", ""]]
      },
      { id, delivery: Args.optional(delivery), brand, ...readingOptions },
      readingOne((call, given) => {
        const { delivery: deliveryId } = given
        return Option.isNone(deliveryId)
          ? Effect.map(call("GET", pathOf(given.brand, "webhooks", given.id)), ({ data }) => ({
              value: data,
              text: describeWebhook(data)
            }))
          : Effect.map(
              call("GET", pathOf(given.brand, "webhooks", given.id, "deliveries", deliveryId.value)),
              ({ data }) => ({ value: data, text: describeDelivery(data) })
            )
      })
    ),
    leaf(
      "edit",
      {
        summary: "Changes a webhook; what is not named stays",
        examples: [["lead-signals webhooks edit 1 --events lead2.created --brand 2", ""]]
      },
      {
        id,
        brand,
        target: textOption("to", "URL that receives the events from now on"),
        events: textOption("events", "Event types, separated by commas"),
        ...settingOptions,
        ...operatorOptions
      },
      calling(
        (call, given) =>
          Effect.gen(function* () {
            const body = {
              ...(Option.isSome(given.target) ? { url: given.target.value } : {}),
              ...(Option.isSome(given.events) ? { events: listed(given.events.value) } : {}),
              ...settingsOf(given)
            }
            if (Object.keys(body).length === 0)
              return yield* usage("Nothing to change: name one of the options of `webhooks edit`.")
            return printResource(({ id, url }) => `Webhook ${id} to ${url} is changed.`)(
              yield* call("PATCH", pathOf(given.brand, "webhooks", given.id), body)
            )
          }),
        { url: "--to" }
      )
    ),
    leaf(
      "test",
      { summary: "Sends a test event, which concerns nobody" },
      { ...webhookOptions, ...keyedOptions },
      calling(
        (call, given) =>
          Effect.map(
            call("POST", pathOf(given.brand, "webhooks", given.id, "test")),
            printResource(({ deliveryId }) => `Queued as ${deliveryId}.`)
          ),
        { id: "WEBHOOK-ID" }
      )
    ),
    leaf(
      "deliveries",
      { summary: "Lists a webhook's deliveries, the newest first" },
      { id, brand, state, ...pageOptions, ...listingOptions },
      listing((call, given) =>
        Effect.map(
          call(
            "GET",
            pathOf(given.brand, "webhooks", given.id, "deliveries") +
              queryOf({ state: given.state, page: given.page, pageSize: given.pageSize })
          ),
          (answer) => pageListing(deliveryColumns, answer)
        )
      )
    ),
    leaf(
      "resend",
      { summary: "Sends a delivery again, with a new id" },
      { id, delivery, brand, ...keyedOptions },
      calling(
        (call, given) =>
          Effect.map(
            call("POST", pathOf(given.brand, "webhooks", given.id, "deliveries", given.delivery, "resend")),
            printResource(({ deliveryId }) => `Queued as ${deliveryId}.`)
          ),
        { id: "WEBHOOK-ID" }
      )
    ),
    leaf(
      "recover",
      { summary: "Sends again the dead deliveries since a time" },
      { ...webhookOptions, since, ...keyedOptions },
      calling(
        (call, given) =>
          Effect.map(
            call("POST", pathOf(given.brand, "webhooks", given.id, "recover"), { since: given.since }),
            printResource(({ queued }) => `Queued ${queued}.`)
          ),
        { id: "WEBHOOK-ID" }
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
