/** Work counted instead of timed: the same on every machine, whatever else that does. */
import { Session } from "node:inspector"
import { vi } from "vitest"

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{ readonly ranges: ReadonlyArray<{ readonly count: number }> }>
  }>
}

/**
 * How often blocks of the module's code (bodies of functions, loops, branches) are run, as V8 counts them for coverage,
 * and how many characters `indexOf` walks over for it, which is no code of the module's.
 */
export const stepsOf = (module: string, run: () => void): number => {
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
  let walked = 0
  const native = String.prototype.indexOf
  const spy = vi.spyOn(String.prototype, "indexOf").mockImplementation(function (
    this: string,
    needle,
    from = 0
  ) {
    const at = native.call(this, needle, from)
    walked += (at < 0 ? this.length : at) - Math.min(from, this.length) + 1
    return at
  })
  try {
    post("Profiler.enable")
    post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
    run()
    const { result } = post("Profiler.takePreciseCoverage") as Coverage
    const functions = result.filter(({ url }) => url.includes(module)).flatMap((each) => each.functions)
    if (functions.length === 0) throw new Error(`Nothing of ${module} was run.`)
    return (
      walked +
      functions.reduce((sum, { ranges }) => sum + ranges.reduce((all, { count }) => all + count, 0), 0)
    )
  } finally {
    spy.mockRestore()
    post("Profiler.stopPreciseCoverage")
    session.disconnect()
  }
}
