/**
 * The service without the simulator: the requests that it handled in a run, replayed at their times through the same HTTP
 * without sockets. There are no rules, faults, history or kills, and receivers answer each post at once, as they did in the run. No change of the
 * simulator can make a run cheaper than this.
 */
import { isolated, Kernel, Picker, Prng } from "@lead-signals/simulation-kernel"
import { Effect, Exit } from "effect"
import type { Sender } from "@lead-signals/webhook"
import { diskOf, type RunInput, type RunReport, runOver, type StoreKind } from "./Run.ts"
import { type Host, type Running, serve, service } from "./world/Host.ts"
import { settingsOf } from "./world/ProcessSettings.ts"
import type { SimulatedRequest } from "./world/SimulatedHttp.ts"

/** A request that the service began with, and the text of its answer. */
interface Handled {
  /** In milliseconds since 1970. */
  readonly at: number
  readonly request: SimulatedRequest
  /** Empty where the service was killed before it answered. */
  text: string
}

/** How a post ended; null where the service was killed before. */
interface Posted {
  exit: Exit.Exit<Sender.PostResponse, Sender.SendFailed> | null
}

/** The requests of a run, in order, and how the posts to each URL ended, in order. */
export interface Recording {
  readonly input: RunInput
  readonly store: StoreKind
  readonly handled: ReadonlyArray<Handled>
  readonly posted: ReadonlyMap<string, ReadonlyArray<Posted>>
}

/** What a replay did. */
export interface Replayed {
  readonly answers: number
  readonly posts: number
}

/** How long a replay goes on after the last request, so that what waits for a retry is sent. */
const restMillis = 3 * 86_400_000

const startMillis = 1000

const accepted: Sender.PostResponse = {
  status: 200,
  retryAfter: null,
  excerpt: new Uint8Array(),
  truncated: false
}

/** Ids of deliveries and API keys are drawn, in another order than in the run. */
const drawn = /wh_[0-9a-f]{32}|lsk_[0-9A-Za-z]{38}/g

const recording = (host: Host, handled: Array<Handled>, posted: Map<string, Array<Posted>>): Host => ({
  ...host,
  start: (surroundings) => {
    const post: typeof surroundings.post = (request) =>
      Effect.suspend(() => {
        const each: Posted = { exit: null }
        const known = posted.get(request.url)
        if (known === undefined) posted.set(request.url, [each])
        else known.push(each)
        return Effect.onExit(surroundings.post(request), (exit) => Effect.sync(() => (each.exit = exit)))
      })
    return Effect.map(host.start({ ...surroundings, post }), (running) => ({
      handle: (request) => {
        const each: Handled = { at: surroundings.machine.kernel.now, request, text: "" }
        handled.push(each)
        const { context, work } = running.handle(request)
        return {
          context,
          work: Effect.tap(work, ({ text }) => {
            each.text = text
          })
        }
      }
    }))
  }
})

/** Runs the input, and records the requests that reached the service and what its posts met. */
export const record = (
  input: RunInput,
  store: StoreKind
): { readonly recording: Recording; readonly report: RunReport } => {
  const handled: Array<Handled> = []
  const posted = new Map<string, Array<Posted>>()
  const report = runOver(input, () =>
    recording(service(diskOf(store, input.plan), input.seed), handled, posted)
  )
  return { recording: { input, store, handled, posted }, report }
}

/** Replays the requests to one process of the service over a new store. */
export const replay = ({ handled, input, posted, store }: Recording): Replayed => {
  const first = handled[0]?.at ?? 0
  const kernel = new Kernel({
    seed: input.seed,
    startsAt: first - startMillis,
    picker: Picker.fifo,
    maxStepsAtInstant: Number.POSITIVE_INFINITY
  })
  const machine = kernel.machine("service")
  /** What this service drew, by what the recorded one drew. */
  const ids = new Map<string, string>()
  const translated = (request: SimulatedRequest): SimulatedRequest =>
    ids.size === 0
      ? request
      : {
          ...request,
          url: request.url.replace(drawn, (id) => ids.get(id) ?? id),
          token: ids.get(request.token) ?? request.token
        }
  let [answers, posts] = [0, 0]
  const exits = new Map(
    Array.from(posted, ([url, each]) => [url, each.flatMap(({ exit }) => exit ?? [])[Symbol.iterator]()])
  )
  /** As the next post to the URL ended in the run: one that was interrupted got no answer. */
  const answerOf = (url: string): Effect.Effect<Sender.PostResponse, Sender.SendFailed> => {
    const exit = exits.get(url)?.next().value
    if (exit === undefined) return Effect.succeed(accepted)
    return Exit.isInterrupted(exit) ? Effect.never : exit
  }
  const send = ({ handle }: Running, { request, text }: Handled): void => {
    const { context, work } = handle(translated(request))
    machine.fork(
      Effect.map(work, (response) => {
        answers++
        if (response.text === text) return
        const [then, now] = [text.match(drawn) ?? [], response.text.match(drawn) ?? []]
        if (then.length === now.length) for (const [i, id] of then.entries()) ids.set(id, now[i]!)
      }),
      { context }
    )
  }
  return isolated(
    Prng.of(input.seed, "sealed"),
    () => kernel.now,
    () => {
      const disk = diskOf(store, input.plan)
      const stores = disk.open(0)
      machine.fork(
        Effect.gen(function* () {
          const running = yield* serve(stores, {
            auditsKeyReads: false,
            entropy: Prng.of(input.seed, "entropy"),
            settings: settingsOf({ isOlder: false }, 1),
            post: ({ url }) =>
              Effect.suspend(() => {
                posts++
                return answerOf(url)
              })
          })
          for (const each of handled) {
            kernel.after(each.at - kernel.now, machine, () => send(running, each))
          }
          return yield* Effect.never
        }).pipe(Effect.scoped)
      )
      try {
        kernel.run({ until: (handled.at(-1)?.at ?? 0) + restMillis })
      } finally {
        disk.discard()
      }
      return { answers, posts }
    }
  )
}
