/**
 * Internals of this package for the workspace's tests, benchmarks and simulator. Nothing else may import this module; what
 * it exports changes without notice.
 */
export { exportLeads } from "./LeadExport.ts"
export { forward } from "./WebhookForwarder.ts"
export { progress } from "./Progress.ts"
export { makeBackups } from "./ScheduledBackups.ts"
export { readSettings } from "./Settings.ts"
export { listenFailed } from "./StartFailures.ts"
export { knownVariables, unknownVariables } from "./Variables.ts"
export { readOtel } from "./telemetry/OtelSettings.ts"
/** The exporters of telemetry, which take long to load. */
export const loadExporters = () => import("./telemetry/Otlp.ts")
export { fileSink } from "./cli/WholeFile.ts"
export { program } from "./cli/CommandLine.ts"
export { inTypedNames, typedNames } from "./cli/TypedNames.ts"
export { exitCodes, exitCodeTable } from "./cli/ExitCodes.ts"
export { remainingTime } from "./ObservationImport.ts"
export { rejectedLines } from "./RejectedLines.ts"
