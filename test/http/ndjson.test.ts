/** Lines that are rejected by the thousand, and bodies that are no x-ndjson: nobody else waits, and the answer stays small. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { observation, operatorToken, startBrand } from "../harness/HttpServers.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const { api, brand } = await startBrand()

const send = (body: BodyInit) =>
  api.call(`/operator/brands/${brand.id}/observations`, {
    method: "POST",
    token: operatorToken,
    headers: { "content-type": "application/x-ndjson" },
    body
  })

const good = (id: string): string => JSON.stringify(observation(brand.signalId, id, id))

const outcomes = (text: string): Array<any> =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

/** Sends the pieces to the fetch handler, which takes each as it is: a socket would join them. */
const sendPieces = async (pieces: ReadonlyArray<Uint8Array>) => {
  const response = await api.fetch(
    new Request(`http://localhost/operator/brands/${brand.id}/observations`, {
      method: "POST",
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/x-ndjson" },
      body: new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece)
          controller.close()
        }
      }),
      duplex: "half"
    } as RequestInit)
  )
  return { status: response.status, text: await response.text() }
}

/** Turns of the event loop, server and test being in one process, while the work goes on. */
const ticksDuring = async <A>(work: Promise<A>): Promise<readonly [A, number]> => {
  let [ticks, isDone] = [0, false]
  const count = (): void => {
    ticks++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const result = await work.finally(() => {
    isDone = true
  })
  return [result, ticks]
}

describe("lines that are rejected", () => {
  it("leave the event loop to others, by the work that they are [OBS-4]", async () => {
    for (const line of ["x", '{"broken', "{}"]) {
      const count = isThorough ? 20_000 : 4000
      const body = `${good(`turn-${line}`)}\n${`${line}\n`.repeat(count)}`
      const [answer, ticks] = await ticksDuring(send(body))
      expect(answer.status).toBe(200)
      expect([line, ticks > count / 300]).toEqual([line, true])
    }
  })

  it("are those of more than 20,000 fields and elements, whatever stands in their texts [OBS-4]", async () => {
    const lineWith = (id: string, parts: number): string => {
      const line = good(id)
      const marks = line.replace(/"(?:[^"\\\\]|\\\\.)*"/g, "").match(/[{[,]/g)!.length
      // `,"x":[` are two more, and each further element is one.
      return `${line.slice(0, -1)},"x":[${"0,".repeat(parts - marks - 2)}0]}`
    }
    const texts = good("texts").replace("}", `,"x":${JSON.stringify('\\",{[:'.repeat(30_000))}}`)
    const { text } = await send(
      [lineWith("most", 20_000), lineWith("more", 20_001), texts, `{"x":${"[".repeat(50_000)}`].join("\n")
    )
    const message = (line: number) =>
      `Line ${line} has more than 20000 fields and elements; a line takes one observation.`
    expect(outcomes(text).map(({ message: said, outcome }) => [outcome, said])).toEqual([
      ["recorded", undefined],
      ["rejected", message(2)],
      ["recorded", undefined],
      ["rejected", message(4)]
    ])
  })

  it("are answered in full a thousand times, and with a count from then on [OBS-4, OBS-5, ERR-3]", async () => {
    const bad = "x\n"
    const body = `${good("a")}\n${bad.repeat(1500)}\n\n${bad.repeat(100)}${good("b")}\n${bad.repeat(7)}${good("c")}`
    const { status, text } = await send(body)
    const all = outcomes(text)
    expect(status).toBe(200)
    expect(all).toHaveLength(1 + 1000 + 1 + 1 + 1 + 1)
    expect(
      all.map(({ count, outcome }) => [outcome, count]).filter(([outcome]) => outcome !== "rejected")
    ).toEqual([
      ["recorded", undefined],
      ["recorded", undefined],
      ["recorded", undefined]
    ])
    expect(all[1000]).toMatchObject({
      message: "Line 1001 takes one observation as JSON, in well-formed UTF-8."
    })
    expect(all[1001]).toEqual({
      engagementId: null,
      outcome: "rejected",
      leadId: null,
      message:
        "Lines 1002 to 1603: 600 are rejected; only the first 1000 rejections of a request give the reason.",
      count: 600
    })
    expect(all[1002].engagementId).toBe("b")
    expect(all[1003].count).toBe(7)
    expect(all[1004].engagementId).toBe("c")
  })

  it("give an answer that grows no further with them [OBS-5]", async () => {
    const answered = async (count: number): Promise<string> =>
      (await send(`${good("grow")}\n${"x\n".repeat(count)}`)).text
    const [few, many] = [await answered(2000), await answered(200_000)]
    expect(many.length - few.length).toBeLessThan(20)
    // Each line is answered, or counted.
    const linesOf = (text: string) => outcomes(text).reduce((sum, { count = 1 }) => sum + count, 0)
    expect([linesOf(few), linesOf(many)]).toEqual([2001, 200_001])
  })
})

