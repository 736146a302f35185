/**
 * Posts with undici's dispatch handler instead of its `request`: an excerpt of 1 KiB needs no stream, and an
 * attempt that is seldom interrupted no abort signal. Runs on Node only.
 */
import { type AttemptError, Retries } from "@lead-signals/domain"
import { Effect, Exit, FiberId } from "effect"
import type { Dispatcher } from "undici"
import { maxExcerptBytes, type PostResponse, SendFailed, type StartPost } from "./Sender.ts"

const errorPatterns: ReadonlyArray<readonly [RegExp, AttemptError]> = [
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
  errorPatterns.find(([pattern]) => pattern.test(codeOf(cause)))?.[1] ?? "connection"

/** Milliseconds that the body may take after the status, which already decides the result. */
const excerptTimeoutMillis = 2000

/**
 * Milliseconds before the attempt's timeout at which reading ends: an attempt that has its status must not
 * become a timeout.
 */
const excerptReserveMillis = 250

/** The first value of a header; null without one. */
const firstOf = (values: string | ReadonlyArray<string> | undefined): string | null =>
  (typeof values === "string" ? values : values?.[0]) ?? null

/** The reason of an abort by this module. */
class PostAborted extends Error {}

/**
 * Reads the excerpt and closes the connection on longer bodies. A body that breaks off gives the excerpt so
 * far.
 */
class ResponseReader implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null
  private head: Pick<PostResponse, "status" | "retryAfter" | "contentType"> | null = null
  private readonly chunks: Array<Uint8Array> = []
  private size = 0
  private timer: NodeJS.Timeout | undefined
  private isSettled = false
  private readonly startedAt = performance.now()

  constructor(private readonly onEnd: Parameters<StartPost>[1]) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // The post was interrupted before undici had a connection.
    if (this.isSettled) controller.abort(new PostAborted())
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  ): void {
    // Skips informational responses (1xx).
    if (status < 200 || this.isSettled) return
    this.head = {
      status,
      retryAfter: firstOf(headers["retry-after"]),
      contentType: firstOf(headers["content-type"])
    }
    // The end follows at once: a timer would take as long as reading this response.
    if (status === 204 || headers["content-length"] === "0") return
    const left = Retries.attemptTimeoutMillis - excerptReserveMillis - (performance.now() - this.startedAt)
    this.timer = setTimeout(() => this.truncate(), Math.max(0, Math.min(excerptTimeoutMillis, left)))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.isSettled) return
    this.chunks.push(chunk)
    this.size += chunk.length
    if (this.size > maxExcerptBytes) this.truncate()
  }

  onResponseEnd(): void {
    this.succeed(false)
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.head !== null) this.succeed(true)
    else if (!this.isSettled) {
      this.isSettled = true
      this.onEnd(Exit.fail(new SendFailed({ error: errorOf(cause) })))
    }
  }

  interrupt(): void {
    if (this.isSettled) return
    clearTimeout(this.timer)
    this.isSettled = true
    this.controller?.abort(new PostAborted())
    this.onEnd(Exit.interrupt(FiberId.none))
  }

  /** Ends with what the dispatcher has thrown. */
  die(defect: unknown): void {
    if (this.isSettled) return
    this.isSettled = true
    this.onEnd(Exit.die(defect))
  }

  private truncate(): void {
    this.succeed(true)
    this.controller?.abort(new PostAborted())
  }

  private succeed(truncated: boolean): void {
    clearTimeout(this.timer)
    if (this.isSettled || this.head === null) return
    this.isSettled = true
    const excerpt = Buffer.concat(this.chunks).subarray(0, maxExcerptBytes)
    this.onEnd(Exit.succeed({ ...this.head, excerpt, truncated }))
  }
}

/** Targets whose URL is parsed once: the oldest goes first. */
const maxTargets = 1000

interface Target {
  readonly origin: string
  readonly path: string
}

const targets = new Map<string, Target>()

const targetOf = (url: string): Target => {
  const known = targets.get(url)
  if (known !== undefined) return known
  const { origin, pathname, search } = new URL(url)
  const target = { origin, path: `${pathname}${search}` }
  if (targets.size >= maxTargets) targets.delete(targets.keys().next().value!)
  targets.set(url, target)
  return target
}

/** Starts posts by a dispatcher. */
export const startWith =
  (dispatcher: Dispatcher): StartPost =>
  ({ body, headers, url }, onEnd) => {
    const { origin, path } = targetOf(url)
    const reader = new ResponseReader(onEnd)
    try {
      dispatcher.dispatch({ origin, path, method: "POST", headers: { ...headers }, body }, reader)
    } catch (defect) {
      reader.die(defect)
    }
    return Effect.sync(() => reader.interrupt())
  }
