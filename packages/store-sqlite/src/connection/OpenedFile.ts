/**
 * Guards against writing to a file that was deleted or replaced while it was open: what is written there is lost when this
 * process ends. [STORE-6]
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import { statSync } from "node:fs"
import { unavailable } from "./BusyRetry.ts"

/** Device and inode of the file; null where there is none. */
export const identityOf = (filename: string): string | null => {
  const stats = statSync(filename, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`
}

/** The file as it was opened: says when another one lies at its path. */
export class OpenedFile {
  private readonly filename: string
  private readonly opened: string | null

  constructor(filename: string) {
    this.filename = filename
    this.opened = identityOf(filename)
  }

  check(): void {
    if (identityOf(this.filename) === this.opened) return
    throw new StoreUnavailable({
      reason: "the database file was deleted, moved or replaced while it was in use: put it back, or restart"
    })
  }

  readonly checked: Effect.Effect<void, StoreUnavailable> = Effect.try({
    try: () => this.check(),
    catch: unavailable
  })
}
