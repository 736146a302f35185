/** A proxy in front of Postgres that does something when the client sends its message of a given number. */
import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

export interface CountingProxy {
  readonly url: string
  /** How many messages, or parts of large ones, clients have sent since `arm`. */
  readonly messages: () => number
  /** Runs the work instead of passing on the message of the number, counted from now. */
  readonly arm: (number: number, work: (cut: () => void) => void) => void
  readonly close: () => Promise<void>
}

export const countingProxy = async (target: string): Promise<CountingProxy> => {
  const { hostname, pathname, port, username } = new URL(target)
  const open = new Set<Socket>()
  let [messages, at] = [0, 0]
  let atMessage: (cut: () => void) => void = () => {}
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const both = [client, upstream]
    const cut = (): void => both.forEach((socket) => socket.destroy())
    for (const socket of both) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on("error", () => {})
      socket.on("close", () => {
        open.delete(socket)
        cut()
      })
    }
    client.on("data", (bytes) => {
      if (++messages === at) atMessage(cut)
      else upstream.write(bytes)
    })
    upstream.on("data", (bytes) => client.write(bytes))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `postgres://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    messages: () => messages,
    arm: (number, work) => {
      messages = 0
      at = number
      atMessage = work
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
