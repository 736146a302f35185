/** Lead Signals on a Node server of the host's own. */
import * as NodeHttp from "@lead-signals/http/node"
import { closedReply, type LeadSignals } from "./LeadSignals.ts"

export type { NodeListener } from "@lead-signals/http/node"

/**
 * The whole HTTP API as a listener of a Node server's requests: for `node:http`, Express, Fastify and what else is built on
 * it. It reads the target as it was sent, where a `Request` has it tidied up, and the body itself: nothing may have read that.
 * Of a service that is closed it answers 503.
 */
export const nodeListener = async (service: LeadSignals): Promise<NodeHttp.NodeListener> => {
  const listener = await service.run(NodeHttp.nodeListener)
  return (request, response) => {
    if (!service.isClosed) return listener(request, response)
    const { body, headers, status } = closedReply
    response.writeHead(status, headers).end(body)
  }
}
