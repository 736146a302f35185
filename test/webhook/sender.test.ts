/** The sender of Node against real sockets that behave badly. */
import { Addresses, Sender } from "@lead-signals/webhook"
import * as NodeWebhook from "@lead-signals/webhook/node"
import { Duration, Effect, Either, Layer, ManagedRuntime } from "effect"
import { once } from "node:events"
import { createServer, type AddressInfo, type Socket } from "node:net"
import { afterAll, describe, expect, it, vi } from "vitest"
import { startReceiver } from "../harness/Receiver.ts"

const allowed = [Either.getOrThrow(Addresses.parseCidr("127.0.0.0/8"))]
const runtime = ManagedRuntime.make(NodeWebhook.sender({ allowed }).pipe(Layer.provide(NodeWebhook.resolver)))
afterAll(() => runtime.dispose())

/** The answer, the kind of failure, or `cut off` after so many milliseconds. */
const post = (url: string, body = "{}", millis = 5000): Promise<Sender.PostResponse | string> =>
  runtime.runPromise(
    Effect.flatMap(Sender.Sender, (sender) => sender.post({ url, headers: { "x-own": "1" }, body })).pipe(
      Effect.catchTag("SendFailed", ({ error }) => Effect.succeed(error)),
      Effect.timeoutTo({
        duration: Duration.millis(millis),
        onSuccess: (answer) => answer,
        onTimeout: () => "cut off"
      })
    )
  )

/** A server that says what it likes, byte by byte. */
const startRaw = async (serve: (socket: Socket) => void): Promise<{ url: string; sockets: Set<Socket> }> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    serve(socket)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, sockets }
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

/** Waits until the server sees its connections closed. */
const closed = (sockets: ReadonlySet<Socket>): Promise<void> =>
  vi.waitFor(() => expect(sockets.size).toBe(0), { timeout: 300_000 })

