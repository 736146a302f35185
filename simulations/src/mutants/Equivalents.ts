/** Mutants that behave as the code does, marked by hand, each with the reason. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../bugs/PlantedModules.ts"
import type { Mutant } from "./Mutant.ts"

/** One mark of simulations/mutants-equivalent.json. */
export interface Equivalent {
  readonly id: string
  /** The change as it was looked at: when the mutant's own differs, the mark no longer counts. */
  readonly change: string
  readonly reason: string
}

/** The file of the marks, from the root of the repository. */
export const equivalentsFile = "simulations/mutants-equivalent.json"

/** Throws where the file is no JSON; its form is not checked. */
export const readEquivalents = (): ReadonlyArray<Equivalent> =>
  JSON.parse(readFileSync(join(root, equivalentsFile), "utf8")) as ReadonlyArray<Equivalent>

const withoutSpace = (text: string): string => text.replace(/\s/g, "")

const isMarked = (mutant: Mutant, { change }: Equivalent): boolean =>
  withoutSpace(mutant.change) === withoutSpace(change)

/** The reasons, by the ids of the mutants. */
export const equivalentMutants = (
  mutants: ReadonlyArray<Mutant>,
  marks: ReadonlyArray<Equivalent>
): ReadonlyMap<string, string> => {
  const byId = new Map(marks.map((mark) => [mark.id, mark]))
  return new Map(
    mutants.flatMap((mutant) => {
      const mark = byId.get(mutant.id)
      return mark !== undefined && isMarked(mutant, mark) ? [[mutant.id, mark.reason] as const] : []
    })
  )
}

/** Marks whose mutant is no longer made, or is another. */
export const staleMarks = (
  mutants: ReadonlyArray<Mutant>,
  marks: ReadonlyArray<Equivalent>
): ReadonlyArray<Equivalent> => {
  const current = equivalentMutants(mutants, marks)
  return marks.filter(({ id }) => !current.has(id))
}
