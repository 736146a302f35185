import {
  type AttemptResult,
  DeliveryIds,
  Retries,
  AttemptTransitions,
  WebhookSecrets
} from "@lead-signals/domain"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const hour = 3_600_000

const now = Date.UTC(2026, 0, 5, 10)

const enabled = { enabled: true, failingSince: null }

const answered = (status: number, retryAfterSeconds: number | null = null): AttemptResult => ({
  status,
  error: null,
  response: null,
  retryAfterSeconds
})

const timedOut: AttemptResult = { status: null, error: "timeout", response: null, retryAfterSeconds: null }

const result = fc.oneof(
  fc.integer({ min: 100, max: 599 }).map((status) => answered(status)),
  fc.constantFrom(199, 200, 299, 300).map((status) => answered(status)),
  fc.constant(timedOut)
)

// Evenly: `fc.double` has as many numbers between 0 and 1e-9 as between 1e-9 and 1.
const draw = fc.oneof(
  fc.constantFrom(0, 1 - Number.EPSILON / 2),
  fc.nat(999_999).map((millionths) => millionths / 1_000_000)
)

/** As the clause says it, in seconds. */
const waits = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600]

describe("retries", () => {
  it("wait as the clause says, less or more by a fifth at most, and end after the last [DELIV-3]", () => {
    for (const [failures, seconds] of waits.entries()) {
      for (const [chance, factor] of [
        [0, 0.8],
        [0.5, 1],
        [1 - 1e-12, 1.2]
      ] as const) {
        expect(Retries.settle({ failures, webhook: enabled }, answered(500), now, chance).delivery).toEqual({
          state: "pending",
          failures: failures + 1,
          dueAt: now + seconds * 1000 * factor
        })
      }
    }
    const last = Retries.settle({ failures: waits.length, webhook: enabled }, timedOut, now, 0.5)
    expect(last.delivery).toEqual({ state: "dead" })
  })

  it("use the whole range of the jitter [DELIV-3]", () => {
    const delays = Array.from({ length: 1000 }, (_, i) => Retries.delayMillis(300_000, null, i / 1000))
    expect([Math.min(...delays), Math.max(...delays)]).toEqual([240_000, 359_880])
    expect(new Set(delays).size).toBe(1000)
  })

  it("are for everything but 2xx, redirects too [DELIV-3]", () => {
    fc.assert(
      fc.property(result, fc.nat(9), draw, (ended, failures, chance) => {
        const { delivery, failingSince } = Retries.settle({ failures, webhook: enabled }, ended, now, chance)
        const isFine = ended.status !== null && ended.status >= 200 && ended.status < 300
        expect([delivery.state === "delivered", failingSince]).toEqual([isFine, isFine ? null : now])
        if (delivery.state === "pending" && ended.status !== 410) expect(delivery.dueAt).toBeGreaterThan(now)
      })
    )
  })

  it("wait at least as long as Retry-After asks, up to a day [DELIV-3]", () => {
    const dueAfter = (seconds: number, failures: number): number => {
      const { delivery } = Retries.settle({ failures, webhook: enabled }, answered(503, seconds), now, 0.5)
      return delivery.state === "pending" ? (delivery.dueAt - now) / 1000 : -1
    }
    expect([dueAfter(60, 0), dueAfter(1, 0), dueAfter(7200, 1), dueAfter(9e6, 0), dueAfter(9e6, 8)]).toEqual([
      60, 5, 7200, 86_400, 86_400
    ])
    expect(dueAfter(60, 9)).toBe(-1)
  })

  it("keep to a schedule of one's own [DELIV-3]", () => {
    const settle = (failures: number) =>
      Retries.settle({ failures, webhook: enabled }, timedOut, now, 0.5, [1000, 2000]).delivery
    expect([0, 1, 2].map(settle)).toEqual([
      { state: "pending", failures: 1, dueAt: now + 1000 },
      { state: "pending", failures: 2, dueAt: now + 2000 },
      { state: "dead" }
    ])
  })
})