describe("posting", () => {
  it("sends the path, the query, the headers and the body as they are [DELIV-1]", async () => {
    const receiver = await startReceiver((_, response) => {
      response
        .writeHead(429, { "retry-after": "17", "content-type": "text/plain; charset=UTF-8" })
        .end("Später, bitte")
    })
    const body = JSON.stringify({ text: "Ångström 😀" })
    const answer = (await post(`${receiver.url}/a%20b?c=d%26e`, body)) as Sender.PostResponse
    expect(receiver.received).toMatchObject([{ path: "/a%20b?c=d%26e", body, headers: { "x-own": "1" } }])
    const contentType = "text/plain; charset=UTF-8"
    expect(answer).toMatchObject({ status: 429, retryAfter: "17", contentType, truncated: false })
    expect(new TextDecoder().decode(answer.excerpt)).toBe("Später, bitte")
  })

  it("reads 1 KiB of an answer and gives up the rest, endless ones too [DELIV-5]", async () => {
    let sent = 0
    const endless = await startRaw((socket) => {
      socket.once("data", () => {
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
        const more = () => {
          while (!socket.destroyed && socket.write(`400\r\n${"x".repeat(1024)}\r\n`)) sent++
        }
        socket.on("drain", more)
        more()
      })
    })
    const answer = (await post(endless.url)) as Sender.PostResponse
    expect([answer.status, answer.excerpt.length, answer.truncated]).toEqual([200, 1024, true])
    await closed(endless.sockets)
    expect(sent).toBeLessThan(100_000)
    const exact = await startReceiver((_, response) => void response.end("y".repeat(1024)))
    expect(await post(exact.url)).toMatchObject({ truncated: false })
  })

  it("keeps a connection for the next post, and gives it up with the attempt [DELIV-3]", async () => {
    const ports = new Set<number>()
    const receiver = await startReceiver((_, response, request) => {
      ports.add(request.socket.remotePort!)
      response.end()
    })
    for (let i = 0; i < 5; i++) await post(receiver.url)
    expect(ports.size).toBeLessThan(5)

    const silent = await startRaw((socket) => void socket.resume())
    expect(await post(silent.url, "{}", 80)).toBe("cut off")
    await closed(silent.sockets)
  })

  it("takes the status for what it says when the body breaks off or never ends, and cuts off a head that drips [DELIV-3, DELIV-5]", async () => {
    const drip = (text: string) => (socket: Socket) => {
      let at = 0
      const timer = setInterval(() => {
        if (socket.destroyed) clearInterval(timer)
        else socket.write(text[at++ % text.length]!)
      }, 5)
    }
    const drippingHead = await startRaw(drip(`${head}X-Long: ${"x".repeat(4000)}\r\n`))
    expect(await post(drippingHead.url, "{}", 150)).toBe("cut off")
    const drippingBody = await startRaw((socket) => {
      socket.once("data", () => {
        socket.write(`${head}Content-Length: 900\r\n\r\n`)
        drip("z")(socket)
      })
    })
    expect(await post(drippingBody.url, "{}", 150)).toBe("cut off")

    const dripped = (await post(drippingBody.url)) as Sender.PostResponse
    expect([
      dripped.status,
      dripped.truncated,
      /^z+$|^[^]*z/.test(new TextDecoder().decode(dripped.excerpt))
    ]).toEqual([200, true, true])
    const broken = await startRaw((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 410 Gone\r\nContent-Length: 900\r\n\r\nshort"))
    )
    expect(await post(broken.url)).toMatchObject({ status: 410, truncated: true })
    // The library may open a connection anew that it then has nothing to send over, and closes when it is idle.
    const posted = () =>
      [...drippingHead.sockets, ...drippingBody.sockets].filter(({ bytesRead }) => bytesRead > 0)
    await vi.waitFor(() => expect(posted()).toEqual([]), { timeout: 300_000 })
  })

  it.each([
    ["connection", (socket: Socket) => socket.once("data", () => socket.destroy())],
    ["connection", (socket: Socket) => socket.destroy()],
    ["protocol", (socket: Socket) => socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9\r\n"))],
    ["protocol", (socket: Socket) => socket.once("data", () => socket.end("HTTP/1.1 20x OK\r\n\r\n"))],
    [
      "protocol",
      (socket: Socket) => socket.once("data", () => socket.end(`${head}X: ${"x".repeat(70_000)}\r\n\r\n`))
    ]
  ])("tells a failure of kind %s", async (kind, serve) => {
    const { url } = await startRaw(serve as (socket: Socket) => void)
    expect(await post(url)).toBe(kind)
  })

  it("leaves no connection behind that was never established, when it is closed [DELIV-3]", async () => {
    const mute = await startRaw((socket) => void socket.resume())
    const own = ManagedRuntime.make(NodeWebhook.sender({ allowed }).pipe(Layer.provide(NodeWebhook.resolver)))
    const request = { url: mute.url.replace("http:", "https:"), headers: {}, body: "{}" }
    for (let i = 0; i < 3; i++) {
      const cut = Effect.flatMap(Sender.Sender, (sender) => Effect.timeoutOption(sender.post(request), 50))
      expect((await own.runPromise(cut))._tag).toBe("None")
    }
    expect(mute.sockets.size).toBeGreaterThan(0)
    await own.dispose()
    await closed(mute.sockets)
  })

  it("tells TLS that fails, names that lead nowhere, ports where nobody listens [DELIV-5]", async () => {
    const plain = await startReceiver()
    expect(await post(plain.url.replace("http:", "https:"))).toBe("tls")
    expect(await post("https://name.invalid/hook")).toBe("unresolvable")
    expect(await post("http://127.0.0.1:1/hook")).toBe("connection")
    expect(await post("https://10.0.0.1/hook")).toBe("target_refused")
    expect(await post("https://localhost/hook")).not.toBe("target_refused")
  })
})
