/** No hostile target is ever dialled: not when a webhook is created or changed, tested, sent to or sent to again. */
import {
  Parameters,
  Brands,
  defaultSending,
  Deliveries,
  type Deliveries as DeliveriesPort,
  Entropy,
  recordObservations,
  Signals,
  type Webhook,
  Webhooks,
  WebhookStore,
  type WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import type { Stores } from "@lead-signals/store-contract"
import * as MemoryStore from "@lead-signals/store-memory"
import { Addresses, Emitter, Resolver, TargetGuard, Unresolvable } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Effect, Either, Layer, Logger, ManagedRuntime, Option } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { dialled } from "./Dialled.ts"
import { hostileAddresses, hostileForms, hostileUrls } from "./HostileTargets.ts"
import { startReceiver } from "../harness/Receiver.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const seen = dialled()
const publicAddress = "93.184.215.14"

/** Names and what they resolve to, the first time and from then on. */
const names = new Map<
  string,
  { readonly first: ReadonlyArray<string>; readonly later: ReadonlyArray<string> }
>()
const lookups = new Map<string, number>()

const resolver = Layer.succeed(
  Resolver,
  Resolver.of({
    resolve: (hostname) =>
      Effect.suspend(() => {
        const known = names.get(hostname)
        const times = lookups.get(hostname) ?? 0
        lookups.set(hostname, times + 1)
        if (known === undefined) return Effect.fail(new Unresolvable({ hostname }))
        return Effect.succeed(times === 0 ? known.first : known.later)
      })
  })
)

type Services = Stores | WebhookTargets | Entropy | Emitter.Emitter

const start = (allowed: ReadonlyArray<string>) => {
  const options = { allowed: allowed.map((text) => Either.getOrThrow(Addresses.parseCidr(text))) }
  const quiet = Logger.remove(Logger.defaultLogger)
  const base = Layer.mergeAll(MemoryStore.layer, webCrypto, resolver, quiet)
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      Emitter.layer({ scheduleMillis: [1], pollMillis: 20 }).pipe(Layer.provide(NodeWebhook.sender(options))),
      TargetGuard.layer(options)
    ).pipe(Layer.provideMerge(base))
  )
  afterAll(() => runtime.dispose())
  return <A, E>(work: Effect.Effect<A, E, Services>): Promise<A> => runtime.runPromise(work)
}

const run = start([])

const brandWithLead = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  const observe = (id: string) =>
    recordObservations(brand, [
      { signalId: signal.id, person: { extId: "p", name: "Ada" }, engagement: { id } }
    ])
  return { brand, observe }
})

const newWebhook = (url: string) => ({
  url,
  events: ["activity.detected" as const],
  description: null,
  enabled: true
})

/** Into the store without being judged: as one that was allowed when it was made. */
const plant = (brandId: string, url: string) =>
  Effect.flatMap(WebhookStore, (webhookStore) =>
    webhookStore.create({
      brandId,
      ...newWebhook(url),
      disabledReason: null,
      ...defaultSending,
      failingSince: null,
      secrets: { current: `whsec_${Buffer.alloc(32).toString("base64")}`, previous: null },
      createdAt: 0
    })
  )

/** Waits until nothing is pending, and gives the log of each delivery. */
const logs = (webhook: Webhook) =>
  Effect.gen(function* () {
    const deliveries: typeof DeliveriesPort.Service = yield* Deliveries
    const all = { state: null, page: { page: 1, pageSize: 100 } }
    for (;;) {
      const { deliveries: found } = yield* deliveries.list(webhook.id, all)
      if (found.length > 0 && found.every(({ state }) => state !== "pending")) {
        return yield* Effect.forEach(found, ({ id }) =>
          Effect.map(deliveries.get(webhook.id, id), (each) => Option.getOrThrow(each).attempts)
        )
      }
      yield* Effect.sleep(5)
    }
  })