describe("a webhook", () => {
  it("is disabled at once by 410, and what met it is held as it was [DELIV-3]", () => {
    for (const failures of [0, 4, 9]) {
      const settled = Retries.settle({ failures, webhook: enabled }, answered(410), now, 0.5)
      expect(settled.delivery).toEqual({ state: "pending", failures, dueAt: now })
      expect(settled.disabledReason).toContain("410")
    }
    const again = { enabled: false, failingSince: now - 5 }
    expect(Retries.settle({ failures: 1, webhook: again }, answered(410), now, 0.5).disabledReason).toBeNull()
  })

  it("is disabled when everything has failed for five days, and says since when and with what [DELIV-4]", () => {
    const failingFor = (hours: number, ended: AttemptResult) =>
      Retries.settle(
        { failures: 2, webhook: { enabled: true, failingSince: now - hours * hour } },
        ended,
        now,
        0.5
      )
    expect(failingFor(119.99, answered(500)).disabledReason).toBeNull()
    expect(failingFor(120, answered(500)).disabledReason).toBe(
      "Every attempt since 2025-12-31T10:00:00.000Z failed; the last one gave status 500."
    )
    expect(failingFor(121, timedOut).disabledReason).toContain("timeout")
    expect(failingFor(500, answered(204))).toEqual({
      delivery: { state: "delivered" },
      failingSince: null,
      disabledReason: null
    })
  })

  it("fails since the first failure after a success [DELIV-4]", () => {
    const known = (failingSince: number | null) => ({ failures: 0, webhook: { enabled: true, failingSince } })
    expect(Retries.settle(known(null), timedOut, now, 0).failingSince).toBe(now)
    expect(Retries.settle(known(now - 7), timedOut, now, 0).failingSince).toBe(now - 7)
    expect(Retries.settle(known(now - 7), answered(200), now, 0).failingSince).toBeNull()
  })
})

describe("settling a batch", () => {
  const delivery = (
    more: Partial<AttemptTransitions.CurrentDelivery>
  ): AttemptTransitions.CurrentDelivery => ({
    id: "wh_1",
    webhookId: "1",
    state: "pending",
    attempts: 3,
    failures: 1,
    failingSince: now - 1000,
    orderedLead: null,
    lease: "mine",
    dueAt: now,
    finishedAt: null,
    ...more
  })
  const url = "https://receiver.example/"
  const sending = { ordering: "none" as const, maxDelay: null }
  const webhook = { id: "1", url, enabled: true, disabledReason: null, failingSince: null, ...sending }
  const attempt = (
    more: Partial<AttemptTransitions.FinishedAttempt>,
    ended = answered(500)
  ): AttemptTransitions.FinishedAttempt => ({
    deliveryId: "wh_1",
    token: "mine",
    url,
    at: now - 5,
    durationMillis: 5,
    result: ended,
    settle: (known, at) => Retries.settle(known, ended, at, 0.5),
    ...more
  })
  const settle = (
    known: AttemptTransitions.CurrentDelivery,
    ...attempts: Array<AttemptTransitions.FinishedAttempt>
  ) => AttemptTransitions.settleAll({ deliveries: [known], webhooks: [webhook] }, attempts, now)

  it("ignores a failure under a lease that has passed to another, and logs it [DELIV-2, DELIV-5]", () => {
    const { deliveries, log, recorded, webhooks } = settle(delivery({ lease: "other" }), attempt({}))
    expect(deliveries).toEqual([delivery({ lease: "other", attempts: 4 })])
    expect(log).toMatchObject([{ number: 4, status: 500, at: now - 5, durationMillis: 5 }])
    expect([recorded[0]!.outcome, webhooks]).toEqual(["ignored", []])
  })

  it("counts a success whoever holds the lease, as long as it is pending [DELIV-2]", () => {
    const late = settle(delivery({ lease: "other" }), attempt({}, answered(200)))
    expect(late.deliveries).toMatchObject([{ state: "delivered", lease: null, dueAt: null, finishedAt: now }])
    const dead = delivery({ state: "dead", dueAt: null, finishedAt: now - 9, lease: null })
    expect(settle(dead, attempt({}, answered(200))).deliveries).toEqual([{ ...dead, attempts: 4 }])
  })

  it("leaves out what is gone, and takes each in turn [DELIV-5]", () => {
    const { log, recorded } = settle(
      delivery({}),
      attempt({ deliveryId: "wh_gone" }),
      attempt({}),
      attempt({})
    )
    expect(recorded.map(({ outcome }) => outcome)).toEqual(["ignored", "retried", "ignored"])
    expect(log.map(({ number }) => number)).toEqual([4, 5])
  })

  it("logs no answer to a batch with a delivery that is gone: an erasure may have removed it [PII-3, BATCH-3]", () => {
    const said = { ...answered(200), response: "contact 7 of wh_gone" }
    const of = (deliveryId: string, batchId: string | null) =>
      attempt({ deliveryId, postedAs: { batchId, format: "envelope" } }, said)
    const ids = ["wh_1", "wh_2", "wh_3"]
    const { log } = AttemptTransitions.settleAll(
      { deliveries: ids.map((id) => delivery({ id })), webhooks: [webhook] },
      [of("wh_1", "wb_1"), of("wh_gone", "wb_1"), of("wh_2", "wb_2"), of("wh_3", null), of("wh_gone", null)],
      now
    )
    expect(log.map(({ batchId, response, status }) => [batchId, status, response])).toEqual([
      ["wb_1", 200, null],
      ["wb_2", 200, said.response],
      [null, 200, said.response]
    ])
  })

  it("disables a webhook once, however many answers said so [DELIV-3]", () => {
    const second = delivery({ id: "wh_2" })
    const { recorded, webhooks } = AttemptTransitions.settleAll(
      { deliveries: [delivery({}), second], webhooks: [webhook] },
      [attempt({}, answered(410)), attempt({ deliveryId: "wh_2" }, answered(410))],
      now
    )
    expect(recorded.map(({ disabled }) => disabled)).toEqual(["1", null])
    expect(webhooks).toEqual([
      { ...webhook, enabled: false, disabledReason: "The receiver answered 410 Gone.", failingSince: now }
    ])
  })

  it("takes nothing that an earlier URL answered for the webhook's own [DELIV-3, DELIV-4]", () => {
    for (const status of [200, 410, 500]) {
      for (const failingSince of [null, now - 6 * 24 * 3_600_000]) {
        const { deliveries, webhooks } = AttemptTransitions.settleAll(
          { deliveries: [delivery({})], webhooks: [{ ...webhook, failingSince }] },
          [attempt({ url: "https://before.example/" }, answered(status))],
          now
        )
        expect([status, webhooks]).toEqual([status, []])
        expect(deliveries).toMatchObject([{ state: status === 200 ? "delivered" : "pending", lease: null }])
      }
    }
  })
})