describe("a body that is plainly no x-ndjson", () => {
  it("is refused whole, with one error that says what it is [OBS-6, ERR-3]", async () => {
    const array = [observation(brand.signalId, "no", "no-1"), observation(brand.signalId, "no", "no-2")]
    const csv = `signalId,person,engagement\n${"7,Ada,e-1\n".repeat(30)}`
    for (const [body, message] of [
      [JSON.stringify(array), "one JSON document"],
      [`\n ${JSON.stringify(array, null, 2)}`, "one JSON document"],
      [`[\n${array.map((each) => JSON.stringify(each)).join(",\n")}\n]`, "one JSON document"],
      [JSON.stringify({ observations: array }, null, 2), "one JSON document"],
      [JSON.stringify({ observations: array }, null, 2).replaceAll("\n", " \r\n"), "one JSON document"],
      [csv, "none of the first 20 lines begins with {"],
      [`\ufeff${csv}`, "none of the first 20 lines begins with {"],
      ["<p>\n".repeat(5000), "none of the first 20 lines begins with {"],
      ["x".repeat(2 * 1024 * 1024), "none of the first 20 lines begins with {"]
    ] as const) {
      const answer = await send(body)
      expect([body.slice(0, 40), answer.status, answer.body?.error.code]).toEqual([
        body.slice(0, 40),
        400,
        "invalid_parameter"
      ])
      expect(answer.body.error.message).toContain(message)
      expect(answer.body.error.message).toMatch(/^The body takes x-ndjson/)
    }
    const { body } = await api.call("/signals/leads?search=no", { token: brand.key })
    expect(body.data).toEqual([])
  })

  it("is refused before it has come to its end [OBS-6, ERR-8]", async () => {
    const sent = `[${good("early")},`
    const answer = await api.raw(
      `POST /operator/brands/${brand.id}/observations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operatorToken}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000000\r\n\r\n${sent}`,
      /}}/
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/connection: close/i)
  })

  it("that is one keeps the connection though its answer begins before its end [OBS-8, ERR-8]", async () => {
    const answer = await api.raw(
      `POST /operator/brands/${brand.id}/observations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operatorToken}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000000\r\n\r\n${good("first")}\n`,
      /"outcome":"recorded"/
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toMatch(/\r\nconnection: keep-alive\r\n/i)
  })

  it("is none when it is short, or begins with some broken lines, or with a byte order mark [OBS-6]", async () => {
    const rejections = outcomes((await send("x\n".repeat(19))).text)
    expect(rejections.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 19 }, () => "rejected"))
    const begun = outcomes((await send(`${"x\n".repeat(15)}{"broken\n${good("after")}`)).text)
    expect(begun.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 16 }, () => "rejected"),
      "recorded"
    ])
    expect(outcomes((await send(`\ufeff${good("marked")}`)).text)[0].outcome).toBe("recorded")
  })
})

describe("a body in pieces", () => {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

  /** The status of a body of such lines, and whether each line that is answered is rejected. */
  const expected = (lines: ReadonlyArray<string>) => {
    const filled = lines.map((line, i) => (i === 0 ? line.replace("\ufeff", "") : line)).filter(Boolean)
    const objects = filled.map((line) => line.startsWith("{"))
    const [first = ""] = filled
    if (first.startsWith("[") || first === "{") return { status: 400, rejected: [] }
    if (filled.length >= 20 && !objects.slice(0, 20).includes(true)) return { status: 400, rejected: [] }
    return { status: 200, rejected: filled.map((line) => line !== good("cut")) }
  }

  it("is answered by its lines, however it is cut [OBS-4, OBS-6]", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("", "\ufeff"),
        fc.constantFrom("", "[", "{", "x"),
        fc.nat({ max: 30 }),
        fc.array(fc.constantFrom("", "x,y", '{"broken', "good"), { maxLength: 10 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        async (mark, first, count, more, cuts) => {
          const lines = [
            `${mark}${first}`,
            ...Array.from({ length: count }, () => "x,y"),
            ...more.map((line) => (line === "good" ? good("cut") : line))
          ]
          const body = bytesOf(lines.join("\n"))
          const ends = [...cuts.map((cut) => cut % (body.length + 1)), body.length].sort((a, b) => a - b)
          const pieces = ends.map((end, i) => body.slice(ends[i - 1] ?? 0, end))
          const { status, text } = await sendPieces(pieces)
          const rejected =
            status === 200 && text !== "" ? outcomes(text).map(({ outcome }) => outcome === "rejected") : []
          expect({ status, rejected }).toEqual(expected(lines))
        }
      )
    ))

  it("is refused by its first 20 lines, also where an observation comes with them [OBS-6]", async () => {
    const body = bytesOf(`${"x,y\n".repeat(25)}${good("behind")}\n`)
    expect((await sendPieces([body])).status).toBe(400)
    expect((await api.call("/signals/leads?search=behind", { token: brand.key })).body.data).toEqual([])
  })

  it("has no line over 16 MiB, also where its newline is in the same piece [ERR-5]", async () => {
    const most = 16 * 1024 * 1024
    const lineOf = (size: number, id: string): Uint8Array => {
      const bytes = new Uint8Array(size + 1).fill(32)
      bytes.set(bytesOf(good(id)))
      bytes[size] = 10
      return bytes
    }
    const fits = await sendPieces([lineOf(most, "fits")])
    expect(outcomes(fits.text).map(({ outcome }) => outcome)).toEqual(["recorded"])
    const line = lineOf(most + 1, "over")
    for (const pieces of [[line], [line.slice(0, 7), line.slice(7)], [line.slice(0, -1), line.slice(-1)]])
      expect((await sendPieces(pieces)).status).toBe(413)
    expect((await api.call("/signals/leads?search=over", { token: brand.key })).body.data).toEqual([])
  })
})
