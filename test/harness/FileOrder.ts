/**
 * The order of test files. vitest begins with those that took longest in its last run (`node_modules/.vite`). Without a last run it
 * would begin with the largest, and end with a short file that takes long, which leaves the other processors idle. So those that take
 * longest come first, then those that start processes, which wait for them and take longer than their size says.
 */
import { existsSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** More than four seconds of CPU each, the longest first. */
const longest: ReadonlyArray<string> = [
  "simulations/simulate.test.ts",
  "server/start.test.ts",
  "store-sqlite/contract.test.ts",
  "simulations/counterexamples.test.ts",
  "simulations/embedding.test.ts",
  "server/readme.test.ts",
  "simulations/found.test.ts",
  "store-sqlite/plans.test.ts",
  "embedded/examples.test.ts",
  "server/webhooks.test.ts",
  "http/hostile.test.ts",
  "simulations/bugs.test.ts",
  "webhook/receivers.test.ts",
  "server/commands.test.ts"
]

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
    const gone = longest.filter((name) => !existsSync(join(config.root, name)))
    if (gone.length > 0) throw new Error(`test/harness/FileOrder.ts names ${gone.join(", ")}: no such file`)
    const first = [
      ...longest.flatMap((name) =>
        sorted.filter(({ moduleId }) => moduleId.replaceAll("\\", "/").endsWith(`/${name}`))
      ),
      ...sorted.filter(startsProcesses)
    ]
    return [...new Set([...first, ...sorted])]
  }
}
