/** Bodies that are no JSON, too long, or break off. */
import { once } from "node:events"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { expectShape, parse } from "./RawAnswers.ts"
import { beforeAll, describe, expect, it } from "vitest"
import { type Api, observation, operatorToken, setUpBrand, startApi } from "../harness/HttpServers.ts"

let api: Api

beforeAll(async () => {
  api = await startApi()
})

describe("bodies", () => {
  const post = (
    body: BodyInit,
    contentType: string | null = "application/json",
    more: Record<string, string> = {}
  ) =>
    api.call("/operator/brands", {
      method: "POST",
      token: operatorToken,
      headers: { ...(contentType === null ? {} : { "content-type": contentType }), ...more },
      body
    })

  it("take JSON in UTF-8 only [ERR-2, ERR-5]", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/xml",
      "json",
      "application/json; charset=latin1",
      "application/x-ndjson"
    ]) {
      const { body, status } = await post('{"name":"x"}', type)
      expect([type, status, body.error.code]).toEqual([type, 415, "unsupported_media_type"])
    }
    for (const type of [
      "application/json",
      "APPLICATION/JSON; charset=UTF-8",
      'application/json;charset="utf-8"'
    ]) {
      expect((await post('{"name":"x"}', type)).status).toBe(201)
    }
  })

  it("are taken as they are, and never compressed [ERR-2]", async () => {
    const { id, signalId } = await setUpBrand(api)
    const line = JSON.stringify(observation(signalId, "coded", "coded-1"))
    const json = `{"observations":[${line}]}`
    const sendCoded = (type: string, body: BodyInit, coding: string) =>
      api.call(`/operator/brands/${id}/observations`, {
        method: "POST",
        token: operatorToken,
        headers: { "content-type": type, "content-encoding": coding },
        body
      })
    for (const [type, text] of [
      ["application/json", json],
      ["application/x-ndjson", line]
    ] as const) {
      for (const coding of ["GZIP", "identity, gzip"]) {
        const { body, status } = await sendCoded(type, gzipSync(text), coding)
        expect([type, coding, status, body.error.code]).toEqual([type, coding, 415, "unsupported_media_type"])
      }
      expect((await sendCoded(type, text, "Identity")).status).toBe(200)
    }
  })

  it("that are malformed get a 400 [ERR-5]", async () => {
    const bodies: Array<BodyInit> = [
      "",
      " ",
      "{",
      '{"name":"x"',
      "nul",
      '{"name":"x"} trailing',
      new Uint8Array([0xff, 0xfe]),
      new Uint8Array([0x7b, 0x22, 0xc3, 0x28]),
      gzipSync('{"name":"x"}'),
      "[".repeat(100_000)
    ]
    for (const each of bodies) {
      const { body, status } = await post(each)
      expect([status, body.error.code]).toEqual([400, "invalid_parameter"])
    }
  })

  it("over 1 MiB are 413, announced or not [ERR-2, ERR-5]", async () => {
    const padded = (length: number) => '{"name":"x"}'.padEnd(length)
    expect((await post(padded(1024 * 1024))).status).toBe(201)
    const announced = await post(padded(1024 * 1024 + 1))
    expect([announced.status, announced.body.error.code]).toEqual([413, "payload_too_large"])
    const head = `POST /operator/brands HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operatorToken}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const piece = `${(65536).toString(16)}\r\n${"x".repeat(65536)}\r\n`
    expectShape(parse(await api.raw(`${head}${piece.repeat(17)}0\r\n\r\n`, /}}$/)), 413, "payload_too_large")
  })

  it("that break off change nothing and leave the server well [ERR-5]", async () => {
    const before = (await api.operate("GET", "/operator/brands")).body.data.length
    const socket = connect(api.port, "127.0.0.1")
    await once(socket, "connect")
    socket.write(
      `POST /operator/brands HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operatorToken}\r\nContent-Length: 100\r\n\r\n{"name":"x"}`
    )
    await api.call("/health")
    socket.destroy()
    expect((await api.call("/health")).status).toBe(200)
    expect((await api.operate("GET", "/operator/brands")).body.data).toHaveLength(before)
  })
})
