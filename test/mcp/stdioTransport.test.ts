/** Lines over a pair of streams, however their bytes arrive and whenever either stream ends. */
import { maxLineBytes, StdioTransport } from "@lead-signals/mcp/internal"
import fc from "fast-check"
import { PassThrough } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"

const request = (id: string | number, method = "x") => ({ jsonrpc: "2.0" as const, id, method })
const cancellation = (requestId: string | number) => ({
  jsonrpc: "2.0" as const,
  method: "notifications/cancelled",
  params: { requestId }
})

const open = async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const transport = new StdioTransport(input, output)
  const messages: Array<unknown> = []
  const problems: Array<string> = []
  let isFinished = false
  Object.assign(transport, {
    onmessage: (message: unknown) => messages.push(message),
    onerror: ({ message }: Error) => problems.push(message)
  })
  void transport.finished.then(() => (isFinished = true))
  await transport.start()
  const put = (message: unknown): void => void input.write(`${JSON.stringify(message)}\n`)
  const written = (): ReadonlyArray<any> =>
    String(output.read() ?? "")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  /** Whether it has finished, as soon as everything that is under way has happened. */
  const hasFinished = async (): Promise<boolean> => {
    for (let i = 0; i < 5; i++) await setImmediate()
    return isFinished
  }
  return { input, output, transport, messages, problems, put, written, hasFinished }
}

const line = fc.oneof(
  fc.string({ unit: "grapheme" }).map((id) => JSON.stringify(request(id))),
  fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")),
  fc.constantFrom("", "\r", "[]", "null", '{"jsonrpc":"2.0","id":"é"}')
)

describe("messages over standard input and output", () => {
  it("reads the same messages however the bytes of its input are split [MCP-10]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 6 }),
        fc.array(fc.nat(200)),
        fc.boolean(),
        async (lines, cuts, isWhole) => {
          const bytes = Buffer.from(`${lines.join("\n")}${isWhole ? "\n" : ""}`)
          const read = async (parts: ReadonlyArray<Buffer>) => {
            const { hasFinished, input, messages, written } = await open()
            for (const part of parts) input.write(part)
            input.end()
            await hasFinished()
            return { messages, written: written() }
          }
          const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b)]
          const whole = await read([bytes])
          expect(await read(places.map((from, i) => bytes.subarray(from, places[i + 1])))).toEqual(whole)
          expect(whole.messages.length + whole.written.length).toBe(
            lines.filter((each) => each.trim() !== "").length
          )
        }
      )
    )
  })

  it("finishes with its input once each request is answered as often as it came, or is given up [MCP-10, MCP-12]", async () => {
    const { hasFinished, input, put, transport } = await open()
    for (const id of [1, 1, "1", 2]) put(request(id))
    put(request(3, "subscriptions/listen"))
    put(cancellation(2))
    const answer = (id: string | number) => transport.send({ jsonrpc: "2.0", id, result: {} })
    await answer(1)
    await answer("1")
    expect(await hasFinished()).toBe(false)
    input.end()
    expect(await hasFinished()).toBe(false)
    await answer(1)
    expect(await hasFinished()).toBe(true)
  })

  it("refuses a line that is too long, and reads the next one [MCP-10]", async () => {
    const { hasFinished, input, messages, put, written } = await open()
    const longest = JSON.stringify(request("x".repeat(maxLineBytes - JSON.stringify(request("")).length)))
    for (const each of [longest, `${longest} `]) input.write(`${each}\n`)
    put(request(2))
    await hasFinished()
    expect(messages).toEqual([JSON.parse(longest), request(2)])
    expect(written().map(({ error, id }) => [id, error.code])).toEqual([[null, -32600]])
  })

  it("finishes at once when its output breaks, and writes nothing after it is closed [MCP-10]", async () => {
    const { hasFinished, output, problems, put, transport } = await open()
    put(request(1))
    output.destroy(new Error("EPIPE"))
    expect(await hasFinished()).toBe(true)
    expect(problems).toEqual(["EPIPE"])
    let closed = 0
    Object.assign(transport, { onclose: () => closed++ })
    await transport.close()
    await transport.close()
    expect(closed).toBe(1)
    await expect(transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("closed")
  })
})