describe("an attempt that was begun before its webhook was enabled again", () => {
  const before: AttemptTransitions.CurrentDelivery = {
    id: "wh_1",
    webhookId: "1",
    state: "pending",
    attempts: 0,
    failures: 0,
    failingSince: null,
    orderedLead: null,
    lease: AttemptTransitions.ofEarlierEnabling("mine"),
    dueAt: now + 1000,
    finishedAt: null
  }
  const url = "https://receiver.example/"
  const settle = (status: number, failingSince: number | null) =>
    AttemptTransitions.settleAll(
      {
        deliveries: [before],
        webhooks: [
          {
            id: "1",
            url,
            enabled: true,
            disabledReason: null,
            failingSince,
            ordering: "none",
            maxDelay: null
          }
        ]
      },
      [
        {
          deliveryId: "wh_1",
          token: "mine",
          url,
          at: now - 5,
          durationMillis: 5,
          result: answered(status),
          settle: (known, at) => Retries.settle(known, answered(status), at, 0.5)
        }
      ],
      now
    )

  it("settles its delivery, and says nothing of the webhook [DELIV-3, DELIV-4]", () => {
    for (const status of [200, 410, 500]) {
      for (const failingSince of [null, now - 6 * 24 * hour]) {
        const { deliveries, recorded, webhooks } = settle(status, failingSince)
        expect([status, webhooks]).toEqual([status, []])
        expect(deliveries).toMatchObject([{ state: status === 200 ? "delivered" : "pending", lease: null }])
        expect(recorded).toMatchObject([{ disabled: null }])
      }
    }
    expect(settle(410, null).deliveries).toMatchObject([{ failures: 0, dueAt: now }])
  })

  it("is known by a mark that is set once, however often the webhook is enabled [DELIV-4]", () => {
    const marked = AttemptTransitions.ofEarlierEnabling("mine")
    expect([marked === "mine", AttemptTransitions.ofEarlierEnabling(marked)]).toEqual([false, marked])
  })
})

describe("secrets and ids", () => {
  it("rotate: the new one signs first, the old one along for a day, and never three [DELIV-1]", () => {
    const [a, b, c] = [1, 2, 3].map((byte) => WebhookSecrets.fromRandom(new Uint8Array(32).fill(byte)))
    expect(a).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const first = { current: a!, previous: null }
    const second = WebhookSecrets.rotate(first, b!, now)
    const third = WebhookSecrets.rotate(second, c!, now + hour)
    expect(WebhookSecrets.signing(first, now)).toEqual([a])
    expect(WebhookSecrets.signing(second, now + 24 * hour - 1)).toEqual([b, a])
    expect(WebhookSecrets.signing(second, now + 24 * hour)).toEqual([b])
    expect(WebhookSecrets.signing(third, now + 2 * hour)).toEqual([c, b])
  })

  it("differ for each call and each seed, and those of a seed lie side by side [EVT-1]", () => {
    const ids = [0, 1, 255].flatMap((byte) => {
      const next = DeliveryIds.sequence(new Uint8Array(DeliveryIds.seedBytes).fill(byte))
      return Array.from({ length: 500 }, next)
    })
    expect(new Set(ids).size).toBe(1500)
    for (const id of ids) expect(id).toMatch(/^wh_[0-9a-f]{32}$/)
    expect(new Set(ids.map((id) => id.slice(0, -8))).size).toBe(3)
  })
})
