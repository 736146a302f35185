/**
 * Sends the events of Lead Signals to webhooks: emitter, signatures, target guard. What dials, on Node, is at
 * `@lead-signals/webhook/node`.
 */
export * as Addresses from "./Addresses.ts"
export * as Emitter from "./Emitter.ts"
export * as Excerpt from "./Excerpt.ts"
export { Resolver, Unresolvable } from "./Resolver.ts"
export * as Sender from "./Sender.ts"
export * as Signing from "./Signing.ts"
export * as TargetGuard from "./TargetGuard.ts"
