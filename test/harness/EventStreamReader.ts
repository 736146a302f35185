/** A client of server-sent events on a socket of its own, which can stop reading. */
import { get, type IncomingMessage } from "node:http"

export interface SentEvent {
  readonly id: string
  readonly event: string | null
  readonly data: any
}

const parse = (block: string): SentEvent => {
  const fieldOf = (name: string): string | null =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null
  const data = fieldOf("data")
  return { id: fieldOf("id")!, event: fieldOf("event"), data: data === null ? null : JSON.parse(data) }
}

export class EventStreamReader {
  /** Every block so far, those without an event included. */
  readonly blocks: Array<SentEvent> = []
  /** Resolves once the server has ended the stream, or its connection. */
  readonly ended: Promise<void>
  private text = ""

  private constructor(readonly response: IncomingMessage) {
    this.ended = new Promise((resolve) => response.once("close", resolve))
    response.setEncoding("utf8")
    response.on("error", () => {})
    response.on("data", (chunk: string) => {
      const blocks = (this.text + chunk).split("\n\n")
      this.text = blocks.pop()!
      this.blocks.push(...blocks.map(parse))
    })
  }

  static open(url: string, headers: Record<string, string>): Promise<EventStreamReader> {
    return new Promise((resolve, reject) => {
      get(url, { headers, agent: false }, (response) => resolve(new EventStreamReader(response))).on(
        "error",
        reject
      )
    })
  }

  get status(): number {
    return this.response.statusCode!
  }

  /** Those that a browser would dispatch. */
  get events(): ReadonlyArray<SentEvent> {
    return this.blocks.filter(({ data }) => data !== null)
  }

  /** Waits until so many blocks, or events, are there. */
  async until(isThere: (reader: this) => boolean): Promise<void> {
    while (!isThere(this)) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  close(): void {
    this.response.destroy()
  }
}
