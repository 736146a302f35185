/** Adds the tail to the search indexes when no lead has come for a while: searches then compare no texts by themselves. */
import { Effect, type Scope } from "effect"
import type { Database } from "../database/Database.ts"
import { hasTail, indexTail } from "../search/SearchTail.ts"

/** Milliseconds without a new lead. */
const restMillis = 1000

/** Waits for the rest from now on, and anew from each call of the function that it returns. Does nothing where no write is put off. */
export const indexTimer = ({
  putsOff,
  read,
  write
}: Pick<typeof Database.Service, "putsOff" | "read" | "write">): Effect.Effect<
  () => void,
  never,
  Scope.Scope
> => {
  if (!putsOff) return Effect.succeed(() => {})
  // When it fails, the tail waits for the next commit: searches find its leads in any case.
  const index = Effect.ignore(
    Effect.flatMap(read(hasTail), (isThere) => (isThere ? write(indexTail) : Effect.void))
  )
  const timer = Effect.sync(() => setTimeout(() => Effect.runFork(index), restMillis).unref())
  return Effect.map(
    Effect.acquireRelease(timer, (made) => Effect.sync(() => clearTimeout(made))),
    (made) => () => void made.refresh()
  )
}
