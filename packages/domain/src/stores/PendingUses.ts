/** Writes the last uses of keys and tokens in the background, so that no request waits for the write. [AUTH-8, OPER-11] */
import { Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"
import type { Instant } from "../model/Instant.ts"

/** A credential's id and the minute of a use of it. */
export type LastUse = readonly [id: string, minute: Instant]

/**
 * The last uses of a store's keys or tokens that it has not written yet, at most one per credential. A use that can't be written is tried
 * again together with the next one.
 */
export class PendingUses {
  private readonly pending = new Map<string, Instant>()
  private readonly write: (uses: ReadonlyArray<LastUse>) => Effect.Effect<unknown, StoreUnavailable>
  private isWriting = false

  /** `write` stores uses, each unless the credential has a later one; it is given none of the same credential twice. */
  constructor(write: (uses: ReadonlyArray<LastUse>) => Effect.Effect<unknown, StoreUnavailable>) {
    this.write = write
  }

  /** Notes a use, and writes it in the background. It does nothing where the same use or a later one is noted and not written yet. */
  note(id: string, minute: Instant): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.pending.get(id)
      // A use that could not be written is tried again with the next use in a later minute or of another credential.
      if (before !== undefined && before >= minute) return Effect.void
      this.pending.set(id, minute)
      return this.writeBehind
    })
  }

  /**
   * Reads credentials, with their uses that are not written yet. It copies these before it reads: a use that is written after the rows were read is in
   * neither the rows nor, any more, among the unwritten uses. [AUTH-8, OPER-11]
   */
  withUses<A extends { readonly id: string; readonly lastUsedAt: Instant | null }, E>(
    read: Effect.Effect<ReadonlyArray<A>, E>
  ): Effect.Effect<ReadonlyArray<A>, E> {
    return Effect.suspend(() => {
      const unwritten = new Map(this.pending)
      return Effect.map(read, (credentials) =>
        credentials.map((credential) => {
          const use = unwritten.get(credential.id)
          return use === undefined
            ? credential
            : { ...credential, lastUsedAt: Math.max(credential.lastUsedAt ?? use, use) }
        })
      )
    })
  }

  /** Writes until no noted use is left, and fails with the first write that fails. A store runs it once more when it closes. */
  readonly writeAll: Effect.Effect<void, StoreUnavailable> = Effect.suspend(() => {
    const uses = [...this.pending]
    return uses.length === 0
      ? Effect.void
      : Effect.flatMap(this.write(uses), () => {
          for (const [id, minute] of uses) if (this.pending.get(id) === minute) this.pending.delete(id)
          return this.writeAll
        })
  })

  private readonly writeBehind: Effect.Effect<void> = Effect.suspend(() => {
    if (this.isWriting) return Effect.void
    this.isWriting = true
    const end = Effect.sync(() => {
      this.isWriting = false
    })
    return Effect.asVoid(Effect.forkDaemon(Effect.ensuring(Effect.ignore(this.writeAll), end)))
  })
}
