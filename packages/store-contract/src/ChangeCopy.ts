/** A copy of a brand's leads that follows the feed of changes, as a consumer keeps one. */
import {
  type BrandId,
  type ChangePosition,
  type LeadId,
  type LeadQuery,
  LeadStore,
  RenderedLeads
} from "@lead-signals/domain"
import { Effect } from "effect"
import { assertEqual, assertThat } from "./Assertions.ts"

/** A change as the reference has it: null is a lead that is there, a time one that is gone. */
interface SeenChange {
  /** The lead that changed. */
  readonly id: LeadId
  /** When it was removed; null of a lead that is there. */
  readonly removedAt: number | null
}

/** The state of one reader of the feed. */
export class ChangeCopy {
  /** What lists render of each lead. */
  readonly leads = new Map<LeadId, string>()
  private position: ChangePosition | null = null

  /** The copy of a brand's leads, with their engagements as lists show them. */
  constructor(
    private readonly brandId: BrandId,
    readonly engagements: LeadQuery["engagements"] = "none"
  ) {}

  /** Reads to the end of the feed in pages of `limit`, and answers the changes in their order. */
  sync(limit: number) {
    return Effect.gen(this, function* () {
      const store = yield* LeadStore
      const changes: Array<SeenChange> = []
      for (;;) {
        const before = this.position
        const page = yield* store.changesAfter(this.brandId, before, {
          limit,
          engagements: this.engagements
        })
        assertThat("LeadStore.changesAfter must not be expired after its own position", !page.isExpired)
        if (page.isExpired) return changes
        assertThat("LeadStore.changesAfter must answer at most `limit` changes", page.changes.length <= limit)
        assertThat(
          "LeadStore.changesAfter must not go back",
          before === null || page.next.position >= before.position
        )
        for (const change of page.changes) {
          if (change.type === "removed") {
            this.leads.delete(change.id)
            changes.push({ id: change.id, removedAt: change.removedAt })
          } else {
            const { lead, window } = change.read
            this.leads.set(
              lead.id,
              RenderedLeads.listed(RenderedLeads.renderLead(lead), window, this.engagements)
            )
            changes.push({ id: lead.id, removedAt: null })
          }
        }
        this.position = page.next
        if (!page.hasMore) return changes
        assertThat(
          "LeadStore.changesAfter must go on where there is more",
          before === null || page.next.position > before.position
        )
      }
    })
  }

  /** Whether the store still tells all changes since the last page. */
  get isExpired() {
    return Effect.gen(this, function* () {
      const store = yield* LeadStore
      const page = yield* store.changesAfter(this.brandId, this.position, { limit: 1, engagements: "none" })
      return page.isExpired
    })
  }

  /** Compares the copy with what lists of the store show. */
  check(what: string, rendered: ReadonlyMap<LeadId, string>) {
    return Effect.sync(() => {
      const ids = (leads: ReadonlyMap<LeadId, string>) => [...leads.keys()].sort((a, b) => a - b)
      assertEqual(`${what}, the leads`, ids(this.leads), ids(rendered))
      for (const [id, lead] of rendered) assertEqual(`${what}, lead ${id}`, this.leads.get(id), lead)
    })
  }
}
