/** The HTTP API of Lead Signals. The Node server is at `@lead-signals/http/node`. */
export { make as app } from "./App.ts"
export type { Requirements } from "./Requirements.ts"
export { eventDocuments } from "./contract/EventDocuments.ts"
export { Api, apiVersion, openApi } from "./endpoints/Api.ts"
export { type BodyLimits, BodyPace, type PaceLimits } from "./BodyPace.ts"
export { webCrypto } from "./Entropy.ts"
export { type FetchHandler, fetchHandler } from "./fetch.ts"
export { ChangeWaitLimits, type WaitLimits } from "./ChangeWaits.ts"
export { checkAllowed, TrustedProxies } from "./ClientAddress.ts"
export { CurrentOperator, type Operator } from "./CurrentOperator.ts"
export { OperatorToken } from "./Authentication.ts"
export { type ConsoleFile, ConsoleFiles } from "./ConsolePages.ts"
export { DrainState } from "./DrainState.ts"
export { AuditedKeyReads } from "./KeyReads.ts"
export { type LogLine, logLine } from "./LogLine.ts"
export { type ApiAnswer, type ApiCall, Mcp, type McpCaller, type McpService } from "./McpPath.ts"
export { Metrics } from "./Metrics.ts"
export { type AnsweredRequest, RequestObserver } from "./RequestObserver.ts"
export { type BegunSession, makeSessions, type Session, type SessionAccess, Sessions } from "./Sessions.ts"
export { maxTargetBytes } from "./Target.ts"
export { DefaultRateLimit } from "./endpoints/Keys.ts"
// What types of `Api` name, so that a host can export what it makes of it.
export { ApiKeyAccess, OperatorAccess } from "./contract/Access.ts"
export {
  Forbidden,
  InvalidOperatorToken,
  InvalidCredential,
  PayloadTooLarge,
  UnsupportedMediaType
} from "./contract/Failures.ts"
export { invalidParameterMessage, warningsOf } from "./contract/Suggestions.ts"
// What an operator sends, for hosts that take it by other ways than HTTP.
// What is answered, as types.
export type {
  ChangeFeedAnswer,
  LeadDetailAnswer,
  LeadListAnswer,
  MetricsAnswer,
  WebhookEvent
} from "./contract/AnswerTypes.ts"
export type * from "./contract/Queries.ts"
export type * from "./endpoints/ReadCalls.ts"
