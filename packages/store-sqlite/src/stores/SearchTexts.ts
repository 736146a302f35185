/**
 * Which brands' texts a thread keeps in memory, so that a search that was never asked before need not read the file. A brand comes into
 * memory when a list of it takes long. The thread follows the feed of changes, by whatever process they are: before each search, after
 * some number of changes of this process, and at once after an erasure. Where it is not up to date the search index of the file answers.
 */
import { countLeads } from "../query/FilterCounts.ts"
import type { LeadFilter, LeadId, LeadListQuery, StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import type { LeadChanges } from "../cache/LeadChanges.ts"
import type { Database } from "../database/Database.ts"
import { idOf } from "@lead-signals/sql-rows"
import type { PartSizes } from "../search/PostingParts.ts"
import { isAnswerable } from "../search/SlotFilter.ts"
import type { Jobs } from "../worker/Jobs.ts"
import type { PieceRead } from "../worker/TextMemory.ts"

/** When texts are kept in memory. */
export interface SearchTextsOptions {
  /** Brands of fewer leads are searched in the file. */
  readonly minLeads: number
  /** Bytes that the texts of all brands may take; 0 keeps none in memory. */
  readonly maxBytes: number
  /** Milliseconds from one reading of a brand to the next, which takes some seconds of a thread a million leads. */
  readonly pauseMillis: number
  /** Leads that one job reads: other brands' searches wait for it. */
  readonly pieceLeads: number
  /** Sizes of the parts in which texts are indexed; for tests with few leads. */
  readonly parts?: PartSizes
}

/** What a server has unless it is set otherwise. */
export const defaults: SearchTextsOptions = {
  minLeads: 50_000,
  maxBytes: 768 * 1024 * 1024,
  pauseMillis: 60_000,
  pieceLeads: 5000
}

/** Bytes of a lead of short texts. A brand that took more when it was read is expected to take as many again. */
const leadBytes = 300

/** A brand that no list has asked for so long makes room for another. */
const idleMillis = 600_000

/** The thread follows after so many changed leads, where no search does so before. */
const maxUnfollowed = 1000

/** Times are those of `elapsedMillis`. */
interface Known {
  state: "reading" | "ready" | "lost"
  readonly readAt: number
  /** Bytes in memory; while it is read, those that it is expected to take. */
  bytes: number
  requestedAt: number
}

type SearchKind = "searchLeads" | "searchRenderedLeads"

/** Which brands the thread has, and what it answers. */
export class SearchTexts {
  private readonly worker
  private readonly read
  private readonly options: SearchTextsOptions
  private readonly elapsedMillis: () => number
  private readonly brands = new Map<string, Known>()
  /** Bytes of a lead, where a brand took more than `leadBytes`. */
  private readonly leadBytes = new Map<string, number>()
  private unfollowed = 0
  private following: "none" | "running" | "again" = "none"

  /** `elapsedMillis` reads a monotonic clock, in milliseconds: only differences of its values have a meaning. */
  constructor(
    database: Pick<typeof Database.Service, "read" | "searchingWorker">,
    changes: LeadChanges,
    options: SearchTextsOptions,
    elapsedMillis: () => number
  ) {
    this.worker = database.searchingWorker
    this.read = database.read
    this.options = options
    this.elapsedMillis = elapsedMillis
    changes.follower = {
      changed: (leads) => {
        this.unfollowed += leads
        if (this.unfollowed >= maxUnfollowed) this.follow()
      },
      // The texts of an erased person leave memory. [PII-3]
      changedUnrecorded: () => this.follow()
    }
  }

  /** Whether the thread may answer the list. */
  has(brandId: string, filter: LeadFilter): boolean {
    return this.brands.get(brandId)?.state === "ready" && isAnswerable(filter)
  }

  /** Null where the file must answer. */
  search<K extends SearchKind>(
    kind: K,
    brandId: string,
    query: LeadListQuery
  ): Effect.Effect<Jobs[K]["output"]["page"]> {
    const known = this.brands.get(brandId)
    if (known !== undefined) known.requestedAt = this.elapsedMillis()
    const job = this.worker!.read(brandId, kind, () => ({ brandId, query }))
    const answered = Effect.map(job, ({ isLost, page }: Jobs[SearchKind]["output"]) => {
      if (isLost) this.loseReady([brandId])
      else if (page === null) this.follow()
      return page as Jobs[K]["output"]["page"]
    })
    // The file answers, or says what is wrong.
    return Effect.catchAll(answered, () => Effect.sync(() => (this.forget([brandId]), null)))
  }

  /** Begins to read a brand of which a list takes long, where that is worth it. */
  want(brandId: string, filter: LeadFilter): void {
    const known = this.brands.get(brandId)
    const now = this.elapsedMillis()
    if (this.worker === null || this.options.maxBytes === 0 || !isAnswerable(filter)) return
    if (known !== undefined && (known.state !== "lost" || now - known.readAt < this.options.pauseMillis))
      return
    Effect.runFork(
      Effect.catchAll(this.remember(brandId, now), () => Effect.sync(() => this.forget([brandId])))
    )
  }

  /**
   * Reads a brand's texts into the thread's memory piece by piece, unless too few leads make it worthwhile or the memory has no room after
   * idle brands are dropped. Writes go on meanwhile, so it follows the feed of changes afterwards.
   */
  private remember(brandId: string, now: number): Effect.Effect<void, StoreUnavailable> {
    return Effect.gen(this, function* () {
      const { maxBytes, minLeads } = this.options
      const leads = yield* this.read((sql) => countLeads(sql, idOf(brandId)))
      if (leads < minLeads) return
      const bytes = leads * (this.leadBytes.get(brandId) ?? leadBytes)
      const idle = this.held().filter(
        ([other, each]) => other !== brandId && now - each.requestedAt >= idleMillis
      )
      const idleBytes = idle.reduce((sum, [, each]) => sum + each.bytes, 0)
      if (bytes + this.heldBytes() - idleBytes > maxBytes) return
      this.forget(idle.map(([other]) => other))
      // A search may have begun it meanwhile.
      if (this.brands.get(brandId)?.state === "reading") return
      const known: Known = { state: "reading", bytes, readAt: now, requestedAt: now }
      this.brands.set(brandId, known)
      let after: LeadId | null = null
      do {
        const piece: PieceRead = yield* this.readPiece(brandId, after)
        // The thread may have begun the piece after it forgot the brand: nobody would follow what it holds of it. [PII-3]
        if (this.isLost(known)) {
          if (this.brands.get(brandId) === known) this.forgetInThread([brandId])
          return
        }
        after = piece.last
        known.bytes = after === null ? piece.bytes : Math.max(bytes, piece.bytes)
        if (piece.leads > 0) this.leadBytes.set(brandId, Math.max(leadBytes, piece.bytes / piece.leads))
        if (this.heldBytes() > maxBytes) return this.forget([brandId])
      } while (after !== null)
      known.state = "ready"
      // Somebody may have been erased since the pieces were read. [PII-3]
      this.follow()
    })
  }

  private readPiece(brandId: string, after: LeadId | null): Effect.Effect<PieceRead, StoreUnavailable> {
    const { parts, pieceLeads } = this.options
    return this.worker!.read(brandId, "rememberLeads", () => ({ brandId, after, length: pieceLeads, parts }))
  }

  /** A method, since the state changes between two looks at it. */
  private isLost({ state }: Known): boolean {
    return state === "lost"
  }

  private held(): ReadonlyArray<readonly [string, Known]> {
    return [...this.brands].filter(([, { state }]) => state !== "lost")
  }

  private heldBytes(): number {
    return this.held().reduce((sum, [, { bytes }]) => sum + bytes, 0)
  }

  /** Has the thread follow the changes of all brands, until it is not behind any more. */
  private follow(): void {
    this.unfollowed = 0
    if (this.held().length === 0) return
    if (this.following !== "none") {
      this.following = "again"
      return
    }
    this.following = "running"
    const job = Effect.map(
      this.worker!.read("", "followLeads", () => {
        this.following = "running"
        return null
      }),
      ({ bytes, isBehind, lost }) => {
        this.loseReady(lost)
        for (const [brandId, size] of bytes) {
          const known = this.brands.get(brandId)
          if (known?.state === "ready") known.bytes = size
        }
        this.forgetBeyondBound()
        const isAgain = isBehind || this.following === "again"
        this.following = "none"
        if (isAgain) this.follow()
      }
    )
    const failed = Effect.sync(() => {
      this.following = "none"
      this.forget(this.held().map(([brandId]) => brandId))
    })
    Effect.runFork(Effect.catchAll(job, () => failed))
  }

  /** Those that no search has asked for the longest go first. */
  private forgetBeyondBound(): void {
    const byAge = this.held().toSorted(([, a], [, b]) => a.requestedAt - b.requestedAt)
    for (const [brandId] of byAge) {
      if (this.heldBytes() <= this.options.maxBytes) return
      this.forget([brandId])
    }
  }

  /** What the thread found lost: an answer may be of before the brand is read anew, and does not end that reading. */
  private loseReady(brandIds: ReadonlyArray<string>): void {
    for (const brandId of brandIds) {
      const known = this.brands.get(brandId)
      if (known?.state === "ready") known.state = "lost"
    }
  }

  private forget(brandIds: ReadonlyArray<string>): void {
    const held = this.held().filter(([brandId]) => brandIds.includes(brandId))
    if (held.length === 0) return
    for (const [, known] of held) known.state = "lost"
    this.forgetInThread(held.map(([brandId]) => brandId))
  }

  private forgetInThread(brandIds: ReadonlyArray<string>): void {
    Effect.runFork(Effect.ignore(this.worker!.read("", "forgetLeads", () => brandIds)))
  }
}
