/** The `Deliveries` port, in memory. */
import { type CountSeries, Deliveries, type DeliveryId, Page, type WebhookId } from "@lead-signals/domain"
import { Clock, Effect, Layer, Option, Queue } from "effect"
import { deliveryOf, type DeliveryRecord, lastAttemptOf } from "./DeliveryBook.ts"
import { IntervalTally } from "./IntervalTally.ts"
import { MemoryState } from "./MemoryState.ts"

const make = Effect.map(MemoryState, ({ memory, queued }) => {
  const { deliveries } = memory

  const queue = <A>(work: (now: number) => A): Effect.Effect<A> =>
    Effect.tap(Effect.map(Clock.currentTimeMillis, work), () => Queue.offer(queued, undefined))

  const find = (webhookId: WebhookId, id: DeliveryId): DeliveryRecord | undefined => {
    const found = deliveries.byId.get(id)
    return found?.webhookId === webhookId ? found : undefined
  }

  const requeue = (record: DeliveryRecord, id: DeliveryId, now: number): DeliveryId => {
    memory.queueDelivery(
      { id, webhookId: record.webhookId, event: record.event, resendOf: record.id, orderedLead: null },
      now
    )
    deliveries.put({ ...record, resentAs: id })
    return id
  }

  return Deliveries.of({
    list: (webhookId, { page, state: wanted }) =>
      Effect.sync(() => {
        const matching = deliveries
          .of(webhookId)
          .filter((record) => wanted === null || record.state === wanted)
        const from = Page.offset(page)
        return {
          total: matching.length,
          deliveries: matching
            .reverse()
            .slice(from, from + page.pageSize)
            .map((record) => ({ ...deliveryOf(record), lastAttempt: lastAttemptOf(record) }))
        }
      }),
    get: (webhookId, id) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(find(webhookId, id)), (record) => ({
          delivery: deliveryOf(record),
          attempts: record.log,
          body: record.body
        }))
      ),
    queue: ({ brandId, id: webhookId }, request, ids) =>
      queue((now) => {
        if (request.what === "again") {
          const found = Option.fromNullable(find(webhookId, request.deliveryId))
          return Option.map(found, (record) => requeue(record, ids(), now))
        }
        const event =
          request.what === "test"
            ? null
            : memory.events.newestOf(
                request.leadId,
                (each) => each.brandId === brandId && each.event === request.event
              )
        const isMissing = request.what === "newest-event" && event === null
        return isMissing || !memory.webhooks.has(webhookId)
          ? Option.none()
          : Option.some(
              memory.queueDelivery({ id: ids(), webhookId, event, resendOf: null, orderedLead: null }, now).id
            )
      }),
    recover: (webhookId, { events, limit, since }, ids) =>
      queue((now) => {
        const dead = deliveries
          .of(webhookId)
          .filter(
            (record) => record.state === "dead" && record.resentAs === null && record.finishedAt! >= since
          )
          .filter(({ event }) => event === null || events.includes(event.event))
          .sort((a, b) => a.finishedAt! - b.finishedAt! || a.seq - b.seq)
          .slice(0, limit)
        for (const record of dead) requeue(record, ids(), now)
        return dead.length
      }),
    counts: (brandId, intervals) =>
      Effect.sync(() => {
        const tally = new IntervalTally<CountSeries.FinishedState>(intervals)
        for (const { brandId: owner, id } of memory.webhooks.values()) {
          if (owner !== brandId) continue
          for (const { finishedAt, state } of deliveries.of(id))
            if (state !== "pending") tally.add(finishedAt!, state)
        }
        return tally.counts
      })
  })
})

/** The port of deliveries. Needs the `Memory`. */
export const layer = Layer.effect(Deliveries, make)
