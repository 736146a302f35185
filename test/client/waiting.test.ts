/** How the client waits, gives up, and builds what it calls: on a virtual clock, over a transport without a network. */
import { createClient, Unanswered } from "@lead-signals/client"
import { type CallFailure, makeClient, NoAnswer, type TransportResponse } from "@lead-signals/client/effect"
import { Chunk, Duration, Effect, Exit, Fiber, TestClock, TestContext } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { settableWallClock } from "../harness/SettableWallClock.ts"

/** Runs the call on a clock that goes from the end of a wait to that of the next, and returns how long it took. */
const timed = <A>(
  answers: (attempt: number, now: number) => Effect.Effect<TransportResponse, NoAnswer>,
  call: (client: ReturnType<typeof makeClient>) => Effect.Effect<A, CallFailure>,
  patience: Duration.DurationInput = "5 minutes"
) =>
  Effect.gen(function* () {
    let attempts = 0
    let now = 0
    const client = makeClient({
      url: "http://service/",
      key: "k",
      patience,
      transport: () => Effect.flatMap(TestClock.currentTimeMillis, (now) => answers(++attempts, now))
    })
    const running = yield* Effect.fork(Effect.exit(call(client)))
    for (let i = 0; i < 4000 && (yield* Fiber.poll(running))._tag === "None"; i++) {
      const ends = Chunk.toReadonlyArray(yield* TestClock.sleeps())
      const later = ends.filter((at) => at > now)
      now = later.length === 0 ? now : Math.min(...later)
      yield* TestClock.setTime(now)
    }
    const seconds = (yield* TestClock.currentTimeMillis) / 1000
    return { exit: yield* Fiber.join(running), seconds, attempts }
  }).pipe(Effect.provide(TestContext.TestContext), Effect.runPromise)

const ok: TransportResponse = {
  status: 200,
  headers: {},
  text: '{"data":[],"meta":{"pagination":{"pageCount":0}}}'
}
const failed = (status: number, headers: TransportResponse["headers"] = {}): TransportResponse => ({
  status,
  headers,
  text: '{"error":{"code":"unavailable","message":"later"}}'
})

