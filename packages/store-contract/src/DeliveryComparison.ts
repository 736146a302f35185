/** Everything that an operator sees of webhooks and deliveries, compared with the reference. */
import { Deliveries, type ListedDelivery, Webhooks } from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { assertEqual, assertThat } from "./Assertions.ts"
import { nameOf } from "./DeliveryChecks.ts"
import { attemptMillis, type DeliveryWorld } from "./DeliveryWorld.ts"
import type { ReferenceDelivery, ReferenceWebhook } from "./reference/ReferenceDeliveries.ts"

const lastAttemptOf = ({ log }: ReferenceDelivery) => {
  const last = log.at(-1)
  return last === undefined
    ? null
    : { at: last.at, durationMillis: attemptMillis, status: last.status, error: null }
}

/** Gives the reference the ids that the store gave to new deliveries. Both lists begin with the oldest. */
const learnIds = (
  { bodies }: DeliveryWorld,
  found: ReadonlyArray<ListedDelivery>,
  expected: ReadonlyArray<ReferenceDelivery>
): void => {
  for (const [i, { id }] of found.entries()) {
    const known = expected[i]!
    if (known.id !== null) continue
    assertThat(`Deliveries.list: the id ${id} of a new delivery was sent before`, !bodies.has(id))
    assertThat(`Deliveries.list: the id ${id} is not the one that \`ids\` gave`, id.startsWith("wh_"))
    known.id = id
  }
}

/** Compares the list of all deliveries of a webhook, and learns the ids of new ones. */
const compareList = (
  world: DeliveryWorld,
  webhook: ReferenceWebhook,
  expected: ReadonlyArray<ReferenceDelivery>
) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const { deliveries: found, total } = yield* deliveries.list(webhook.id, {
      state: null,
      page: { page: 1, pageSize: 100 }
    })
    const oldestFirst = [...found].reverse()
    assertEqual(
      `Deliveries.list of webhook ${webhook.id}, the oldest first`,
      oldestFirst.map(({ event, engagementId }) => ({ event, engagementId })),
      expected.map(({ event, engagementId }) => ({ event, engagementId }))
    )
    assertEqual(`Deliveries.list of webhook ${webhook.id}, total`, total, expected.length)
    learnIds(world, oldestFirst, expected)
    for (const [i, { leadId, ...delivery }] of oldestFirst.entries()) {
      const known = expected[i]!
      const what = `Deliveries.list, delivery ${i + 1} of webhook ${webhook.id}, ${nameOf(known)}`
      assertEqual(
        what,
        { ...delivery, ofLead: leadId !== null },
        {
          id: known.id,
          webhookId: webhook.id,
          event: known.event,
          engagementId: known.engagementId,
          state: known.state,
          attempts: known.attempts,
          createdAt: known.createdAt,
          // A store may say that it waits once a lease has passed over it.
          dueAt: delivery.dueAt === null && world.reference.waits(known) ? null : known.dueAt,
          finishedAt: known.finishedAt,
          resendOf: known.resendOf?.id ?? null,
          resentAs: known.resentAs?.id ?? null,
          lastAttempt: lastAttemptOf(known),
          ofLead: known.person !== null
        }
      )
    }
  })

/** Compares the second page of three deliveries of each state. */
const compareStates = (webhook: ReferenceWebhook, expected: ReadonlyArray<ReferenceDelivery>) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    for (const state of ["pending", "delivered", "dead"] as const) {
      const page = yield* deliveries.list(webhook.id, { state, page: { page: 2, pageSize: 3 } })
      const ofState = expected.filter((each) => each.state === state).reverse()
      assertEqual(
        `Deliveries.list of webhook ${webhook.id}, second page of the ${state} ones, the newest first`,
        { total: page.total, ids: page.deliveries.map(({ id }) => id) },
        { total: ofState.length, ids: ofState.slice(3, 6).map(({ id }) => id) }
      )
    }
  })

/** Compares the attempts and the body of each delivery. */
const compareDetails = (webhook: ReferenceWebhook, expected: ReadonlyArray<ReferenceDelivery>) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    for (const known of expected) {
      const one = Option.getOrNull(yield* deliveries.get(webhook.id, known.id!))
      assertEqual(
        `Deliveries.get of ${nameOf(known)}, its attempts`,
        one?.attempts.map(({ at, batchId, number, response, status }) => ({
          number,
          at,
          status,
          response,
          batchId
        })) ?? null,
        known.log.map((each, i) => ({ number: i + 1, ...each }))
      )
      assertEqual(`Deliveries.get of ${nameOf(known)}, its body`, one?.body, known.body)
    }
  })

const compareWebhook = ({ brand }: DeliveryWorld, webhook: ReferenceWebhook) =>
  Effect.gen(function* () {
    const rendered = Option.getOrNull(yield* Effect.option(Webhooks.get(brand.id, webhook.id)))
    assertEqual(
      `WebhookStore.get ${webhook.id}`,
      rendered === null
        ? null
        : {
            enabled: rendered.enabled,
            failingSince: rendered.failingSince,
            hasReason: rendered.disabledReason !== null
          },
      webhook.deleted
        ? null
        : { enabled: webhook.enabled, failingSince: webhook.failingSince, hasReason: !webhook.enabled }
    )
  })

/** Compares the store's webhooks, lists and logs with the reference's; ids that are not known yet are learnt. */
export const compareDeliveries = (world: DeliveryWorld) =>
  Effect.gen(function* () {
    const { reference } = world
    for (const webhook of reference.webhooks) {
      const expected = reference.deliveries.filter((delivery) => delivery.webhook === webhook)
      yield* compareList(world, webhook, expected)
      yield* compareStates(webhook, expected)
      yield* compareDetails(webhook, expected)
      yield* compareWebhook(world, webhook)
    }
  })
