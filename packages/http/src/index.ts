/** The HTTP API of Lead Signals. The Node server is at `@lead-signals/http/node`. */
export { make as app, type Requirements } from "./App.ts"
export { Api, apiVersion, openApi } from "./contract/Api.ts"
export { webCrypto } from "./Entropy.ts"
export { type FetchHandler, fetchHandler } from "./fetch.ts"
export { OperatorToken } from "./handlers/Access.ts"
export { Draining } from "./handlers/Health.ts"
export { DefaultRateLimit } from "./handlers/Operator.ts"
