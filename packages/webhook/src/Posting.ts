/**
 * One post with undici, over the handler that its own conveniences are made of: an answer of which no more than a kibibyte is
 * read needs no stream, and an attempt that is seldom broken off no signal. For Node alone.
 */
import { type AttemptError, Retries } from "@lead-signals/domain"
import { Effect } from "effect"
import type { Dispatcher } from "undici"
import { greatestExcerptBytes, type PostAnswer, type PostRequest, SendFailed } from "./Sender.ts"

const errorOfCode: ReadonlyArray<readonly [RegExp, AttemptError]> = [
  [/^TARGET_REFUSED$/, "target_refused"],
  [/^(ENOTFOUND|EAI_AGAIN|ENODATA)$/, "unresolvable"],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, "timeout"],
  [/^(HTTPParserError|HPE_|UND_ERR_(HEADERS_OVERFLOW|RESPONSE|RES_|INVALID))/, "protocol"],
  [/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/, "tls"]
]

const codeOf = (cause: unknown): string => {
  const { code, errors, name } = cause as { code?: unknown; name?: string; errors?: ReadonlyArray<unknown> }
  if (typeof code === "string") return code
  return errors?.[0] === undefined ? (name ?? "") : codeOf(errors[0])
}

const errorOf = (cause: unknown): AttemptError =>
  errorOfCode.find(([pattern]) => pattern.test(codeOf(cause)))?.[1] ?? "connection"

/** How long the body is waited for when the status is there: the status says what the receiver made of the post. */
const excerptMillis = 2000

/** A body is given up so long before the attempt's time is over: what has its status is no timeout. */
const spareMillis = 250

type Outcome = Effect.Effect<PostAnswer, SendFailed>

/** Why we end it: nobody is told. */
class GivenUp extends Error {}

/** Reads as much as is kept, and gives the rest up with its connection; a body that breaks off is what came of it. */
class AnswerReader implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null
  private head: Pick<PostAnswer, "status" | "retryAfter"> | null = null
  private readonly chunks: Array<Uint8Array> = []
  private size = 0
  private timer: NodeJS.Timeout | undefined
  private isOver = false
  private readonly startedAt = performance.now()

  constructor(private readonly tell: (outcome: Outcome) => void) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // Given up before there was a connection for it.
    if (this.isOver) controller.abort(new GivenUp())
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  ): void {
    // An announcement is not the answer.
    if (status < 200 || this.isOver) return
    const retryAfter = headers["retry-after"]
    this.head = { status, retryAfter: (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null }
    const left = Retries.attemptTimeoutMillis - spareMillis - (performance.now() - this.startedAt)
    this.timer = setTimeout(() => this.breakOff(), Math.max(0, Math.min(excerptMillis, left)))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.isOver) return
    this.chunks.push(chunk)
    this.size += chunk.length
    if (this.size > greatestExcerptBytes) this.breakOff()
  }

  onResponseEnd(): void {
    this.end(false)
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.head !== null) this.end(true)
    else if (!this.isOver) {
      this.isOver = true
      this.tell(Effect.fail(new SendFailed({ error: errorOf(cause) })))
    }
  }

  giveUp(): void {
    clearTimeout(this.timer)
    this.isOver = true
    this.controller?.abort(new GivenUp())
  }

  private breakOff(): void {
    this.end(true)
    this.controller?.abort(new GivenUp())
  }

  private end(truncated: boolean): void {
    clearTimeout(this.timer)
    if (this.isOver || this.head === null) return
    this.isOver = true
    const excerpt = Buffer.concat(this.chunks).subarray(0, greatestExcerptBytes)
    this.tell(Effect.succeed({ ...this.head, excerpt, truncated }))
  }
}

/** Gives the connection up when it is interrupted. */
export const post = (dispatcher: Dispatcher, { body, headers, url }: PostRequest): Outcome =>
  Effect.async((resume) => {
    const { origin, pathname, search } = new URL(url)
    const reader = new AnswerReader(resume)
    dispatcher.dispatch(
      { origin, path: `${pathname}${search}`, method: "POST", headers: { ...headers }, body },
      reader
    )
    return Effect.sync(() => reader.giveUp())
  })
