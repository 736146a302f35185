/** The suite that every store of Lead Signals must pass, with any test runner or none. */
import { brandCases } from "./cases/brandCases.ts"
import { campaignCases } from "./cases/campaignCases.ts"
import { changeFeedCases } from "./cases/changeFeedCases.ts"
import { deletionCases } from "./cases/deletionCases.ts"
import { eventRetentionCases } from "./cases/eventRetentionCases.ts"
import { batchLogCases } from "./cases/batchLogCases.ts"
import { deliveryCases } from "./cases/deliveryCases.ts"
import { deliveryHistoryCases } from "./cases/deliveryHistoryCases.ts"
import { directoryCases } from "./cases/directoryCases.ts"
import { idempotencyCases } from "./cases/idempotencyCases.ts"
import { keyCases } from "./cases/keyCases.ts"
import { leadCommitCases } from "./cases/leadCommitCases.ts"
import { leadHistoryCases } from "./cases/leadHistoryCases.ts"
import { leadReadCases } from "./cases/leadReadCases.ts"
import { operatorCases } from "./cases/operatorCases.ts"
import { leaseCases } from "./cases/leaseCases.ts"
import { retentionCases } from "./cases/retentionCases.ts"
import { retentionHistoryCases } from "./cases/retentionHistoryCases.ts"
import { type Case, OpenStore, type StoreUnderTest } from "./StoreUnderTest.ts"

/** The two functions that the suite needs of a test runner: vitest, Jest, Bun's and `node:test` have both. */
export interface Runner {
  /** Groups the cases that `body` adds under a title. */
  readonly describe: (title: string, body: () => void) => unknown
  /**
   * Adds one case. `timeoutMillis` is how long it may take; a runner that takes no third argument has a limit of its
   * own.
   */
  readonly it: (title: string, body: () => Promise<void>, timeoutMillis: number) => unknown
}

/** One case over one store, for a program that is no test runner. */
export interface ContractCase {
  /** The ports that the case checks. */
  readonly group:
    | "leads"
    | "deliveries"
    | "directory"
    | "deletion"
    | "retention"
    | "operators"
    | "idempotency"
  /** The requirement on the store, with the clauses of docs/specification.md that the case proves, in square brackets. */
  readonly title: string
  /** Runs the case on a new store, which it closes at the end. Rejects with a `ContractViolation`. */
  readonly run: () => Promise<void>
}

/** Generated histories take minutes over a store that writes each change to a disk. */
const timeoutMillis = 600_000

const groups: ReadonlyArray<readonly [ContractCase["group"], ReadonlyArray<Case>]> = [
  ["leads", [...leadHistoryCases, ...leadReadCases, ...leadCommitCases, ...changeFeedCases, ...brandCases]],
  ["deliveries", [...deliveryHistoryCases, ...leaseCases, ...batchLogCases, ...deliveryCases]],
  ["directory", [...directoryCases, ...keyCases, ...campaignCases]],
  ["deletion", deletionCases],
  ["retention", [...retentionHistoryCases, ...retentionCases, ...eventRetentionCases]],
  ["operators", operatorCases],
  ["idempotency", idempotencyCases]
]

/** Every case that the store must pass, in order. Each has a store of its own. */
export const contractCases = (store: StoreUnderTest): ReadonlyArray<ContractCase> =>
  groups.flatMap(([group, cases]) =>
    cases
      .filter(({ reopens }) => reopens !== true || store.survivesReopening === true)
      .map(({ run, title }) => ({
        group,
        title,
        run: async () => {
          const open = new OpenStore(store)
          try {
            await run(open)
          } finally {
            await open.close()
          }
        }
      }))
  )

/**
 * Gives the runner every case that the store must pass. A case that fails rejects with a `ContractViolation`, which names the
 * port's method, the difference and, where the history was generated, the smallest one that shows it.
 */
export const storeContract = ({ describe, it }: Runner, store: StoreUnderTest): void => {
  const cases = contractCases(store)
  for (const [group] of groups) {
    describe(`${store.name}: ${group}`, () => {
      for (const each of cases) if (each.group === group) it(each.title, each.run, timeoutMillis)
    })
  }
}
