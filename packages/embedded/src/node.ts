/** Lead Signals on a Node server of the host's own. */
import * as NodeHttp from "@lead-signals/http/node"
import type { LeadSignals } from "./LeadSignals.ts"

export type { NodeListener } from "@lead-signals/http/node"

/**
 * The whole HTTP API as a listener of a Node server's requests: for `node:http`, Express, Fastify and what else is built on
 * it. It reads the target as it was sent, where a `Request` has it tidied up, and the body itself: nothing may have read that.
 */
export const nodeListener = (service: LeadSignals): Promise<NodeHttp.NodeListener> =>
  service.run(NodeHttp.nodeListener)
