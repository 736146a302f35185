/** What every store must do with Idempotency-Keys, and with the changes that are made on their behalf. */
import {
  AccessTokens,
  AccessTokenStore,
  Brands,
  BrandStore,
  Campaigns,
  CampaignStore,
  currentReservation,
  DeliveryQueries,
  Idempotency,
  IdempotencyRecords,
  Keys,
  KeyStore,
  type Reservation,
  Signals,
  SignalStore,
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import { Effect } from "effect"
import { assertEqual } from "../Assertions.ts"
import { type Case, caseOf } from "../StoreUnderTest.ts"

const request = (holder: string, of: Partial<Idempotency.ReserveRequest> = {}) => ({
  id: "key 1",
  actor: "token 7",
  fingerprint: "body 1",
  holder,
  ...of
})

const reserve = (holder: string, of: Partial<Idempotency.ReserveRequest> = {}) =>
  Effect.flatMap(IdempotencyRecords, (records) => records.reserve(request(holder, of)))

const heldBy = (holder: string): Reservation => ({ id: "key 1", holder })

const onBehalfOf =
  (holder: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(work, currentReservation, heldBy(holder))

const inProgress = (retryAfterMillis: number = Idempotency.leaseMillis) => ({
  type: "inProgress",
  retryAfterMillis
})
const reserved = { type: "reserved" }
const answerLost = { type: "answerLost" }

const brandNames = Effect.flatMap(BrandStore, (store) =>
  Effect.map(store.list, (all) => all.map(({ name }) => name))
)

const source = { type: "posts-with-keywords" as const, value: "v", liCompanyId: null, company: null }
const newWebhook = {
  url: "https://example.com/hook",
  events: ["lead2.created" as const],
  description: null,
  enabled: true
}
const newKey = {
  label: "k",
  requestsPerMinute: 7,
  scopes: ["leads" as const],
  expiresAt: null,
  allowedAddresses: null
}
const newToken = { name: "T", scopes: ["read" as const], brandIds: null, expiresAt: null }

const recordsAreKept: Case = {
  title: "keeps Idempotency-Keys when it is closed and opened again [STORE-2, IDEM-3]",
  reopens: true,
  run: async (open) => {
    await open.run(
      Effect.gen(function* () {
        yield* reserve("a")
        yield* onBehalfOf("a")(Brands.create("A"))
        yield* reserve("b", { id: "key 2" })
        yield* (yield* IdempotencyRecords).complete({ id: "key 2", holder: "b" }, "sealed")
        yield* reserve("c", { id: "key 3" })
      })
    )
    await open.reopen()
    open.clock.millis += Idempotency.leaseMillis
    assertEqual(
      "IdempotencyRecords.reserve of what was committed without an answer, before the store was opened again",
      await open.run(reserve("d")),
      answerLost
    )
    assertEqual(
      "IdempotencyRecords.reserve of what was answered before the store was opened again",
      await open.run(reserve("d", { id: "key 2" })),
      { type: "answered", answer: "sealed" }
    )
    assertEqual(
      "IdempotencyRecords.reserve of what was not committed before the store was opened again",
      await open.run(reserve("d", { id: "key 3" })),
      reserved
    )
  }
}

/** Cases of keys of idempotency. */
export const idempotencyCases: ReadonlyArray<Case> = [
  caseOf("reserves a key once, and then has its answer for a day [IDEM-2, IDEM-6]", (clock) =>
    Effect.gen(function* () {
      const records = yield* IdempotencyRecords
      assertEqual("IdempotencyRecords.reserve", yield* reserve("a"), reserved)
      clock.millis += 1
      assertEqual(
        "IdempotencyRecords.reserve while the call runs",
        yield* reserve("b"),
        inProgress(Idempotency.leaseMillis - 1)
      )
      const other = { fingerprint: "body 2" }
      const refused = { type: "otherRequest" }
      assertEqual("IdempotencyRecords.reserve for another request", yield* reserve("b", other), refused)
      assertEqual("IdempotencyRecords.reserve of another key", yield* reserve("b", { id: "key 2" }), reserved)
      yield* records.complete(heldBy("b"), "of another holder")
      yield* records.complete(heldBy("a"), "sealed")
      yield* records.complete(heldBy("a"), "sealed later")
      const answered = { type: "answered", answer: "sealed" }
      assertEqual("IdempotencyRecords.reserve after the answer", yield* reserve("b"), answered)
      assertEqual(
        "IdempotencyRecords.reserve for another request, later",
        yield* reserve("b", other),
        refused
      )
      clock.millis += Idempotency.keptMillis - 2
      assertEqual("IdempotencyRecords.reserve in the last millisecond", yield* reserve("b"), answered)
      clock.millis += 1
      assertEqual("IdempotencyRecords.reserve after a day", yield* reserve("b", other), reserved)
      yield* records.complete(heldBy("b"), null)
      assertEqual("IdempotencyRecords.reserve of what was too long", yield* reserve("c", other), answerLost)
    })
  ),
  caseOf("commits a change together with the mark of its key [IDEM-3]", (clock) =>
    Effect.gen(function* () {
      const records = yield* IdempotencyRecords
      yield* reserve("a")
      yield* onBehalfOf("a")(Brands.create("A"))
      assertEqual("IdempotencyRecords.reserve before the answer", yield* reserve("b"), inProgress())
      yield* records.release(heldBy("a"))
      clock.millis += Idempotency.leaseMillis
      assertEqual("IdempotencyRecords.reserve when nobody answers any more", yield* reserve("b"), answerLost)
      yield* onBehalfOf("a")(Brands.create("B"))
      yield* records.complete(heldBy("a"), "late")
      assertEqual("IdempotencyRecords.reserve after a late answer", yield* reserve("b"), {
        type: "answered",
        answer: "late"
      })
      assertEqual("BrandStore.list", yield* brandNames, ["A", "B"])
    })
  ),
  caseOf("gives up a reservation under which nothing was committed [IDEM-3, IDEM-4]", () =>
    Effect.gen(function* () {
      const records = yield* IdempotencyRecords
      yield* reserve("a")
      yield* records.release(heldBy("b"))
      assertEqual("IdempotencyRecords.release by another call", yield* reserve("b"), inProgress())
      yield* records.release(heldBy("a"))
      assertEqual("IdempotencyRecords.reserve after the release", yield* reserve("b"), reserved)
    })
  ),
  caseOf("lets a call go on whose key was reserved before the clock was set back [IDEM-3]", (clock) =>
    Effect.gen(function* () {
      yield* reserve("a")
      yield* reserve("a", { id: "key 2" })
      yield* Effect.locally(Brands.create("A"), currentReservation, { id: "key 2", holder: "a" })
      clock.millis -= Idempotency.clockDifferenceMillis
      assertEqual(
        "IdempotencyRecords.reserve when the clock went back by the allowed difference",
        yield* reserve("b"),
        inProgress()
      )
      clock.millis -= 1
      assertEqual(
        "IdempotencyRecords.reserve when the clock went back by more than the allowed difference",
        yield* reserve("b"),
        reserved
      )
      assertEqual(
        "IdempotencyRecords.reserve of a call that had committed before the clock went back",
        yield* reserve("b", { id: "key 2" }),
        answerLost
      )
      const failure = yield* Effect.flip(onBehalfOf("a")(Brands.create("B")))
      assertEqual(
        "BrandStore.create on behalf of a call that was overtaken",
        failure._tag,
        "@lead-signals/domain/StoreUnavailable"
      )
    })
  ),
  caseOf("refuses every change on behalf of a call that another has overtaken [IDEM-3]", (clock) =>
    Effect.gen(function* () {
      const brand = yield* Brands.create("A")
      const webhook = yield* Webhooks.create(brand.id, newWebhook)
      yield* reserve("a")
      clock.millis += Idempotency.leaseMillis
      assertEqual("IdempotencyRecords.reserve after the lease", yield* reserve("b"), reserved)
      const changes = {
        "BrandStore.create": Brands.create("B"),
        "KeyStore.create": Keys.create(brand.id, newKey),
        "AccessTokenStore.create": AccessTokens.create(newToken),
        "SignalStore.create": Signals.create(brand.id, { name: "S", signalType: "t", source }),
        "CampaignStore.create": Campaigns.create(brand.id, "C"),
        "WebhookStore.create": Webhooks.create(brand.id, newWebhook),
        "WebhookStore.update": Webhooks.rotateSecret(brand.id, webhook.id),
        "Deliveries.queue": Webhooks.test(brand.id, webhook.id),
        "Deliveries.recover": Webhooks.recover(brand.id, webhook.id, 0)
      } as const
      for (const [method, change] of Object.entries(changes)) {
        const failure = yield* Effect.flip(onBehalfOf("a")(change as Effect.Effect<unknown, unknown, never>))
        assertEqual(
          `${method} on behalf of a call that was overtaken`,
          (failure as { readonly _tag?: unknown })._tag,
          "@lead-signals/domain/StoreUnavailable"
        )
      }
      assertEqual("BrandStore.list", yield* brandNames, ["A"])
      const lists = Effect.gen(function* () {
        const found = [
          yield* (yield* KeyStore).list(brand.id),
          yield* (yield* AccessTokenStore).list,
          yield* (yield* SignalStore).list(brand.id),
          yield* (yield* CampaignStore).list(brand.id),
          yield* (yield* WebhookStore).list(brand.id)
        ]
        return found.map((all) => all.length)
      })
      assertEqual("what there is of the brand", yield* lists, [0, 0, 0, 0, 1])
      const kept = yield* Webhooks.get(brand.id, webhook.id)
      assertEqual("WebhookStore.get, the secret", kept.secrets, webhook.secrets)
      const query = yield* DeliveryQueries.readList([])
      const page = yield* Webhooks.listDeliveries(brand.id, webhook.id, query)
      assertEqual("Deliveries.list", page.total, 0)
      yield* onBehalfOf("b")(Brands.create("B"))
      assertEqual("BrandStore.list after the call that holds the key", yield* brandNames, ["A", "B"])
    })
  ),
  caseOf("prunes the oldest records of before an instant [IDEM-6]", (clock) =>
    Effect.gen(function* () {
      const records = yield* IdempotencyRecords
      const start = clock.millis
      for (const n of [3, 1, 2]) {
        clock.millis = start + n
        yield* reserve("a", { id: `key ${n}` })
      }
      clock.millis = start + 3
      const prune = records.prune({ before: start + 3, limit: 1 })
      assertEqual("IdempotencyRecords.prune of at most one", yield* prune, 1)
      assertEqual(
        "IdempotencyRecords.reserve of what is younger",
        yield* reserve("b", { id: "key 2" }),
        inProgress(Idempotency.leaseMillis - 1)
      )
      assertEqual("IdempotencyRecords.prune of the next", yield* prune, 1)
      assertEqual("IdempotencyRecords.prune of nothing", yield* prune, 0)
      assertEqual("IdempotencyRecords.reserve after it", yield* reserve("b", { id: "key 1" }), reserved)
      assertEqual(
        "IdempotencyRecords.reserve of the youngest",
        yield* reserve("b", { id: "key 3" }),
        inProgress()
      )
    })
  ),
  recordsAreKept
]
