/**
 * Where the values of a JSON text stand, and where it stops being JSON. `JSON.parse` reads the value; its messages name no place
 * in short texts, and it takes a name that is given twice.
 */

/** Both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Names of members and places in arrays, from the outermost. */
export type JsonPath = ReadonlyArray<string | number>

/** The message says what is wrong, `position` where. */
export class NotJson extends Error {
  override readonly name = "NotJson"
  constructor(
    message: string,
    readonly position: Position
  ) {
    super(message)
  }
}

const maxDepth = 50

const stringPattern = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"/y

const keyOf = (path: JsonPath): string => JSON.stringify(path)

/** The positions of one text, counted from 1 for lines and columns. */
export class JsonPositions {
  private at = 0
  /** Offsets by the path. */
  private readonly offsets = new Map<string, number>()
  private lineStarts: ReadonlyArray<number> | null = null
  /** Names that an object has more than once. */
  readonly repeated: Array<JsonPath> = []

  /** Throws `NotJson` at the first place that is wrong. */
  constructor(private readonly text: string) {
    this.value([])
    this.space()
    if (this.at < text.length) this.fail("there is more text after the end of the JSON value")
  }

  /** The place of the value, or of its name in an object; the place of what holds it where there is no such value. */
  of(path: JsonPath): Position {
    for (let length = path.length; length > 0; length--) {
      const offset = this.offsets.get(keyOf(path.slice(0, length)))
      if (offset !== undefined) return this.positionOf(offset)
    }
    return { line: 1, column: 1 }
  }

  private positionOf(at: number): Position {
    this.lineStarts ??= Array.from(this.text.matchAll(/^/gm), ({ index }) => index)
    let [line, after] = [0, this.lineStarts.length]
    while (after - line > 1) {
      const middle = (line + after) >>> 1
      if (this.lineStarts[middle]! <= at) line = middle
      else after = middle
    }
    return { line: line + 1, column: at - this.lineStarts[line]! + 1 }
  }

  private fail(message: string, at = this.at): never {
    throw new NotJson(message, this.positionOf(at))
  }

  private space(): void {
    while (" \t\n\r".includes(this.text[this.at] ?? "x")) this.at++
    if (/^(?:\/\/|\/\*|#)/.test(this.text.slice(this.at, this.at + 2))) this.fail("JSON has no comments")
  }

  private found(): string {
    const character = this.text[this.at]
    return character === undefined ? "the end of the file" : JSON.stringify(character)
  }

  private value(path: JsonPath): void {
    if (path.length > maxDepth) this.fail(`more than ${maxDepth} values are nested`)
    this.space()
    const character = this.text[this.at] ?? ""
    if (character === "{") this.object(path)
    else if (character === "[") this.array(path)
    else if (character === '"') this.string()
    else this.word()
  }

  private object(path: JsonPath): void {
    const names = new Set<string>()
    this.items("}", (isFirst) => {
      const at = this.at
      if (this.text[at] !== '"') {
        this.fail(
          isFirst
            ? `expected a name in double quotes or }, found ${this.found()}`
            : `expected a name in double quotes after the comma, found ${this.found()}`
        )
      }
      const name = this.string()
      const own = [...path, name]
      if (names.has(name)) this.repeated.push(own)
      else this.offsets.set(keyOf(own), at)
      names.add(name)
      this.space()
      if (this.text[this.at] !== ":") this.fail(`expected : after "${name}", found ${this.found()}`)
      this.at++
      this.value(own)
    })
  }

  private array(path: JsonPath): void {
    let n = 0
    this.items("]", () => {
      const own = [...path, n++]
      this.offsets.set(keyOf(own), this.at)
      this.value(own)
    })
  }

  /** What stands between brackets, with commas between. */
  private items(end: string, item: (isFirst: boolean) => void): void {
    const from = this.at++
    this.space()
    for (let isFirst = true; !isFirst || this.text[this.at] !== end; isFirst = false) {
      if (this.at >= this.text.length) this.fail(`this ${this.text[from]} has no ${end}`, from)
      item(isFirst)
      this.space()
      if (this.text[this.at] === end) break
      if (this.at >= this.text.length) this.fail(`this ${this.text[from]} has no ${end}`, from)
      if (this.text[this.at] !== ",") this.fail(`expected , or ${end}, found ${this.found()}`)
      const comma = this.at++
      this.space()
      if (this.text[this.at] === end) this.fail(`a comma before ${end}`, comma)
    }
    this.at++
  }

  private string(): string {
    const from = this.at
    stringPattern.lastIndex = from
    const whole = stringPattern.exec(this.text)?.[0]
    if (whole === undefined) this.fail("this text has no closing quotation mark on its line", from)
    this.at += whole.length
    try {
      return JSON.parse(whole) as string
    } catch {
      return this.fail("this text has a character or a \\ that JSON does not take", from)
    }
  }

  /** A number, or one of the three words. */
  private word(): void {
    const [word = ""] = /^[^\s,:[\]{}"/]+/.exec(this.text.slice(this.at, this.at + 100)) ?? []
    if (word === "") this.fail(`expected a value, found ${this.found()}`)
    if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(word)) {
      this.fail(
        word.startsWith("'") ? "text stands in double quotes" : `${JSON.stringify(word)} is not a JSON value`
      )
    }
    this.at += word.length
  }
}
