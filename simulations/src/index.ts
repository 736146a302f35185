/** The whole service under virtual time, and the rules that every history of it must keep. */
export * as OpenApiDocument from "./oracles/OpenApiDocument.ts"
export { type CheckCount, summedChecks, weakenedShare } from "./oracles/Checks.ts"
export {
  check,
  inputOf,
  type Observer,
  type Outcome,
  run,
  type RunInput,
  type RunReport,
  simulate
} from "./Run.ts"
export { verdictPage } from "./report/VerdictPage.ts"
export { Scenario } from "./Scenario.ts"
export { readScenario } from "./scenario-file/ScenarioFile.ts"
export { scenarioNamed, scenarioNames } from "./Scenarios.ts"
export * as Vocabulary from "./vocabulary/index.ts"
export * as Disk from "./world/Disk.ts"
export { type ShrinkOptions, shrink, shrinkAsync, type Shrunk } from "./Shrink.ts"
export {
  compareReplay,
  inputOfCounterexample,
  readCounterexample,
  type Counterexample,
  counterexampleOf
} from "./Counterexample.ts"
export { renderCounterexample } from "./CounterexampleText.ts"
export { type Verdict, verifyHost, type VerifyOptions, verifyStore } from "./Verify.ts"
export type { HostWorld, OwnHost, WebhookAnswer } from "./world/OwnHost.ts"
