/**
 * The order of test files. vitest begins with those that took longest when they last ran (`node_modules/.vite`), and ends with those of which it
 * knows no time: all of them in continuous integration, and new ones elsewhere. A short file that takes long would come at the end and leave the
 * other processors idle. So of those without a time those come first that say of themselves, by `@slow` and the reason in the comment at their
 * top, that they take long; then those that start processes, play the contract of stores or simulate: they take longer than their size says.
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const textOf = ({ moduleId }: TestSpecification): string => readFileSync(moduleId, "utf8")

const isSlow = (text: string): boolean => /^\/\*\*[^]*?@slow \S[^]*?\*\//.test(text)

const takesLonger = (text: string): boolean =>
  /"node:child_process"|"@lead-signals\/(?:simulations|store-contract)|\/harness\/(?:ServerProcess|CommandRun|SimulateCommand)\.ts"/.test(
    text
  )

export class FileOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const { cache, config } = this.ctx
    const isKnown = ({ moduleId, project }: TestSpecification): boolean =>
      cache.getFileTestResults(`${project.name}:${relative(config.root, moduleId)}`) !== undefined
    const unknown = sorted.filter((file) => !isKnown(file))
    return [
      ...new Set([
        ...unknown.filter((file) => isSlow(textOf(file))),
        ...unknown.filter((file) => takesLonger(textOf(file))),
        ...sorted
      ])
    ]
  }
}
