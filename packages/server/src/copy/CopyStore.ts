/**
 * Copies the whole content of one store into a new one, in the neutral form, and compares both. A copy that was killed goes on after the
 * last rows that were written. [STORE-10]
 */
import {
  copyTables,
  type CopyProgress,
  type CopySource,
  type CopyTable,
  type CopyTarget,
  StoreUnavailable
} from "@lead-signals/domain"
import { Data, Effect } from "effect"
import { createHash } from "node:crypto"

/** The target can't take this copy; the message says why and what to do. */
export class CopyRefused extends Data.TaggedError("CopyRefused")<{ readonly message: string }> {}

/** The rows of a table, on both sides. */
export interface CopiedTable {
  readonly table: string
  readonly rows: number
  /** SHA-256 of the rows in order, in hexadecimal. */
  readonly digest: string
}

const keyOf = (table: CopyTable, row: ReadonlyArray<unknown>) =>
  table.key.map((column) => row[table.columns.indexOf(column)] as string | number)

/** Each row is a line of JSON. */
const digestOf = async (
  rows: CopySource["rows"],
  table: CopyTable,
  onRows: (n: number) => void
): Promise<CopiedTable> => {
  const hash = createHash("sha256")
  let count = 0
  for await (const part of rows(table, null)) {
    hash.update(part.map((row) => `${JSON.stringify(row)}\n`).join(""))
    count += part.length
    onRows(part.length)
  }
  return { table: table.name, rows: count, digest: hash.digest("hex") }
}

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, StoreUnavailable | CopyRefused> =>
  Effect.tryPromise({
    try: work,
    catch: (failure) =>
      failure instanceof CopyRefused || failure instanceof StoreUnavailable
        ? failure
        : new StoreUnavailable({ reason: "a row could not be read or written", cause: failure })
  })

/**
 * Copies every table, compares the rows of both sides, and finishes the target. `onProgress` gets the fraction done, from 0 to 1, and the
 * step. An interruption or a kill leaves a target that the next copy of the same source continues. Fails with `CopyRefused` when the target
 * holds another source's unfinished copy, or when the source has changed since the copy began.
 */
export const copyStore = (
  source: CopySource,
  target: CopyTarget,
  onProgress: (fraction: number, what: string) => void
): Effect.Effect<ReadonlyArray<CopiedTable>, StoreUnavailable | CopyRefused> =>
  Effect.gen(function* () {
    const brands = yield* attempt(() => digestOf(source.rows, copyTables[0]!, () => {}))
    const earlier = yield* attempt(target.progress)
    if (earlier !== null && earlier.source !== brands.digest) {
      return yield* new CopyRefused({
        message:
          "There is an unfinished copy from another store, or of other brands, in the target. --restart removes it and begins again."
      })
    }
    const counts = yield* Effect.forEach(copyTables, (table) => attempt(() => source.count(table)))
    // Rows are read once to copy them and once on each side to compare them; writing a row takes as long as comparing it some times.
    const writeWeight = 8
    const all = Math.max(1, counts.reduce((sum, n) => sum + n, 0) * (writeWeight + 2))
    let done = 0
    const advance = (n: number, what: string): void => {
      done += n
      onProgress(Math.min(done / all, 1), what)
    }

    const first = earlier === null ? 0 : copyTables.findIndex(({ name }) => name === earlier.table)
    for (const [i, table] of copyTables.entries()) {
      if (i < first) {
        advance(counts[i]! * writeWeight, `copied ${table.name} before`)
        continue
      }
      const after = i === first && earlier !== null ? earlier.after : null
      yield* Effect.gen(function* () {
        const parts = source.rows(table, after)[Symbol.asyncIterator]()
        for (;;) {
          const part = yield* attempt(() => parts.next())
          if (part.done === true) return
          const progress: CopyProgress = {
            source: brands.digest,
            table: table.name,
            after: keyOf(table, part.value.at(-1)!)
          }
          yield* attempt(() => target.write(table, part.value, progress))
          advance(part.value.length * writeWeight, `copying ${table.name}`)
        }
      })
    }

    const copied = yield* Effect.forEach(copyTables, (table) =>
      attempt(async () => {
        const onRows = (n: number): void => advance(n, `comparing ${table.name}`)
        const [here, there] = [
          await digestOf(source.rows, table, onRows),
          await digestOf(target.rows, table, onRows)
        ]
        if (here.digest !== there.digest) {
          throw new CopyRefused({
            message:
              `The copy of ${table.name} differs: ${here.rows} rows in the source, ${there.rows} in the copy. The source has been written to since ` +
              "the copy began; stop its servers, and repeat the copy with --restart."
          })
        }
        return here
      })
    )
    onProgress(1, "deriving counters and indexes")
    yield* attempt(async () => target.finish(await source.lastNumbers()))
    return copied
  })
