/** A port that nobody listens on, for a test that must know it before its server listens. */
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

/** Below the ports that systems give to connections, and to servers that take any: those of tests beside this one come from there. */
const [minPort, endPort] = [10_240, 32_768]

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, "127.0.0.1")
  try {
    await once(server, "listening")
  } catch {
    return false
  }
  server.close()
  await once(server, "close")
  return true
}

export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(minPort, endPort)
    if (await isFree(port)) return port
  }
}
