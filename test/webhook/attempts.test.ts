/** What an attempt sends, when the next one follows, and how it ends. */
import { Outbox, Webhooks } from "@lead-signals/domain"
import { Sender } from "@lead-signals/webhook"
import { Effect, Exit, FiberId, Layer, Logger } from "effect"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { settableWallClock } from "../harness/SettableWallClock.ts"
import { day, hour, minute, stores } from "./EmitterStores.ts"
import {
  answer,
  type Behaviour,
  failing,
  hanging,
  inSequence,
  pass,
  settle,
  startEmitter,
  startOfTime,
  virtually
} from "./VirtualWorld.ts"

/** As the clause says it. */
const waits = [5000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
describe.each(stores)("attempts on %s", (_, store) => {
  it("delivers at once, signed, and each retry with a fresh time and signature over the same id and body [DELIV-1, DELIV-3, EVT-1, EVT-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(
          inSequence(answer(500), failing("connection"), answer(302), answer(204)),
          {
            events: ["lead2.created"]
          }
        )
        yield* world.observe("p", "e1")
        yield* settle
        // What comes later does not change a body that was sent.
        yield* world.observe("p", "e2", {}, "Another Name")
        yield* pass(3 * hour)
        const posts = world.to(webhook)
        expect(posts).toHaveLength(4)
        expect(new Set(posts.map(({ body, id }) => `${id} ${body}`)).size).toBe(1)
        expect(new Set(posts.map(({ headers }) => headers["webhook-signature"])).size).toBe(4)
        for (const { at, body, headers, id } of posts) {
          expect(headers["webhook-timestamp"]).toBe(String(Math.floor(at / 1000)))
          expect(JSON.parse(body)).toMatchObject({
            id,
            event: "lead2.created",
            version: "1",
            brandId: world.brand.id
          })
          const signed = new StandardWebhook(webhook.secrets.current).sign(id, new Date(at), body)
          expect(headers["webhook-signature"]).toBe(signed)
        }
        expect(JSON.parse(posts[3]!.body).data.lead2.name).toBe("Name of p")
        expect(posts[0]!.at).toBe(startOfTime)
        expect((yield* world.list(webhook)).map(({ state }) => state)).toEqual(["delivered"])
        expect((yield* world.log(webhook)).map(({ error, status }) => status ?? error)).toEqual([
          500,
          "connection",
          302,
          204
        ])
      })
    ))

  it("logs how long each took, also when the machine's clock is set meanwhile [DELIV-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const { clock, set } = settableWallClock(yield* Effect.clock)
        yield* Effect.withClock(startEmitter(), clock)
        const settingBy =
          (millis: number): Behaviour =>
          (...post) =>
            Effect.zipRight(
              Effect.delay(
                Effect.sync(() => set(millis)),
                40
              ),
              answer(204)(...post)
            )
        for (const millis of [hour, -2 * hour]) {
          const webhook = yield* world.webhook(settingBy(millis))
          yield* world.observe("p", `e ${millis}`)
          yield* pass(minute)
          expect((yield* world.log(webhook)).map(({ durationMillis }) => durationMillis)).toEqual([40])
        }
      })
    ))

  it("are in the log with what came of each, by the ids of its delivery and webhook [PII-2]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const lines: Array<unknown> = []
        const logger = Logger.make(({ annotations, logLevel, message }) => {
          lines.push([logLevel.label, String(message), Object.fromEntries(annotations)])
        })
        yield* Effect.provide(startEmitter({ scheduleMillis: [minute] }), Logger.add(logger))
        const webhook = yield* world.webhook(inSequence(answer(500), failing("connection")))
        yield* world.observe("p", "e1")
        yield* pass(hour)
        const [delivery] = yield* world.list(webhook)
        const common = { deliveryId: delivery!.id, webhookId: webhook.id, durationMillis: 0 }
        expect(lines).toEqual([
          ["INFO", "delivery attempted", { ...common, result: 500, outcome: "retried" }],
          ["WARN", "delivery attempted", { ...common, result: "connection", outcome: "dead" }]
        ])
      })
    ))

  it("makes lead2.created of the 20 newest engagements known at the first attempt [EVT-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(answer(200), { events: ["lead2.created"], enabled: false })
        for (let i = 0; i < 25; i++) {
          yield* world.observe("p", `e${i}`, { trackedAt: new Date(startOfTime + i * 1000).toISOString() })
        }
        yield* pass(hour)
        expect(world.posted).toEqual([])
        yield* Webhooks.change(world.brand.id, webhook.id, { enabled: true })
        yield* settle
        const { data } = JSON.parse(world.to(webhook)[0]!.body)
        expect(data.engagements.map(({ id }: { id: string }) => id)).toEqual(
          Array.from({ length: 20 }, (__, i) => `e${24 - i}`)
        )
      })
    ))

  it("retries on the schedule, and buries what fails to the end in the dead letters [DELIV-2, DELIV-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(answer(500))
        yield* world.observe("p", "e1")
        yield* pass(4 * day)
        const times = world.to(webhook).map(({ at }) => at)
        expect(times).toHaveLength(10)
        for (const [i, wait] of waits.entries()) {
          const waited = times[i + 1]! - times[i]!
          expect([i, waited >= wait * 0.8, waited <= wait * 1.2]).toEqual([i, true, true])
        }
        const [dead] = yield* world.list(webhook, "dead")
        expect(dead).toMatchObject({ state: "dead", attempts: 10, dueAt: null, finishedAt: times[9] })
        expect(yield* world.log(webhook)).toHaveLength(10)
        yield* pass(10 * day)
        expect(world.to(webhook)).toHaveLength(10)
      })
    ))

  it("honours Retry-After on 429 and 503, as seconds and as a date, and on nothing else [DELIV-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const date = new Date(startOfTime + 2 * hour).toUTCString()
        const webhooks = yield* Effect.all([
          world.webhook(inSequence(answer(429, "", "3600"), answer(200))),
          world.webhook(inSequence(answer(503, "", date), answer(200))),
          world.webhook(inSequence(answer(500, "", "3600"), answer(200))),
          world.webhook(inSequence(answer(503, "", "soon"), answer(200))),
          world.webhook(inSequence(answer(429, "", "99999999"), answer(200))),
          // More digits than a safe integer has, and than a number.
          world.webhook(inSequence(answer(429, "", "9999999999"), answer(200))),
          world.webhook(inSequence(answer(503, "", "9".repeat(400)), answer(200))),
          world.webhook(inSequence(answer(503, "", "+3600"), answer(200)))
        ])
        yield* world.observe("p", "e1")
        yield* pass(2 * day)
        const waited = webhooks.map((webhook) => world.to(webhook)[1]!.at - startOfTime)
        expect([waited[0], waited[1]]).toEqual([hour, 2 * hour])
        expect(waited.slice(4, 7)).toEqual([day, day, day])
        for (const early of [waited[2]!, waited[3]!, waited[7]!]) expect(early).toBeLessThanOrEqual(6000)
      })
    ))

  it("takes each form of an HTTP date that recipients must accept [DELIV-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const at = startOfTime + 3 * hour
        const [weekday, day0, month, year, time] = new Date(at).toUTCString().split(" ")
        const longWeekday = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(at)
        const imf = `${weekday} ${day0} ${month} ${year} ${time} GMT`
        const rfc850 = (lastDigits: string) => `${longWeekday}, ${day0}-${month}-${lastDigits} ${time} GMT`
        const asctime = `${weekday!.slice(0, 3)} ${month} ${day0!.replace(/^0/, " ")} ${time} ${year}`
        const lastDigits = (years: number) => String((Number(year) + years) % 100).padStart(2, "0")
        const [inTime, far, past, broken] = [
          [imf, rfc850(lastDigits(0)), asctime],
          [rfc850(lastDigits(49))],
          [rfc850(lastDigits(51)), rfc850(lastDigits(-1)), imf.replace(year!, "1994")],
          [imf.replace("GMT", "UTC"), asctime.replace(month!, "Foo"), `${asctime} GMT`, rfc850(year!)]
        ] as const
        const webhooks = yield* Effect.forEach([...inTime, ...far, ...past, ...broken], (header) =>
          world.webhook(inSequence(answer(503, "", header), answer(200)))
        )
        yield* world.observe("p", "e1")
        yield* pass(2 * day)
        const waited = webhooks.map((webhook) => world.to(webhook)[1]!.at - startOfTime)
        expect(waited.slice(0, 4)).toEqual([3 * hour, 3 * hour, 3 * hour, day])
        for (const early of waited.slice(4)) expect(early).toBeLessThanOrEqual(6000)
      })
    ))

  it("gives an attempt 15 s, and calls it a time-out [DELIV-3, DELIV-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(hanging, answer(200)))
        yield* world.observe("p", "e1")
        yield* pass(14_999)
        expect((yield* world.list(webhook, "pending"))[0]!.attempts).toBe(0)
        yield* pass(minute)
        expect(yield* world.log(webhook)).toMatchObject([
          { at: startOfTime, durationMillis: 15_000, status: null, error: "timeout" },
          { status: 200 }
        ])
        expect([...world.underWay.values()]).toEqual([0])
      })
    ))

  it("takes the answers, time-outs and defects of a sender that calls back [DELIV-3, DELIV-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        let posts = 0
        const start: Sender.StartPost = (_, onEnd) => {
          posts++
          if (posts === 2) throw new Error("defect")
          if (posts === 3)
            onEnd(
              Exit.succeed({ status: 204, retryAfter: null, excerpt: new Uint8Array(), truncated: false })
            )
          return Effect.sync(() => onEnd(Exit.interrupt(FiberId.none)))
        }
        yield* startEmitter().pipe(Effect.provideService(Sender.Sender, { post: world.post, start }))
        const webhook = yield* world.webhook(answer(200))
        yield* world.observe("p", "e1")
        yield* pass(60 * minute)
        expect(yield* world.log(webhook)).toMatchObject([
          { at: startOfTime, durationMillis: 15_000, status: null, error: "timeout" },
          { status: null, error: "internal" },
          { status: 204, error: null }
        ])
        expect(posts).toBe(3)
      })
    ))

  it("takes the first end of a post that a sender ends twice, and frees one place for it [DELIV-5, DELIV-7]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        let ends = 3
        const hung: Array<string> = []
        const response = { status: 204, retryAfter: null, excerpt: new Uint8Array(), truncated: false }
        const start: Sender.StartPost = ({ headers }, onEnd) => {
          if (hung.length > 0 || ends === 0) {
            hung.push(headers["webhook-id"]!)
            return Effect.sync(() => onEnd(Exit.interrupt(FiberId.none)))
          }
          ends--
          onEnd(Exit.succeed(response))
          onEnd(Exit.fail(new Sender.SendFailed({ error: "connection" })))
          throw new Error("defect")
        }
        const limits = { total: 2, reserved: 0, perWebhook: 2, failingTotal: 2, perFailingWebhook: 2 }
        yield* startEmitter({ limits }).pipe(
          Effect.provideService(Sender.Sender, { post: world.post, start })
        )
        const webhook = yield* world.webhook(answer(200))
        for (let i = 0; i < 10; i++) {
          yield* world.observe("p", `e${i}`)
          yield* settle
        }
        expect(yield* world.list(webhook, "delivered")).toHaveLength(3)
        expect((yield* world.log(webhook)).map(({ error, status }) => status ?? error)).toEqual([204])
        expect(hung).toHaveLength(2)
      })
    ))

  it("ends a post whose sender leaves it open, also where its interruption fails [DELIV-3, DELIV-7]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const response = { status: 204, retryAfter: null, excerpt: new Uint8Array(), truncated: false }
        let posts = 0
        const start: Sender.StartPost = (_, onEnd) => {
          posts++
          if (posts === 3) onEnd(Exit.succeed(response))
          return posts === 1 ? Effect.void : Effect.die(new Error("defect"))
        }
        const limits = { total: 1, reserved: 0, perWebhook: 1, failingTotal: 1, perFailingWebhook: 1 }
        yield* startEmitter({ limits }).pipe(
          Effect.provideService(Sender.Sender, { post: world.post, start })
        )
        const webhook = yield* world.webhook(answer(200))
        yield* world.observe("p", "e1")
        yield* pass(60 * minute)
        expect((yield* world.log(webhook)).map(({ error, status }) => status ?? error)).toEqual([
          "timeout",
          "timeout",
          204
        ])
      })
    ))

  it("calls the end of a post that its sender interrupts internal, and frees its place [DELIV-5, DELIV-7]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        const limits = { total: 1, reserved: 0, perWebhook: 1, failingTotal: 1, perFailingWebhook: 1 }
        yield* startEmitter({ limits })
        const webhook = yield* world.webhook(inSequence(() => Effect.interrupt, answer(200)))
        yield* world.observe("p", "e1")
        yield* pass(10_000)
        expect((yield* world.log(webhook)).map(({ error, status }) => status ?? error)).toEqual([
          "internal",
          200
        ])
      })
    ))

  it("ends an attempt before its lease, when another may begin one [DELIV-2, DELIV-3]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter({ leaseMillis: 6000 })
        const webhook = yield* world.webhook(inSequence(hanging, answer(200)))
        yield* world.observe("p", "e1")
        yield* pass(minute)
        const ended = (yield* world.log(webhook)).find(({ at }) => at === startOfTime)
        expect(ended).toMatchObject({ durationMillis: 5000, error: "timeout" })
        expect(world.maxUnderWay).toBe(1)
      })
    ))

  it("buries alone what no body can be made of [DELIV-2, DELIV-5]", () => {
    const broken = Layer.effect(
      Outbox,
      Effect.map(Outbox, (outbox) =>
        Outbox.of({
          ...outbox,
          lease: (request) =>
            outbox.lease({
              ...request,
              body: (material) =>
                request.body(material.subject?.engagementId === "e1" ? { ...material, lead: null } : material)
            })
        })
      )
    ).pipe(Layer.provideMerge(store()))
    return virtually(broken as ReturnType<typeof store>, (world) =>
      Effect.gen(function* () {
        yield* startEmitter({ scheduleMillis: [1000] })
        const webhook = yield* world.webhook(answer(200))
        yield* world.observe("p", "e1")
        yield* world.observe("p", "e2")
        yield* pass(5000)
        expect((yield* world.list(webhook)).map(({ state }) => state)).toEqual(["delivered", "dead"])
        expect((yield* world.log(webhook)).map(({ error }) => error)).toEqual(["internal", "internal"])
      })
    )
  })

  it("outlives a defect of its sender, and calls it internal [DELIV-2, DELIV-5]", () =>
    virtually(store(), (world) =>
      Effect.gen(function* () {
        yield* startEmitter()
        const webhook = yield* world.webhook(inSequence(() => Effect.die(new Error("secret")), answer(200)))
        yield* world.observe("p", "e1")
        yield* pass(10_000)
        expect((yield* world.log(webhook)).map(({ error, status }) => status ?? error)).toEqual([
          "internal",
          200
        ])
      })
    ))
})
