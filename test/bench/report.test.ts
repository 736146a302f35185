/** What the tables of the benchmark say where there is no ratio to say. */
import { describe, expect, it } from "vitest"
import { measure, patienceSeconds } from "./Load.ts"
import { minimum, readingSections } from "./Report.ts"

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

  it("fails where the server refuses a request", async () => {
    const { createServer } = await import("node:http")
    const server = createServer((_, response) => void response.writeHead(500).end())
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as { port: number }
    const target = { url: `http://127.0.0.1:${port}`, key: "k", paths: ["/refused"] }
    await expect(measure(target, 0.1)).rejects.toThrow("/refused: 500")
    await new Promise((resolve) => server.close(resolve))
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
