/** What the tables of the benchmark say where there is no ratio to say. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { measure, patienceSeconds, type Target } from "./Load.ts"
import { minimum, readingSections } from "./Report.ts"

const withServer = async (listener: RequestListener, work: (target: Target) => Promise<void>) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  try {
    await work({ url: `http://127.0.0.1:${port}`, key: "k", paths: ["/a"] })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const rate = (perSecond: number) => ({ perSecond, medianMillis: 1 })
const lineOf = (subject: number, plain: ReadonlyArray<number>, atLarge: number) =>
  readingSections([
    {
      shape: { name: "drawn", paths: ["/"], atSmall: 1, atLarge },
      leads: 1_000_000,
      subject: [rate(subject)],
      plain: plain.map(rate)
    }
  ])[0]!.lines[0]!

describe("a shape that the reference does not answer in time", () => {
  it("has no answer instead of a figure, and a ratio that is a bound", () => {
    expect(lineOf(10, [], 500)).toMatchObject({
      reference: `no answer within ${patienceSeconds} s`,
      ratio: `> ${10 * patienceSeconds}`,
      reached: true
    })
    expect(lineOf(10, [], 1000)).toMatchObject({ reached: false })
    expect(lineOf(10, [2], 5)).toMatchObject({ reference: "2", ratio: "5", reached: true })
  })

  it("is measured as none, by its first request or a later one", async () => {
    let answered = 0
    await withServer(
      (request, response) => {
        if (request.url === "/health" || ++answered <= 2) setTimeout(() => response.end(), 150)
      },
      async (target) => {
        expect(await measure(target, 0.1, 0.8)).toBeNull()
        // Now the first has no answer.
        expect(await measure(target, 0.1, 0.2)).toBeNull()
      }
    )
  })

  it("fails where the server refuses a request", async () => {
    await withServer(
      (_, response) => void response.writeHead(500).end(),
      async (target) => await expect(measure(target, 0.1)).rejects.toThrow("/a: 500")
    )
  })
})

describe("a figure with a least one", () => {
  it("reaches it from there on", () => {
    expect(minimum("drawn", null, [1999, 2000, 2001], 2000)).toMatchObject({
      target: "≥ 2,000",
      reached: true
    })
    expect(minimum("drawn", null, [1999], 2000)).toMatchObject({ reached: false })
    expect(minimum("drawn", null, [1999], null)).toMatchObject({ target: "", reached: null })
  })
})
