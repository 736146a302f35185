/** How often runs come to places of the program, as V8 counts it. */
import { type Profiler, Session } from "node:inspector"
import { head, scriptName } from "./LinkedModules.ts"

/** A place in the compiled code of a module. */
export interface Place {
  readonly file: string
  readonly offset: number
}

type Ranges = ReadonlyArray<Profiler.CoverageRange>

/** The count of the innermost range that holds the offset; 0 where none does. */
const countAt = (ranges: Ranges, offset: number): number => {
  let innermost: Profiler.CoverageRange | null = null
  for (const range of ranges) {
    if (range.startOffset > offset || range.endOffset <= offset) continue
    const isInner =
      innermost === null || range.endOffset - range.startOffset <= innermost.endOffset - innermost.startOffset
    if (isInner) innermost = range
  }
  return innermost?.count ?? 0
}

/** Counts by the profiler of this process, from its creation on. */
export class Reach {
  private readonly session = new Session()

  constructor(private readonly places: ReadonlyArray<Place>) {
    this.session.connect()
    this.session.post("Profiler.enable")
    this.start()
  }

  /** Begins to count. V8 does not count calls of optimised functions: each start takes the optimisations back. */
  private start(): void {
    this.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  }

  /** How often each place was come to since the last call. */
  taken(): ReadonlyArray<number> {
    const byName = new Map<string, Ranges>()
    // Commands of a session of the same thread are answered at once.
    this.session.post("Profiler.takePreciseCoverage", (_, { result }) => {
      for (const { functions, url } of result) {
        if (url.startsWith(scriptName("")))
          byName.set(
            url,
            functions.flatMap(({ ranges }) => ranges)
          )
      }
    })
    this.start()
    return this.places.map(({ file, offset }) =>
      countAt(byName.get(scriptName(file)) ?? [], head.length + offset)
    )
  }
}
