/** Batches of the console's import: lines that are too long, answers that do not come, and how it ends when it is stopped. */
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest"

// The console is no library: it is compiled apart, for a browser.
vi.stubGlobal("location", { origin: "http://console.example" })
/** What answers the next requests; afterwards every observation is recorded. */
let answers: Array<() => Response> = []
let sent = 0
/** Where the last request went. */
let address = ""
/** How many observations the last request had. */
let length = 0
vi.stubGlobal("fetch", async (request: Request) => {
  sent += 1
  address = request.url
  const { observations } = await request.json()
  length = observations.length
  const answer = answers.shift()
  return answer?.() ?? Response.json({ data: observations.map(() => ({ outcome: "recorded" })) })
})
// The client keeps the `fetch` that was there as its module was loaded, which may have been for another test.
vi.resetModules()
const module = new URL("../../packages/console/src/import/sendObservations.ts", import.meta.url).href
const { sendBatch } = await import(module)
afterAll(() => void vi.unstubAllGlobals())

const batch = [{ number: 1, cells: [], text: "{}" }]
const refused = (status: number) => () => new Response("<html>from a proxy</html>", { status })
const unreachable = () => {
  throw new TypeError("fetch failed")
}

/** Lets time pass until the work has ended. Not until no timer is left: fibers of other tests may set theirs for ever. */
const passUntilEnded = async (work: Promise<unknown>): Promise<void> => {
  const state = { hasEnded: false }
  const end = (): void => void (state.hasEnded = true)
  work.then(end, end)
  while (!state.hasEnded) await vi.advanceTimersByTimeAsync(1000)
}

describe("a batch of the console's import", () => {
  beforeEach(() => {
    vi.useFakeTimers()
    answers = []
    sent = 0
  })
  afterEach(() => void vi.useRealTimers())

  it("is sent again when the server, or a proxy before it, may answer later [SES-10]", async () => {
    for (const status of [408, 429, 502, 503, 504]) {
      answers = [refused(status), refused(status), unreachable]
      sent = 0
      const result = sendBatch("1", batch, new AbortController().signal)
      await passUntilEnded(result)
      expect([status, sent, (await result).recorded]).toEqual([status, 4, 1])
    }
  })

  it("is refused at once with every other status, and after six attempts [SES-10]", async () => {
    for (const [status, attempts] of [
      [400, 1],
      [500, 1],
      [504, 6]
    ] as const) {
      answers = Array.from({ length: 9 }, () => refused(status))
      sent = 0
      const result = sendBatch("1", batch, new AbortController().signal).catch((failure: unknown) => failure)
      await passUntilEnded(result)
      expect([await result, sent]).toEqual([expect.objectContaining({ status }), attempts])
    }
  })

  it("asks for the fields that were ignored, and answers them once for each line [OBS-11]", async () => {
    const data = [
      { outcome: "recorded", unknownFields: ["person.headlin", "raw"] },
      { outcome: "recorded" },
      { outcome: "duplicate", unknownFields: ["raw"] }
    ]
    answers = [() => Response.json({ data })]
    const lines = [1, 2, 3].map((number) => ({ number, cells: [], text: "{}" }))
    const result = await sendBatch("1", lines, new AbortController().signal)
    expect(result).toMatchObject({
      recorded: 2,
      duplicate: 1,
      unknownFields: ["person.headlin", "raw", "raw"]
    })
    expect(new URL(address).searchParams.get("unknownFields")).toBe("report")
  })

  it("rejects a line that no request can hold, and sends the others [OBS-1]", async () => {
    const { signal } = new AbortController()
    const line = (number: number, name: string) => ({ number, cells: [], text: JSON.stringify({ name }) })
    const result = await sendBatch("1", [line(1, "a"), line(2, "é".repeat(600_000)), line(3, "b")], signal)
    expect([sent, length]).toEqual([1, 2])
    expect(result).toMatchObject({ recorded: 2, rejected: [{ number: 2 }] })
    expect(result.rejected[0].message).toContain("more than 1 MiB")
    expect((await sendBatch("1", [line(4, "x".repeat(1_048_000))], signal)).recorded).toBe(1)
  })

  it("is not sent again once the import was stopped [SES-10]", async () => {
    const stop = new AbortController()
    answers = [refused(502)]
    const result = sendBatch("1", batch, stop.signal).catch((failure: unknown) => failure)
    await vi.advanceTimersByTimeAsync(10)
    stop.abort()
    // No time passes: it waits for no attempt.
    expect(await result).toMatchObject({ status: 502 })
    await vi.advanceTimersByTimeAsync(120_000)
    expect(sent).toBe(1)
  })
})
