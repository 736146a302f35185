/** Resolves host names on Node: queries the name servers first, then reads the hosts file. */
import { Effect, Layer } from "effect"
import { promises as dns } from "node:dns"
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

/** Only the system's own resolver reads the hosts file. */
const queryHostsFile = (hostname: string): Promise<ReadonlyArray<string>> =>
  dns.lookup(hostname, { all: true }).then(
    (all) => all.map(({ address }) => address),
    () => []
  )

/**
 * Queries the name servers without Node's four threads for blocking calls, all of which one hanging name
 * server could occupy. A name that no server knows may be in the hosts file.
 */
const resolve = (hostname: string): Effect.Effect<ReadonlyArray<string>, Unresolvable> =>
  Effect.async<ReadonlyArray<string>, Unresolvable>((resume) => {
    const servers = new dns.Resolver({ timeout: resolveMillis / 2, tries: 2 })
    let isWanted = true
    void queryNameServers(servers, hostname).then(async (found) => {
      const addresses = found ?? (isWanted ? await queryHostsFile(hostname) : [])
      servers.cancel()
      resume(addresses.length > 0 ? Effect.succeed(addresses) : Effect.fail(new Unresolvable({ hostname })))
    })
    return Effect.sync(() => {
      isWanted = false
      servers.cancel()
    })
  })

/**
 * Queries the name servers for both address families, for at most 5 s, and reads the hosts file for a name that no
 * server knows. Fails with `Unresolvable` when neither has an address.
 */
export const resolver: Layer.Layer<Resolver> = Layer.succeed(Resolver, Resolver.of({ resolve }))
