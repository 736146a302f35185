/**
 * Which brands' texts a thread keeps in memory, so that a search that was never asked before need not read the file. A brand comes into
 * memory when a search of it takes long, and stays until nobody knows what has changed of it: after an erasure, a deletion, a
 * pruning, or a write of another process. Until it is there again the search index of the file answers.
 */
import type { LeadFilter, LeadId, StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import type { LeadChanges, Step } from "../cache/LeadChanges.ts"
import type { Database } from "../database/Database.ts"
import type { Query } from "../query/LeadPages.ts"
import { flagsOf, idOf } from "@lead-signals/sql-rows"
import { isAnswerable } from "../search/SearchMemory.ts"
import type { Jobs } from "../worker/Jobs.ts"
import type { PieceRead, TextStep } from "../worker/RememberedTexts.ts"

/** When texts are kept in memory. */
export interface SearchTextsOptions {
  /** Brands of fewer leads are searched in the file. */
  readonly minLeads: number
  /** Leads of all brands in memory, each of some 300 bytes where texts are short; 0 keeps none there. */
  readonly maxLeads: number
  /** Milliseconds from one reading of a brand to the next, which takes some seconds of a thread a million leads. */
  readonly pauseMillis: number
  /** Leads that one job reads: other brands' searches wait for it. */
  readonly pieceLeads: number
}

export const defaults: SearchTextsOptions = {
  minLeads: 50_000,
  maxLeads: 2_000_000,
  pauseMillis: 60_000,
  pieceLeads: 5000
}

/** A brand that no search has asked for so long makes room for another. */
const idleMillis = 600_000

/** The thread is told of so many changed leads at once, where no search does so before. */
const maxUntold = 1000

interface Known {
  state: "reading" | "ready" | "lost"
  readonly leads: number
  readonly readAt: number
  askedAt: number
}

type SearchKind = "searchLeads" | "searchRenderedLeads"

/** The lead of each change as the step leaves it; a step with a removal is none: removals are unrecorded. */
const textStepOf = ({ changes, from, to }: Step): TextStep => ({
  from,
  to,
  changed: changes.flatMap(({ after }) =>
    after === null
      ? []
      : [
          {
            id: after.id,
            brandId: after.brandId,
            name: after.name,
            headline: after.headline,
            flags: flagsOf(after),
            score1: after.score1,
            createdAt: after.createdAt,
            updatedAt: after.updatedAt
          }
        ]
  )
})

export class SearchTexts {
  private readonly worker
  private readonly read
  private readonly options: SearchTextsOptions
  private readonly brands = new Map<string, Known>()
  private untold: Array<TextStep> = []
  private untoldLeads = 0
  /** The number of this process's newest change. */
  private newest = -1

  constructor(
    database: Pick<typeof Database.Service, "read" | "searchingWorker">,
    changes: LeadChanges,
    options: SearchTextsOptions
  ) {
    this.worker = database.searchingWorker
    this.read = database.read
    this.options = options
    changes.follower = {
      follow: (step) => this.follow(step),
      forget: () => {
        // What the thread was not told yet can name the person, too.
        this.takeUntold()
        this.forget([...this.brands.keys()])
      }
    }
  }

  /** Whether the thread may answer the search. */
  has(brandId: string, filter: LeadFilter): boolean {
    return this.brands.get(brandId)?.state === "ready" && isAnswerable(filter)
  }

  /** Null where the file must answer. */
  search<K extends SearchKind>(
    kind: K,
    brandId: string,
    query: Query
  ): Effect.Effect<Jobs[K]["output"]["page"]> {
    const known = this.brands.get(brandId)
    if (known !== undefined) known.askedAt = Date.now()
    const job = this.worker!.read(brandId, kind, () => ({ brandId, query, steps: this.takeUntold() }))
    const answered = Effect.map(job, ({ lost, page, state }: Jobs[SearchKind]["output"]) => {
      this.lose(lost)
      // This process has told, or will tell, of all that it has committed by now: a later state is another process's.
      if (page === null && state > this.newest) this.forget([brandId])
      return page as Jobs[K]["output"]["page"]
    })
    // The file answers, or says what is wrong.
    return Effect.catchAll(answered, () => Effect.sync(() => (this.forget([brandId]), null)))
  }

  /** Begins to read a brand whose search has taken long, where that is worth it. */
  want(brandId: string, filter: LeadFilter): void {
    const known = this.brands.get(brandId)
    const now = Date.now()
    if (this.worker === null || this.options.maxLeads === 0 || !isAnswerable(filter)) return
    if (known !== undefined && (known.state !== "lost" || now - known.readAt < this.options.pauseMillis))
      return
    Effect.runFork(Effect.ignore(this.remember(brandId, now)))
  }

  private remember(brandId: string, now: number): Effect.Effect<void, StoreUnavailable> {
    return Effect.gen(this, function* () {
      const { maxLeads, minLeads } = this.options
      const leads = yield* this.read((sql) =>
        sql.value<number>("SELECT coalesce(sum(n), 0) FROM lead_count WHERE brand_id = ? AND signal_id = 0", [
          idOf(brandId)
        ])!
      )
      if (leads < minLeads) return
      const others = [...this.brands].filter(([other, { state }]) => other !== brandId && state !== "lost")
      const idle = others.filter(([, { askedAt }]) => now - askedAt >= idleMillis)
      const active = others.filter(([, { askedAt }]) => now - askedAt < idleMillis)
      if (leads + active.reduce((sum, [, each]) => sum + each.leads, 0) > maxLeads) return
      this.forget(idle.map(([other]) => other))
      // A search may have begun it meanwhile.
      if (this.brands.get(brandId)?.state === "reading") return
      const known: Known = { state: "reading", leads, readAt: now, askedAt: now }
      this.brands.set(brandId, known)
      let after: LeadId | null = null
      do {
        const piece: PieceRead = yield* this.readPiece(brandId, after)
        this.lose(piece.lost)
        if (this.isLost(known)) return
        after = piece.last
      } while (after !== null)
      known.state = "ready"
    })
  }

  private readPiece(brandId: string, after: LeadId | null): Effect.Effect<PieceRead, StoreUnavailable> {
    return this.worker!.read(brandId, "rememberLeads", () => ({
      brandId,
      after,
      length: this.options.pieceLeads,
      steps: this.takeUntold()
    }))
  }

  /** A method, since the state changes between two looks at it. */
  private isLost({ state }: Known): boolean {
    return state === "lost"
  }

  private follow(step: Step): void {
    this.newest = step.to
    if (![...this.brands.values()].some(({ state }) => state !== "lost")) return
    const told = textStepOf(step)
    this.untold.push(told)
    this.untoldLeads += told.changed.length
    if (this.untoldLeads < maxUntold && this.untold.length < maxUntold) return
    const job = this.worker!.read("", "followLeads", () => ({ steps: this.takeUntold() }))
    Effect.runFork(Effect.ignore(Effect.map(job, ({ lost }) => this.lose(lost))))
  }

  /** When its job starts, so that jobs take steps in order. */
  private takeUntold(): ReadonlyArray<TextStep> {
    const steps = this.untold
    this.untold = []
    this.untoldLeads = 0
    return steps
  }

  private lose(brandIds: ReadonlyArray<string>): void {
    for (const brandId of brandIds) {
      const known = this.brands.get(brandId)
      if (known !== undefined) known.state = "lost"
    }
  }

  /** Has the thread drop the texts, of which one can be an erased person's. [PII-3] */
  private forget(brandIds: ReadonlyArray<string>): void {
    const held = brandIds.filter((brandId) => this.brands.get(brandId)!.state !== "lost")
    if (held.length === 0) return
    this.lose(held)
    Effect.runFork(Effect.ignore(this.worker!.read("", "forgetLeads", () => held)))
  }
}
