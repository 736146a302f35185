/** The whole service under virtual time, and the rules that every history of it must keep. */
export { check, type Outcome, type RunOptions, type RunReport, simulate } from "./Run.ts"
export { type Bug, bugs } from "./bugs/index.ts"
export { Scenario } from "./Scenario.ts"
export { scenarioNamed, scenarioNames } from "./Scenarios.ts"
export type { StorePorts } from "./world/StorePorts.ts"
