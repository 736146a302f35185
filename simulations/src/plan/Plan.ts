/**
 * What will be done in a run, and what will go wrong in it, as data. A run executes a plan; a counterexample is a plan with less in it.
 */
import type { Retention } from "@lead-signals/domain"
import type { Arrival } from "../world/BodyPieces.ts"
import type { PlannedPruning } from "./PlannedRetention.ts"
import { noRates, type ReceiverBehaviour, type Rates } from "../Scenario.ts"

/** What was seen: an observation as the operator API takes it, but for the signal, which is the brand's n-th. */
export interface Sighting {
  readonly signal: number
  readonly person: { readonly extId: string; readonly name: string } & Readonly<Record<string, unknown>>
  readonly engagement: { readonly id: string } & Readonly<Record<string, unknown>>
  /** Kept apart or dropped, never shown. [ENG-9] */
  readonly raw?: string
  /** Fields of the engagement as they are sent, where that is not how they are shown. */
  readonly written?: Readonly<Record<string, string>>
}

/** A bound of a window of time, made of an instant that the client has seen by then. */
export interface PlannedBound {
  readonly name: "createdAfter" | "createdBefore" | "updatedAfter" | "updatedBefore"
  /** The n-th of the instants that the client has seen, and milliseconds to add to it. */
  readonly instant: number
  readonly by: number
  /** In which of the accepted ways it is written: the place in `instantForms`. */
  readonly form: number
}

/** A list, before it is known which ids and instants there are. */
export interface PlannedQuery {
  readonly signal: number | null
  readonly flags: { readonly qualified?: boolean; readonly exported?: boolean; readonly isEmployee?: boolean }
  readonly search: string | null
  readonly bounds: ReadonlyArray<PlannedBound>
  readonly field: "createdAt" | "updatedAt" | "score1" | "name"
  readonly direction: "asc" | "desc"
  readonly page: number
  readonly pageSize: number
  readonly engagements: "none" | "plain" | "detailed"
}

/** What the operator looks at. */
export const inspections = [
  "directory",
  "names",
  "for a while",
  "pair",
  "end of a window",
  "deliveries",
  "enabling",
  "series"
] as const
type Inspection = (typeof inspections)[number]

/** An action without its time, as counterexamples and plans spell it out. */
export type UndatedAction =
  | {
      readonly do: "observe" | "again"
      readonly seen: ReadonlyArray<Sighting>
      /** Sent as x-ndjson. */
      readonly isLines?: boolean
      /** Comes slowly. */
      readonly arrival?: Arrival
      /** Each engagement has the longest texts that the service takes. */
      readonly isLong?: boolean
    }
  /** Requests with the same observations, all at once, while the store is slow; the clients of some go away. */
  | {
      readonly do: "crowd"
      readonly seen: ReadonlyArray<Sighting>
      /** After how many milliseconds the client of each request goes away; null: it waits. */
      readonly leaves: ReadonlyArray<number | null>
      readonly commitMillis: number
    }
  /** Further people, each seen once; `from` counts those that were loaded before. */
  | { readonly do: "load"; readonly from: number; readonly people: number; readonly isLines: boolean }
  | {
      readonly do: "amend"
      readonly person: string
      readonly change: {
        readonly qualified?: boolean
        readonly exported?: boolean
        readonly isEmployee?: boolean
        readonly score1?: number | null
      }
    }
  | { readonly do: "erase" | "export"; readonly person: string }
  | {
      readonly do: "list"
      readonly query: PlannedQuery
      /** Lists that follow at once, each like the one before it but for one thing: what is remembered of the one answers no other. */
      readonly next?: ReadonlyArray<PlannedQuery>
    }
  | { readonly do: "detail"; readonly person: string; readonly withDetail: boolean }
  | { readonly do: "walk"; readonly query: PlannedQuery }
  | { readonly do: "sync" }
  | { readonly do: "metrics"; readonly startDate: string | null; readonly endDate: string | null }
  | {
      readonly do: "reading"
      readonly post: string
      readonly day: string
      readonly totals: { readonly [figure in "impressions" | "reactions" | "comments" | "reposts"]: number }
    }
  | { readonly do: "key"; readonly useMillis: ReadonlyArray<number>; readonly revokeMillis: number }
  | {
      readonly do: "burst"
      readonly requests: number
      readonly gapMillis: number
      /** The limit of a key of its own; the brand's key with a low limit where there is none. */
      readonly limit?: number
    }
  /** Forms of inputs, by the names of their probes. */
  | { readonly do: "probe"; readonly probes: ReadonlyArray<string> }
  /** A brand that is created, used for a while and deleted again, beside everything else. */
  | { readonly do: "tenant"; readonly people: number; readonly useMillis: number }
  | { readonly do: "cross"; readonly person: string }
  | { readonly do: "rotate" | "test"; readonly webhook: number }
  | {
      readonly do: "resend"
      readonly person: string
      readonly event: "lead2.created" | "activity.detected"
      readonly webhook: number
    }
  | { readonly do: "redeliver"; readonly webhook: number; readonly nth: number }
  | { readonly do: "recover"; readonly webhook: number; readonly agoMillis: number }
  | { readonly do: "toggle"; readonly webhook: number; readonly offMillis: number }
  | {
      readonly do: "inspect"
      readonly what: Inspection
      readonly webhook: number
      /** Which of several it is. */
      readonly nth: number
      readonly state: "pending" | "held" | "delivered" | "dead" | null
      readonly pageSize: number | null
    }
  | ({ readonly do: "access" } & PlannedAccess)
  | {
      readonly do: "stream"
      readonly reads: ReadonlyArray<StreamRead>
      /** How many listen at the same time; one unless it is given. */
      readonly listeners?: number
    }
  | ({ readonly do: "session" } & PlannedSession)
  | {
      readonly do: "keyed"
      readonly what: (typeof keyedThings)[number]
      readonly tries: ReadonlyArray<KeyedTry>
    }

