/** Errors of requests as such: paths, methods, targets, headers. */
import { expectShape, parse, type Parsed } from "./RawAnswers.ts"
import { describe, expect, it } from "vitest"
import { operatorToken, setUpBrand, startApi, startBrand } from "../harness/HttpServers.ts"

const { api, brand } = await startBrand()

const sendTarget = async (target: string | Buffer, method = "GET"): Promise<Parsed> =>
  parse(
    await api.raw(
      Buffer.concat([
        Buffer.from(`${method} `),
        Buffer.from(target as string),
        Buffer.from(` HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${brand.key}\r\nConnection: close\r\n\r\n`)
      ])
    )
  )

describe("errors of one shape", () => {
  it("for unknown paths and wrong methods, with Allow [ERR-1, ERR-2, ERR-9]", async () => {
    for (const path of [
      "/nope",
      "/signals/leads/",
      "/signals/leads/1/2",
      "//signals/leads",
      "/Signals/leads",
      "/operator",
      "/campaign//metrics",
      // This host brings nothing that speaks with assistants. [MCP-1]
      "/mcp"
    ]) {
      const { body, headers, status } = await api.call(path)
      expect([path, status, body?.error.code]).toEqual([path, 404, "not_found"])
      expect(headers.get("x-request-id")).toBeTruthy()
    }
    for (const [method, path, allow] of [
      ["POST", "/signals/leads", "GET, HEAD"],
      ["DELETE", "/signals/leads/1", "GET, HEAD"],
      ["PATCH", "/health", "GET, HEAD"],
      ["PUT", "/operator/brands", "GET, HEAD, POST"],
      ["OPTIONS", "/operator/brands/1/leads/1", "DELETE, GET, HEAD, PATCH"],
      ["GET", "/operator/brands/1/keys/1", "DELETE"]
    ] as const) {
      const { body, headers, status } = await api.call(path, { method })
      expect([path, status, headers.get("allow"), body.error.code]).toEqual([
        path,
        405,
        allow,
        "method_not_allowed"
      ])
    }
  })

  it("for malformed targets [ERR-5]", async () => {
    for (const target of [
      "/signals/leads?search=%",
      "/signals/leads?search=%zz",
      "/signals/leads?search=%ff",
      "/signals/leads?search=%ed%a0%80",
      "/%ff",
      "/signals/leads/%e4",
      "/signals/leads#x",
      "*",
      Buffer.from([0x2f, 0xff, 0xfe]),
      Buffer.from("/signals/leads?search=é", "utf8"),
      Buffer.from("/signals/leads?search=\u0001", "latin1")
    ]) {
      expectShape(await sendTarget(target as string), 400, "invalid_parameter")
    }
  })

  it("for a malformed target spends the key's request, and then says that none is left [ERR-9, RATE-2]", async () => {
    const { key } = await setUpBrand(api, 2)
    const target = "/signals/leads?search=100%"
    for (const remaining of ["1", "0"]) {
      const { headers, status } = await api.call(target, { token: key })
      expect([status, headers.get("x-ratelimit-remaining")]).toEqual([400, remaining])
    }
    expect((await api.call(target, { token: key })).status).toBe(429)
  })

  it("for what is refused before it is a request has a line in the log by its id [ERR-4]", async () => {
    for (const bytes of ["NONSENSE\r\n\r\n", "GET /health HTTP/1.1\r\n\r\n"]) {
      const [, id] = /X-Request-Id: (\S+)/i.exec(await api.raw(bytes))!
      const line = JSON.parse(api.log.find((each) => each.includes(id!))!)
      const nothing = { method: "none", route: "none" }
      expect(line).toMatchObject({ message: "request", requestId: id, ...nothing, status: 400 })
    }
  })

  it("for a path that there is not, by a key, has a line in the log with the key's id [ERR-4, RATE-2]", async () => {
    const { headers, status } = await api.call("/nowhere", { token: brand.key })
    const line = JSON.parse(api.log.find((each) => each.includes(headers.get("x-request-id")!))!)
    expect([status, line.keyId, line.route]).toEqual([404, brand.keyId, "none"])
  })

  it("for a target over 16 KiB, and for headers beyond what is read [ERR-5, ERR-7]", async () => {
    const at = (length: number) => `/signals/leads?x=${"a".repeat(length - "/signals/leads?x=".length)}`
    expect((await sendTarget(at(16 * 1024))).status).toBe(200)
    expectShape(await sendTarget(at(16 * 1024 + 1)), 400, "invalid_parameter")
    expectShape(await sendTarget(at(100 * 1024)), 400, "invalid_parameter")
    expectShape(
      parse(await api.raw(`GET /health HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(100_000)}\r\n\r\n`)),
      400,
      "invalid_parameter"
    )
  })

  it("for what is no HTTP at all [ERR-1, ERR-5]", async () => {
    for (const bytes of [
      "NONSENSE\r\n\r\n",
      "GET\r\n\r\n",
      "GET /health HTTP/9.9\r\n\r\n",
      "GET /health HTTP/1.1\r\nbad header\r\n\r\n",
      "\u0016\u0003\u0001\u0002\u0000",
      "POST /operator/brands HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
      "GET /health HTTP/1.1\r\n\r\n"
    ]) {
      expectShape(parse(await api.raw(bytes)), 400, "invalid_parameter")
    }
  })

  it("for two Host headers, and for two keys, of which none is taken [ERR-7]", async () => {
    const key = `Authorization: Bearer ${brand.key}\r\n`
    const twoHosts = ["Host: x\r\nHost: x\r\n", "Host: x\r\nX: y\r\nhOST: y\r\n"]
    for (const version of ["1.1", "1.0"]) {
      for (const hosts of twoHosts) {
        const answer = parse(await api.raw(`GET /signals/leads HTTP/${version}\r\n${hosts}${key}\r\n`))
        expectShape(answer, 400, "invalid_parameter")
        expect(answer.body.error.message).toContain("one Host header")
      }
    }
    const authorized = (keys: string) =>
      api.raw(`GET /signals/leads HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${keys}\r\n`)
    expect(parse(await authorized(key)).status).toBe(200)
    for (const keys of [key + key, `${key}authorization: Bearer other\r\n`, `Authorization: x\r\n${key}`]) {
      const text = await authorized(keys)
      const answer = parse(text)
      expectShape(answer, 400, "invalid_parameter")
      expect(answer.body.error.message).toContain("one Authorization header")
      const [, id] = /X-Request-Id: (\S+)/i.exec(text)!
      // `nodeListener` refuses it by its head, and logs it like any other.
      expect(JSON.parse(api.log.find((line) => line.includes(id!))!)).toMatchObject({
        method: "GET",
        route: "/signals/leads",
        status: 400
      })
    }
  })

  it("for more headers than are taken, also when the key stands behind them [ERR-1, ERR-7]", async () => {
    const withHeaders = async (count: number) =>
      parse(
        await api.raw(
          `GET /signals/leads HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${"a: b\r\n".repeat(count - 3)}Authorization: Bearer ${brand.key}\r\n\r\n`
        )
      )
    expect((await withHeaders(2000)).status).toBe(200)
    for (const count of [2001, 2500, 9000]) {
      const answer = await withHeaders(count)
      expectShape(answer, 431, "too_many_headers")
      expect(answer.body.error.message).toBe("A request takes at most 2000 headers.")
    }
  })

  it("for headers that do not come in time [ERR-1, ERR-4, ERR-6]", async () => {
    const own = await startApi({ arrival: { headersMillis: 50, requestMillis: 10_000, checkMillis: 20 } })
    for (const begun of ["GET /health HTTP/1.1\r\n", "GET /health HTTP/1.1\r\nHost: x\r\nX: "]) {
      const answer = parse(await own.raw(begun))
      expectShape(answer, 408, "request_timeout")
      expect(answer.headers).toContain("connection: close")
      expect(own.log.at(-1)).toContain('"status":408')
    }
  })

  it("for CONNECT, odd expectations and upgrades [ERR-1, ERR-2]", async () => {
    expectShape(
      parse(await api.raw("CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", /}}$/)),
      400,
      "invalid_parameter"
    )
    expect(
      parse(await api.raw("GET /health HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n"))
        .status
    ).toBe(200)
    const upgrade = "GET /health HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    expect(parse(await api.raw(upgrade, /"ok"/)).status).toBe(200)
  })

  it("takes an absolute target, too [ERR-5]", async () => {
    expect((await sendTarget("http://elsewhere.example/signals/leads?pageSize=1")).status).toBe(200)
    expect((await sendTarget("http://elsewhere.example/nope")).status).toBe(404)
    const bare = await api.raw(
      "GET http://elsewhere.example HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    expect(bare).toMatch(/^HTTP\/1\.1 302 /)
  })

  it("answers HEAD as GET, without a body [ERR-1]", async () => {
    const head = await api.call("/signals/leads", { method: "HEAD", token: brand.key })
    expect([head.status, head.text]).toEqual([200, ""])
    expect(head.headers.get("x-ratelimit-limit")).toBeTruthy()
  })
})

describe("the fetch handler", () => {
  it("answers as the server does, and never rejects [ERR-1, LIST-1]", async () => {
    for (const path of ["/signals/leads", "/signals/leads?sort=x", "/nope", "/health"]) {
      const headers = { authorization: `Bearer ${brand.key}` }
      const direct = await api.fetch(new Request(`http://host.example${path}`, { headers }))
      const served = await api.call(path, { headers })
      expect([direct.status, await direct.text()]).toEqual([served.status, served.text])
      expect(direct.headers.get("x-request-id")).toBeTruthy()
    }
  })

  it.each(["application/json", "application/x-ndjson"])(
    "takes a request without a body as the server does: %s [ERR-3]",
    async (type) => {
      const path = `/operator/brands/${brand.id}/observations`
      const sent = {
        method: "POST",
        headers: { authorization: `Bearer ${operatorToken}`, "content-type": type }
      }
      const direct = await api.fetch(new Request(`http://host.example${path}`, sent))
      const served = await fetch(`${api.url}${path}`, sent)
      expect([direct.status, await direct.text()]).toEqual([served.status, await served.text()])
    }
  )
})
