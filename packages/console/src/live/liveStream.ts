/** Reads the brand's events as they are committed, and connects again whenever the connection ends. */
import { pause } from "../api/pause.ts"
import { api, CallFailed, type Schemas } from "../api/client.ts"
import { endSession } from "../api/queryClient.ts"

/** An event of the stream with its id. */
export type LiveEvent = Schemas["LiveEvent"] & {
  /** The place in the stream, as the server names it. */
  readonly id: string
}

/** `waiting`: the connection is lost, and the next attempt is due; the server's reason, if it gave one. */
export type LiveState =
  | { readonly at: "connecting" | "connected" }
  | { readonly at: "waiting"; readonly reason: string | null }

interface Listener {
  readonly onEvent: (event: LiveEvent) => void
  /** Events may be missing here. */
  readonly onGap: () => void
  readonly onState: (state: LiveState) => void
}

/** Milliseconds until the next attempt, at least and at most. */
const retryMillis = [1000, 15_000] as const

/** A connection on which nothing comes for so long, heartbeats included, is dead. */
const silenceMillis = 40_000

const fieldOf = (block: string, name: string): string | null =>
  block
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2) ?? null

/** Hands on what the blocks say; answers the id of the last one. */
const take = (blocks: ReadonlyArray<string>, { onEvent, onGap }: Listener): string | null => {
  let last: string | null = null
  for (const block of blocks) {
    const id = fieldOf(block, "id")
    last = id ?? last
    const data = fieldOf(block, "data")
    if (data === null) continue
    if (fieldOf(block, "event") === "gap") onGap()
    else onEvent({ ...(JSON.parse(data) as Schemas["LiveEvent"]), id: id ?? "" })
  }
  return last
}

/** Reads until the signal ends it. */
export const readLiveEvents = async (
  brandId: string,
  listener: Listener,
  signal: AbortSignal
): Promise<void> => {
  let lastId: string | null = null
  let wait: number = retryMillis[0]

  const readOnce = async (): Promise<void> => {
    const connection = new AbortController()
    const end = () => connection.abort()
    signal.addEventListener("abort", end)
    let silence = setTimeout(end, silenceMillis)
    try {
      const { data, error, response } = await api.GET("/operator/brands/{brandId}/events", {
        params: { path: { brandId } },
        headers: lastId === null ? {} : { "last-event-id": lastId },
        parseAs: "stream",
        signal: connection.signal
      })
      if (!response.ok || data == null) throw CallFailed.of(error, response)
      listener.onState({ at: "connected" })
      wait = retryMillis[0]
      const reader = (data as ReadableStream<Uint8Array<ArrayBuffer>>)
        .pipeThrough(new TextDecoderStream())
        .getReader()
      let text = ""
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        clearTimeout(silence)
        silence = setTimeout(end, silenceMillis)
        const blocks = (text + value).split("\n\n")
        text = blocks.pop()!
        lastId = take(blocks, listener) ?? lastId
      }
    } finally {
      clearTimeout(silence)
      signal.removeEventListener("abort", end)
    }
  }

  while (!signal.aborted) {
    listener.onState({ at: "connecting" })
    const failure: unknown = await readOnce().then(
      () => null,
      (error: unknown) => error
    )
    if (signal.aborted) return
    if (failure instanceof CallFailed && failure.status === 401) return endSession()
    listener.onState({ at: "waiting", reason: failure instanceof CallFailed ? failure.message : null })
    await pause(wait, signal)
    wait = Math.min(2 * wait, retryMillis[1])
  }
}
