/** Assembles the server from its settings: store (`Stores.ts`), webhooks, API, telemetry. */
import { AuditRetention, BrandStore, IdempotencyRetention, RetentionPolicy } from "@lead-signals/domain"
import {
  ConsoleFiles,
  DefaultRateLimit,
  DrainState,
  makeSessions,
  Mcp,
  OperatorToken,
  Sessions,
  AuditedKeyReads,
  TrustedProxies,
  webCrypto
} from "@lead-signals/http"
import * as NodeServer from "@lead-signals/http/node"
import { Emitter } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { banner } from "./Banner.ts"
import { defaultMaxConnections } from "./ConnectionDefault.ts"
import { loadConsole } from "./ConsoleFiles.ts"
import { kindOf } from "./DatabaseLocation.ts"
import * as Demo from "./demo/Demo.ts"
import { loadMcp } from "./McpServices.ts"
import { progress } from "./Progress.ts"
import type { Settings } from "./Settings.ts"
import { listenFailed, storeFailed } from "./StartFailures.ts"
import { exclusively, storeLayer } from "./Stores.ts"
import { backingUp } from "./telemetry/BackupMetrics.ts"
import { retaining } from "./telemetry/RetentionMetrics.ts"
import type { Telemetry } from "./telemetry/Telemetry.ts"
import * as Instrumentation from "./telemetry/Instrumentation.ts"

const drainTime = "10 seconds"

const webhooksLayer = ({ publicUrl, webhookAllow: allowed, webhookRetryMillis: scheduleMillis }: Settings) =>
  NodeWebhook.layer({
    allowed,
    allowedBy: "LEAD_SIGNALS_WEBHOOK_ALLOW",
    scheduleMillis,
    apiUrl: publicUrl,
    drain: drainTime
  })

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`

const fillShowingProgress = (settings: Settings) =>
  Effect.suspend(() => {
    const line = progress(process.stdout, () => performance.now())
    return Demo.fill({
      requestsPerMinute: settings.requestsPerMinute,
      onProgress: (done, of) =>
        Effect.sync(() =>
          line.update({ fraction: done / of, text: "filling the database with the demo brand" })
        )
    }).pipe(Effect.ensuring(Effect.sync(() => line.clear())))
  })

/** When several processes start on one new database, one fills it and the others wait. */
const fillDemo = (settings: Settings) =>
  Effect.gen(function* () {
    if ((yield* Demo.unfinished) === null) return null
    return yield* exclusively(settings.database, fillShowingProgress(settings))
  })

/** Serves the API over a store, on a server that already listens. */
const serve = (
  settings: Settings,
  operatorToken: string,
  exporting: boolean,
  server: NodeServer.Listening
) => {
  const isNewFile = kindOf(settings.database) === "sqlite" && !existsSync(settings.database)
  return Effect.gen(function* () {
    let draining = false
    const demo = settings.demo ? yield* fillDemo(settings).pipe(Effect.mapError(storeFailed(settings))) : null
    const brandStore = yield* BrandStore
    const [first] = yield* brandStore.list.pipe(Effect.mapError(storeFailed(settings)))
    const sessions = yield* makeSessions
    // An operator who set the token knows it; a code in a log would be one more secret to guard.
    const signInCode = settings.operatorToken === null ? yield* sessions.createCode : null
    const api = server.serve.pipe(
      Layer.provide(
        Layer.mergeAll(
          Layer.succeed(OperatorToken, operatorToken),
          Layer.succeed(Sessions, sessions),
          Layer.succeed(ConsoleFiles, Effect.promise(loadConsole)),
          Layer.succeed(Mcp, Effect.promise(loadMcp)),
          Layer.succeed(DefaultRateLimit, settings.requestsPerMinute),
          Layer.succeed(RetentionPolicy, settings.retention),
          retaining(settings.retention),
          backingUp(settings.backups, settings.database, settings.encryption ?? undefined),
          Layer.scopedDiscard(Effect.forkScoped(AuditRetention.retain(settings.auditRetentionMillis))),
          Layer.scopedDiscard(Effect.forkScoped(IdempotencyRetention.retain)),
          Layer.succeed(TrustedProxies, settings.trustedProxies),
          Layer.succeed(AuditedKeyReads, true),
          Instrumentation.metrics,
          exporting ? Instrumentation.storeGauges : Layer.empty,
          Layer.succeed(DrainState, { isDraining: Effect.sync(() => draining) })
        )
      ),
      Layer.provideMerge(webhooksLayer(settings))
    )
    yield* Effect.gen(function* () {
      // Load balancers that watch readiness have until the end of the pause to route requests elsewhere.
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          draining = true
          yield* server.drain
          yield* Effect.logInfo("draining")
          yield* Effect.sleep(settings.drainPauseMillis)
        })
      )
      const emitter = yield* Emitter.Emitter
      // The emitter drains while requests in flight finish, instead of after them.
      yield* Effect.addFinalizer(() => Effect.forkDaemon(emitter.stop))
      const { port } = yield* NodeServer.NodeServer
      const url = urlOf(settings.host, port)
      yield* Effect.sync(() =>
        process.stdout.write(
          `${banner({ settings, url, operatorToken, signInCode, demo, isNewFile, brandId: first?.id ?? null })}\n`
        )
      )
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.provide(api))
  }).pipe(
    Effect.provide(
      Layer.mapError(
        Instrumentation.stores(
          storeLayer(settings.database, settings.encryption, { ...settings, progressOutput: process.stdout }),
          exporting
        ),
        storeFailed(settings)
      )
    )
  )
}

/**
 * Runs until it is interrupted, then drains and closes. It listens before it opens the store, which may take
 * long.
 */
export const run = (
  settings: Settings,
  operatorToken: string,
  { exporting, layer: exported }: Telemetry = { exporting: false, layer: Layer.empty }
) =>
  NodeServer.listening({
    host: settings.host,
    port: settings.port,
    drain: drainTime,
    maxConnections: settings.maxConnections ?? defaultMaxConnections()
  }).pipe(
    Effect.mapError(listenFailed(settings)),
    Effect.flatMap((server) => serve(settings, operatorToken, exporting, server)),
    Effect.scoped,
    Effect.provide(Layer.merge(webCrypto, Instrumentation.requests(exporting))),
    Effect.provide(exported)
  )
