/** Resolves host names on Node: looks in the hosts file first, then queries the name servers. */
import { Effect, Layer } from "effect"
import { promises as dns } from "node:dns"
import { hostsLookup, systemHostsFile } from "./HostsFile.ts"
import { Resolver, Unresolvable } from "./Resolver.ts"

/**
 * Milliseconds that resolving a name may take, and that the second address family may take after the first
 * has answered.
 */
const resolveMillis = 5000
const secondFamilyMillis = 1000

/** Errors that mean that the name servers don't know the name, or that there are none. */
const isUnknownName = (reason: unknown): boolean =>
  ["ENOTFOUND", "ENODATA", "ECONNREFUSED"].includes(String((reason as { code?: unknown } | null)?.code))

/**
 * Queries both address families. Returns the addresses that came within the time, null when no server knows
 * the name.
 */
const queryNameServers = (servers: dns.Resolver, hostname: string): Promise<ReadonlyArray<string> | null> =>
  new Promise((done) => {
    const found: Array<ReadonlyArray<string>> = [[], []]
    let open = 2
    let isUnknown = true
    const finish = (): void => {
      clearTimeout(timer)
      const addresses = found.flat()
      done(addresses.length === 0 && isUnknown && open === 0 ? null : addresses)
    }
    let timer = setTimeout(finish, resolveMillis)
    const familyEnded = (family: number, addresses: ReadonlyArray<string>): void => {
      open--
      found[family] = addresses
      if (open === 0) finish()
      else if (addresses.length > 0) {
        clearTimeout(timer)
        timer = setTimeout(finish, secondFamilyMillis)
      }
    }
    for (const [family, answer] of [servers.resolve4(hostname), servers.resolve6(hostname)].entries()) {
      answer.then(
        (addresses) => familyEnded(family, addresses),
        (reason: unknown) => {
          isUnknown &&= isUnknownName(reason)
          familyEnded(family, [])
        }
      )
    }
  })

/** The system's own resolver also knows search domains and what multicast finds. */
const querySystem = (hostname: string): Promise<ReadonlyArray<string>> =>
  dns.lookup(hostname, { all: true }).then(
    (all) => all.map(({ address }) => address),
    () => []
  )

/**
 * Queries the name servers without Node's four threads for blocking calls, all of which one hanging name
 * server could occupy. A name that no server knows may be one that the system resolves by other means.
 */
const query = (
  hostname: string,
  nameServers: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<string>, Unresolvable> =>
  Effect.async<ReadonlyArray<string>, Unresolvable>((resume) => {
    const servers = new dns.Resolver({ timeout: resolveMillis / 2, tries: 2 })
    if (nameServers !== undefined) servers.setServers(nameServers)
    let isWanted = true
    void queryNameServers(servers, hostname).then(async (found) => {
      const addresses = found ?? (isWanted ? await querySystem(hostname) : [])
      servers.cancel()
      resume(addresses.length > 0 ? Effect.succeed(addresses) : Effect.fail(new Unresolvable({ hostname })))
    })
    return Effect.sync(() => {
      isWanted = false
      servers.cancel()
    })
  })

/** Where `resolverWith` looks names up; the system's own by default. */
export interface ResolverOptions {
  /** The path of the hosts file. */
  readonly hostsFile?: string
  /** The addresses of the name servers, each with a port if it is not 53, such as `127.0.0.1:5353`. */
  readonly nameServers?: ReadonlyArray<string>
}

/**
 * Resolves a name by the hosts file, as the system does, whatever name servers answer. For any other name it queries the name servers for both address
 * families, for at most 5 s, and the system's resolver when no server knows the name. Fails with `Unresolvable` when none of them has an address.
 */
export const resolverWith = ({
  hostsFile = systemHostsFile(),
  nameServers
}: ResolverOptions = {}): Layer.Layer<Resolver> =>
  Layer.sync(Resolver, () => {
    const lookUp = hostsLookup(hostsFile)
    return Resolver.of({
      resolve: (hostname) =>
        Effect.suspend(() => {
          const known = lookUp(hostname)
          return known.length > 0 ? Effect.succeed(known) : query(hostname, nameServers)
        })
    })
  })

/** The resolver of this system: its hosts file, then its name servers. */
export const resolver: Layer.Layer<Resolver> = resolverWith()
