/** A copy of this repository, in which a module can be changed and tests can be run without touching the sources. */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { root } from "../bugs/PlantedModules.ts"

/** Made by builds and runs, or not needed by tests. */
const omitted = new Set([
  ".bundle",
  ".cache",
  ".data",
  ".generated",
  ".git",
  ".packs",
  ".readme",
  ".simulations",
  ".site",
  ".types",
  ".vite",
  "dist"
])

/** It lies in the folder of temporary files, and goes with this process; one that is killed leaves it. */
export class ScratchCopy {
  private constructor(readonly folder: string) {}

  /** Workspace packages are copied with the links to their dependencies, and what they depend on is shared. */
  static make(): ScratchCopy {
    const folder = mkdtempSync(join(tmpdir(), "lead-signals-mutants-"))
    cpSync(root, folder, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => {
        const path = relative(root, from)
        return path !== "node_modules" && !path.startsWith("scripts/runtimes") && !omitted.has(basename(path))
      }
    })
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    const copy = new ScratchCopy(folder)
    process.once("exit", () => copy.remove())
    return copy
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text)
  }

  remove(): void {
    // Nothing but what `make` made.
    if (dirname(this.folder) === tmpdir()) rmSync(this.folder, { recursive: true, force: true })
  }
}
