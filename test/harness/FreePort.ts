/** A port that nobody listens on, for a test that must know it before its server listens. */
import { once } from "node:events"
import { createServer } from "node:net"

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, "close")
  return port
}