describe("hostile targets", () => {
  it("are more than 300 [DELIV-6]", () => {
    expect(hostileUrls.length + hostileForms.length).toBeGreaterThan(300)
    expect(hostileAddresses.length).toBeGreaterThan(250)
  })

  it("are refused when a webhook is created and when it is changed, with a message that says why [DELIV-6]", async () => {
    names.set("good.example", { first: [publicAddress], later: [publicAddress] })
    names.set("public-for-now", { first: [publicAddress], later: [publicAddress] })
    names.set("public-for-now.", { first: [publicAddress], later: [publicAddress] })
    const passed = await run(
      Effect.gen(function* () {
        const { brand } = yield* brandWithLead
        const webhook = yield* Webhooks.create(brand.id, newWebhook("https://good.example/hook"))
        const through: Array<string> = []
        for (const url of [...hostileUrls, ...hostileForms]) {
          for (const call of [
            Webhooks.create(brand.id, newWebhook(url)),
            Webhooks.change(brand.id, webhook.id, { url })
          ]) {
            const answer = yield* Effect.either(call)
            if (Either.isRight(answer)) through.push(url)
            else
              expect(answer.left).toMatchObject({
                parameter: "url",
                message: expect.stringMatching(/^url takes /)
              })
          }
        }
        const webhookStore = yield* WebhookStore
        expect(yield* webhookStore.list(brand.id)).toEqual([webhook])
        return through
      })
    )
    expect(passed).toEqual([])
    expect(seen).toEqual([])
  })

  it("are refused by name when any address of the name is hostile [DELIV-6]", async () => {
    await run(
      Effect.gen(function* () {
        const { brand } = yield* brandWithLead
        for (const [i, address] of hostileAddresses.entries()) {
          const mixed = [publicAddress, address]
          names.set(`h${i}.example`, { first: i % 2 === 0 ? [address] : mixed, later: mixed })
          const answer = yield* Effect.either(
            Webhooks.create(brand.id, newWebhook(`https://h${i}.example/hook`))
          )
          expect([address, Either.isLeft(answer)]).toEqual([address, true])
        }
      })
    )
    expect(seen).toEqual([])
  })

  it("are not dialled for a test, an event, a retry or a re-send, though they stand in the store [DELIV-6]", async () => {
    const urls = [...hostileUrls.filter((_, i) => isThorough || i % 3 === 0), "http://8.8.8.8/hook"]
    await run(
      Effect.gen(function* () {
        const { brand, observe } = yield* brandWithLead
        const webhooks = yield* Effect.forEach(urls, (url) => plant(brand.id, new URL(url).href))
        yield* observe("e1")
        yield* Effect.forEach(webhooks, (webhook) => Webhooks.test(brand.id, webhook.id))
        yield* Effect.forEach(webhooks, logs)
        for (const webhook of webhooks) {
          const { deliveries } = yield* Webhooks.listDeliveries(brand.id, webhook.id, {
            state: null,
            page: { page: 1, pageSize: 10 },
            ignored: Parameters.noneIgnored
          })
          yield* Webhooks.resendDelivery(brand.id, webhook.id, deliveries[0]!.id)
          yield* Webhooks.resendLead(brand.id, deliveries[1]!.leadId!, {
            event: "activity.detected",
            webhookId: webhook.id
          })
        }
        for (const webhook of webhooks) {
          const attempts = (yield* logs(webhook)).flat()
          // Four deliveries, each tried and tried again.
          expect(attempts.length).toBe(8)
          for (const { error, status } of attempts) {
            expect([webhook.url, error, status]).toEqual([webhook.url, "target_refused", null])
          }
        }
      })
    )
    expect(seen).toEqual([])
  })

  it("are not dialled when a name that was public is bound anew before it is dialled [DELIV-6]", async () => {
    await run(
      Effect.gen(function* () {
        const { brand, observe } = yield* brandWithLead
        const webhooks = yield* Effect.forEach(hostileAddresses, (address, i) => {
          names.set(`r${i}.example`, {
            first: [publicAddress],
            later: i % 2 === 0 ? [address] : [publicAddress, address]
          })
          return Webhooks.create(brand.id, newWebhook(`https://r${i}.example/hook`))
        })
        yield* observe("e1")
        for (const webhook of webhooks) {
          for (const attempts of yield* logs(webhook)) {
            expect([webhook.url, attempts.map(({ error }) => error)]).toEqual([
              webhook.url,
              ["target_refused", "target_refused"]
            ])
          }
        }
      })
    )
    expect(seen).toEqual([])
  })

  it("is not what a name is that can't be resolved: it is retried [DELIV-6]", async () => {
    await run(
      Effect.gen(function* () {
        const { brand, observe } = yield* brandWithLead
        const webhook = yield* Webhooks.create(brand.id, newWebhook("https://nowhere.example/hook"))
        yield* observe("e1")
        const [attempts] = yield* logs(webhook)
        expect(attempts!.map(({ error }) => error)).toEqual(["unresolvable", "unresolvable"])
        const plain = yield* Effect.either(
          Webhooks.create(brand.id, newWebhook("http://nowhere.example/hook"))
        )
        expect(Either.isLeft(plain) && plain.left.message).toContain("this name can't")
      })
    )
    expect(seen).toEqual([])
  })
})

