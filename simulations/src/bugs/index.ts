/**
 * Planted bugs: small wrong versions of what stands between the service and its store, each switched on by name. That the
 * oracles find them is what makes "held" worth something.
 */
import type { Lease } from "@lead-signals/domain"
import { Effect } from "effect"
import type { StorePorts } from "../world/StorePorts.ts"

export interface Bug {
  readonly name: string
  /** What is wrong with it, in one line. */
  readonly about: string
  readonly plant: (ports: StorePorts) => StorePorts
}

const onLease =
  (change: (lease: Lease, n: number) => Lease) =>
  (ports: StorePorts): StorePorts => {
    let leases = 0
    return {
      ...ports,
      outbox: {
        ...ports.outbox,
        lease: (request) =>
          Effect.map(ports.outbox.lease(request), (leased) => ({
            ...leased,
            leases: leased.leases.map((lease) => change(lease, ++leases))
          }))
      }
    }
  }

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "body-rebuilt",
    about: "the body is made anew at every attempt",
    plant: onLease((lease, n) => ({
      ...lease,
      body: lease.body!.replace('"version":"1"', `"version":"1","n":${n}`)
    }))
  },
  {
    name: "wrong-secret",
    about: "after a while posts are signed with another secret",
    plant: onLease((lease, n) =>
      n < 20
        ? lease
        : {
            ...lease,
            webhook: { ...lease.webhook, secrets: { current: `whsec_${"A".repeat(43)}=`, previous: null } }
          }
    )
  },
  {
    name: "wrong-webhook",
    about: "a delivery goes to the receiver of another one",
    plant: (ports) => {
      let last: Lease | null = null
      return onLease((lease) => {
        const webhook =
          last !== null && last.webhook.brandId !== lease.webhook.brandId ? last.webhook : lease.webhook
        last = lease
        return { ...lease, webhook }
      })(ports)
    }
  },
  {
    name: "failure-taken-for-success",
    about: "what a receiver refuses counts as delivered",
    plant: (ports) => ({
      ...ports,
      outbox: {
        ...ports.outbox,
        record: (attempts) =>
          ports.outbox.record(
            attempts.map((attempt) => ({
              ...attempt,
              settle: () => ({ delivery: { state: "delivered" }, failingSince: null, disabledReason: null })
            }))
          )
      }
    })
  },
  {
    name: "commit-forgotten",
    about: "one observation in ten is acknowledged and not kept",
    plant: (ports) => {
      let commits = 0
      return {
        ...ports,
        leadStore: {
          ...ports.leadStore,
          commit: (brandId, proposals, ids) =>
            ++commits % 10 === 0
              ? Effect.succeed(proposals.map(() => ({ outcome: "recorded" as const, leadId: 1 })))
              : ports.leadStore.commit(brandId, proposals, ids)
        }
      }
    }
  },
  {
    name: "event-outside-the-transaction",
    about: "the commit is made again when its answer is slow, and fires its events again",
    plant: (ports) => ({
      ...ports,
      leadStore: {
        ...ports.leadStore,
        commit: (brandId, proposals, ids) =>
          Effect.tap(ports.leadStore.commit(brandId, proposals, ids), (committed) =>
            Effect.gen(function* () {
              const [first] = committed
              if (first?.outcome !== "duplicate" || first.leadId === null) return
              for (const { brandId: of, id } of yield* ports.directory.webhooks(brandId)) {
                yield* ports.deliveries.resendEvent(
                  { id, brandId: of },
                  { id: first.leadId, event: "activity.detected" },
                  ids
                )
              }
            })
          )
      }
    })
  },
  {
    name: "window-too-narrow",
    about: "updatedAfter leaves out the first five minutes of its window",
    plant: (ports) => ({
      ...ports,
      leadStore: {
        ...ports.leadStore,
        list: (brandId, query) => {
          const { updatedAfter, ...filter } = query.filter
          return ports.leadStore.list(brandId, {
            ...query,
            filter:
              updatedAfter === undefined ? filter : { ...filter, updatedAfter: updatedAfter + 5 * 60_000 }
          })
        }
      }
    })
  },
  {
    name: "lead-of-another-brand",
    about: "now and then a list is read from the brand before",
    plant: (ports) => {
      let lists = 0
      return {
        ...ports,
        leadStore: {
          ...ports.leadStore,
          list: (brandId, query) =>
            ports.leadStore.list(++lists % 7 === 0 && brandId === "2" ? "1" : brandId, query)
        }
      }
    }
  },
  {
    name: "retry-under-a-new-id",
    about: "each retry has an id of its own",
    plant: (ports) => {
      const tries = new Map<string, number>()
      return {
        ...ports,
        outbox: {
          ...ports.outbox,
          lease: (request) =>
            Effect.map(ports.outbox.lease(request), (leased) => ({
              ...leased,
              leases: leased.leases.map((lease) => {
                const n = (tries.get(lease.deliveryId) ?? 0) + 1
                tries.set(lease.deliveryId, n)
                if (n === 1) return lease
                const id = `${lease.deliveryId}-${n}`
                return { ...lease, deliveryId: id, body: lease.body!.replace(lease.deliveryId, id) }
              })
            })),
          record: (attempts) =>
            ports.outbox.record(
              attempts.map((attempt) => ({ ...attempt, deliveryId: attempt.deliveryId.replace(/-\d+$/, "") }))
            )
        }
      }
    }
  }
]

export const bugNamed = (name: string): Bug | undefined => bugs.find((bug) => bug.name === name)
