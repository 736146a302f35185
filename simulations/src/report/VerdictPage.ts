/** The verdict on a store or a host of one's own, as an HTML page. */
import type { Verdict } from "../Verify.ts"
import { page } from "./Html.ts"

/**
 * Renders the verdict as one HTML page that needs nothing else: of a failed verification the run of the smallest
 * counterexample, with the rule that broke, what was expected beside what came, and a timeline; of a passed one its
 * last run.
 */
export const verdictPage = (verdict: Verdict): string => {
  const runs = `${verdict.runs} ${verdict.runs === 1 ? "run" : "runs"}`
  return page({
    title: verdict.passed
      ? `${runs} passed`
      : `${verdict.scenario} · seed ${verdict.seed} · ${verdict.oracle}, after ${runs}`,
    commands: verdict.passed ? [] : [{ what: "Repeat the run", command: verdict.again }],
    report: verdict.report,
    counterexample: verdict.passed ? null : verdict.counterexample,
    planted: null
  })
}
