/** The ports of a store, method by method: which write, and by which name faults strike each. */
import {
  type LeaseRequest,
  type Operation,
  storePorts,
  type StorePortName,
  type StorePorts,
  type StoreServices
} from "@lead-signals/domain"
import { Context } from "effect"

/** The ports that a service needs of its store. */
export type Stores = StorePorts

/** Every method of every port, as `port.method`. */
export type StoreMethod = {
  [Port in StorePortName]: `${Port}.${keyof StoreServices[Port] & string}`
}[StorePortName]

type FaultPoints = {
  readonly [Port in StorePortName]: { readonly [Method in keyof StoreServices[Port]]-?: string }
}

/**
 * The names in the labels of faults, which kept stories hold and from which the seed draws what happens: a method that is
 * renamed or moved to another port keeps its name here, and what a store may render by itself has the name of what is rendered
 * otherwise, and every run stays the run that it was.
 */
const faultPoints: FaultPoints = {
  leads: {
    commit: "commit",
    list: "listShown",
    listRendered: "listShown",
    get: "getShown",
    getRendered: "getShown",
    exportData: "engagements",
    update: "update",
    erase: "erase",
    eventsAfter: "eventsAfter",
    changesAfter: "changesAfter",
    counts: "counts",
    removeSome: "removeSome"
  },
  brands: {
    create: "createBrand",
    list: "brands",
    get: "brand",
    rename: "renameBrand",
    startDeletion: "startBrandDeletion",
    finishDeletion: "finishBrandDeletion"
  },
  keys: {
    create: "createKey",
    list: "keys",
    findByHash: "keyByHash",
    revoke: "revokeKey",
    markUsed: "markKeyUsed"
  },
  signals: { create: "createSignal", list: "signals", rename: "renameSignal", delete: "deleteSignal" },
  campaigns: {
    create: "createCampaign",
    list: "campaigns",
    rename: "renameCampaign",
    delete: "deleteCampaign",
    putReading: "putReading",
    snapshot: "snapshot",
    dayChanges: "dayChanges",
    posts: "posts"
  },
  webhooks: {
    create: "createWebhook",
    list: "webhooks",
    get: "webhook",
    update: "updateWebhook",
    delete: "deleteWebhook"
  },
  outbox: { lease: "lease", record: "record", queued: "queued" },
  deliveries: {
    list: "list",
    get: "get",
    queue: "resend",
    recover: "recover",
    counts: "deliveryCounts"
  },
  rateWindows: { step: "step" },
  health: { check: "ping" },
  accessTokens: {
    create: "createAccessToken",
    list: "accessTokens",
    findByHash: "accessTokenByHash",
    revoke: "revokeAccessToken",
    markUsed: "markAccessTokenUsed"
  },
  auditLog: { append: "appendAudit", complete: "completeAudit", list: "auditEntries", prune: "pruneAudit" },
  idempotency: {
    reserve: "reserveKey",
    complete: "completeKey",
    release: "releaseKey",
    prune: "pruneKeys"
  },
  pruning: { prune: "prune", countDue: "countDue", newestPrunedEvent: "newestPrunedEvent" }
}

/** One method of a port: its name, whether it reads or writes, and its name in labels of faults, which must not change. */
export interface MethodOfStore {
  readonly method: StoreMethod
  readonly operation: Operation
  readonly faultPoint: string
}

const methodsOf = (port: StorePortName): ReadonlyArray<readonly [name: string, of: MethodOfStore]> =>
  Object.entries<Operation>(storePorts[port].operations).map(([name, operation]) => [
    name,
    {
      method: `${port}.${name}` as StoreMethod,
      operation,
      faultPoint: (faultPoints[port] as Readonly<Record<string, string>>)[name]!
    }
  ])

/** The methods that may change what is stored. */
export const writes: ReadonlySet<StoreMethod> = new Set(
  (Object.keys(storePorts) as ReadonlyArray<StorePortName>).flatMap((port) =>
    methodsOf(port).flatMap(([, { method, operation }]) => (operation === "write" ? [method] : []))
  )
)

/** The arguments of a call as they are now: a request for leases counts the attempts of its process, which goes on changing the counts. */
export const argsNow = (method: StoreMethod, args: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  if (method !== "outbox.lease") return args
  const [request] = args as readonly [LeaseRequest]
  const { byWebhook, failingTotal, fast, total } = request.underWay
  const underWay = { total, failingTotal, byWebhook: new Map(byWebhook), fast: new Set(fast) }
  return [{ ...request, underWay }]
}

/** A request for leases that notes of each delivery whose body the store has made when it was queued, by its id: no lease says that. */
interface NotingLeaseRequest extends LeaseRequest {
  readonly queuedAt: ReadonlyMap<string, number>
}

/** The arguments of a call; a request for leases also notes when the deliveries were queued whose bodies are made for it. */
export const notingArgs = (method: StoreMethod, args: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  if (method !== "outbox.lease") return args
  const [request] = args as readonly [LeaseRequest]
  const queuedAt = new Map<string, number>()
  const noting: NotingLeaseRequest = {
    ...request,
    queuedAt,
    body: (material) => {
      queuedAt.set(material.deliveryId, material.createdAt)
      return request.body(material)
    }
  }
  return [noting]
}

type Wrap = (of: MethodOfStore, member: unknown) => unknown

/** The port with each method as `wrap` makes it; methods stay bound to their port, which may be of a class. */
const wrappedPort = (port: StorePortName, service: object, wrap: Wrap): object =>
  Object.fromEntries(
    methodsOf(port).flatMap(([name, of]) => {
      const member: unknown = Reflect.get(service, name)
      // A store may leave out what is optional.
      if (member === undefined) return []
      return [[name, wrap(of, typeof member === "function" ? member.bind(service) : member)]]
    })
  )

/** A store with each method of each port as `wrap` makes it. */
export const wrapStore = (store: Context.Context<Stores>, wrap: Wrap): Context.Context<Stores> =>
  (Object.keys(storePorts) as ReadonlyArray<StorePortName>).reduce((context, port) => {
    const tag = storePorts[port] as Context.Tag<Stores, object>
    return Context.add(context, tag, wrappedPort(port, Context.get(store, tag), wrap))
  }, Context.empty() as Context.Context<Stores>)