describe("a client that waits", () => {
  it("waits as long as Retry-After says, then asks again [RATE-3]", async () => {
    for (const status of [429, 503]) {
      const { attempts, exit, seconds } = await timed(
        (attempt) => Effect.succeed(attempt <= 2 ? failed(status, { "retry-after": "37" }) : ok),
        (client) => client.listLeads()
      )
      expect([Exit.isSuccess(exit), attempts]).toEqual([true, 3])
      expect(seconds).toBeGreaterThanOrEqual(74)
      expect(seconds).toBeLessThan(76)
    }
  })

  it("does not ask without end when Retry-After says at once [RATE-3]", async () => {
    const { attempts, exit } = await timed(
      (attempt) => Effect.succeed(attempt <= 8 ? failed(503, { "retry-after": "0" }) : ok),
      (client) => client.listLeads()
    ).then((all) => {
      expect(all.seconds).toBeGreaterThan(5)
      return all
    })
    expect([Exit.isSuccess(exit), attempts]).toEqual([true, 9])
  })

  it("waits as long as Retry-After says when its own clock is behind [RATE-3]", async () => {
    const { seconds } = await timed(
      (attempt) =>
        Effect.succeed(
          attempt === 1
            ? failed(429, {
                "retry-after": "5",
                "x-ratelimit-remaining": "0",
                "x-ratelimit-reset": "9999999"
              })
            : ok
        ),
      (client) => client.listLeads()
    )
    expect(seconds).toBeLessThan(8)
  })

  it("waits for the next window when its own is used up, and never longer than one [RATE-2]", async () => {
    for (const [reset, min, max] of [
      [20, 20, 22],
      [9_999_999, 60, 63]
    ] as const) {
      const { exit, seconds } = await timed(
        (attempt) =>
          Effect.succeed({
            ...ok,
            headers: attempt === 1 ? { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) } : {}
          }),
        (client) => Effect.zipRight(client.listLeads(), client.listLeads())
      )
      expect(Exit.isSuccess(exit)).toBe(true)
      expect(seconds).toBeGreaterThanOrEqual(min)
      expect(seconds).toBeLessThan(max)
    }
  })

  it("asks no millisecond before its window ends [RATE-2]", async () => {
    const requestedAt: Array<number> = []
    const { exit } = await timed(
      (_, now) => {
        requestedAt.push(now)
        const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "20" }
        return Effect.succeed(requestedAt.length === 1 ? { ...ok, headers } : ok)
      },
      (client) =>
        Effect.zipRight(client.listLeads(), Effect.zipRight(Effect.sleep("19999 millis"), client.listLeads()))
    )
    expect([Exit.isSuccess(exit), requestedAt]).toEqual([true, [0, 20_000]])
  })

  it("asks again within a minute of a refusal that says to wait a day, as a proxy's may [RATE-2]", async () => {
    const { attempts, exit, seconds } = await timed(
      (attempt) =>
        Effect.succeed(
          attempt === 1
            ? { ...ok, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "20" } }
            : attempt === 2
              ? failed(429, { "retry-after": "86400" })
              : ok
        ),
      (client) =>
        Effect.gen(function* () {
          yield* client.listLeads()
          expect(yield* Effect.flip(client.listLeads())).toMatchObject({ status: 429, attempts: 1 })
          yield* client.listLeads()
        }).pipe(Effect.orDie)
    )
    expect([Exit.isSuccess(exit), attempts]).toEqual([true, 3])
    expect(seconds).toBeLessThan(20 + 62)
  })

  it("gives up when its patience is over, and says after how many attempts", async () => {
    const { exit, seconds } = await timed(
      (attempt) =>
        attempt % 2 === 0 ? Effect.fail(new NoAnswer({ reason: "ECONNRESET" })) : Effect.succeed(failed(502)),
      (client) => client.getLead(1),
      "1 minute"
    )
    expect(seconds).toBeLessThan(61)
    const failure = Exit.isFailure(exit) && exit.cause._tag === "Fail" ? exit.cause.error : null
    expect(failure instanceof Unanswered).toBe(true)
    expect(failure?.message).toMatch(
      /The service gave no usable response in \d+ s and \d+ attempts; the last: (status 502|ECONNRESET)\./
    )
  })

  it("has no more patience after a window that ended long ago [RATE-2]", async () => {
    const { exit, seconds } = await timed(
      (attempt) =>
        attempt === 1
          ? Effect.succeed({ ...ok, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "20" } })
          : Effect.never,
      (client) =>
        Effect.zipRight(client.listLeads(), Effect.zipRight(Effect.sleep("1 minute"), client.listLeads())),
      "2 seconds"
    )
    expect([Exit.isSuccess(exit), String(exit).includes("the last: timeout")]).toEqual([false, true])
    expect(seconds).toBeLessThan(63)
  })

  it("says the status of the last answer when it gives up [RATE-3]", async () => {
    const { exit } = await timed(
      () => Effect.succeed(failed(502)),
      (client) => client.getLead(1),
      "2 seconds"
    )
    expect(String(exit)).toContain("the last: status 502.")
  })

  it("does not wait for a window that ends after its patience", async () => {
    const { exit, seconds } = await timed(
      () => Effect.succeed({ ...ok, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "40" } }),
      (client) => Effect.zipRight(client.listLeads(), client.listLeads()),
      "2 seconds"
    )
    expect(Exit.isSuccess(exit)).toBe(false)
    expect(String(exit)).toContain("the key's rate window was used up")
    expect(seconds).toBeLessThan(3)
  })

  it("waits no longer for a window, and is no more patient, when the machine's clock is set back [RATE-2]", async () => {
    const onSettableClock = <A>(
      answers: (attempt: number) => TransportResponse,
      call: (
        client: ReturnType<typeof makeClient>,
        setBack: Effect.Effect<void>
      ) => Effect.Effect<A, CallFailure>
    ) =>
      timed(
        (attempt) => Effect.succeed(answers(attempt)),
        (client) =>
          Effect.clockWith((own) => {
            const wall = settableWallClock(own)
            wall.set(86_400_000)
            return Effect.withClock(
              call(
                client,
                Effect.sync(() => wall.set(-3_600_000))
              ),
              wall.clock
            )
          }),
        "1 minute"
      )
    const used = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(86_400 + 20) }
    const spent = await onSettableClock(
      (attempt) => ({ ...ok, headers: attempt === 1 ? used : {} }),
      (client, setBack) =>
        client.listLeads().pipe(Effect.zipRight(setBack), Effect.zipRight(client.listLeads()))
    )
    expect([Exit.isSuccess(spent.exit), spent.attempts]).toEqual([true, 2])
    expect(spent.seconds).toBeLessThan(22)
    const silent = await onSettableClock(
      () => failed(503),
      (client, setBack) =>
        Effect.zipLeft(client.listLeads(), Effect.delay(setBack, "5 seconds"), { concurrent: true })
    )
    expect(silent.seconds).toBeLessThan(62)
    expect(silent.attempts).toBeGreaterThan(3)
  })

  it("says at once which option is no URL or no key, as where a variable is not set", () => {
    const clientOf = (url: unknown, key: unknown) => () =>
      createClient({ url: url as string, key: key as string })
    for (const url of ["nowhere", "127.0.0.1:4000", "localhost:4000", "file:///leads", null, 4000, {}])
      expect(clientOf(url, "k")).toThrow(
        new TypeError("url takes an http or https URL, such as http://127.0.0.1:4000.")
      )
    expect(clientOf(undefined, "k")).toThrow("url takes the base URL of the API, such as")
    expect(clientOf(new URL("http://host/"), undefined)).toThrow("key takes an API key: it is undefined.")
    for (const key of ["two words", "", null, 7])
      expect(clientOf("http://host", key)).toThrow(
        new TypeError("key takes an API key: printable ASCII without spaces.")
      )
  })

  it("refuses a base URL with more than host and path, and shows nothing of it", () => {
    const part = fc.stringMatching(/^[a-z0-9]{6,12}$/)
    fc.assert(
      fc.property(part, part, fc.constantFrom("", "/api", "/api/"), (secret, host, path) => {
        for (const url of [
          `http://user:${secret}@${host}${path}`,
          `http://${secret}@${host}${path}`,
          `http://:${secret}@${host}${path}`,
          `http://${host}${path}?token=${secret}`,
          `https://${host}${path}#${secret}`
        ]) {
          let failure: unknown = null
          try {
            createClient({ url, key: "k" })
          } catch (thrown) {
            failure = thrown
          }
          expect(failure).toBeInstanceOf(TypeError)
          expect(String(failure)).toMatch(
            /url takes a URL without a (user and a password|query and a fragment), /
          )
          expect(String(failure)).not.toContain(secret)
        }
      })
    )
  })

  it("puts the path at the end of its base URL, whatever that ends with", async () => {
    for (const url of [
      "http://host/api",
      "http://host/api//",
      "http://host/api?",
      new URL("http://host/api/#")
    ]) {
      const requested: Array<string> = []
      const client = makeClient({
        url,
        key: "k",
        transport: (request) => Effect.sync(() => (requested.push(request.url), ok))
      })
      await Effect.runPromise(client.listLeads())
      expect(requested).toEqual(["http://host/api/signals/leads"])
    }
  })

  it("calls no other path, whatever an id is [DET-3, MET-6]", async () => {
    const requested: Array<string> = []
    const fetching = (async (url: string) => {
      requested.push(new Request(url).url)
      return new Response('{"data":{}}')
    }) as typeof fetch
    const client = createClient({ url: "http://host/api", key: "k", fetch: fetching })
    const calls = [
      [(id: string) => client.campaignMetrics(id), /^http:\/\/host\/api\/campaign\/([^/?]+)\/metrics$/],
      [(id: string) => client.getLead(id as never), /^http:\/\/host\/api\/signals\/leads\/([^/?]+)$/]
    ] as const
    const ids = fc.oneof(
      fc.constantFrom("", ".", "..", "../leads", "a/../b", "%2e%2e", "?x", "#", "\ud800", undefined, null),
      fc.string(),
      fc.fullUnicodeString()
    )
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        for (const [call, path] of calls) {
          requested.length = 0
          const failure = await call(id as string).then(
            () => null,
            (reason: unknown) => reason
          )
          if (failure === null) {
            expect(requested).toHaveLength(1)
            expect(decodeURIComponent(path.exec(requested[0]!)![1]!)).toBe(id)
          } else {
            expect(failure).toBeInstanceOf(TypeError)
            expect(String(failure)).toContain("id takes an id, such as 41")
            expect(requested).toEqual([])
          }
          const isNone = typeof id !== "string" || ["", ".", "..", "\ud800"].includes(id)
          if (isNone) expect(failure).not.toBeNull()
        }
      })
    )
  })

  it("takes what is no JSON, and what never comes, for no answer", async () => {
    for (const bad of [Effect.succeed({ ...ok, text: "<html>" }), Effect.never]) {
      const { attempts, exit } = await timed(
        (attempt) => (attempt === 1 ? bad : Effect.succeed(ok)),
        (client) => client.listLeads()
      )
      expect([Exit.isSuccess(exit), attempts]).toEqual([true, 2])
    }
  })

  it("takes whatever a fetch rejects with for no answer", async () => {
    for (const thrown of [undefined, null, "away", { cause: null }, Object.create(null)]) {
      const rejecting = (() => Promise.reject(thrown)) as typeof fetch
      const client = createClient({ url: "http://host", key: "k", fetch: rejecting, patience: 1 })
      await expect(client.listLeads()).rejects.toBeInstanceOf(Unanswered)
    }
  })
})