describe("what is allowed", () => {
  const allowing = start(["127.0.0.0/8", "::1", "2a00:1450:4001::/48"])

  it("is a URL as RFC 3986 writes it, and a name without a dot where the operator allows what it resolves to [DELIV-6]", async () => {
    names.set("receiver", { first: ["127.0.0.1"], later: ["127.0.0.1"] })
    names.set("elsewhere", { first: ["127.0.0.1", publicAddress], later: [publicAddress] })
    const urls = [
      "http://receiver:4100/hook",
      "https://receiver/hook",
      "https://hooks.example.com",
      "https://hooks.example.com?a=b/c?d",
      "https://hooks.example.com:8443/a;b=1/@c/%C3%A4//?q=%20&r%5B%5D=1",
      "https://xn--hoks-5qa.example.com/hook",
      "HTTPS://Hooks.Example.com/Hook",
      "https://[2606:4700::1111]:8443/hook",
      "https://8.8.8.8/hook"
    ]
    await allowing(
      Effect.gen(function* () {
        const { brand } = yield* brandWithLead
        const kept = yield* Effect.forEach(urls, (url) => Webhooks.create(brand.id, newWebhook(url)))
        expect(kept.map(({ url }) => url)).toEqual(urls.map((url) => new URL(url).href))
        for (const url of ["https://elsewhere/hook", "https://nowhere-at-all/hook"]) {
          const answer = yield* Effect.either(Webhooks.create(brand.id, newWebhook(url)))
          expect(Either.isLeft(answer) && answer.left.message).toContain("url takes a host with a dot")
        }
      })
    )
  })

  it("is not dialled when a name without a dot leads to a public address later [DELIV-6]", async () => {
    names.set("moved", { first: ["127.0.0.1"], later: [publicAddress] })
    await allowing(
      Effect.gen(function* () {
        const { brand, observe } = yield* brandWithLead
        const webhook = yield* Webhooks.create(brand.id, newWebhook("https://moved/hook"))
        yield* observe("e1")
        const [attempts] = yield* logs(webhook)
        expect(attempts!.map(({ error }) => error)).toEqual(["target_refused", "target_refused"])
      })
    )
    expect(seen.some((target) => target.startsWith(publicAddress))).toBe(false)
  })

  it("is public over https, and besides what the operator names, over http too [DELIV-6]", () => {
    const allowed = ["10.1.0.0/16", "fd00::/8"].map((text) => Either.getOrThrow(Addresses.parseCidr(text)))
    const permitted = (address: string) => [
      Addresses.isPermitted(address, "https:", allowed),
      Addresses.isPermitted(address, "http:", allowed)
    ]
    for (const address of [
      "8.8.8.8",
      "1.1.1.1",
      "100.63.255.255",
      "100.128.0.1",
      "172.32.0.1",
      "2606:4700::1111",
      "2a00:1450:4001:80b::200e"
    ]) {
      expect([address, permitted(address)]).toEqual([address, [true, false]])
    }
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "fd12::1"]) {
      expect([address, permitted(address)]).toEqual([address, [true, true]])
    }
    for (const address of [
      "10.2.0.1",
      "::ffff:10.2.0.1",
      "::ffff:8.8.8.8",
      "fc00::1",
      "",
      "name.example",
      "127.1"
    ]) {
      expect([address, permitted(address)]).toEqual([address, [false, false]])
    }
  })

  it("reads CIDRs strictly [DELIV-6]", () => {
    for (const text of ["10.0.0.0/8", "127.0.0.1", "::1", "fd00::/8", "0.0.0.0/0"]) {
      expect([text, Either.isRight(Addresses.parseCidr(text))]).toEqual([text, true])
    }
    for (const text of [
      "",
      "10.0.0/8",
      "10",
      "10.0.0.0/33",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "::/129",
      "x",
      "fe80::1%eth0",
      "fe80::1%eth0/64",
      "0x7f.1",
      "10.0.0.0/-1"
    ]) {
      expect([text, Either.isLeft(Addresses.parseCidr(text))]).toEqual([text, true])
    }
  })

  it("is reached, and a redirect from there is not followed [DELIV-3, DELIV-6]", async () => {
    const elsewhere = await startReceiver()
    const redirecting = await startReceiver(({ path }, response) => {
      const status = Number(path.slice(1))
      response.writeHead(status, { location: `${elsewhere.url}/stolen` }).end("moved")
    })
    names.set("local.example", { first: ["127.0.0.1"], later: ["127.0.0.1"] })
    const statuses = [301, 302, 303, 307, 308]
    await allowing(
      Effect.gen(function* () {
        const { brand, observe } = yield* brandWithLead
        const webhooks = yield* Effect.forEach(statuses, (status) =>
          Webhooks.create(brand.id, newWebhook(`${redirecting.url}/${status}`))
        )
        const named = yield* Webhooks.create(
          brand.id,
          newWebhook(`http://local.example:${elsewhere.port}/named`)
        )
        yield* observe("e1")
        for (const [i, webhook] of webhooks.entries()) {
          const [attempts] = yield* logs(webhook)
          expect(attempts!.map(({ status }) => status)).toEqual([statuses[i], statuses[i]])
        }
        expect((yield* logs(named)).flat().map(({ status }) => status)).toEqual([204])
      })
    )
    expect(elsewhere.received.map(({ path }) => path)).toEqual(["/named"])
    // The way in which connections are seen here does see them.
    const targets = new Set(seen)
    expect(targets).toEqual(new Set([`127.0.0.1 ${redirecting.port}`, `127.0.0.1 ${elsewhere.port}`]))
  })
})
