/** Work counted instead of timed: the same on every machine, whatever else that does. */
import { build } from "esbuild"
import { Session } from "node:inspector"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runInThisContext } from "node:vm"
import { onTestFinished, vi } from "vitest"

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{
      readonly isBlockCoverage: boolean
      readonly ranges: ReadonlyArray<{ readonly count: number }>
    }>
  }>
}

export interface Counted<M> {
  readonly module: M
  /**
   * How often blocks of the module's code (bodies of functions, loops, branches) are run, as V8 counts them for coverage, and how
   * many characters `indexOf` walks over, which is no code of the module's.
   */
  readonly stepsOf: (run: () => void) => number
}

const root = fileURLToPath(new URL("../..", import.meta.url))

let number = 0

/** The module at a path of the repository, for the test that imports it, compiled anew: V8 counts the blocks of what is compiled while it counts. */
export const counted = async <M>(path: string): Promise<Counted<M>> => {
  const built = await build({
    entryPoints: [join(root, path)],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "counted",
    logLevel: "silent"
  })
  const url = `counted-${number++}`
  const session = new Session()
  session.connect()
  const post = (method: string, params: object = {}): unknown => {
    let answer: unknown
    session.post(method, params, (error, result) => {
      if (error !== null) throw new Error(error.message)
      answer = result
    })
    return answer
  }
  post("Profiler.enable")
  post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  onTestFinished(() => session.disconnect())
  const module = runInThisContext(`(() => { ${built.outputFiles[0]!.text}; return counted })()`, {
    filename: url
  }) as M
  const take = () => {
    const { result } = post("Profiler.takePreciseCoverage") as Coverage
    return result.filter((each) => each.url === url).flatMap(({ functions }) => functions)
  }
  const native = String.prototype.indexOf
  return {
    module,
    stepsOf: (run) => {
      let walked = 0
      const walk = vi.spyOn(String.prototype, "indexOf").mockImplementation(function (
        this: string,
        needle,
        from = 0
      ) {
        const at = native.call(this, needle, from)
        walked += (at < 0 ? this.length : at) - Math.min(from, this.length) + 1
        return at
      })
      take()
      try {
        run()
      } finally {
        walk.mockRestore()
      }
      const functions = take()
      if (!functions.some(({ isBlockCoverage }) => isBlockCoverage)) {
        throw new Error(`No blocks of ${path} were counted.`)
      }
      const ranges = functions.flatMap((each) => each.ranges)
      return walked + ranges.reduce((sum, { count }) => sum + count, 0)
    }
  }
}
