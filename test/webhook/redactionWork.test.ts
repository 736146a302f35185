/** How much work the redaction of a response is, whatever it and the payload hold. */
import type { ResponseRedactor } from "@lead-signals/webhook"
import { describe, expect, it } from "vitest"
import { counted } from "../harness/CountedSteps.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { redacted } from "./RedactedResponse.ts"

describe("the redaction of a response", () => {
  it("takes about as much work for runs of one character as for ordinary text", async () => {
    const { module, stepsOf } = await counted<typeof ResponseRedactor>(
      "packages/webhook/src/ResponseRedactor.ts"
    )
    const lines = (line: (i: number) => string) =>
      Array.from({ length: 60 }, (_, i) => line(i).padEnd(990, i === 0 ? "x" : line(i))).join("\n")
    const payloadOf = (text: string) => ({
      engagements: Array.from({ length: isThorough ? 20 : 4 }, () => ({ postContent: text }))
    })
    const work = (data: unknown): number => stepsOf(() => void redacted("a".repeat(2000), data, 1024, module))
    const ordinary = work(payloadOf(lines((i) => `what was said in line ${i} of this text, `)))
    const runs = work(payloadOf(lines((i) => "a".repeat(i + 1))))
    expect(runs / ordinary).toBeLessThan(2)
  })

  it("takes about as much work for many runs of base64 as for ordinary text", async () => {
    const { module, stepsOf } = await counted<typeof ResponseRedactor>(
      "packages/webhook/src/ResponseRedactor.ts"
    )
    const data = {
      engagements: Array.from({ length: 400 }, (_, i) => ({
        commentText: `what was said in comment ${i} of this post, and by whom`
      }))
    }
    const work = (answer: string): number => stepsOf(() => void redacted(answer, data, 1024, module))
    // Each stands for four texts, one for each place of the data at which it may begin.
    const runs = Array.from({ length: 60 }, (_, i) =>
      [..."V".repeat(16)].with(i % 16, "STUWXYZ"[i % 7]!).join("")
    )
    expect(work(runs.join(" ")) / work("an answer ".repeat(102))).toBeLessThan(4.5)
  })

  it("takes about as much time for runs of backslashes and of marks as for ordinary text [DELIV-7]", () => {
    const [length, times] = [40_000, 3]
    const answer = "a receiver's answer, \u0301\\ ".repeat(4)
    /** Processor time of the process, since the steps of built-in functions can't be counted. */
    const time = (text: string): number => {
      const before = process.cpuUsage()
      for (let i = 0; i < times; i++) redacted(answer, { engagements: [{ postContent: i + text }] })
      const { system, user } = process.cpuUsage(before)
      return user + system
    }
    const filled = (part: string): string => part.repeat(Math.ceil(length / part.length))
    const ordinary = `${filled("what was said, à peu près, \\ and by whom ")}x`
    time(ordinary)
    const bound = 20 * time(ordinary)
    expect(time(`${filled("\\")}x`)).toBeLessThan(bound)
    // Their canonical order is another one.
    expect(time(`a${filled("\u0315\u0301\u0323")}`)).toBeLessThan(bound)
  })
})
