/**
 * The order of test files. vitest begins with those that took longest in its last run (`node_modules/.vite`). Without a last run it
 * would begin with the largest; those that start processes wait for them and take longer than their size says, so they come first.
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const startsProcesses = ({ moduleId }: TestSpecification): boolean =>
  /"node:child_process"|\/harness\/(?:ServerProcess|CommandRun|SimulateCommand)\.ts"/.test(
    readFileSync(moduleId, "utf8")
  )

export class FileOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const { cache, config } = this.ctx
    const isKnown = ({ moduleId, project }: TestSpecification): boolean =>
      cache.getFileTestResults(`${project.name}:${relative(config.root, moduleId)}`) !== undefined
    if (sorted.some(isKnown)) return sorted
    const first = sorted.filter(startsProcesses)
    return [...first, ...sorted.filter((file) => !first.includes(file))]
  }
}
