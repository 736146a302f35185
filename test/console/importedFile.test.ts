/** How the console reads a file of observations. */
import { describe, expect, it } from "vitest"

// The console is no library: it is compiled apart.
const module = (path: string) => new URL(`../../packages/console/src/import/${path}.ts`, import.meta.url).href
const { CsvParser, csvLine } = await import(module("csv"))
const { previewOf, rowsOf } = await import(module("readFile"))

const rowsOfText = async (text: string): Promise<ReadonlyArray<readonly [number, ReadonlyArray<string>]>> => {
  const file = new Blob([text])
  const rows: Array<readonly [number, ReadonlyArray<string>]> = []
  for await (const piece of rowsOf(file, await previewOf(file)))
    for (const { cells, number } of piece.rows) rows.push([number, cells])
  return rows
}

describe("a file of observations", () => {
  it("has rows of CSV with the lines in which they begin, as an editor counts them", async () => {
    const lines = ["name,note", "Ada,1", "", '"Bo","two', 'lines"', "Cy,3", ""]
    for (const end of ["\n", "\r\n", "\r"])
      expect([end, await rowsOfText(lines.join(end))]).toEqual([
        end,
        [
          [2, ["Ada", "1"]],
          [4, ["Bo", `two${end}lines`]],
          [6, ["Cy", "3"]]
        ]
      ])
  })

  it("has the same rows of CSV however it comes in pieces", () => {
    const text = 'a;b\r\n"x;""y""";\r\n\r\n"1\r\n2";z\r\n'
    const whole = new CsvParser(";").push(text)
    for (let at = 0; at <= text.length; at++) {
      const parser = new CsvParser(";")
      expect([...parser.push(text.slice(0, at)), ...parser.push(text.slice(at)), ...parser.end()]).toEqual(
        whole
      )
    }
    expect(whole.map(({ number }: { number: number }) => number)).toEqual([1, 2, 4])
  })

  it("has lines of JSONL with their numbers, those without anything counted", async () => {
    expect(await rowsOfText('\uFEFF{"a":1}\n\n  \n{"a":2}')).toEqual([
      [1, ['{"a":1}']],
      [4, ['{"a":2}']]
    ])
  })

  it("is refused where it is not UTF-8, however far behind its beginning, and whole characters in pieces are read [SES-10]", async () => {
    const message = /not in UTF-8/
    const long = `name\n${"é".repeat(40_000)}\n`
    expect((await rowsOfText(long))[0]![1][0]).toBe("é".repeat(40_000))
    expect((await rowsOfText(`n\n${long}`)).length).toBe(2)
    for (const bytes of [
      Buffer.from("name\nJürgen\n", "latin1"),
      Buffer.from("\uFEFFname\nAda\n", "utf16le"),
      Buffer.from("name\nJürgen").subarray(0, 7)
    ]) {
      const file = new Blob([bytes])
      await expect(
        (async () => {
          for await (const _ of rowsOf(file, await previewOf(file)));
        })()
      ).rejects.toThrow(message)
    }
    const late = new Blob([long, Buffer.from("Jürgen\n", "latin1")])
    const preview = await previewOf(late)
    await expect(
      (async () => {
        for await (const _ of rowsOf(late, preview));
      })()
    ).rejects.toThrow(message)
  })

  it("is written as it is read", () => {
    const cells = ["plain", 'a "quote"', "one,two", "two\nlines", ""]
    expect(new CsvParser(",").push(csvLine(cells, ","))).toEqual([{ number: 1, cells }])
  })
})
