/** Proxies in front of the service, and what requests that come through them say of their client. [AUTH-11] */

/** The proxies that the service trusts. */
export const trustedProxies: ReadonlyArray<string> = ["10.0.0.0/8", "2001:db8:ffff::/48"]

/** The other end of a connection, and the header X-Forwarded-For; null: none. */
export interface Forwarded {
  readonly peer: string
  readonly header: string | null
}

/** How a request of the client comes: from itself, with a header that does not count, or through proxies, which do not always know the client. */
export const forwardings: ReadonlyArray<(client: string) => Forwarded> = [
  (client) => ({ peer: client, header: null }),
  (client) => ({ peer: client, header: "192.0.2.7" }),
  (client) => ({ peer: "10.0.0.9", header: client }),
  (client) => ({ peer: "2001:db8:ffff::1", header: `198.51.100.1, ${client}, 10.255.255.255` }),
  (client) => ({ peer: "10.0.0.9", header: `${client}, unknown` }),
  (client) => ({ peer: "10.0.0.9", header: `${client},unknown, 10.0.0.1` }),
  (client) => ({ peer: "::ffff:10.0.0.9", header: `192.0.2.7,${client}` }),
  (client) => ({ peer: "11.0.0.0", header: client }),
  () => ({ peer: "10.0.0.9", header: null }),
  () => ({ peer: "10.0.0.9", header: "10.0.0.1, 10.0.0.2" })
]
