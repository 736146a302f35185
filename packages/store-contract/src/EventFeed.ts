/** The events of a brand in the order of their commits, page by page, as the reference has them. */
import { type BrandId, type EventRead, LeadStore } from "@lead-signals/domain"
import { Effect } from "effect"
import { assertEqual, assertThat } from "./Assertions.ts"
import type { LeadWorld } from "./LeadWorld.ts"

const readAll = (brandId: BrandId, from: number, limit: number) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const { position: newest } = yield* store.eventsAfter(brandId, null, limit)
    const events: Array<EventRead> = []
    let position = from
    while (position < newest) {
      const page = yield* store.eventsAfter(brandId, position, limit)
      assertThat("LeadStore.eventsAfter must answer at most `limit` events", page.events.length <= limit)
      if (page.position === position) break
      events.push(...page.events)
      position = page.position
    }
    return { events, newest, position }
  })

/** Every event, in pages of three, and again from the middle. */
export const checkFeed = ({ brand, reference }: LeadWorld) =>
  Effect.gen(function* () {
    const { events, newest, position } = yield* readAll(brand.id, 0, 3)
    const expected = reference.events.map((event) => {
      const { engagements } = reference.rows.find(({ id }) => id === event.leadId)!
      const { reactionType, signalId, type } = engagements.find(({ id }) => id === event.engagementId)!
      const { headline, name } = reference.lead(event.leadId) as EventRead["person"]
      const signal = reference.signals.find(({ id }) => id === signalId)!
      return {
        event,
        person: { name, headline },
        engagement: { type, reactionType },
        signal: { id: signalId, name: signal.name }
      }
    })
    assertEqual(
      "LeadStore.eventsAfter, all events",
      events.map(({ engagement, event, person, signal }) => ({ event, person, engagement, signal })),
      expected
    )
    const positions = events.map((read) => read.position)
    assertThat(
      "LeadStore.eventsAfter must answer ascending positions",
      positions.every((each, i) => each > (positions[i - 1] ?? 0))
    )
    assertThat(
      "LeadStore.eventsAfter(null) must answer a position after all events",
      newest >= (positions.at(-1) ?? 0) && position >= (positions.at(-1) ?? 0)
    )
    const half = Math.floor(events.length / 2)
    const rest = yield* readAll(brand.id, positions[half - 1] ?? 0, 1000)
    assertEqual("LeadStore.eventsAfter from the middle", rest.events, events.slice(half))
  })
