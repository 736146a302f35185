/**
 * Bounds how many connections a server has open. However many clients connect, the process has file descriptors left for the store and for webhooks,
 * and connections without a request keep no other client out. [ERR-13]
 */
import type { Socket } from "node:net"

/** The open connections, and which of them gives its place to a further one. */
export class OpenConnections {
  private readonly placed = new Set<Socket>()
  /** The ones with a place and no request in flight, first the one that has been without the longest. */
  private readonly idle = new Set<Socket>()
  private readonly refused = new Set<Socket>()

  /** `max` is how many have a place, at least 1. */
  constructor(private readonly max: number) {}

  /**
   * Gives a new connection a place. Where none is free, the connection that has been without a request the longest is closed for it. False when
   * each of them has a request in flight: the new one is to be refused.
   */
  add(socket: Socket): boolean {
    const hasPlace = this.placed.size < this.max || this.closeIdle()
    if (hasPlace) {
      this.placed.add(socket)
      this.idle.add(socket)
    } else this.refused.add(socket)
    socket.once("close", () => this.remove(socket))
    return hasPlace
  }

  /** The connection has a request in flight from now on. */
  noteBusy(socket: Socket): void {
    this.idle.delete(socket)
  }

  /** The connection has no request in flight any more. */
  noteIdle(socket: Socket): void {
    if (this.placed.has(socket)) this.idle.add(socket)
  }

  /** All that are open, those that are refused included. */
  *[Symbol.iterator](): Generator<Socket> {
    yield* this.placed
    yield* this.refused
  }

  private closeIdle(): boolean {
    const [longest] = this.idle
    if (longest === undefined) return false
    // Its event comes later, and until then it would keep its place.
    this.remove(longest)
    longest.destroy()
    return true
  }

  private remove(socket: Socket): void {
    this.placed.delete(socket)
    this.idle.delete(socket)
    this.refused.delete(socket)
  }
}
