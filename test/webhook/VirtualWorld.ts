/**
 * The emitter under virtual time: a store, a sender whose receivers are scripted, a brand. Nothing waits for the machine:
 * time stands until `pass` moves it.
 */
import {
  Parameters,
  type Brand,
  Brands,
  Deliveries,
  Entropy,
  InvalidParameter,
  type Outbox,
  recordObservations,
  Signals,
  type Webhook,
  Webhooks,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import type { Stores } from "@lead-signals/store-contract"
import { Emitter, Sender } from "@lead-signals/webhook"
import { Clock, Context, Effect, Layer, Logger, Option, type Scope, TestClock, TestContext } from "effect"

export interface Posted {
  readonly at: number
  readonly url: string
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a receiver does with its n-th post, from 1. */
export type Behaviour = (n: number, posted: Posted) => Effect.Effect<Sender.PostResponse, Sender.SendFailed>

export const answer = (status: number, text = "", retryAfter: string | null = null): Behaviour => {
  const excerpt = new TextEncoder().encode(text)
  return () =>
    Effect.succeed({
      status,
      retryAfter,
      excerpt: excerpt.subarray(0, Sender.maxExcerptBytes),
      truncated: excerpt.length > Sender.maxExcerptBytes
    })
}

export const failing =
  (error: "connection" | "unresolvable" | "tls"): Behaviour =>
  () =>
    Effect.fail(new Sender.SendFailed({ error }))

export const hanging: Behaviour = () => Effect.never

/** The behaviours one after the other, the last one again and again. */
export const inSequence =
  (...behaviours: ReadonlyArray<Behaviour>): Behaviour =>
  (n, posted) =>
    behaviours[Math.min(n, behaviours.length) - 1]!(n, posted)

export class World {
  readonly posted: Array<Posted> = []
  readonly receivers = new Map<string, Behaviour>()
  private readonly counts = new Map<string, number>()
  /** Posts that have begun and not ended, by id. */
  readonly underWay = new Map<string, number>()
  maxUnderWay = 0
  private made = 0

  constructor(
    readonly brand: Brand,
    private readonly signalId: string
  ) {}

  readonly post = (request: Sender.PostRequest): Effect.Effect<Sender.PostResponse, Sender.SendFailed> =>
    Effect.gen(this, function* () {
      const n = (this.counts.get(request.url) ?? 0) + 1
      this.counts.set(request.url, n)
      const id = request.headers["webhook-id"]!
      const posted = { ...request, id, at: yield* Clock.currentTimeMillis }
      this.posted.push(posted)
      this.underWay.set(id, (this.underWay.get(id) ?? 0) + 1)
      this.maxUnderWay = Math.max(this.maxUnderWay, this.underWay.get(id)!)
      const behave = this.receivers.get(request.url) ?? answer(204)
      return yield* behave(n, posted).pipe(
        Effect.ensuring(Effect.sync(() => this.underWay.set(id, this.underWay.get(id)! - 1)))
      )
    })

  readonly webhook = (behaviour: Behaviour, more: Partial<Parameters<typeof Webhooks.create>[1]> = {}) =>
    Effect.gen(this, function* () {
      const url = `https://r${++this.made}.example/hook`
      this.receivers.set(url, behaviour)
      return yield* Webhooks.create(this.brand.id, {
        url,
        events: ["activity.detected"],
        description: null,
        enabled: true,
        ...more
      })
    })

  readonly observe = (person: string, engagement: string, more: object = {}, name = `Name of ${person}`) =>
    Effect.map(
      recordObservations(this.brand, [
        {
          signalId: this.signalId,
          person: { extId: person, name, headline: `Headline of ${person}` },
          engagement: { id: engagement, type: "comment", commentText: `Says ${engagement}`, ...more }
        }
      ]),
      ([outcome]) => outcome!.leadId!
    )

  readonly list = ({ id }: Webhook, state: "pending" | "held" | "delivered" | "dead" | null = null) =>
    Effect.map(
      Webhooks.listDeliveries(this.brand.id, id, {
        state,
        page: { page: 1, pageSize: 100 },
        ignored: Parameters.noneIgnored
      }),
      ({ deliveries }) => deliveries
    )

  /** The attempts of the webhook's oldest delivery. */
  readonly log = (webhook: Webhook) =>
    Effect.gen(this, function* () {
      const deliveries = yield* Deliveries
      const oldest = (yield* this.list(webhook)).at(-1)!
      return Option.getOrThrow(yield* deliveries.get(webhook.id, oldest.id)).attempts
    })

  readonly refresh = ({ id }: Webhook) => Webhooks.get(this.brand.id, id)

  readonly to = ({ url }: Webhook): ReadonlyArray<Posted> => this.posted.filter((each) => each.url === url)
}

/** Lets everything happen that can happen now. */
export const settle = TestClock.adjust(0)
export const pass = (millis: number) => TestClock.adjust(millis)

const anyTarget = Layer.succeed(WebhookTargets, {
  check: (url) =>
    URL.canParse(url)
      ? Effect.succeed(url)
      : Effect.fail(new InvalidParameter({ parameter: "url", message: "url" }))
})

export type Services = Stores | Entropy | WebhookTargets | Sender.Sender

/** Polls so seldom that only what wakes it, and what is due, moves it; ends with the test at once. */
const emitterOptions = { pollMillis: 10 * 86_400_000, drain: 0 }

/** One more emitter over the world's store, until the test's scope is closed or it is stopped. */
export const startEmitter = (
  options: Partial<Emitter.EmitterOptions> = {}
): Effect.Effect<typeof Emitter.Emitter.Service, never, Outbox | Sender.Sender | Entropy | Scope.Scope> =>
  Effect.map(
    Layer.build(Layer.fresh(Emitter.layer({ ...emitterOptions, ...options }))),
    Context.get(Emitter.Emitter)
  )

export const startOfTime = Date.UTC(2026, 0, 5, 10)

/** Runs the work in a world of its own. The emitter is started by the work. */
export const virtually = <A, E>(
  stores: Layer.Layer<Stores, unknown>,
  work: (world: World) => Effect.Effect<A, E, Services | Scope.Scope>
): Promise<A> => {
  let world: World
  const sender = Layer.succeed(Sender.Sender, Sender.Sender.of({ post: (request) => world.post(request) }))
  const quiet = Logger.remove(Logger.defaultLogger)
  return Effect.runPromise(
    Effect.gen(function* () {
      yield* TestClock.setTime(startOfTime)
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      world = new World(brand, signal.id)
      return yield* work(world)
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.mergeAll(stores, webCrypto, anyTarget, sender, quiet)),
      Effect.provide(TestContext.TestContext)
    ) as Effect.Effect<A>
  )
}
