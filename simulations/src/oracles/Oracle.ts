/** A rule about the whole system that must hold in every run. Each oracle is a file; none shares code with the domain. */
import type { Json } from "../actors/Calls.ts"
import type { SyncClient } from "../actors/SyncClient.ts"
import type { Ledger } from "../world/Ledger.ts"

export interface Evidence {
  readonly ledger: Ledger
  readonly clients: ReadonlyArray<SyncClient>
  /** What each brand lists in the end, read on quiet data. */
  readonly truth: ReadonlyMap<string, ReadonlyArray<Json>>
}

export interface Oracle {
  readonly name: string
  /** Watches while the run goes on. */
  readonly watch?: (ledger: Ledger) => void
  /** Looks at the end, when the faults have stopped and everything is quiet: what is wrong, or null. */
  readonly conclude?: (evidence: Evidence) => string | null
}
