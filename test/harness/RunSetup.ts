/**
 * Once for all tests: the server and its command line as one file, as it is built, which starts in a third of the time; and a folder
 * for what `madeOnce` makes, gone after the run.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import type { TestProject } from "vitest/node"
import { bundleServer } from "../../scripts/bundle.mjs"
import { bundledServer } from "./BundledServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly runFolder: string
    readonly runPid: number
  }
}

export default async (project: TestProject): Promise<() => void> => {
  await bundleServer(bundledServer, [], false)
  const folder = mkdtempSync(join(dirname(bundledServer), "run-"))
  project.provide("runFolder", folder)
  project.provide("runPid", process.pid)
  return () => rmSync(folder, { recursive: true, force: true })
}
