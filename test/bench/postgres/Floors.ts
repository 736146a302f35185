/**
 * The least that observations and posts cost. `openRows` writes the rows of new leads with the product's own statement, and neither decodes,
 * locks, looks up nor counts anything. `postAlone` signs and posts bodies as long as ours in a loop, without a database.
 */
import { DeliveryIds, type Lead, Observations, type Observation } from "@lead-signals/domain"
import {
  connectionOf,
  CounterChanges,
  StatementTexts,
  writeLeads
} from "@lead-signals/store-postgres/internal"
import { WebhookSignature } from "@lead-signals/webhook"
import { createHmac } from "node:crypto"
import pg from "pg"
import { Agent } from "undici"
import type { NewObservation } from "../NewObservation.ts"

const brandId = 1
const webhookId = 1
/** Beyond the ids of all leads that the databases have. */
const firstId = 1_000_000_000
const timeoutMillis = 60_000

const unseen = {
  signalExists: true,
  engagementOf: null,
  personSuppressed: false,
  authorSuppressed: false,
  lead: null
}

/** As it is when it has been decoded. */
const decoded = ({ engagement, person, signalId }: NewObservation): Observation => ({
  signalId,
  person: person as unknown as Observation["person"],
  engagement: {
    ...engagement,
    type: "comment",
    reactionType: null,
    postPostedAt: Date.parse(engagement.postPostedAt),
    emittedAt: Date.parse(engagement.emittedAt),
    trackedAt: Date.parse(engagement.trackedAt)
  }
})

const rowsOf = (batch: ReadonlyArray<NewObservation>, now: number) => {
  const id = DeliveryIds.sequence(crypto.getRandomValues(new Uint8Array(DeliveryIds.seedBytes)))
  const recorded = batch.map((observation) => {
    const decision = Observations.observe(String(brandId), decoded(observation), unseen, now)
    if (decision.outcome !== "recorded") throw new Error(decision.outcome)
    const leadId = firstId + Number(observation.engagement.id.slice("new-".length))
    return { ...decision, after: { ...decision.lead, id: leadId } as Lead }
  })
  return {
    leads: recorded.map(({ after }) => ({ before: null, after, person: null })),
    engagements: recorded.map(({ after, engagement }) => ({
      ...engagement,
      leadId: after.id,
      brandId,
      person: null,
      author: null
    })),
    events: recorded.flatMap(({ after, engagement, events }) =>
      events.map(({ event, isFirstActivity }) => ({
        brandId,
        event,
        leadId: after.id,
        engagementId: engagement.id,
        isFirstActivity,
        deliveries: event === "activity.detected" ? [{ id: id(), webhookId }] : []
      }))
    )
  }
}

/** Each call of `record` is one transaction, which is on the disk when it returns. */
export const openRows = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  const texts = new StatementTexts("lead_signals", true)
  return {
    record: async (batch: ReadonlyArray<NewObservation>): Promise<void> => {
      const client = await pool.connect()
      try {
        const now = Date.now()
        await client.query("BEGIN")
        await writeLeads(
          connectionOf(client, texts, timeoutMillis),
          rowsOf(batch, now),
          now,
          new CounterChanges()
        )
        await client.query("COMMIT")
      } finally {
        client.release()
      }
    },
    close: () => pool.end()
  }
}

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
const body = JSON.stringify({ id: "wh_1", event: "activity.detected", data: { text: "x".repeat(1900) } })
const hmac = (key: Uint8Array, text: string) => createHmac("sha256", key).update(text, "utf8").digest()
const postsAtOnce = 64

/** Posts so many to the paths of as many webhooks. */
export const postAlone = async (origin: string, count: number, webhooks: number): Promise<void> => {
  const agent = new Agent()
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) {
      const n = next++
      const signed = WebhookSignature.sign([secret], { id: `wh_${n}`, now: Date.now(), body }, hmac)
      const answer = await agent.request({
        origin,
        path: `/${n % webhooks}`,
        method: "POST",
        headers: { "content-type": "application/json", ...signed },
        body
      })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: postsAtOnce }, lane))
  await agent.close()
}
