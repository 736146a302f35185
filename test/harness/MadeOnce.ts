/** Files that are dear to make and that several test files read: the first that wants one makes it, in a folder of the run. */
import { existsSync, mkdirSync, renameSync, rmdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { inject } from "vitest"

/** The path of the file of this name. `make` writes it to the path that it gets, once in a run of all tests; `folder` is one of the run. */
export const madeOnce = async (
  name: string,
  make: (path: string) => Promise<void>,
  folder = inject("runFolder")
): Promise<string> => {
  const path = join(folder, name)
  const lock = `${path}.lock`
  for (;;) {
    if (existsSync(path)) return path
    try {
      mkdirSync(lock)
    } catch {
      // Another process makes it.
      await sleep(20)
      continue
    }
    try {
      if (!existsSync(path)) {
        await make(`${path}.part`)
        renameSync(`${path}.part`, path)
      }
    } finally {
      rmdirSync(lock)
    }
    return path
  }
}
