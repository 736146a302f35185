/** Attempts at deliveries to receivers that repeat what they got. */
import { type Lease, Outbox } from "@lead-signals/domain"
import { Effect } from "effect"
import { recordAttempts } from "../harness/RecordedAttempts.ts"
import { responseOf } from "./Canaries.ts"

/** Leases at most so many deliveries that are due. */
export const leaseDue = (places: number, token: string, leaseMillis: number) =>
  Effect.flatMap(Outbox, (outbox) =>
    outbox.lease({
      token,
      leaseMillis,
      limits: {
        total: places,
        reserved: 0,
        perWebhook: places,
        failingTotal: places,
        perFailingWebhook: places
      },
      underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
      body: (material) => JSON.stringify(material)
    })
  )

/** Records an answer to each, with the canaries of responses from the number on. */
export const recordAnswers = (
  leases: ReadonlyArray<Lease>,
  status: number,
  first: number
): ReturnType<typeof recordAttempts> =>
  recordAttempts(leases, { status, response: (index) => responseOf(first + index) })
