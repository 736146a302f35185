/** The outbox of a store with one webhook, for the rules on it: what a test does with it, call by call. */
import { Checks, KnownFacts, type Oracle, oracles, outboxOf } from "@lead-signals/simulations/internal"
import { plan as withPlaces, second, start } from "./judged.ts"

/** An emitter of a plan without places has the usual ones. */
const { places: _, ...plan } = withPlaces

/** The id of the delivery that has the number. */
export const idOf = (number: number): string => `wh_${number.toString(16).padStart(32, "0")}`

export const limits = { total: 256, reserved: 64, perWebhook: 32, failingTotal: 128, perFailingWebhook: 2 }
export const idle = {
  total: 0,
  failingTotal: 0,
  byWebhook: new Map<string, number>(),
  fast: new Set<string>()
}

/** An attempt: what its receiver answered, and how the record differs from that. */
export interface Attempt {
  readonly status: number
  /** The status in the record, if another. */
  readonly recorded?: number
  /** Milliseconds that the record says, and that the post took. */
  readonly lasted?: number
  readonly took?: number
  /** Milliseconds by which the record says that it began too late. */
  readonly late?: number
  /** What is recorded instead of a status. */
  readonly error?: "connection" | "timeout"
  /** Where it is recorded to have been posted. */
  readonly url?: string
}

/** What a test can do with the store. Each call returns what the rule finds wrong, or null. */
export interface JudgedOutbox {
  readonly facts: KnownFacts
  readonly oracle: ReturnType<Oracle["instantiate"]>
  readonly known: ReturnType<typeof outboxOf>
  readonly url: string
  /** Why something was not judged, and how often. */
  readonly weakened: () => ReadonlyArray<readonly [reason: string, count: number]>
  /** Sets every clock to so many seconds from the start. */
  readonly at: (moment: number) => void
  /** Commits engagements by number, of a lead that is there already. */
  readonly commit: (numbers: ReadonlyArray<number>, leadId?: number) => string | null | undefined
  /** Leases the deliveries of engagements. The token is that of the first. */
  readonly lease: (
    numbers: ReadonlyArray<number>,
    more?: {
      readonly place?: object | null
      readonly underWay?: typeof idle
      readonly of?: typeof limits
      readonly leadId?: number
    }
  ) => { readonly wrong: string | null | undefined; readonly token: string | undefined }
  /** The receiver of the webhook answers, and what is recorded of it counts as that outcome. */
  readonly attempt: (
    number: number,
    token: string | undefined,
    attempt: Attempt,
    outcome: string
  ) => string | null | undefined
}

/** A store with one webhook, created with the fields `requested`, and the rule `name`, which sees each call of the store. */
export const outbox = (name = "deliveries kept", requested: object = {}): JudgedOutbox => {
  const facts = new KnownFacts(plan)
  facts.isStoreSeen = true
  const checks = new Checks(name)
  const oracle = oracles.find((each) => each.name === name)!.instantiate(facts, checks)
  const known = outboxOf(facts)
  let seconds = 0
  const stored = (method: string, args: ReadonlyArray<unknown>, answer: unknown, call: unknown = null) => {
    const now = start + seconds * second
    facts.now = () => now
    const process = { index: 0, waitFactor: 1, now, hasAnswerAt: now }
    const done = { method, args, answer, call, process, serviceNow: now } as never
    return name === "deliveries kept" ? oracle.stored!(done) : known.apply(done)
  }
  const webhook = {
    id: "7",
    brandId: "1",
    url: "https://receiver.example/",
    events: ["activity.detected"],
    ...requested
  }
  const created = { id: "7", secrets: { current: "whsec_1" } }
  stored("webhooks.create", [{ brandId: "1", createdAt: start }], created, { request: { body: webhook } })
  const leaseOf = (number: number, leadId: number) => ({
    batch: null,
    body: JSON.stringify({
      event: "activity.detected",
      data: { lead2: { id: leadId }, engagements: [{ id: `e${number}` }] }
    }),
    deliveryId: idOf(number),
    place: null as object | null,
    resendOf: null,
    token: `t${number} ${seconds}`,
    until: start + (seconds + 60) * second,
    webhook: { id: "7", url: webhook.url }
  })
  return {
    facts,
    oracle,
    known,
    url: webhook.url,
    weakened: () => checks.counts.flatMap((each) => Object.entries(each.weakened)),
    at: (moment: number): void => {
      seconds = moment
      facts.now = () => start + moment * second
    },
    commit: (numbers: ReadonlyArray<number>, leadId = 1) =>
      stored(
        "leads.commit",
        ["1", numbers.map((number) => ({ engagementId: `e${number}` }))],
        numbers.map(() => ({ leadId, outcome: "recorded" }))
      ),
    lease: (
      numbers: ReadonlyArray<number>,
      { place = null as object | null, underWay = idle, of = limits, leadId = 1 } = {}
    ) => {
      const leases = numbers.map((number) => ({ ...leaseOf(number, leadId), place }))
      const wrong = stored("outbox.lease", [{ leaseMillis: 60 * second, limits: of, underWay }], { leases })
      return { wrong, token: leases[0]?.token }
    },
    attempt: (
      number: number,
      token: string | undefined,
      { error, lasted = 5, late = 0, status, recorded = status, took = lasted, url = webhook.url }: Attempt,
      outcome: string
    ) => {
      const at = start + seconds * second
      const post = {
        id: idOf(number),
        messageId: idOf(number),
        index: 0,
        status,
        retryAfterSeconds: null,
        retryAfterDate: null,
        webhook: { id: "7", brandId: "1" },
        sent: {
          at,
          byClock: at,
          process: 0,
          heardAt: at + took,
          heardByClock: at + took,
          endedAt: at + took
        },
        at
      }
      facts.receive(post as never)
      const attempt = {
        at: at + late,
        deliveryId: idOf(number),
        durationMillis: lasted,
        postedAs: { batchId: null, format: "envelope" },
        result: {
          error: error ?? null,
          response: null,
          retryAfterSeconds: null,
          status: error === undefined ? recorded : null
        },
        token,
        url
      }
      return stored("outbox.record", [[attempt]], [{ outcome }])
    }
  }
}
