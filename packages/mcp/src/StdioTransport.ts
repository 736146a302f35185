/**
 * One message a line over standard input and output, by JSON-RPC 2.0 and the protocol's stdio binding. The package's own transport leaves lines
 * that are no message unanswered, and drops the calls under way when its input ends. [MCP-10]
 */
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  ProtocolErrorCode,
  type Transport
} from "@modelcontextprotocol/server"
import type { Readable, Writable } from "node:stream"

/** The longest line that is read, in bytes; a longer one is refused, and the next one read. */
export const maxLineBytes = 1 << 20

const newline = 0x0a

type Id = string | number | null

/** The id of what may be no request: null where it has none that an answer can repeat. */
const idOf = (message: unknown): Id => {
  const { id } = (message ?? {}) as { readonly id?: unknown }
  return typeof id === "string" || typeof id === "number" ? id : null
}

/** Whether the request gets an answer: a subscription is open until the connection ends. */
const isAnswered = (message: JSONRPCMessage): message is JSONRPCMessage & { readonly id: string | number } =>
  isJSONRPCRequest(message) && message.method !== "subscriptions/listen"

/** Whether it is meant as an answer: answering one could go on for ever. */
const isAnswer = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !("method" in value) &&
  ("result" in value || "error" in value)

/** A connection over a pair of streams. */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  /** Resolves once the input has ended and each request is answered, and at once when the output breaks or the connection is closed. */
  readonly finished: Promise<void>
  private finish: () => void = () => {}

  /** The parts of a line that has not ended, and their bytes; the parts of a line that is too long are left out. */
  private parts: Array<Buffer> = []
  private size = 0
  /** Requests without an answer, by their ids, as often as a client uses one. */
  private readonly unanswered = new Map<Id, number>()
  private writing = 0
  private hasInputEnded = false
  private isClosed = false

  constructor(
    private readonly input: Readable,
    private readonly output: Writable
  ) {
    this.finished = new Promise((resolve) => (this.finish = resolve))
  }

  start(): Promise<void> {
    this.input.on("data", this.read)
    this.input.on("error", this.report)
    for (const event of ["end", "close"]) this.input.once(event, this.endInput)
    this.output.on("error", this.breakOff)
    return Promise.resolve()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.write(message)
    } finally {
      if (!("method" in message)) this.settle(idOf(message))
    }
  }

  close(): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    this.isClosed = true
    this.input.off("data", this.read)
    this.input.pause()
    this.onclose?.()
    this.finish()
    return Promise.resolve()
  }

  private readonly read = (chunk: Buffer): void => {
    let from = 0
    for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
      this.append(chunk.subarray(from, to))
      this.endLine()
      from = to + 1
    }
    this.append(chunk.subarray(from))
  }

  private append(part: Buffer): void {
    this.size += part.length
    if (this.size <= maxLineBytes) this.parts.push(part)
    else this.parts = []
  }

  private endLine(): void {
    const { parts, size } = this
    this.parts = []
    this.size = 0
    if (size > maxLineBytes) {
      this.refuse(ProtocolErrorCode.InvalidRequest, `A message takes at most ${maxLineBytes} bytes.`, null)
      return
    }
    const line = Buffer.concat(parts).toString("utf8")
    if (line.trim() !== "") this.take(line)
  }

  private take(line: string): void {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      this.refuse(ProtocolErrorCode.ParseError, "A line takes one message as JSON.", null)
      return
    }
    let message: JSONRPCMessage
    try {
      message = parseJSONRPCMessage(value)
    } catch {
      if (isAnswer(value)) this.report(new Error("An answer is none of JSON-RPC 2.0."))
      else
        this.refuse(
          ProtocolErrorCode.InvalidRequest,
          "A line takes one message of JSON-RPC 2.0.",
          idOf(value)
        )
      return
    }
    if (isAnswered(message)) this.unanswered.set(message.id, (this.unanswered.get(message.id) ?? 0) + 1)
    this.onmessage?.(message)
    // No answer follows a request that its client gives up.
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
      this.settle((message.params?.["requestId"] ?? null) as Id)
  }

  /** Answers what is no message. */
  private refuse(code: ProtocolErrorCode, message: string, id: Id): void {
    this.write({ jsonrpc: "2.0", id, error: { code, message } }).catch(this.report)
  }

  private write(message: unknown): Promise<void> {
    if (this.isClosed) return Promise.reject(new Error("The connection is closed."))
    this.writing++
    return new Promise((resolve, reject) => {
      this.output.write(`${JSON.stringify(message)}\n`, (error) => {
        this.writing--
        if (error) reject(error)
        else resolve()
        this.finishWhenAnswered()
      })
    })
  }

  private settle(id: Id): void {
    const count = (this.unanswered.get(id) ?? 0) - 1
    if (count > 0) this.unanswered.set(id, count)
    else this.unanswered.delete(id)
    this.finishWhenAnswered()
  }

  private readonly endInput = (): void => {
    if (this.hasInputEnded) return
    this.hasInputEnded = true
    if (this.size > 0) this.endLine()
    this.finishWhenAnswered()
  }

  private finishWhenAnswered(): void {
    if (this.hasInputEnded && this.unanswered.size === 0 && this.writing === 0) this.finish()
  }

  private readonly report = (error: Error): void => this.onerror?.(error)

  private readonly breakOff = (error: Error): void => {
    if (this.isClosed) return
    this.report(error)
    this.finish()
  }
}
