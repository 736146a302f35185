/** What every store must do with brands, keys, signals, campaigns and rate windows. */
import {
  Access,
  ApiKeys,
  Deliveries,
  Directory,
  type Entropy,
  eventTypes,
  LeadQueries,
  LeadStore,
  Observing,
  Operating,
  RateLimit,
  RateWindows,
  Reading
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Stores } from "./LeadStoreContract.ts"
import { SettableClock } from "./SettableClock.ts"
import { turn } from "../Turn.ts"

const createSignal = (brandId: string, name: string) =>
  Operating.createSignal(brandId, {
    name,
    signalType: "t",
    source: { type: "posts-with-keywords", value: "v", liCompanyId: null, company: null }
  })

const webhookOf = (brandId: string) => ({
  brandId,
  url: "https://receiver.example/",
  events: eventTypes,
  description: null,
  enabled: true,
  disabledReason: null,
  failingSince: null,
  secrets: { current: "whsec_x", previous: null },
  createdAt: 0
})

const millisPerDay = 86_400_000
const dayOf = (n: number): string =>
  new Date(Date.UTC(2026, 0, 1) + n * millisPerDay).toISOString().slice(0, 10)

export const directoryContract = (name: string, layer: () => Layer.Layer<Stores, unknown>): void => {
  describe(`${name}: directory`, () => {
    let runtime: ManagedRuntime.ManagedRuntime<Stores | Entropy, unknown>
    const clock = new SettableClock(Date.UTC(2026, 0, 1))
    const run = <A, E>(work: Effect.Effect<A, E, Stores | Entropy>): Promise<A> =>
      runtime.runPromise(clock.provide(work)).finally(turn)

    beforeAll(async () => {
      runtime = ManagedRuntime.make(Layer.merge(layer(), webCrypto))
      await runtime.runPromise(Effect.void)
    })
    afterAll(() => runtime.dispose())

    it("keeps several keys of a brand, lists them by their start, revokes each alone [AUTH-4, AUTH-5, AUTH-6, AUTH-8]", () =>
      run(
        Effect.gen(function* () {
          const directory = yield* Directory
          const [brand, other] = [yield* Operating.createBrand("A"), yield* Operating.createBrand("B")]
          const make = (label: string) => Operating.createKey(brand.id, { label, requestsPerMinute: 7 })
          const [first, second] = [yield* make("first"), yield* make("second")]
          const works = (value: string) => Effect.isSuccess(Access.authenticate(`Bearer ${value}`))
          expect([yield* works(first.value), yield* works(second.value)]).toEqual([true, true])

          const listed = yield* directory.keys(brand.id)
          expect(listed.map((key) => [key.label, key.start])).toEqual([
            ["first", first.value.slice(0, 12)],
            ["second", second.value.slice(0, 12)]
          ])
          expect(JSON.stringify(listed)).not.toContain(first.value)
          expect(yield* directory.keys(other.id)).toEqual([])

          expect(yield* Effect.isFailure(Operating.revokeKey(other.id, first.key.id))).toBe(true)
          yield* Operating.revokeKey(brand.id, first.key.id)
          expect([yield* works(first.value), yield* works(second.value)]).toEqual([false, true])
          const revokedAt = (yield* directory.keys(brand.id))[0]!.revokedAt
          clock.millis += 5000
          yield* Operating.revokeKey(brand.id, first.key.id)
          expect((yield* directory.keys(brand.id))[0]!.revokedAt).toBe(revokedAt)
        })
      ))

    it("shows a key's last use to the minute, and never moves it back [AUTH-8]", () =>
      run(
        Effect.gen(function* () {
          const directory = yield* Directory
          const brand = yield* Operating.createBrand("A")
          const { value } = yield* Operating.createKey(brand.id, { label: "k", requestsPerMinute: 7 })
          const lastUsed = Effect.map(directory.keys(brand.id), ([key]) => key!.lastUsedAt)
          expect(yield* lastUsed).toBeNull()
          const minute = Date.UTC(2026, 0, 2, 10, 5)
          clock.millis = minute + 34_567
          yield* Access.authenticate(`Bearer ${value}`)
          expect(yield* lastUsed).toBe(minute)
          clock.millis = minute - 3_600_000
          yield* Access.authenticate(`Bearer ${value}`)
          expect(yield* lastUsed).toBe(minute)
        })
      ))

    it("renames brands, signals and campaigns, each of its brand alone, and shows it with engagements at once [ENG-8]", () =>
      run(
        Effect.gen(function* () {
          const [directory, store] = yield* Effect.all([Directory, LeadStore])
          const [brand, other] = [yield* Operating.createBrand("A"), yield* Operating.createBrand("B")]
          const source = {
            type: "posts-with-keywords" as const,
            value: "v",
            liCompanyId: null,
            company: null
          }
          const signal = yield* Operating.createSignal(brand.id, { name: "S", signalType: "t", source })
          const campaign = yield* Operating.createCampaign(brand.id, "C")
          const person = { extId: "p", name: "Ada" }
          yield* Observing.recordObservations(brand, [
            { signalId: signal.id, person, engagement: { id: "e" } }
          ])
          const query = yield* LeadQueries.readList([["includeEngagements", "true"]])
          const shown = Effect.gen(function* () {
            const { leads } = yield* store.list(brand.id, query)
            const [{ lead, window }] = leads as [(typeof leads)[number]]
            const [page] = (yield* store.listShown(brand.id, query)).leads
            const detail = Option.getOrThrow(yield* store.getShown(brand.id, lead.id, "plain"))
            const [read] = yield* store.engagements(brand.id, lead.id)
            return [
              window!.engagements[0]!.signal.name,
              read!.signal.name,
              ...[page!, detail].map((json) => JSON.parse(json).engagements[0].signal.name)
            ]
          })
          expect(yield* shown).toEqual(["S", "S", "S", "S"])
          expect(yield* directory.renameSignal(other.id, signal.id, "X")).toEqual(Option.none())
          expect(yield* directory.renameCampaign(other.id, campaign.id, "X")).toEqual(Option.none())
          for (const id of ["999", "x", ""]) {
            expect(yield* directory.renameBrand(id, "X")).toEqual(Option.none())
            expect(yield* directory.renameSignal(brand.id, id, "X")).toEqual(Option.none())
            expect(yield* directory.renameCampaign(brand.id, id, "X")).toEqual(Option.none())
          }
          expect(yield* shown).toEqual(["S", "S", "S", "S"])
          expect(yield* Operating.renameSignal(brand.id, signal.id, "T")).toEqual({ ...signal, name: "T" })
          expect(yield* shown).toEqual(["T", "T", "T", "T"])
          expect(yield* directory.signals(brand.id)).toEqual([{ ...signal, name: "T" }])
          expect(yield* Operating.renameCampaign(brand.id, campaign.id, "D")).toEqual({
            ...campaign,
            name: "D"
          })
          expect(yield* directory.campaigns(brand.id)).toEqual([{ ...campaign, name: "D" }])
          expect(yield* Operating.renameBrand(brand.id, "Z")).toEqual({ ...brand, name: "Z" })
          expect(yield* directory.brand(brand.id)).toEqual(Option.some({ ...brand, name: "Z" }))
          expect((yield* directory.brands).map(({ name }) => name)).toContain("B")
        })
      ))

    it("deletes a signal, whose leads stay and show it, and records nothing more of it [DEL-2]", () =>
      run(
        Effect.gen(function* () {
          const [directory, store] = yield* Effect.all([Directory, LeadStore])
          const [brand, other] = [yield* Operating.createBrand("A"), yield* Operating.createBrand("B")]
          const [signal, kept] = [yield* createSignal(brand.id, "S"), yield* createSignal(brand.id, "K")]
          const seen = (signalId: string, extId: string) => ({
            signalId,
            person: { extId, name: "Ada" },
            engagement: { id: `e-${extId}` }
          })
          yield* Observing.recordObservations(brand, [seen(signal.id, "p"), seen(kept.id, "q")])
          expect(yield* Effect.flip(Operating.deleteSignal(other.id, signal.id))).toMatchObject({
            resource: "signal"
          })
          const query = yield* LeadQueries.readList([["signalId", signal.id]])
          const before = yield* store.list(brand.id, query)
          yield* Operating.deleteSignal(brand.id, signal.id)
          expect(yield* directory.signals(brand.id)).toEqual([kept])
          expect(yield* Effect.flip(Operating.deleteSignal(brand.id, signal.id))).toMatchObject({
            resource: "signal"
          })
          expect(yield* directory.renameSignal(brand.id, signal.id, "X")).toEqual(Option.none())
          expect(yield* store.list(brand.id, query)).toEqual(before)
          expect(before.total).toBe(1)
          const [read] = yield* store.engagements(brand.id, before.leads[0]!.lead.id)
          expect(read!.signal).toEqual(signal)
          const [rejected, recorded, duplicate] = yield* Observing.recordObservations(brand, [
            seen(signal.id, "new"),
            seen(kept.id, "newer"),
            seen(kept.id, "q")
          ])
          expect(rejected).toMatchObject({
            outcome: "rejected",
            message: expect.stringContaining("signalId")
          })
          expect([recorded!.outcome, duplicate!.outcome]).toEqual(["recorded", "duplicate"])
        })
      ))

    it("deletes a campaign with its readings [DEL-3]", () =>
      run(
        Effect.gen(function* () {
          const directory = yield* Directory
          const [brand, other] = [yield* Operating.createBrand("A"), yield* Operating.createBrand("B")]
          const [gone, kept] = [
            yield* Operating.createCampaign(brand.id, "C"),
            yield* Operating.createCampaign(brand.id, "K")
          ]
          const totals = { impressions: 1, reactions: 1, comments: 1, reposts: 1 }
          const reading = { postId: "p", day: "2026-01-02", totals }
          for (const { id } of [gone, kept]) yield* Operating.putReading(brand.id, id, reading)
          expect(yield* Effect.flip(Operating.deleteCampaign(other.id, gone.id))).toMatchObject({
            resource: "campaign"
          })
          yield* Operating.deleteCampaign(brand.id, gone.id)
          expect(yield* Effect.flip(Operating.deleteCampaign(brand.id, gone.id))).toMatchObject({
            resource: "campaign"
          })
          expect(yield* directory.campaigns(brand.id)).toEqual([kept])
          expect(yield* directory.campaign(brand.id, gone.id)).toEqual(Option.none())
          expect(yield* directory.renameCampaign(brand.id, gone.id, "X")).toEqual(Option.none())
          // As of a request that found the campaign before.
          yield* directory.putReading(gone.id, "p", "2026-01-02", totals)
          expect(yield* directory.snapshot(gone.id, {})).toEqual(Option.none())
          expect(Option.isSome(yield* directory.snapshot(kept.id, {}))).toBe(true)
        })
      ))

    it("deletes a brand with everything of it, and nothing of another [DEL-1]", () =>
      run(
        Effect.gen(function* () {
          const [directory, store] = yield* Effect.all([Directory, LeadStore])
          const filled = (name: string) =>
            Effect.gen(function* () {
              const brand = yield* Operating.createBrand(name)
              const signal = yield* createSignal(brand.id, "S")
              const campaign = yield* Operating.createCampaign(brand.id, "C")
              const totals = { impressions: 1, reactions: 1, comments: 1, reposts: 1 }
              yield* Operating.putReading(brand.id, campaign.id, { postId: "p", day: "2026-01-02", totals })
              const { value } = yield* Operating.createKey(brand.id, { label: "k", requestsPerMinute: 7 })
              const webhook = yield* directory.createWebhook(webhookOf(brand.id))
              const outcomes = yield* Observing.recordTogether(
                brand,
                Array.from({ length: 30 }, (_, i) => ({
                  signalId: signal.id,
                  person: { extId: `p${i}`, name: `Ada ${i}` },
                  engagement: { id: `e${i}`, postAuthorDetail: { extId: "p7", name: "Ada 7" } }
                }))
              )
              yield* Operating.eraseLead(brand, outcomes[7]!.leadId!)
              return { brand, signal, campaign, value, webhook, leadId: outcomes[0]!.leadId! }
            })
          const [gone, kept] = [yield* filled("gone"), yield* filled("kept")]
          const all = yield* LeadQueries.readList([["includeEngagements", "true"]])
          const stateOf = ({ brand, campaign, leadId, webhook }: typeof gone) =>
            Effect.all([
              directory.brand(brand.id),
              directory.keys(brand.id),
              directory.signals(brand.id),
              directory.campaigns(brand.id),
              directory.snapshot(campaign.id, {}),
              directory.webhooks(brand.id),
              store.list(brand.id, all),
              store.get(brand.id, leadId),
              Effect.flatMap(Deliveries, (deliveries) =>
                deliveries.list(webhook.id, { state: null, page: { page: 1, pageSize: 100 } })
              )
            ])
          const before = yield* stateOf(kept)
          expect(before[8].total).toBe(58)

          let calls = 0
          for (let isFinished = false; !isFinished; calls++) {
            isFinished = (yield* Operating.deleteSomeOfBrand(gone.brand.id)).isFinished
          }
          expect(calls).toBe(1)
          expect(yield* stateOf(gone)).toEqual([
            Option.none(),
            [],
            [],
            [],
            Option.none(),
            [],
            { total: 0, leads: [] },
            Option.none(),
            { total: 0, deliveries: [] }
          ])
          expect(yield* stateOf(kept)).toEqual(before)
          expect((yield* directory.brands).map(({ id }) => id)).not.toContain(gone.brand.id)
          for (const refused of [
            Operating.deleteSomeOfBrand(gone.brand.id),
            Operating.brand(gone.brand.id),
            Operating.deleteSomeOfBrand("999")
          ] as ReadonlyArray<Effect.Effect<unknown, unknown, Directory | LeadStore>>)
            expect(yield* Effect.flip(Effect.asVoid(refused))).toMatchObject({ resource: "brand" })
          expect(yield* directory.keyByHash(ApiKeys.hash(gone.value))).toEqual(Option.none())
          const seen = (signalId: string) => ({
            signalId,
            person: { extId: "late", name: "L" },
            engagement: { id: "l" }
          })
          // As of a request that found the brand before.
          const [late] = yield* Observing.recordObservations(gone.brand, [seen(gone.signal.id)])
          expect(late!.outcome).toBe("rejected")
          const [again] = yield* Observing.recordObservations(kept.brand, [
            { ...seen(kept.signal.id), person: { extId: "p7", name: "Ada 7" } }
          ])
          expect(again!.outcome).toBe("suppressed")
          // The numbers are never given again.
          const next = yield* Operating.createBrand("next")
          expect(Number(next.id)).toBeGreaterThan(Number(kept.brand.id))
        })
      ))

    it("hides a brand from the moment that its deletion begins, and creates nothing for it any more [DEL-1]", () =>
      run(
        Effect.gen(function* () {
          const directory = yield* Directory
          const brand = yield* Operating.createBrand("A")
          const signal = yield* createSignal(brand.id, "S")
          const { value } = yield* Operating.createKey(brand.id, { label: "k", requestsPerMinute: 7 })
          const webhook = yield* directory.createWebhook(webhookOf(brand.id))
          expect(yield* directory.finishBrandDeletion(brand.id)).toBe(false)
          const seen = (id: string) => ({
            signalId: signal.id,
            person: { extId: "p", name: "P" },
            engagement: { id }
          })
          yield* Observing.recordObservations(brand, [seen("e")])

          const begun = Option.getOrThrow(yield* directory.startBrandDeletion(brand.id, 5000))
          expect(begun).toEqual({ ...brand, deletionStartedAt: 5000 })
          expect(yield* directory.startBrandDeletion(brand.id, 6000)).toEqual(Option.some(begun))
          expect(yield* directory.startBrandDeletion("999", 6000)).toEqual(Option.none())
          expect((yield* directory.brands).find(({ id }) => id === brand.id)).toEqual(begun)
          expect(yield* Effect.isFailure(Access.authenticate(`Bearer ${value}`))).toBe(true)
          expect(yield* directory.signals(brand.id)).toEqual([])
          const [outcome] = yield* Observing.recordObservations(brand, [seen("f")])
          expect(outcome!.outcome).toBe("rejected")
          for (const refused of [
            Operating.brand(brand.id),
            Operating.renameBrand(brand.id, "X")
          ] as ReadonlyArray<Effect.Effect<unknown, unknown, Directory | LeadStore>>)
            expect(yield* Effect.flip(Effect.asVoid(refused))).toMatchObject({ resource: "brand" })
          const { lastUsedAt: _, ...key } = (yield* directory.keys(brand.id))[0]!
          for (const created of [
            directory.createSignal(brand.id, signal, 0),
            directory.createCampaign({ brandId: brand.id, name: "C", createdAt: 0 }),
            directory.createWebhook(webhookOf(brand.id)),
            directory.createKey({ ...key, hash: "h" })
          ] as ReadonlyArray<Effect.Effect<unknown, unknown, Directory | LeadStore>>)
            expect(yield* Effect.flip(Effect.asVoid(created))).toMatchObject({
              reason: "the brand is being deleted"
            })
          // With a lead, and then with a webhook.
          expect(yield* directory.finishBrandDeletion(brand.id)).toBe(false)
          const store = yield* LeadStore
          expect(yield* store.removeSome(brand.id)).toBe(0)
          expect(yield* directory.finishBrandDeletion(brand.id)).toBe(false)
          yield* directory.deleteWebhook(brand.id, webhook.id)
          expect(yield* directory.finishBrandDeletion(brand.id)).toBe(true)
          expect(yield* directory.finishBrandDeletion(brand.id)).toBe(false)
        })
      ))

    it("gives each brand a secret of its own for suppression [PII-3]", () =>
      run(
        Effect.gen(function* () {
          const secrets = [yield* Operating.createBrand("A"), yield* Operating.createBrand("A")].map(
            (b) => b.suppressionSecret
          )
          expect(new Set(secrets).size).toBe(2)
          for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{64}$/)
        })
      ))

    it("sums each post's last reading as of the latest day in the span [MET-1, MET-2, MET-3, MET-4, MET-7]", async () => {
      const reading = fc.record({
        post: fc.constantFrom("a", "b", "c"),
        day: fc.nat(12),
        totals: fc.record({
          impressions: fc.nat(9),
          reactions: fc.nat(9),
          comments: fc.nat(9),
          reposts: fc.nat(9)
        })
      })
      const bound = fc.option(fc.integer({ min: -1, max: 14 }), { nil: undefined })
      await fc.assert(
        fc.asyncProperty(
          fc.array(reading, { maxLength: 14 }),
          fc.array(fc.tuple(bound, bound), { minLength: 6, maxLength: 6 }),
          (readings, spans) =>
            run(
              Effect.gen(function* () {
                const directory = yield* Directory
                const brand = yield* Operating.createBrand("A")
                const campaign = yield* Operating.createCampaign(brand.id, "C")
                for (const { day, post, totals } of readings)
                  yield* directory.putReading(campaign.id, post, dayOf(day), totals)
                for (const [from, to] of spans) {
                  const span = {
                    ...(from === undefined ? {} : { startDate: dayOf(from) }),
                    ...(to === undefined ? {} : { endDate: dayOf(to) })
                  }
                  const inside = readings
                    .filter(({ day }) => day >= (from ?? -1) && day <= (to ?? 99))
                    .map(({ day }) => day)
                  const served = Math.max(...inside)
                  const ofPost = (post: string) =>
                    readings
                      .filter((each) => each.post === post && each.day <= served)
                      .sort((a, b) => a.day - b.day)
                      .at(-1)?.totals
                  const add = (key: "impressions" | "reactions" | "comments" | "reposts") =>
                    ["a", "b", "c"].reduce((sum, post) => sum + (ofPost(post)?.[key] ?? 0), 0)
                  const [impressions, reactions, comments, reposts] = [
                    add("impressions"),
                    add("reactions"),
                    add("comments"),
                    add("reposts")
                  ]
                  expect(yield* Reading.campaignMetrics(brand.id, campaign.id, span)).toEqual(
                    inside.length === 0
                      ? null
                      : {
                          impressions,
                          reactions,
                          comments,
                          reposts,
                          engagementRate:
                            impressions === 0 ? 0 : (reactions + comments + reposts) / impressions,
                          snapshotDate: dayOf(served)
                        }
                  )
                }
              })
            )
        ),
        { numRuns: 60 }
      )
    })

    it("keeps a campaign to its brand [MET-6, AUTH-3]", () =>
      run(
        Effect.gen(function* () {
          const [brand, other] = [yield* Operating.createBrand("A"), yield* Operating.createBrand("B")]
          const campaign = yield* Operating.createCampaign(brand.id, "C")
          const directory = yield* Directory
          expect(Option.isSome(yield* directory.campaign(brand.id, campaign.id))).toBe(true)
          for (const id of ["0", "x", "", "-1", "1e0", "99999999999999999999", ` ${campaign.id}`]) {
            expect(yield* directory.campaign(brand.id, id)).toEqual(Option.none())
          }
          const failure = yield* Effect.flip(Reading.campaignMetrics(other.id, campaign.id, {}))
          expect(failure._tag).toBe("@lead-signals/domain/NotFound")
        })
      ))

    it("steps each key's rate window alone, and atomically [RATE-1, RATE-4]", () =>
      run(
        Effect.gen(function* () {
          const windows = yield* RateWindows
          const spend = (keyId: string) =>
            windows.step(keyId, (window, now) => RateLimit.spend(window, 10, now))
          const decisions = yield* Effect.all(
            Array.from({ length: 25 }, () => spend("71")),
            { concurrency: "unbounded" }
          )
          expect(decisions.filter((decision) => decision.allowed)).toHaveLength(10)
          expect((yield* spend("72")).remaining).toBe(9)
          // Early on the clock, a window that was never opened must not pass for one that is open.
          clock.millis = 30_000
          const openedAt = clock.millis
          expect((yield* spend("73")).resetAt).toBe(openedAt + 60_000)
          clock.millis = Date.UTC(2026, 5, 1)
          expect((yield* spend("71")).remaining).toBe(9)
        })
      ))

    it("answers a ping [HEALTH-2]", () => run(Effect.flatMap(Directory, (directory) => directory.ping)))
  })
}
