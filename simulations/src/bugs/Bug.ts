/**
 * A planted bug: a small wrong version of production code. It is planted while the simulator is bundled, so that the rest
 * of what runs is the code as it is. The share of planted bugs that the oracles find says how much a run that held is worth.
 */
import type { Edit } from "./SyntaxEdit.ts"

/** One planted bug. Its edits are anchored to syntax: a rename or a new layout of the code leaves them valid. */
export interface Bug {
  readonly name: string
  /** What is wrong with it, in one line. */
  readonly about: string
  /** Where the wrong code is. A module has one name in its package, whatever folder it is in. */
  readonly module: { readonly package: string; readonly name: string }
  readonly edits: ReadonlyArray<Edit>
  /** The store over which the bug shows. */
  readonly store: "memory" | "sqlite"
  /** The scenario whose seeds show it. */
  readonly scenario: string
}

/** A change of one module of production code, which is bundled with it. */
export type SourceChange = Pick<Bug, "name" | "module" | "edits">

/** Bugs of one module. */
export const bugsIn =
  (packageName: string, moduleName: string, store: Bug["store"] = "memory", scenario = "swarm") =>
  (name: string, about: string, ...edits: ReadonlyArray<Edit>): Bug => ({
    name,
    about,
    module: { package: packageName, name: moduleName },
    edits,
    store,
    scenario
  })
