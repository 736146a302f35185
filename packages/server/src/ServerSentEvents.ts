/** Blocks of server-sent events, as the HTML standard says how to read them, as far as this service sends them. */

/** A block. A comment, which only shows that the connection stands, is a block without data. */
export interface SentEvent {
  /** The last id that the stream has named up to here; null before the first. */
  readonly id: string | null
  /** `message` where the block names none. */
  readonly event: string
  /** Null: the block has none. */
  readonly data: string | null
}

/** Reads blocks from parts of a stream, which can end anywhere. Answers the blocks that each part completes. */
export const eventReader = (): ((part: string) => ReadonlyArray<SentEvent>) => {
  let rest = ""
  let id: string | null = null
  return (part) => {
    rest += part
    const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/)
    rest = blocks.pop()!
    return blocks.map((block) => {
      let event = "message"
      const data: Array<string> = []
      for (const line of block.split(/\r\n|\n|\r/)) {
        // U+2028 ends no line here, but a dot would not match it.
        const [, name, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
        if (name === "id") id = value ?? ""
        if (name === "event") event = value ?? ""
        if (name === "data") data.push(value ?? "")
      }
      return { id, event, data: data.length === 0 ? null : data.join("\n") }
    })
  }
}
