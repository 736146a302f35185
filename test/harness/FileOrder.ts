/**
 * The order of test files. vitest begins with those that took longest in its last run (`node_modules/.vite`). Without a last run it
 * would begin with the largest, and end with a short file that takes long, which leaves the other processors idle. So those come first
 * that start processes, play the contract of stores or simulate: they take longer than their size says.
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const takesLonger = ({ moduleId }: TestSpecification): boolean =>
  /"node:child_process"|"@lead-signals\/(?:simulations|store-contract)|\/harness\/(?:ServerProcess|CommandRun|SimulateCommand)\.ts"/.test(
    readFileSync(moduleId, "utf8")
  )

export class FileOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const { cache, config } = this.ctx
    const isKnown = ({ moduleId, project }: TestSpecification): boolean =>
      cache.getFileTestResults(`${project.name}:${relative(config.root, moduleId)}`) !== undefined
    if (sorted.some(isKnown)) return sorted
    return [...new Set([...sorted.filter(takesLonger), ...sorted])]
  }
}
