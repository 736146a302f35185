/** Compares the source of a planted bug's module with what it becomes. */
import type { ChangedLines, PlantedChange } from "../report/PlantedChange.ts"
import type { Bug } from "./Bug.ts"
import { fileOf, planted, sourceOf } from "./PlantedModules.ts"

/** The lines that differ, from the first to the last. */
const changedLines = (before: string, after: string): ChangedLines => {
  const [old, now] = [before.split("\n"), after.split("\n")]
  let from = 0
  while (from < old.length && old[from] === now[from]) from++
  let same = 0
  while (same < Math.min(old.length, now.length) - from && old.at(-1 - same) === now.at(-1 - same)) same++
  return {
    line: from + 1,
    removed: old.slice(from, old.length - same),
    added: now.slice(from, now.length - same)
  }
}

/** The lines of each edit before and after. Rejects where the bug can't be planted. */
export const plantedChange = async (bug: Bug): Promise<PlantedChange> => {
  const source = sourceOf(bug)
  const changes: Array<ChangedLines> = []
  for (const edit of bug.edits)
    changes.push(changedLines(source, await planted({ ...bug, edits: [edit] }, source)))
  return { name: bug.name, about: bug.about, file: fileOf(bug), changes }
}
