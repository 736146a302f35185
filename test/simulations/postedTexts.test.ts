/** Pieces of texts of which a receiver's answer may keep everything. */
import { mayRepeat } from "@lead-signals/simulations/internal"
import { expect, it } from "vitest"

it("knows the beginning of a name in whatever letters a receiver writes it, so that the log is not asked for it [DELIV-5]", () => {
  const posted = (text: string) => [{ text, field: "name", isPersonal: true }]
  for (const [name, piece] of [
    ["Freyja Þórsdóttir", "au tho"],
    ["Freyja Þöll", "thol"],
    ["Ewa Błażej", "bla"],
    ["Ayla Işık", "isi"],
    ["Šárka Nová", "a a"],
    ["Lars Øberg", "obe"],
    ["Lars Øberg", "oeb"]
  ] as const)
    expect([name, mayRepeat(piece, posted(name))]).toEqual([name, true])
  expect(mayRepeat("JV Q", posted("Freyja Þórsdóttir"))).toBe(false)
})

it("knows the beginning of a text at the end of a piece also by its punctuation alone [DELIV-5]", () => {
  const headline = [{ text: `"'\`\\ ;-- $1`, field: "headline", isPersonal: true }]
  expect(mayRepeat(`. "'\``, headline)).toBe(true)
  expect(mayRepeat(`. "`, headline)).toBe(false)
})
