/** `lead-signals events`: a brand's events as they are committed. */
import { CommandProcess, type Failed, leaf } from "@lead-signals/command-line"
import { Effect } from "effect"
import { eventReader, type SentEvent } from "../ServerSentEvents.ts"
import { stripControlCharacters, terminalSafeJson } from "../UntrustedText.ts"
import { exitCodes } from "./ExitCodes.ts"
import { type Json, noAnswer, type Operator, refusalOf, resolveOperator } from "./OperatorClient.ts"
import { brand, pathOf, readingOptions } from "./OperatorCommand.ts"
import { formOf, write } from "./Output.ts"

/** A server sends a block every 15 s; a stream that is silent for longer has died without a word. */
const silenceMillis = 45_000
const reconnectMillis = 1000

const engagementOf = ({ reactionType, type }: Json): string =>
  [type ?? "engaged", reactionType].filter(Boolean).join(" ")

const lineOf = (event: string, data: Json): string =>
  stripControlCharacters(
    event === "gap"
      ? `Events may be missing here: ${data.reason === "too_old" ? "too many happened meanwhile" : "the server does not know where the stream was"}.`
      : [
          String(data.occurredAt).slice(11, 19),
          event.padEnd(17),
          [data.lead.name, data.lead.headline].filter(Boolean).join(", "),
          `· ${engagementOf(data.engagement)} · ${data.signal.name}${data.isFirstActivity ? " · first activity" : ""}`
        ].join("  ")
  )

type Ended =
  | { readonly _tag: "Ended" }
  | { readonly _tag: "Silent" }
  | { readonly _tag: "Refused"; readonly failure: Failed }

/** Reads one stream to its end, and hands each block to `onEvent`. */
const readStream = (
  { token, url }: Operator,
  path: string,
  lastId: string | null,
  onEvent: (event: SentEvent) => Effect.Effect<void>
): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    const abort = new AbortController()
    yield* Effect.addFinalizer(() => Effect.sync(() => abort.abort()))
    const response = yield* Effect.tryPromise(() =>
      fetch(`${url}${path}`, {
        signal: abort.signal,
        headers: {
          authorization: `Bearer ${token}`,
          ...(lastId === null ? {} : { "last-event-id": lastId })
        }
      })
    )
    if (response.status !== 200 || response.body === null) {
      const failure = refusalOf(response.status, yield* Effect.tryPromise(() => response.text()))
      return failure === null ? { _tag: "Ended" as const } : { _tag: "Refused" as const, failure }
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    const eventsIn = eventReader()
    for (;;) {
      const { done, value } = yield* Effect.tryPromise(() => reader.read()).pipe(
        Effect.timeout(silenceMillis)
      )
      if (done) return { _tag: "Ended" as const }
      for (const event of eventsIn(value)) yield* onEvent(event)
    }
  }).pipe(
    Effect.scoped,
    Effect.catchAll(() => Effect.succeed({ _tag: "Silent" as const }))
  )

/** `lead-signals events`. Connects again after a break, at the last event that it printed, until it is stopped. */
export const eventsCommand = leaf(
  "events",
  {
    summary: "Prints the events of a brand as they are committed, until it is stopped",
    details: [
      "It connects again by itself and then goes on where it was. It is for watching: your systems should rather use webhooks, which keep an",
      "event until it is delivered."
    ],
    examples: [
      ["lead-signals events --brand 2 | jq .data.lead.name", "off a terminal one JSON object a line"]
    ],
    interrupted: exitCodes.done
  },
  { brand, ...readingOptions },
  (given) =>
    Effect.gen(function* () {
      const operator = yield* resolveOperator(given)
      const form = yield* formOf(given)
      const { stderr } = yield* CommandProcess
      const path = pathOf(given.brand, "events")
      let lastId: string | null = null
      let isConnected = false
      const onEvent = ({ data, event, id }: SentEvent): Effect.Effect<void> => {
        if (!isConnected) {
          isConnected = true
          stderr.write(`Connected to ${operator.url} for brand ${given.brand}\n`)
        }
        lastId = id
        if (data === null) return Effect.void
        const parsed = JSON.parse(data) as Json
        return write(
          `${form === "json" ? terminalSafeJson({ id, event, data: parsed }) : lineOf(event, parsed)}\n`
        )
      }
      for (;;) {
        const ended: Ended = yield* readStream(operator, path, lastId, onEvent)
        const failure: Failed = ended._tag === "Refused" ? ended.failure : noAnswer(operator.url)
        const isFinal = ended._tag === "Refused" && failure.code !== exitCodes.unreachable
        if (isFinal || (lastId === null && ended._tag !== "Ended")) return yield* failure
        if (isConnected) stderr.write("The stream has ended; connecting again.\n")
        isConnected = false
        yield* Effect.sleep(reconnectMillis)
      }
    })
)
