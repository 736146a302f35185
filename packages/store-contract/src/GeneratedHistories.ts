/** Plays generated histories; shrinks the one that fails, and reports it step by step. */
import fc from "fast-check"
import { ContractViolation } from "./Assertions.ts"
import type { StoreUnderTest } from "./StoreUnderTest.ts"

/** A failing history is played at most so many times more while it is made small: some stores are slow. */
const maxShrinkRuns = 300

interface Step {
  readonly step: string
}

/** Without nulls and empty texts, which say nothing. */
const withoutEmpty = (_key: string, value: unknown): unknown =>
  value === null || value === "" ? undefined : value

const renderedStep = ({ step, ...rest }: Step, i: number): string =>
  `  ${i + 1}. ${step} ${JSON.stringify(rest, withoutEmpty)}`

/** Rejects with a `ContractViolation` that has the smallest history found, and the seed that repeats it. */
export const playHistories = async <Drawn>(
  { path, seed }: Pick<StoreUnderTest, "seed" | "path">,
  runs: number,
  drawn: fc.Arbitrary<Drawn>,
  stepsOf: (drawn: Drawn) => ReadonlyArray<Step>,
  play: (drawn: Drawn) => Promise<void>
): Promise<void> => {
  let shrinkRuns = 0
  let violation: unknown
  const property = fc.asyncProperty(drawn, async (each) => {
    // What passes ends the search, and it passes without being played.
    if (violation !== undefined && ++shrinkRuns > maxShrinkRuns) return
    try {
      await play(each)
    } catch (failure) {
      violation = failure
      throw failure
    }
  })
  const details = await fc.check(property, {
    numRuns: runs,
    ...(seed === undefined ? {} : { seed }),
    ...(path === undefined ? {} : { path })
  })
  if (!details.failed) return
  const message = violation instanceof Error ? violation.message : String(violation)
  const steps = details.counterexample === null ? [] : stepsOf(details.counterexample[0])
  throw new ContractViolation(
    [
      message,
      "after this history, the smallest that shows it:",
      ...steps.map(renderedStep),
      // The first number is the history's, those after it are how it was made small.
      `Again: { seed: ${details.seed}, path: "${details.counterexamplePath?.split(":")[0]}" }`
    ].join("\n"),
    { cause: violation }
  )
}
