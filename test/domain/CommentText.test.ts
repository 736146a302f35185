import { CommentText } from "@lead-signals/domain"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { counted } from "../harness/CountedSteps.ts"
import { cases, isThorough } from "../harness/Thoroughness.ts"

const tagStart = /<[a-zA-Z/!?]/
// eslint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

describe("comment text", () => {
  it("is free of markup and of control characters, whatever came in [ENG-6]", () => {
    const piece = fc.constantFrom(
      ..."<>&;!-/?ab\"'\n\t\r\u0000\u0085x #",
      "<b>",
      "</b>",
      "<script>",
      "</script>",
      "<!--",
      "-->",
      "&lt;",
      "&gt;",
      "&amp;",
      "&#60;",
      "&#x3c;",
      "&#0;",
      "<img src=x onerror=alert(1)>",
      '<p title=">',
      "='>",
      "<style>",
      "text"
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 30 }).map((all) => all.join("")),
          fc.string()
        ),
        (seen) => {
          const text = CommentText.sanitise(seen)
          expect(text).not.toMatch(tagStart)
          expect(text).not.toMatch(control)
        }
      ),
      { numRuns: cases(20_000) }
    )
  })

  it.each([
    ["<p>Great <b>read</b>!</p>", "Great read!"],
    ["a &amp; b &lt;3 &#128578; &#x1F642;", "a & b <3 🙂 🙂"],
    ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
    ["<script>alert('x')</script>hello", "hello"],
    ["<style>p{}</style>hello<!-- hidden -->", "hello"],
    ["line one<br>line two", "line one\nline two"],
    ["bell\u0007 and\ttab\r\nnewline", "bell and\ttab\nnewline"],
    ["&lt;b&gt;typed&lt;/b&gt;", "typed"],
    ["half <b open", "half b open"],
    ["<SCRIPT>alert(1)</SCRIPT>hi İ", "hi İ"],
    ["<p title='a>b'>x</p>", "x"],
    ['<a href= "?a>b" rel=x>y</a>', "y"],
    ['<p title="a>never closed', "never closed"],
    ["<b>it's</b> a=b's > c", "it's a=b's > c"],
    ["", ""]
  ])("makes of %j the text %j [ENG-6]", (seen, text) => {
    expect(CommentText.sanitise(seen)).toBe(text)
  })

  it("keeps plain text as it is [ENG-6]", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9 .,!?éß]*$/), (text) => {
        expect(CommentText.sanitise(text)).toBe(text.trim())
      })
    )
  })

  it("takes a long text of anything without getting stuck [ENG-6]", () => {
    for (const piece of [
      "<",
      "<a",
      "<a>",
      "<script>",
      "<!--",
      "&amp;",
      "&lt;",
      "<<a>",
      "</",
      "<script></script>"
    ]) {
      const text = CommentText.sanitise(
        piece.repeat(Math.floor((isThorough ? 1_000_000 : 100_000) / piece.length))
      )
      expect(text).not.toMatch(tagStart)
    }
  })

  it("takes work linear in the text, also where what closes it all stands at its end [ENG-6]", async () => {
    const { module, stepsOf } = await counted<typeof CommentText>("packages/domain/src/text/CommentText.ts")
    for (const [piece, end] of [
      ["<a", ">"],
      ["<!--<a", "-->"],
      ["<a", "–>"],
      ["&lt;a", "&gt;"],
      ["<a='", ">"],
      ["<a=  ", ">"],
      ["<script>a", "</script>"]
    ] as const) {
      const [short, long] = (isThorough ? [1000, 4000] : [250, 1000]).map((n) =>
        stepsOf(() => void module.sanitise(piece.repeat(n) + end))
      )
      expect(long! / short!).toBeLessThan(4.5)
    }
  })
})
