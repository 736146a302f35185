/** Whether the file can be written, by the outcomes of the last writes. [HEALTH-3] */
import type { StoreStatus, StoreUnavailable } from "@lead-signals/domain"
import { Cause, Effect, Fiber, Option } from "effect"
import { statfsSync } from "node:fs"
import type { Connection } from "./Connection.ts"
import type { OpenedFile } from "./OpenedFile.ts"
import { diskIsFull, preventsWriting } from "./BusyRetry.ts"

/** A disk with less room counts as full, although a small write may still fit into the log. */
const minFreeBytes = 1 << 20

const isFull = (folder: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < minFreeBytes
  } catch {
    return false
  }
}

/** Remembers why a write failed, if the file or its disk was the reason, until a write succeeds again. */
export class Writability {
  private readonly folder: string
  private failure: StoreUnavailable | null = null

  constructor(folder: string) {
    this.folder = folder
  }

  failed(cause: Cause.Cause<StoreUnavailable>): void {
    const failure = Option.getOrNull(Cause.failureOption(cause))
    if (failure !== null && preventsWriting(failure)) this.failure = failure
  }

  succeeded(): void {
    if (this.failure?.publicReason === diskIsFull && isFull(this.folder)) return
    this.failure = null
  }

  /** A reason that any client may read; null while writes succeed. */
  get problem(): string | null {
    return this.failure === null ? null : (this.failure.publicReason ?? "the store can't be written")
  }
}

type Transaction = <A>(work: (sql: Connection) => A) => Effect.Effect<A, StoreUnavailable>

/** Milliseconds that the status waits for a trial write; one on a file that another process locks takes longer. */
const trialMillis = 500

/** Tries a write only after one has failed, and one at a time. */
export const statusOf = (
  read: Transaction,
  write: Transaction,
  opened: OpenedFile,
  writability: Writability
): Effect.Effect<StoreStatus, StoreUnavailable> => {
  let trial: Fiber.Fiber<void> | null = null
  const tryWriting = Effect.gen(function* () {
    trial ??= yield* Effect.forkDaemon(
      Effect.ignore(write((sql) => sql.run("UPDATE commits SET n = n + 1"))).pipe(
        Effect.ensuring(Effect.sync(() => (trial = null)))
      )
    )
    yield* Effect.timeoutOption(Fiber.join(trial), trialMillis)
  })
  return Effect.gen(function* () {
    yield* opened.checked
    yield* read((sql) => void sql.get("SELECT n FROM commits"))
    if (writability.problem !== null) yield* tryWriting
    return { writeProblem: writability.problem }
  })
}
