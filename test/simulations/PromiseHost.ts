/** A host as a team writes one, with promises: our handlers and emitter in a runtime of its own. */
import { WebhookTargets } from "@lead-signals/domain"
import { DefaultRateLimit, fetchHandler, OperatorToken, webCrypto } from "@lead-signals/http"
import type { OwnHost } from "@lead-signals/simulations"
import * as MemoryStore from "@lead-signals/store-memory"
import { Emitter, Sender } from "@lead-signals/webhook"
import { Effect, Layer, Logger, ManagedRuntime, Random } from "effect"

/** `dropping` makes, for each start of the host, the rule of which requests it answers 500. */
export const promiseHost =
  (dropping: () => (request: Request) => boolean): OwnHost =>
  async ({ operatorToken, post }) => {
    const sender = Layer.succeed(Sender.Sender, {
      post: ({ body, headers, url }) =>
        Effect.tryPromise({
          try: () => post(url, { headers, body }),
          catch: () => new Sender.SendFailed({ error: "connection" })
        }).pipe(
          Effect.map((answer) => ({
            status: answer.status,
            retryAfter: answer.headers["retry-after"] ?? null,
            excerpt: answer.body,
            truncated: false
          }))
        )
    })
    const stores = MemoryStore.layerOver(new MemoryStore.Memory())
    const parts = Layer.mergeAll(stores, webCrypto, sender).pipe(
      Layer.provideMerge(Layer.succeed(OperatorToken, operatorToken)),
      Layer.provideMerge(Layer.succeed(DefaultRateLimit, 60)),
      Layer.provideMerge(Layer.succeed(WebhookTargets, { check: (url) => Effect.succeed(url) }))
    )
    // Effect's own is seeded when the process starts: jitter would differ from run to run.
    const random = Layer.setRandom(Random.make("host"))
    const quiet = Layer.merge(Logger.remove(Logger.defaultLogger), random)
    const runtime = ManagedRuntime.make(
      Layer.provideMerge(Emitter.layer({ pollMillis: 3_600_000 }), Layer.provideMerge(parts, quiet))
    )
    const handle = await runtime.runPromise(fetchHandler)
    const drop = dropping()
    return async (request) => {
      const response = await handle(request)
      return drop(request) ? new Response("oops", { status: 500 }) : response
    }
  }
