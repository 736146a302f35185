/** The undici agent that posts webhooks. A server loads undici with the first post: its modules are a tenth of a start. */
import type { Socket } from "node:net"
import { Agent } from "undici"
import { guardedConnector } from "./GuardedConnector.ts"
import type * as TargetGuard from "./TargetGuard.ts"

/** Bytes of a response's status line and headers that are read. */
const maxHeadBytes = 16 * 1024

/** An agent that keeps connections for at most 10 s after a response, and adds its open sockets to `sockets`. */
export const guardedAgent = (
  options: TargetGuard.GuardOptions,
  addressesOf: (hostname: string) => Promise<ReadonlyArray<string>>,
  sockets: Set<Socket>
): Agent =>
  new Agent({
    connect: guardedConnector(options, addressesOf, sockets),
    maxHeaderSize: maxHeadBytes,
    // The emitter limits the duration of the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
    // A receiver could request an hour by its Keep-Alive header, and so any number of sockets.
    keepAliveMaxTimeout: 10_000
  })
