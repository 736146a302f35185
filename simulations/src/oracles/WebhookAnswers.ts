/** What calls about webhooks and their deliveries must be answered. [DELIV-4, DELIV-5, DELIV-8] */
import type { Call, Json } from "../world/KnownFacts.ts"
import {
  answerOf,
  type ExpectedAnswers,
  type Expectations,
  noContent,
  notFound,
  refused
} from "./ExpectedAnswers.ts"
import { isSome } from "./OutboxRecords.ts"
import type { OutboxReference } from "./OutboxReference.ts"
import { renderedDelivery, learn, renderedLog, pageOf, renderedWebhook } from "./OutboxViews.ts"
import { bodyOf, isoTime, operationOf, paramsOf, queryOf } from "./Requests.ts"

const leadRoute = "/operator/brands/{brandId}/leads/{id}"
const webhookRoute = "/operator/brands/{brandId}/webhooks/{id}"

/** The list of deliveries of a webhook. */
export const deliveriesRoute = `${webhookRoute}/deliveries`
const deliveryRoute = `${deliveriesRoute}/{deliveryId}`

/** Hears what the store answers to such calls, and puts what must be answered into `expected`. */
export const webhookAnswers = (outbox: OutboxReference, expected: ExpectedAnswers) => {
  /** The webhook as the call has read it: what is done to it later does not change what the call shows. */
  const read = new WeakMap<Call, { readonly isEnabled: boolean; readonly events: ReadonlyArray<string> }>()
  const recovered = new WeakMap<Call, number>()

  const queried = (call: Call): Json => {
    const query = queryOf(call)
    const number = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise)
    return {
      state: query.get("state"),
      page: number("page", 1),
      pageSize: Math.min(100, number("pageSize", 25))
    }
  }

  const deliveryPage = (call: Call, answer: Json | null): string | null => {
    const { id } = paramsOf(call)
    const webhook = outbox.webhooks.get(id!)
    const query = queried(call)
    const isEnabled = read.get(call)?.isEnabled ?? true
    const known = () =>
      webhook === undefined || answer === null ? { found: [], total: 0 } : pageOf(webhook, isEnabled, query)
    let { found: rows, total } = known()
    const listed: ReadonlyArray<Json> = answer?.deliveries ?? []
    // Telling two apart can change which of them have the state that is asked for.
    while (rows.some((each, i) => listed[i] !== undefined && outbox.ids.tellApart(each, listed[i])))
      ({ found: rows, total } = known())
    for (const [i, each] of rows.entries()) {
      const wrong = listed[i] === undefined ? null : learn(outbox, each, listed[i])
      if (wrong !== null) return wrong
    }
    const { page, pageSize } = query
    expected.set(call, {
      status: 200,
      body: {
        data: rows.map((each) => renderedDelivery(each, isEnabled)),
        meta: { pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total } }
      }
    })
    return null
  }

  const deliveryRead = (call: Call, answer: Json): string | null => {
    const { deliveryId, id } = paramsOf(call)
    const webhook = outbox.webhooks.get(id!)
    const isEnabled = read.get(call)?.isEnabled ?? true
    if (!isSome(answer)) {
      const known = webhook && outbox.ids.delivery(webhook, deliveryId!)
      expected.set(call, notFound)
      return known === undefined ? null : `delivery ${deliveryId} is there, and is not found`
    }
    const known = webhook && outbox.ids.recognised(webhook, answer.value)
    if (known === undefined) return `delivery ${deliveryId} is found, and nobody has seen it`
    const wrong = learn(outbox, known, answer.value.delivery)
    if (wrong !== null) return wrong
    if (call.route === deliveryRoute)
      expected.set(
        call,
        answerOf(200, {
          ...renderedDelivery(known, isEnabled),
          body: known.body,
          log: renderedLog(known)
        })
      )
    else if (known.event !== "webhook.test" && !(read.get(call)?.events ?? []).includes(known.event))
      expected.set(call, refused)
    return null
  }

  const webhookRead = (call: Call, brandId: string, id: string): null => {
    const webhook = outbox.webhooks.get(id)
    if (webhook === undefined || webhook.brandId !== brandId) {
      expected.set(call, notFound)
      return null
    }
    const { enabled, events } = webhook
    read.set(call, { isEnabled: enabled, events })
    const isRefused =
      (call.route.endsWith("/test") && !enabled) ||
      (call.route === `${leadRoute}/resend` && !events.includes(bodyOf(call).event))
    if (isRefused) expected.set(call, refused)
    else if (operationOf(call) === `GET ${webhookRoute}`)
      expected.set(call, answerOf(200, renderedWebhook(webhook)))
    return null
  }

  const webhookChanged = (call: Call, id: string, answer: Json): null => {
    const webhook = outbox.webhooks.get(id)
    if (webhook === undefined || !isSome(answer)) expected.set(call, notFound)
    else if (call.route.endsWith("/rotate-secret")) {
      const until = new Date(webhook.previous!.until).toISOString()
      expected.set(call, answerOf(200, { secret: webhook.current, previousSecretExpiresAt: until }))
    } else expected.set(call, answerOf(200, renderedWebhook(webhook)))
    return null
  }

  /** A recovery queues in pieces, and says how many it has queued in all. */
  const deliveriesRecovered = (call: Call, { since }: Json, piece: number): string | null => {
    const queued = (recovered.get(call) ?? 0) + piece
    recovered.set(call, queued)
    expected.set(call, answerOf(202, { queued }))
    const requested = Date.parse(bodyOf(call).since)
    // Other forms of a time `errors clear` knows.
    return isoTime.test(bodyOf(call).since) && since !== requested
      ? `what died since ${since} is recovered, and the call says ${requested}`
      : null
  }

  const expectations: Expectations = {
    "webhooks.list": ({ args, call }) => {
      if (call.request.method === "GET")
        expected.set(call, answerOf(200, outbox.webhooksOf(args[0]).map(renderedWebhook)))
      return null
    },
    "webhooks.get": ({ args, call }) => webhookRead(call, args[0], args[1]),
    "webhooks.update": ({ answer, args, call }) => webhookChanged(call, args[1], answer),
    "webhooks.delete": ({ answer, call }) => {
      if (call.route.endsWith("/webhooks/{id}")) expected.set(call, answer === true ? noContent : notFound)
      return null
    },
    "deliveries.list": ({ answer, call }) => deliveryPage(call, answer),
    "deliveries.get": ({ answer, call }) => deliveryRead(call, answer),
    "deliveries.queue": ({ answer, call }) => {
      // What must be refused is refused also when it was queued.
      if (expected.get(call) !== refused)
        expected.set(call, isSome(answer) ? answerOf(202, { deliveryId: answer.value }) : notFound)
      return null
    },
    "deliveries.recover": ({ answer, args, call }) => deliveriesRecovered(call, args[1], answer)
  }

  return {
    deliveryPage,
    expectations,
    /** Whether the call has read its webhook. */
    hasRead: (call: Call): boolean => read.has(call)
  }
}
