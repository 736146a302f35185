/** What an operator sees of deliveries, and sends again. */
import { Deliveries, type DeliveryId, type EventType, type LastAttempt, Page } from "@lead-signals/domain"
import { countIn } from "./countIn.ts"
import { Effect, Option } from "effect"
import { deliveryOf, type DeliveryRow, type Tables } from "./Tables.ts"

const lastAttemptOf = ({ log }: DeliveryRow): LastAttempt | null => {
  const last = log.at(-1)
  if (last === undefined) return null
  const { at, durationMillis, error, status } = last
  return { at, durationMillis, status, error }
}

export const deliveries = (tables: Tables): typeof Deliveries.Service => {
  const find = (webhookId: string, id: DeliveryId) =>
    Option.filter(Option.fromNullable(tables.deliveries.get(id)), (row) => row.webhookId === webhookId)

  const sendAgain = (row: DeliveryRow, id: DeliveryId, now: number): DeliveryId => {
    tables.deliveries.put(row.id, { ...row, resentAs: id })
    return tables.queue(
      { id, webhookId: row.webhookId, event: row.event, resendOf: row.id, orderedLead: null },
      now
    ).id
  }

  const newestEvent = (brandId: string, leadId: number, type: EventType) => {
    const fired = tables
      .events(brandId)
      .all()
      .filter((each) => each.leadId === leadId && each.event === type)
      .sort((a, b) => a.position - b.position)
      .at(-1)
    if (fired === undefined) return undefined
    const { position: _, ...event } = fired
    return event
  }

  return Deliveries.of({
    list: (webhookId, { page, state }) =>
      Effect.sync(() => {
        const rows = tables.deliveriesOf(webhookId).filter((row) => state === null || row.state === state)
        const from = Page.offset(page)
        const newestFirst = rows.reverse().slice(from, from + page.pageSize)
        return {
          total: rows.length,
          deliveries: newestFirst.map((row) => ({ ...deliveryOf(row), lastAttempt: lastAttemptOf(row) }))
        }
      }),

    get: (webhookId, id) =>
      Effect.sync(() =>
        Option.map(find(webhookId, id), (row) => ({
          delivery: deliveryOf(row),
          attempts: row.log,
          body: row.body
        }))
      ),

    queue: ({ brandId, id: webhookId }, request, ids) =>
      tables.writeAndRing((now) => {
        if (request.what === "again") {
          return Option.map(find(webhookId, request.deliveryId), (row) => sendAgain(row, ids(), now))
        }
        const event = request.what === "test" ? null : newestEvent(brandId, request.leadId, request.event)
        if (event === undefined || tables.webhooks.get(webhookId) === undefined) return Option.none()
        return Option.some(
          tables.queue({ id: ids(), webhookId, event, resendOf: null, orderedLead: null }, now).id
        )
      }),

    recover: (webhookId, { events, limit, since }, ids) =>
      tables.writeAndRing((now) => {
        const dead = tables
          .deliveriesOf(webhookId)
          .filter(({ resentAs, state }) => state === "dead" && resentAs === null)
          .filter(({ finishedAt }) => finishedAt! >= since)
          .filter(({ event }) => event === null || events.includes(event.event))
          .sort((a, b) => a.finishedAt! - b.finishedAt! || a.seq - b.seq)
          .slice(0, limit)
        for (const row of dead) sendAgain(row, ids(), now)
        return dead.length
      }),

    counts: (brandId, intervals) =>
      Effect.sync(() => {
        const finished = tables.deliveries.all().flatMap(({ finishedAt, state, webhookId }) => {
          const isOfBrand = tables.webhooks.get(webhookId)?.brandId === brandId
          return isOfBrand && state !== "pending" ? [{ at: finishedAt!, group: state }] : []
        })
        return countIn(intervals, finished)
      })
  })
}
