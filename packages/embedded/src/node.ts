/** Lead Signals on the host's own Node server. */
import * as NodeHttp from "@lead-signals/http/node"
import { closedReply, type LeadSignals } from "./LeadSignals.ts"

export type { NodeListener } from "@lead-signals/http/node"

/**
 * The whole HTTP API as a request listener for `node:http`, Express, Fastify and other frameworks on it. It
 * reads the request target and the body itself: nothing may have read the body before. After the service is
 * closed it responds with 503.
 */
export const nodeListener = async (service: LeadSignals): Promise<NodeHttp.NodeListener> => {
  const listener = await service.run(NodeHttp.nodeListener)
  return (request, response) => {
    if (!service.isClosed) return listener(request, response)
    const { body, headers, status } = closedReply
    response.writeHead(status, headers).end(body)
  }
}
