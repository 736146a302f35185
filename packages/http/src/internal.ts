/**
 * Internals of this package for the workspace's tests, benchmarks and simulator. Nothing else may import this module, and the
 * packed package does not hold it: what it exports changes without notice.
 */
export { maxConcurrentCommits, maxOpenRequests } from "./Admission.ts"
export { bearerToken } from "./Authentication.ts"
export { defaultLimits, Pace, paced, type PaceLimits } from "./BodyPace.ts"
export { ChangeWaits } from "./ChangeWaits.ts"
export { EncodedBodyCache } from "./EncodedBodyCache.ts"
export { EventStreamLimits, EventStreams } from "./EventStreams.ts"
export { KeyReads } from "./KeyReads.ts"
export { ResponseBatcher } from "./ResponseBatcher.ts"
export { documents } from "./contract/DocumentedView.ts"
export { errorCodes } from "./contract/Failures.ts"
export { maxSessionsOfCredential, sessionSeconds } from "./Sessions.ts"
