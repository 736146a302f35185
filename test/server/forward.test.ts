/** `listen --forward-to`: a receiver behind it gets what the service sent, and the service hears what the receiver answered. */
import { WebhookSignature } from "@lead-signals/webhook"
import { forward } from "@lead-signals/server/internal"
import { once } from "node:events"
import { createServer, type IncomingMessage, request, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import { freePort } from "../harness/FreePort.ts"
import { listenHere } from "../harness/Listener.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

const servers: Array<Server> = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const serve = async (handle: RequestListener): Promise<string> => {
  const server = createServer(handle).listen(0, "127.0.0.1")
  servers.push(server)
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const bytesOf = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

describe("lead-signals listen --forward-to", () => {
  it("sends verified posts on, byte by byte and with their headers, and answers what comes back [CLI-14]", async () => {
    const got: Array<{
      readonly path: string
      readonly headers: ReadonlyArray<string>
      readonly body: Buffer
    }> = []
    const answers = [200, 429, 302]
    const behind = await serve(async (message, response) => {
      got.push({ path: message.url!, headers: message.rawHeaders, body: await bytesOf(message) })
      response.writeHead(answers[got.length - 1]!, { "retry-after": "7", location: "/elsewhere" }).end("so")
    })
    const port = await freePort()
    const listener = listenHere(
      "--port",
      String(port),
      "--secret",
      secret,
      "--forward-to",
      `${behind}/hooks?x=1`,
      "--print",
      "json"
    )
    await listener.until(/Listening on/)
    // White space and escapes that a parser would not write again.
    const body = `{ "id":"wh_1",\t"event":"lead2.created", "data":{"lead2":{"name":"\\u0041da\u202e"}} }\n`
    const post = async (key: string) => {
      const signed = WebhookSignature.sign([key], { id: "wh_1", now: Date.now(), body })
      const sent = request({
        port,
        host: "127.0.0.1",
        method: "POST",
        path: "/",
        agent: false,
        headers: {
          "Content-Type": "application/json; charset=utf-8",
          "X-MiXed": "Kept",
          Connection: "close, X-Hop",
          "X-Hop": "no",
          ...signed
        }
      })
      sent.end(body)
      const [message] = (await once(sent, "response")) as [IncomingMessage]
      return {
        status: message.statusCode,
        retryAfter: message.headers["retry-after"],
        text: String(await bytesOf(message)),
        signed
      }
    }
    const first = await post(secret)
    expect(first).toMatchObject({ status: 200, retryAfter: "7", text: "so" })
    expect((await post(secret)).status).toBe(429)
    expect((await post(secret)).status).toBe(302)
    const refused = await post(`whsec_${Buffer.alloc(32, 8).toString("base64")}`)
    expect([refused.status, got.length]).toEqual([401, 3])
    expect(got[0]!.path).toBe("/hooks?x=1")
    expect(got[0]!.body.toString("utf8")).toBe(body)
    const pairs = new Map<string, string>()
    for (let i = 0; i < got[0]!.headers.length; i += 2)
      pairs.set(got[0]!.headers[i]!, got[0]!.headers[i + 1]!)
    expect(Object.fromEntries(pairs)).toMatchObject({
      "X-MiXed": "Kept",
      "Content-Type": "application/json; charset=utf-8",
      ...first.signed
    })
    expect(pairs.has("X-Hop")).toBe(false)
    expect(pairs.get("Host")).toBe(behind.replace("http://", ""))
    const lower = Object.fromEntries([...pairs].map(([name, value]) => [name.toLowerCase(), value]))
    expect(
      WebhookSignature.verificationFailure(secret, lower, got[0]!.body.toString("utf8"), Date.now())
    ).toBe(null)
    const lines = listener
      .text()
      .split("\n")
      .filter((line) => line.startsWith("{"))
    expect(lines.map((line) => JSON.parse(line).answered)).toEqual([200, 429, 302, 401])
    expect(JSON.parse(lines[0]!)).toMatchObject({
      verified: true,
      body,
      forwarded: { status: 200, error: null }
    })
    expect(lines[0]).not.toContain("\u202e")
    await listener.end()
  })

  it("answers 502 where nothing is, and 504 where nothing comes in time [CLI-14]", async () => {
    const post = { rawHeaders: ["A", "b"], body: Buffer.from("{}") }
    const nobody = new URL(`http://127.0.0.1:${await freePort()}/`)
    expect(await forward(nobody, post, 5000)).toMatchObject({ status: 502, error: "ECONNREFUSED" })
    const silent = new URL(await serve(() => {}))
    expect(await forward(silent, post, 50)).toMatchObject({ status: 504, error: "no answer within 0.05 s" })
    const halfway = new URL(await serve((_, response) => void response.writeHead(200).write("half")))
    expect(await forward(halfway, post, 50)).toMatchObject({ status: 504 })
  })

  it("sends nothing on whose signature nobody checks, unless it is told to [CLI-14]", async () => {
    for (const args of [
      ["--forward-to", "http://127.0.0.1:9/"],
      ["--forward-to", "http://127.0.0.1:9/", "--fail", "503"],
      ["--forward-to", "http://127.0.0.1:9/", "--secret", secret, "--unverified"],
      ["--forward-to", "http://127.0.0.1:9/", "--brand", "2", "--unverified"],
      ["--unverified"]
    ]) {
      const listener = listenHere(...args)
      expect([args, await listener.exit]).toEqual([args, 2])
      expect(listener.text()).toContain("--unverified")
    }
    let got = 0
    const behind = await serve((_, response) => void (got++, response.writeHead(202).end()))
    const port = await freePort()
    const listener = listenHere("--port", String(port), "--forward-to", behind, "--unverified")
    await listener.until(/Listening on/)
    const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" })
    expect([status, got]).toEqual([202, 1])
    await listener.until(/ {2}unsigned +no event +→ 202/)
    await listener.end()
  })

  it("holds posts until it knows the secret of the webhook that it creates [CLI-14]", async () => {
    let got = 0
    const behind = await serve((_, response) => void (got++, response.end()))
    const statuses: Array<Promise<number>> = []
    // Posts arrive before the answer with the secret: a forged one, and one of the service.
    const service = await serve(async (message, response) => {
      if (message.method !== "POST") return void response.writeHead(204).end()
      const { url } = JSON.parse(String(await bytesOf(message)))
      const body = '{"id":"wh_1"}'
      const signed = WebhookSignature.sign([secret], { id: "wh_1", now: Date.now(), body })
      for (const headers of [{}, { ...signed }])
        statuses.push(fetch(url, { method: "POST", headers, body }).then((answer) => answer.status))
      setTimeout(() => response.writeHead(201).end(JSON.stringify({ data: { id: "1", secret } })), 100)
    })
    const listener = listenHere("--brand", "2", "--forward-to", behind, "--url", service)
    await listener.until(/as webhook 1/)
    expect([await Promise.all(statuses), got]).toEqual([[401, 200], 1])
    await listener.end()
  })

  it("takes a URL without a user [CLI-2]", async () => {
    for (const target of ["ftp://x", "http://u:p@127.0.0.1/", "nowhere"]) {
      const listener = listenHere("--forward-to", target)
      expect(await listener.exit).toBe(2)
      expect(listener.text()).toContain("--forward-to takes a URL like")
    }
  })
})
