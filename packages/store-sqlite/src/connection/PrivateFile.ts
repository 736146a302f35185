/** Makes files that only their owner may use: personal data is in them. */
import { StoreUnavailable } from "@lead-signals/domain"
import { giveOwnerOf } from "@lead-signals/removal-journal"
import { Effect } from "effect"
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync
} from "node:fs"
import { dirname, resolve } from "node:path"

const makeIfMissing = (filename: string): string => {
  mkdirSync(dirname(filename), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(filename, "wx", 0o600))
    giveOwnerOf(dirname(filename), filename)
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== "EEXIST") throw failure
    if (!existsSync(filename)) {
      // The name is a link to a file that does not exist yet.
      return makeIfMissing(resolve(realpathSync(dirname(filename)), readlinkSync(filename)))
    }
    // Opening and closing the file would release the locks that this process holds on it.
    accessSync(filename, constants.R_OK | constants.W_OK)
  }
  return realpathSync(filename)
}

/**
 * Makes the file, with its folder, unless it exists. Returns its name without links, beside which SQLite keeps its log. Fails
 * with `StoreUnavailable` when the file can't be made, read or written.
 */
export const createPrivately = (filename: string): Effect.Effect<string, StoreUnavailable> =>
  Effect.try({
    try: () => makeIfMissing(filename),
    catch: (cause) =>
      new StoreUnavailable({
        reason: `${filename} can't be made or opened for writing (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`
      })
  })
