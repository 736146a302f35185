/**
 * The latest changes of leads by this process, with which a cached total is advanced instead of being counted again: counting
 * the matches of a search takes a tenth of a second beside a million leads. The file numbers the changes of all processes;
 * those of other processes leave a gap here.
 */
import type { FilterableLead, LeadId } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"

/** What decides whether a list has the lead, and where. */
export interface ListableLead extends FilterableLead {
  readonly id: LeadId
  readonly brandId: string
  readonly name: string
  readonly headline: string | null
  readonly score1: number | null
}

/** Null: the lead was not there before, or is not there any more. */
export interface LeadChange {
  readonly before: ListableLead | null
  readonly after: ListableLead | null
}

/** The changes of one transaction. */
export interface ChangeBuffer {
  readonly changes: Array<LeadChange>
  /** False when the transaction changes leads without recording them: no earlier total can be advanced over it. */
  isComplete: boolean
}

/** The changes of a commit, with the numbers of the newest change before and after it. */
export interface Step {
  readonly from: number
  readonly to: number
  readonly changes: ReadonlyArray<LeadChange>
}

/** The number of the newest change in the file. */
export const newestSql = "SELECT n FROM lead_change WHERE id = 1"

const newest = (sql: Connection): number => sql.get<{ n: number }>(newestSql)!.n

/** The bound on recorded changes: advancing a total over more takes as long as counting. */
const maxKept = 1000

const unrecorded = Symbol("leads change unrecorded")

const unrecordedOf = (sql: Connection): { is: boolean } =>
  sql.ofTransaction(unrecorded, () => ({ is: false }))

/**
 * Says that the transaction changes leads that no buffer of it records, in whatever store: writes of one group share a
 * transaction. No earlier total can be advanced over it.
 */
export const leadsChangeUnrecorded = (sql: Connection): void => {
  unrecordedOf(sql).is = true
}

/** Who keeps what it has read of leads, and follows their changes. */
export interface LeadFollower {
  /** This process has committed changes of so many leads. */
  readonly changed: (leads: number) => void
  /** Leads have changed of which no buffer tells: some may be gone. */
  readonly changedUnrecorded: () => void
}

/** The newest changes of leads, as many as a cached total may be behind. */
export class LeadChanges {
  /** Told of each commit, in order. */
  follower: LeadFollower | null = null
  private steps: Array<Step> = []
  private size = 0
  private readonly name = Symbol("changes of leads")

  /**
   * The buffer in which the transaction records its changes, which count once it is committed. Must be called before the
   * transaction changes anything.
   */
  of(sql: Connection): ChangeBuffer {
    return sql.ofTransaction(this.name, () => {
      const changeBuffer: ChangeBuffer = { changes: [], isComplete: true }
      const from = newest(sql)
      let to = from
      sql.beforeCommit(() => {
        if (unrecordedOf(sql).is) changeBuffer.isComplete = false
        to = newest(sql)
      })
      sql.afterCommit(() => {
        if (!changeBuffer.isComplete) this.forget()
        else if (to > from) {
          const step = { from, to, changes: changeBuffer.changes }
          this.append(step)
          this.follower?.changed(step.changes.length)
        }
      })
      return changeBuffer
    })
  }

  /** The changes between two numbers of the newest change; null when some are not known. */
  between(from: number, to: number): ReadonlyArray<LeadChange> | null {
    if (this.steps.at(-1)?.to !== to) return null
    const first = this.steps.findIndex((step) => step.from === from)
    return first < 0 ? null : this.steps.slice(first).flatMap(({ changes }) => changes)
  }

  /** Drops all recorded changes, after one that none of them tells. */
  forget(): void {
    this.drop()
    this.follower?.changedUnrecorded()
  }

  private drop(): void {
    this.steps = []
    this.size = 0
  }

  private append(step: Step): void {
    if (this.steps.length > 0 && this.steps.at(-1)!.to !== step.from) this.drop()
    this.steps.push(step)
    this.size += step.changes.length
    while (this.size > maxKept) this.size -= this.steps.shift()!.changes.length
  }
}
