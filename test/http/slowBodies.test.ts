/** Bodies that come slowly, or never end: the client reads why it is refused, and the connection is given back. */
import { BodyPace, type BodyLimits } from "@lead-signals/http"
import { Chunk, Effect, Exit, Fiber, Stream, TestClock, TestContext } from "effect"
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { defaultLimits, Pace, paced, type PaceLimits } from "@lead-signals/http/internal"
import {
  type Api,
  type BrandSetUp,
  observation,
  operatorToken,
  setUpBrand,
  startApi
} from "../harness/HttpServers.ts"
import { settableWallClock } from "../harness/SettableWallClock.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const short = { graceMillis: 100, minBytesPerSecond: 1_000_000, maxMillis: 60_000 }
const long = { graceMillis: 60_000, minBytesPerSecond: 1, maxMillis: 60_000 }

interface Conversation {
  readonly socket: Socket
  readonly seen: () => string
  readonly closed: Promise<unknown>
}

const post = (
  api: Api,
  path: string,
  type: string,
  head = "Transfer-Encoding: chunked",
  body = ""
): Conversation => {
  // It goes on sending after the end of what it gets.
  const socket = connect({ port: api.port, host: "127.0.0.1", allowHalfOpen: true })
  let seen = ""
  socket.on("error", () => {})
  socket.on("data", (chunk) => (seen += chunk.toString("latin1")))
  const closed = new Promise((resolve) => socket.once("close", resolve))
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operatorToken}\r\nContent-Type: ${type}\r\n${head}\r\n\r\n${body}`
  )
  return { socket, seen: () => seen, closed }
}

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Writes the text again and again until the answer is there, or the connection breaks. */
const keepWriting = async ({ seen, socket }: Conversation, text: string, millis: number): Promise<void> => {
  while (!seen().includes("}}") && !socket.destroyed) {
    const isFlushed = socket.write(text)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, isFlushed ? millis : 1000)
      if (!isFlushed)
        socket.once("drain", () => {
          clearTimeout(timer)
          resolve()
        })
    })
  }
}

const linesOf = (brand: BrandSetUp): string => `/operator/brands/${brand.id}/observations`
const ndjson = "application/x-ndjson"

const begin = async (bodyLimits: BodyLimits) => {
  const api = await startApi({ bodyLimits })
  return { api, brand: await setUpBrand(api) }
}

describe("a body that drips", () => {
  it("is 408 as JSON and as a line, and the connection closes behind the answer [ERR-1, ERR-6]", async () => {
    const { api, brand } = await begin({ json: short, line: short })
    for (const [path, type] of [
      ["/operator/brands", "application/json"],
      [linesOf(brand), "application/json"],
      [linesOf(brand), ndjson]
    ] as const) {
      const conversation = post(api, path, type)
      await keepWriting(conversation, chunk("{"), 10)
      expect(conversation.seen()).toMatch(/^HTTP\/1\.1 408 /)
      expect(conversation.seen()).toMatch(/connection: close/i)
      expect(conversation.seen()).toContain('"code":"request_timeout"')
      expect(conversation.seen()).toContain("at least 1000000 bytes a second")
      conversation.socket.end()
      await conversation.closed
    }
    expect((await api.call("/health")).status).toBe(200)
  })

  it("is 408 also when its client sends nothing more, and so ends an answer that has begun [ERR-1, ERR-6, OBS-8]", async () => {
    const { api, brand } = await begin({ json: short, line: short })
    const line = `${JSON.stringify(observation(brand.signalId, "silent", "silent-1"))}\n`
    for (const [path, type, sent, status] of [
      ["/operator/brands", "application/json", "{", 408],
      [linesOf(brand), ndjson, "{", 408],
      [linesOf(brand), ndjson, line, 200]
    ] as const) {
      // In one piece with the head, so that it is there when the time begins.
      const conversation = post(api, path, type, "Content-Length: 10000", sent)
      await expect.poll(conversation.seen, { timeout: 60_000 }).toContain('"code":"request_timeout"')
      expect(conversation.seen()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      conversation.socket.end()
      await conversation.closed
    }
  }, 90_000)

  it("has its own time where it is read, and not that of a whole request [ERR-6]", async () => {
    const arrival = { headersMillis: 200, requestMillis: 200, checkMillis: 20 }
    const api = await startApi({ arrival, bodyLimits: { json: long, line: long } })
    const brand = await setUpBrand(api)
    const conversation = post(api, linesOf(brand), ndjson)
    conversation.socket.write(chunk("\n"))
    // Begun later, and ended by the look at the time of all requests.
    expect(await api.raw("GET /health HTTP/1.1\r\n")).toMatch(/^HTTP\/1\.1 408 /)
    const line = JSON.stringify(observation(brand.signalId, "late", "late-1"))
    conversation.socket.write(`${chunk(`${line}\n`)}0\r\n\r\n`)
    await expect.poll(conversation.seen, { timeout: 60_000 }).toMatch(/\r\n0\r\n\r\n$|408/)
    expect(conversation.seen()).toMatch(/^HTTP\/1\.1 200 /)
    expect(conversation.seen()).toContain('"outcome":"recorded"')
    conversation.socket.end()
    await conversation.closed
  }, 90_000)

  it("ends an answer that has begun with the reason; lines before it are recorded [ERR-3, ERR-6, OBS-8]", async () => {
    const { api, brand } = await begin({ json: long, line: { ...short, graceMillis: 1000 } })
    const conversation = post(api, linesOf(brand), ndjson)
    conversation.socket.write(chunk(`${JSON.stringify(observation(brand.signalId, "slow", "slow-1"))}\n`))
    await keepWriting(conversation, chunk(" "), 10)
    expect(conversation.seen()).toMatch(/^HTTP\/1\.1 200 /)
    expect(conversation.seen()).toContain('"outcome":"recorded"')
    expect(conversation.seen()).toContain('"code":"request_timeout"')
    conversation.socket.end()
    await conversation.closed
  })

  // It waits for longer than a line may take, which must be longer than a busy machine stands still.
  it.runIf(isThorough)("goes on between lines as long as blank ones come [ERR-6, OBS-4]", async () => {
    const { api, brand } = await begin({ json: long, line: { ...short, graceMillis: 8000 } })
    const conversation = post(api, linesOf(brand), ndjson)
    const line = (id: string) => chunk(`${JSON.stringify(observation(brand.signalId, id, `${id}-1`))}\n`)
    conversation.socket.write(line("first"))
    const since = performance.now()
    while (performance.now() - since < 9000) {
      conversation.socket.write(chunk("\n"))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    conversation.socket.write(`${line("second")}0\r\n\r\n`)
    while (!conversation.seen().endsWith("\r\n0\r\n\r\n") && !conversation.socket.destroyed)
      await new Promise((resolve) => setTimeout(resolve, 10))
    expect(conversation.seen().match(/"outcome":"recorded"/g)).toHaveLength(2)
    expect(conversation.seen()).not.toContain("request_timeout")
    conversation.socket.end()
    await conversation.closed
  })

  it("has the time that the clause gives it, whatever comes, unless the host says otherwise [ERR-6]", () => {
    /** The second in which a body is given up that brings `bytes` in each. */
    const secondsFor = (limits: PaceLimits, bytes: number): number => {
      const pace = new Pace("The body", limits)
      let seconds = 0
      for (; pace.leftMillis > 0; seconds++) pace.count(1000, bytes)
      return seconds
    }
    const { json, line } = defaultLimits
    const kib = 1024
    expect([0, kib / 2, kib, 100 * kib].map((bytes) => secondsFor(json, bytes))).toEqual([10, 20, 60, 60])
    expect([0, kib / 2, kib, 100 * kib].map((bytes) => secondsFor(line, bytes))).toEqual([60, 120, 300, 300])
  })

  it("takes no more time when the machine's clock is set [ERR-6]", async () => {
    const clock = settableWallClock()
    const limits = { graceMillis: 60_000, minBytesPerSecond: 1000, maxMillis: 300_000 }
    const body = Stream.fromIterable([1, 2, 3]).pipe(
      Stream.tap(() =>
        Effect.delay(
          Effect.sync(() => clock.set(3_600_000)),
          10
        )
      ),
      Stream.map(() => new Uint8Array(1)),
      Stream.rechunk(1)
    )
    const read = Stream.runCount(paced(body, new Pace("The body", limits)))
    expect(await Effect.runPromise(Effect.withClock(read, clock.clock))).toBe(3)
  })

  it("costs the client's time alone: what the service takes in between does not count [ERR-6]", async () => {
    const limits = { graceMillis: 1000, minBytesPerSecond: 1000, maxMillis: 5000 }
    const read = (waitBefore: number, workAfter: number, pieces: number) =>
      Stream.repeatEffect(Effect.as(Effect.sleep(waitBefore), new Uint8Array(500))).pipe(
        Stream.take(pieces),
        (body) => paced(body, new Pace("The body", limits)),
        Stream.tap(() => Effect.sleep(workAfter)),
        Stream.runCount,
        Effect.fork,
        Effect.tap(() => TestClock.adjust("1 hour")),
        Effect.flatMap(Fiber.join),
        Effect.provide(TestContext.TestContext),
        Effect.runPromiseExit
      )
    // 500 bytes in 400 ms keep up, in 700 ms they do not, and nobody may take longer than 5 s in all.
    expect(await read(400, 0, 12)).toEqual(Exit.succeed(12))
    expect(await read(400, 60_000, 12)).toEqual(Exit.succeed(12))
    for (const failed of [await read(700, 0, 12), await read(400, 0, 13), await read(1100, 0, 1)]) {
      expect(String(failed)).toContain("RequestTimeout")
    }
    expect(Chunk.size(await Effect.runPromise(Stream.runCollect(paced(Stream.empty, null))))).toBe(0)
    expect((await Effect.runPromise(BodyPace)).limits).toBe(null)
  })
})

describe("a body without an end", () => {
  it("is 413 that its client can read, as a line and as JSON, however long it goes on [ERR-1, ERR-5, ERR-8]", async () => {
    const { api, brand } = await begin({ json: long, line: long })
    const piece = chunk("x".repeat(1024 * 1024))
    for (const [type, begun] of [
      [ndjson, chunk("{")],
      ["application/json", ""]
    ] as const) {
      const conversation = post(api, linesOf(brand), type)
      conversation.socket.write(begun)
      await keepWriting(conversation, piece, 0)
      expect(conversation.seen()).toMatch(/^HTTP\/1\.1 413 /)
      expect(conversation.seen()).toContain('"code":"payload_too_large"')
      conversation.socket.end()
      await conversation.closed
    }
    expect((await api.call("/health")).status).toBe(200)
  })
})

describe("a body that nobody reads", () => {
  const authorization = `Authorization: Bearer ${operatorToken}\r\n`
  const twice = `${authorization}${authorization}`
  const json = "Content-Type: application/json\r\n"
  const chunked = "Transfer-Encoding: chunked\r\n"
  const announced = 100 * 1024 * 1024

  const headOf = (line: string, headers: string): string => `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

  it("has an answer that closes the connection, whatever the answer is [ERR-8]", async () => {
    const { api, brand } = await begin({ json: long, line: long })
    for (const [line, headers, status] of [
      ["POST /operator/brands", `${json}${chunked}`, 401],
      ["POST /nothing", chunked, 404],
      ["PUT /operator/brands", `${authorization}Content-Length: 7\r\n`, 405],
      ["POST /operator/brands", `${authorization}Content-Type: text/plain\r\n${chunked}`, 415],
      ["POST /operator/brands", `${authorization}${json}Content-Length: ${announced}\r\n`, 413],
      ["POST /operator/brands", `${twice}${json}${chunked}`, 400],
      ["GET /health", "Content-Length: 1\r\n", 200],
      ["GET /signals/leads", `Authorization: Bearer ${brand.key}\r\nContent-Length: 5\r\n`, 200],
      ["GET /signals/leads", `Content-Length: 5\r\n`, 401]
    ] as const) {
      const answer = await api.raw(headOf(line, headers), /\r\n\r\n/)
      expect([line, answer.split(" ")[1], /\r\nconnection: close\r\n/i.test(answer)]).toEqual([
        line,
        String(status),
        true
      ])
    }
  })

  it("keeps the connection where it came with its head [ERR-8]", async () => {
    const { api } = await begin({ json: long, line: long })
    for (const line of ["POST /nothing", "GET /health", "GET /signals/leads", "POST /operator/brands"]) {
      const answer = await api.raw(`${headOf(line, "Content-Length: 5\r\n")}12345`, /\r\n\r\n/)
      expect([line, /\r\nconnection: keep-alive\r\n/i.test(answer)]).toEqual([line, true])
    }
  })

  it("is taken in to its end, behind an answer that its client can read [ERR-8]", async () => {
    const { api } = await begin({ json: long, line: long })
    const socket = connect({ port: api.port, host: "127.0.0.1", allowHalfOpen: true })
    let seen = ""
    socket.on("data", (bytes) => (seen += bytes.toString("latin1")))
    // More than the kernel holds for both ends.
    const body = new Uint8Array(32 * 1024 * 1024)
    socket.write(headOf("POST /nothing", `Content-Length: ${body.length}\r\n`))
    await new Promise<void>((resolve, reject) => {
      socket.on("error", reject)
      socket.write(body, (error) => (error ? reject(error) : resolve()))
    })
    await expect.poll(() => seen).toMatch(/^HTTP\/1\.1 404 [^]*\}\}$/)
    socket.destroy()
  })

  it.runIf(isThorough)(
    "is taken in up to 64 MiB, behind an answer that its client can read [ERR-8]",
    async () => {
      const { api } = await begin({ json: long, line: long })
      const most = 64 * 1024 * 1024
      const piece = new Uint8Array(1024 * 1024)
      for (const head of [headOf("POST /nothing", ""), headOf("POST /nothing", twice)]) {
        const socket = connect({ port: api.port, host: "127.0.0.1", allowHalfOpen: true })
        let seen = ""
        socket.on("error", () => {})
        socket.on("data", (bytes) => (seen += bytes.toString("latin1")))
        let isClosed = false
        socket.once("close", () => (isClosed = true))
        socket.write(head.replace("\r\n\r\n", `\r\nContent-Length: ${4 * most}\r\n\r\n`))
        let flushed = 0
        const write = (): void => {
          if (flushed < 3 * most)
            socket.write(piece, (error) => {
              if (error) return
              flushed += piece.length
              write()
            })
        }
        write()
        await expect.poll(() => seen.includes("}}") || isClosed, { timeout: 60_000 }).toBe(true)
        expect(seen).toMatch(/^HTTP\/1\.1 40[04] /)
        await expect.poll(() => isClosed, { timeout: 60_000 }).toBe(true)
        // What the kernel holds for both ends counts as flushed, too.
        expect(flushed).toBeLessThan(most + 32 * 1024 * 1024)
      }
    }
  )

  it.runIf(isThorough)("is given up after five seconds [ERR-8]", async () => {
    const { api } = await begin({ json: long, line: long })
    const conversation = post(api, "/nowhere", "application/json")
    await keepWriting(conversation, chunk("x"), 10)
    expect(conversation.seen()).toMatch(/^HTTP\/1\.1 404 /)
    const until = Date.now() + 60_000
    while (!conversation.socket.destroyed && Date.now() < until) {
      conversation.socket.write(chunk("x"))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(conversation.socket.destroyed).toBe(true)
    expect((await api.call("/health")).status).toBe(200)
  })
})
