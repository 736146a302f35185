/**
 * What this process has lately changed of leads, so that what was counted before can be put right instead of being counted
 * anew: counting what a search finds takes a tenth of a second beside a million leads, and much is written meanwhile. The
 * file numbers all changes, whoever makes them; those that another process made are not known here, and leave a gap.
 */
import type { FilterableLead } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"

/** What decides whether a list has the lead. */
export interface ListableLead extends FilterableLead {
  readonly brandId: string
  readonly name: string
  readonly headline: string | null
}

/** Null: the lead was not there before, or is not there any more. */
export interface LeadChange {
  readonly before: ListableLead | null
  readonly after: ListableLead | null
}

/** What a transaction notes. */
export interface ChangeBuffer {
  readonly changes: Array<LeadChange>
  /** False when it changes leads that it does not note: nothing that was counted before can be put right then. */
  isComplete: boolean
}

/** A transaction's, from the number that the file had before it to the one that it had then. */
interface Step {
  readonly from: number
  readonly to: number
  readonly changes: ReadonlyArray<LeadChange>
}

/** The number of the newest change in the file. */
export const newestSql = "SELECT n FROM lead_change WHERE id = 1"

const newest = (sql: Connection): number => sql.get<{ n: number }>(newestSql)!.n

/** More changes than this are not kept: what they would put right is as soon counted. */
const maxKept = 1000

export class LeadChanges {
  private steps: Array<Step> = []
  private size = 0
  private readonly name = Symbol("changes of leads")

  /**
   * Where the transaction notes what it changes; to be asked for before anything is changed. What it notes counts when it is
   * committed.
   */
  of(sql: Connection): ChangeBuffer {
    return sql.ofTransaction(this.name, () => {
      const noted: ChangeBuffer = { changes: [], isComplete: true }
      const from = newest(sql)
      let to = from
      sql.beforeCommit(() => {
        to = newest(sql)
      })
      sql.afterCommit(() => {
        if (!noted.isComplete) this.forget()
        else if (to > from) this.append({ from, to, changes: noted.changes })
      })
      return noted
    })
  }

  /** What was changed since the file had the first of two numbers, until it had the second; null when that is not known. */
  between(from: number, to: number): ReadonlyArray<LeadChange> | null {
    if (this.steps.at(-1)?.to !== to) return null
    const first = this.steps.findIndex((step) => step.from === from)
    return first < 0 ? null : this.steps.slice(first).flatMap(({ changes }) => changes)
  }

  /** What was noted of any transaction. */
  forget(): void {
    this.steps = []
    this.size = 0
  }

  private append(step: Step): void {
    if (this.steps.length > 0 && this.steps.at(-1)!.to !== step.from) this.forget()
    this.steps.push(step)
    this.size += step.changes.length
    while (this.size > maxKept) this.size -= this.steps.shift()!.changes.length
  }
}
