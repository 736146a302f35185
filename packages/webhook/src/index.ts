/**
 * Sends the events of Lead Signals to webhooks: emitter, signatures, target guard.
 * `@lead-signals/webhook/node` adds the sender and the resolver for Node.
 */
export * as Addresses from "./Addresses.ts"
export * as Emitter from "./Emitter.ts"
export * as ResponseRedactor from "./ResponseRedactor.ts"
export { Resolver, Unresolvable } from "./Resolver.ts"
export * as Sender from "./Sender.ts"
export * as WebhookEvents from "./WebhookEvents.ts"
export * as WebhookSignature from "./WebhookSignature.ts"
export * as TargetGuard from "./TargetGuard.ts"
