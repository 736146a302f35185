/**
 * Internals of this package for the workspace's tests. Nothing else may import this module; what it exports changes without notice.
 */
export { callOf, InvalidArgument } from "./Operations.ts"
export { inShort } from "./OutputSchemas.ts"
export { maxAnswerLength, resultOf, visibleJson } from "./Results.ts"
export { callWith } from "./stdio.ts"
export { maxLineBytes, StdioTransport } from "./StdioTransport.ts"