/** What a credential of the action `access` can do for which brands of the plan, when it ends, and how it is used. */
interface PlannedAccess {
  readonly holder: "token" | "key"
  readonly scopes: ReadonlyArray<string>
  /** The brands that a token reaches: all, that of the action, the next one, or both. */
  readonly brands: "all" | "own" | "other" | "both"
  /** When it expires, in milliseconds after its creation; null: never. */
  readonly expiresMillis: number | null
  /** When it is revoked; null: it is not. */
  readonly revokeMillis: number | null
  /** The addresses that a key works from: the place in `addressLists`; null: from all. */
  readonly allowed: number | null
  readonly uses: ReadonlyArray<AccessUse>
}

/** Headers that say whose page sends a request, as browsers set them; each set has a name. [SES-5] */
export const originHeaders = {
  none: {},
  same: { "sec-fetch-site": "same-origin" },
  cross: { "sec-fetch-site": "cross-site" },
  site: { "sec-fetch-site": "same-site" },
  origin: { host: "leads.example", origin: "http://leads.example" },
  secure: { host: "leads.example", origin: "https://leads.example", "sec-fetch-site": "same-origin" },
  foreign: { host: "leads.example", origin: "http://other.example" },
  both: { host: "leads.example", origin: "http://other.example", "sec-fetch-site": "same-origin" },
  opaque: { host: "leads.example", origin: "null" }
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

/** A name of `originHeaders`: how a browser says where a request comes from. */
export type OriginHeaders = keyof typeof originHeaders

/** What somebody does with a session. */
export const sessionUses = [
  "session",
  "brands",
  "leads",
  "key",
  "create",
  "events",
  "cookies",
  "bearer",
  "beside"
] as const

/** A session of a browser, from its begin to its end. */
interface PlannedSession {
  readonly credential: "environment" | "token" | "key" | "wrong"
  /** What a token may do. */
  readonly scopes: ReadonlyArray<string>
  /** Whether the token reaches the brand of the action alone. */
  readonly isLimited: boolean
  /** When the token or key is revoked, in milliseconds after the sign-in; null: it is not. */
  readonly revokeMillis: number | null
  readonly origin: OriginHeaders
  readonly uses: ReadonlyArray<{
    /** Milliseconds after the use before. */
    readonly after: number
    /** In place of `after`: milliseconds from the end of the session, before it where negative. */
    readonly atExpiry?: number
    readonly what: (typeof sessionUses)[number]
    readonly origin: OriginHeaders
  }>
  /** By what the sign-out is proven; null: there is none. */
  readonly signOut: OriginHeaders | null
}

/** The last event that a listener says it has: none, the empty text, the newest, the first that it got, a later one, or no id at all. */
export const lastEvents = ["none", "empty", "newest", "newest", "first", "later", "strange"] as const

/** One connection to the events of a brand. */
export interface StreamRead {
  /** Milliseconds after the connection before. */
  readonly after: number
  readonly forMillis: number
  readonly from: (typeof lastEvents)[number]
  /** How many milliseconds the listener takes over each piece. */
  readonly takesMillis: number
  /** The n-th of the texts that are no id. */
  readonly nth: number
}

/** One use of a credential. */
export interface AccessUse {
  readonly n: number
  /** Milliseconds after the creation. */
  readonly after: number
  /** In place of `after`: milliseconds from the end of the credential, before it where negative. */
  readonly atExpiry?: number
  /** The n-th operation of the document, over and over. */
  readonly operation: number
  /** Whether the call is about the next brand. */
  readonly isOfOther: boolean
  /** The client's address. */
  readonly from?: string
}

/** Lists of addresses for keys. [AUTH-11] */
export const addressLists: ReadonlyArray<ReadonlyArray<string>> = [
  ["192.0.2.7"],
  ["192.0.2.0/24"],
  ["198.51.100.0/25", "2001:db8:0:1::/64"],
  ["2001:db8::1"],
  ["0.0.0.0/0"],
  ["203.0.113.255", "::/0"]
]

/** Addresses within these lists, at their edges and just outside. */
export const clientAddresses: ReadonlyArray<string> = [
  "192.0.2.7",
  "192.0.2.8",
  "192.0.2.255",
  "192.0.3.0",
  "::ffff:192.0.2.7",
  "198.51.100.127",
  "198.51.100.128",
  "203.0.113.255",
  "2001:db8::1",
  "2001:db8:0:1:ffff:ffff:ffff:ffff",
  "2001:db8:0:2::"
]

/** What is created with an Idempotency-Key: a recovery is of a webhook's dead letters. */
export const keyedThings = ["brand", "token", "key", "signal", "campaign", "webhook", "recovery"] as const

/** One request with the key of its action. */
export interface KeyedTry {
  /** Milliseconds after the first. */
  readonly after: number
  /** Whether the body is another one. */
  readonly isOther?: boolean
  /** Whether another operator sends it. */
  readonly isOfOther?: boolean
}

/** Something that somebody does at a time, in milliseconds since the run began. */
export type DatedAction = { readonly at: number; readonly brand: number } & UndatedAction

/** An action with its time and its number, which labels name it by. The number stays when others are left out. */
export type Action = { readonly n: number } & DatedAction

/** A fault at a time, in milliseconds since the run began. */
export type ScheduledFault = {
  readonly at: number
  /** The process that it strikes, from 0; the first unless given. */
  readonly process?: number
} /** When the service has gone on by `steps` of its work. */ & (
  | { readonly fault: "kill"; readonly steps: number }
  | { readonly fault: "clock"; readonly millis: number }
  | { readonly fault: "drift"; readonly rate: number }
  | { readonly fault: "pause" | "partition" | "storeCut" | "receiverCut"; readonly millis: number }
  /** The store is away for `millis`; what was committed in the last `lostMillis` is lost. */
  | { readonly fault: "failover"; readonly millis: number; readonly lostMillis: number }
)

/** How requests are spread: by chance; one process for each party; in turn; most of them to the first. */
export const routings = ["random", "sticky", "round robin", "uneven"] as const

/** How requests are spread over several processes. */
export type Routing = (typeof routings)[number]

/** Limits that leave a process fewer attempts at once than its defaults. */
export const placeLimits = ["few", "reserved", "ahead"] as const

/** A name of `placeLimits`. */
export type PlaceLimits = (typeof placeLimits)[number]

/** One of the processes that serve the store. */
export interface PlannedProcess {
  /** Whether it begins with an older version's settings, until it is started again. */
  readonly older: boolean
}

/** What the plan says of a brand itself: its receivers, and how its client waits. */
export interface PlannedBrand {
  readonly consumers: ReadonlyArray<{
    readonly behaviour: ReceiverBehaviour
    readonly events: ReadonlyArray<string>
    /** Whether the events of one lead wait for each other, and for how many seconds at most. Absent: they don't. */
    readonly ordering?: "lead"
    readonly maxDelay?: number
    /** In which form its events come, how many in one post, and how many seconds one waits for others. Absent: as envelopes, each alone. */
    readonly format?: "cloudevents"
    readonly maxBatch?: number
    readonly maxWait?: number
  }>
  /** For how many seconds the client's syncs ask the feed of changes to wait. Absent: not at all. */
  readonly changesWait?: number
}

/** When runs begin whose plan says nothing else: a Monday morning, the same whenever and wherever they are run. */
export const usualStart = Date.UTC(2026, 0, 5, 8)

/** Everything that a run does by intent. What goes wrong by chance comes of the seed and `rates`. */
export interface Plan {
  readonly hours: number
  /** When it begins, in virtual milliseconds since 1970. Absent: at `usualStart`. */
  readonly startsAt?: number
  readonly brands: ReadonlyArray<PlannedBrand>
  readonly actions: ReadonlyArray<Action>
  readonly scheduledFaults: ReadonlyArray<ScheduledFault>
  readonly rates: Rates
  /** One process unless given. */
  readonly processes?: ReadonlyArray<PlannedProcess>
  /** How requests are spread over several processes. */
  readonly routing?: Routing
  /** Whether the store is a server behind a network, as a shared database is. */
  readonly networkedStore?: boolean
  /** Limits on the attempts that a process makes at once. Absent: the defaults. */
  readonly places?: PlaceLimits
  /** How many requests can wait for a change at once in one process. Absent: the default. */
  readonly maxWaits?: number
  /** For how many days the service is off after everything has come. Absent: it is not. */
  readonly offDays?: number
  /** Whether the operator recovers dead letters after everything has come. Absent: nobody does. */
  readonly recovers?: true
  /** How many signals the first brand had that were deleted before anything else. Absent: none. */
  readonly earlierSignals?: number
  /** How long the service keeps what is over; it prunes nothing unless given. */
  readonly retention?: Retention.Retention
  /** How it prunes while the actions go on; as in production unless given. */
  readonly pruning?: PlannedPruning
}

/** The processes of a plan. */
export const processesOf = ({ processes }: Pick<Plan, "processes">): ReadonlyArray<PlannedProcess> =>
  processes === undefined || processes.length === 0 ? [{ older: false }] : processes

/** Whether nothing goes wrong in it. */
export const isCalm = ({ rates, scheduledFaults }: Plan): boolean =>
  scheduledFaults.length === 0 && Object.keys(noRates).every((name) => rates[name as keyof Rates] === 0)
