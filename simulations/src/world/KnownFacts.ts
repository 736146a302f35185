/** What the parties of a run know for certain, each from its own side: what the oracles compare. */
import type { Query, ReferenceCampaign, ReferenceModel } from "@lead-signals/store-contract/reference"
import { Effect } from "effect"
import type { Plan, Sighting } from "../plan/Plan.ts"
import type { ReceiverBehaviour } from "../Scenario.ts"
import type { Expectation } from "../vocabulary/Expectation.ts"
import { Incidents } from "./Incidents.ts"
import type { SimulatedRequest, SimulatedResponse } from "./SimulatedHttp.ts"
import type { StoreMethod } from "./StorePorts.ts"

// Bodies are looked into freely here.

/** JSON of the service as an oracle sees it: no type of the product may vouch for its shape. */
export type Json = any

/** What the caller means by a call, apart from how HTTP says it. */
export type Meaning =
  | { readonly means: "observe"; readonly seen: ReadonlyArray<Sighting> }
  | { readonly means: "amend"; readonly id: number; readonly change: Record<string, unknown> }
  | { readonly means: "erase"; readonly id: number; readonly person: string }
  | { readonly means: "list"; readonly query: Query }
  | { readonly means: "detail"; readonly id: number; readonly withDetail: boolean }
  | { readonly means: "metrics"; readonly startDate: string | null; readonly endDate: string | null }
  | { readonly means: "reading"; readonly post: string; readonly day: string; readonly totals: Json }
  /** The contract refuses it: nothing changes. */
  | { readonly means: "bad" }
  | { readonly means: "cross" }
  /** May make at most `maxEvents` further deliveries. */
  | { readonly means: "resend"; readonly webhook: KnownWebhook; readonly maxEvents: number }
  | { readonly means: "export"; readonly id: number }
  | { readonly means: "enable"; readonly webhook: KnownWebhook; readonly enabled: boolean }
  | { readonly means: "rotate"; readonly webhook: KnownWebhook }
  | { readonly means: "revoke"; readonly key: KnownKey }
  /** Ends the browser's session with this cookie. */
  | { readonly means: "signOut"; readonly cookie: string }
  | { readonly means: "make" | "look" }

/** One call of the service, from its making to its answer. */
export interface Call {
  /** Another for each call and each of its tries. */
  readonly label: string
  readonly party: string
  /** As the OpenAPI document writes it, like `/operator/brands/{brandId}/keys`. */
  readonly route: string
  readonly request: SimulatedRequest
  readonly meaning: Meaning
  /** What the contract says of the answer, where the meaning leaves that open. */
  readonly expects?: Expectation
  /** The brand that it is about. */
  readonly brand: KnownBrand | null
  /** The key it is made with; null for the operator's. */
  readonly key: KnownKey | null
  /** Virtual milliseconds since 1970. */
  readonly sentAt: number
  /** When it is to reach the service; undefined where the network says so. */
  readonly arrivesAt?: number
  /** When the service began with it. */
  handledAt: number
  /** The same by the clock of the process that handles it. */
  handledByClock: number
  /** The process that handles it. */
  handledBy: number
  /** Which start of that process, from 1, and between which instants that start read the clock of its process. */
  handledByStart: number
  startedByClock: readonly [from: number, to: number]
  /** The methods of the store that failed on its behalf. */
  readonly struck: Set<StoreMethod>
  /** What the reference says to it, as of the instant at which the store did it; undefined where it says nothing. */
  expected: unknown
}

/** An answer as a process of the service gives it, whether it then reaches its client or not. */
export interface Answered {
  readonly call: Call
  readonly response: SimulatedResponse
  readonly body: Json
  /** When it was given, in virtual milliseconds since 1970. */
  readonly at: number
  /** The same by the clock of the process that answered. */
  readonly byClock: number
}

/** The process that made a call of the store, as it was at the instant at which the store did it. */
export interface CallingProcess {
  readonly index: number
  /** The time by its clock. */
  readonly now: number
  /** The same as the answer reaches it: later where the store is behind a network. */
  readonly hasAnswerAt: number
  /** How many times as long as this version's it waits between attempts. */
  readonly waitFactor: number
}

/** A call of the store that was done. */
export interface Stored {
  readonly method: StoreMethod
  /** The method's name in the labels of faults. */
  readonly faultPoint: string
  readonly args: ReadonlyArray<Json>
  readonly answer: Json
  /** On whose behalf; null for the emitter's. */
  readonly call: Call | null
  /** By the clock that the store reads: the process's, or that of a networked store's server. */
  readonly serviceNow: number
  readonly process: CallingProcess
}

/** A line of a process's log, without its time and level. */
export interface LoggedLine {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A key, or a token: what its holder knows of it. */
export interface KnownKey {
  readonly id: string
  readonly value: string
  readonly requestsPerMinute: number
  /** When its revocation was first asked for, and when it was acknowledged. */
  revokingAt: number | null
  revokedAt: number | null
}

/** A webhook as its owner knows it. */
export interface KnownWebhook {
  readonly id: string
  readonly brandId: string
  readonly url: string
  readonly behaviour: ReceiverBehaviour
  readonly events: ReadonlyArray<string>
  /** Whether the events of one lead wait for each other, and for how many seconds at most. */
  readonly ordering: "none" | "lead"
  readonly maxDelay: number | null
  /** In which form its events come, how many of them in one post at most, and for how many seconds one waits for others. */
  readonly format: "envelope" | "cloudevents"
  readonly maxBatch: number
  readonly maxWait: number
  /** Secrets that its owner received, the newest last, and when. */
  readonly secrets: Array<{ readonly secret: string; readonly since: number }>
  /** Rotations that the service may have done. */
  rotations: number
  /** How many further deliveries may have been made on purpose. */
  resends: number
  /** When it was last asked to be enabled. */
  enabledAt: number
  /** When it was last asked to be disabled, and that was acknowledged; null while it may be enabled. */
  disabledAt: number | null
}

/** A post on its way to a receiver and back. */
export interface SentPost {
  /** When the service sent it. */
  readonly at: number
  /** The same by the clock of the process that sent it. */
  readonly byClock: number
  /** The process that sent it. */
  readonly process: number
  /** When the receiver's answer reached the service whole; null while it has not. */
  heardAt: number | null
  /** The same by the clock of the process that sent it. */
  heardByClock: number | null
  /** When the post ended for the process, answered or not; null while it is under way, and for ever when the process was killed during it. */
  endedAt: number | null
}

/** A post as it came, with whatever events are in it. */
interface ReceivedMessage {
  /** The header webhook-id. */
  readonly id: string
  readonly body: string
  /** The events in it, in their order. */
  readonly posts: ReadonlyArray<ReceivedPost>
}

/** One event of a post: a batch has several, and each is judged as if it had come alone. */
export interface ReceivedPost {
  readonly at: number
  readonly sent: SentPost
  readonly webhook: KnownWebhook
  readonly headers: Readonly<Record<string, string>>
  /** The id of the delivery. */
  readonly id: string
  /** The bytes of this event alone. */
  readonly body: string
  /** The event as an envelope, in whatever form it came. */
  readonly envelope: Json
  /** The event as it came, where that is a CloudEvent. */
  readonly cloudEvent: Json | null
  /** What it came in. */
  readonly message: ReceivedMessage
  readonly messageId: string
  /** Its place in that, from 0. */
  readonly index: number
  /** The event's type and its lead or engagement. */
  readonly subject: string
  readonly status: number | null
  /** What the header Retry-After says: seconds, or a date in milliseconds since 1970; both null where it says nothing. */
  readonly retryAfterSeconds: number | null
  readonly retryAfterDate: number | null
  /** What the log must have of the answer; undefined where that repeats the post. */
  readonly logged?: string | null | undefined
}

/** What is kept of a post: the bodies of a day would fill the memory. */
export type KeptPost = Omit<ReceivedPost, "headers" | "body" | "envelope" | "cloudEvent" | "message">

/** A brand as it was set up, and the reference of what it holds. */
export interface KnownBrand {
  readonly index: number
  readonly id: string
  readonly signalIds: ReadonlyArray<string>
  readonly campaignId: string
  readonly key: KnownKey
  readonly limitedKey: KnownKey
  readonly webhooks: ReadonlyArray<KnownWebhook>
  readonly reference: ReferenceModel
  readonly campaign: ReferenceCampaign
  /** Ids of leads by external id, as answers named them. */
  readonly leadIds: Map<string, number>
  /** createdAt and updatedAt of what was listed. */
  readonly instants: Array<number>
  /** What a client that syncs has. */
  readonly mirror: Map<number, Json>
  syncCursor: string | null
}

/** A rule that did not hold, by the oracle that says so. */
export interface Violation {
  readonly oracle: string
  readonly message: string
  /** The whole texts whose difference the message shows, where it compared an answer. */
  readonly texts?: { readonly expected: string; readonly actual: string }
}

/** A person of a brand: the same external id can be another person's at another brand. */
export const personOf = ({ id }: { readonly id: string }, extId: string): string => `${id} ${extId}`

/** Grows while a run goes on; a rule that breaks is noted here, and only the first one counts. */
export class KnownFacts {
  readonly brands: Array<KnownBrand> = []
  /** Brands that are created and deleted while the scenario runs. */
  readonly tenants: Array<KnownBrand> = []
  readonly received: Array<KeptPost> = []
  /** People whose erasure was acknowledged, and when; by `personOf`. */
  readonly erased = new Map<
    string,
    { readonly brandId: string; readonly extId: string; readonly at: number }
  >()
  /** People whose erasure was asked for: from then on it may have happened. By `personOf`. */
  readonly erasing = new Set<string>()
  readonly coverageMarks = new Set<string>()
  /** The forms of inputs that were answered, by the names of their probes. */
  readonly exercised = new Set<string>()
  readonly incidents = new Incidents()
  /** When the window of each key ends, by the clock that the store reads. */
  readonly windowEnds = new Map<string, number>()
  /** The true time, in milliseconds since 1970. */
  now: () => number = () => 0
  /** Whether a change may be stamped long before one that was there already: a clock was set back, or two processes' clocks differ. */
  mayHideChanges = false
  /** Whether calls of the store are seen: those of a host of its own are not. */
  isStoreSeen = false
  /** Deliveries in the dead letters at the end, as `webhook subject`. */
  readonly dead = new Set<string>()
  /** Ids of deliveries that were pruned, of leads, and of engagements as `brand id`. */
  readonly prunedDeliveries = new Set<string>()
  readonly prunedLeads = new Set<number>()
  readonly prunedEngagements = new Set<string>()
  /** Every delivery as the operator sees it at the end, with its log. */
  readonly deliveries: Array<{ readonly webhook: KnownWebhook; readonly delivery: Json }> = []
  /** What clients that sync have before their last full sync, by brand; none where no change can be hidden. */
  readonly mirrorsBeforeFullSync = new Map<string, ReadonlyMap<number, Json>>()
  /** What brands list in the end, on quiet data, by brand and order. */
  readonly finalLists = new Map<string, ReadonlyArray<Json>>()
  /** When the host lost its power, and with it every rate window. [RATE-5] */
  readonly powerLostAt: Array<number> = []
  /** Calls whose reservation of an Idempotency-Key another call has taken over: they can change nothing any more. [IDEM-3] */
  readonly overtaken = new WeakSet<Call>()
  /** Whether the audit log has an entry of lists that keys read. [AUD-8] */
  auditsKeyReads = false
  /** Calls whose answer a rule has compared whole with what it must be. */
  readonly compared = new WeakSet<Call>()
  /** The sign-outs that the service has begun with and not refused, by the cookies of their sessions. */
  readonly signOuts = new Map<string, Set<Call>>()
  /** What a failover of the store has lost, in words. */
  readonly lostByFailover: Array<string> = []
  requests = 0
  /** Posts, with whatever is in them. */
  messages = 0
  engagements = 0
  /** Leads and removals that clients who sync took over. */
  changes = 0
  violation: Violation | null = null

  constructor(readonly plan: Plan) {}

  private readonly byDelivery = new Map<string, Array<KeptPost>>()

  /** What receivers got of a delivery, in order. */
  postsOf(deliveryId: string): ReadonlyArray<KeptPost> {
    return this.byDelivery.get(deliveryId) ?? []
  }

  private readonly awaited = new Map<KnownWebhook, Array<(post: ReceivedPost) => void>>()

  /** The next thing that the webhook's receiver gets. */
  nextPost(webhook: KnownWebhook): Effect.Effect<ReceivedPost> {
    return Effect.async((resume) => {
      const waiting = this.awaited.get(webhook) ?? []
      this.awaited.set(webhook, waiting)
      waiting.push((post) => resume(Effect.succeed(post)))
    })
  }

  /** A receiver got something. */
  receive(post: ReceivedPost): void {
    for (const resume of this.awaited.get(post.webhook)?.splice(0) ?? []) resume(post)
    const {
      body: _body,
      cloudEvent: _cloudEvent,
      envelope: _envelope,
      headers: _headers,
      message: _message,
      ...kept
    } = post
    if (post.index === 0) this.messages++
    this.received.push(kept)
    const known = this.byDelivery.get(kept.id)
    if (known === undefined) this.byDelivery.set(kept.id, [kept])
    else known.push(kept)
  }

  /** The first violation is kept: what comes after may only follow from it. */
  violate(oracle: string, message: string, texts?: Violation["texts"]): void {
    this.violation ??= {
      oracle,
      message: [message, ...this.lostByFailover].join("; "),
      ...(texts === undefined ? {} : { texts })
    }
  }

  brandOf(id: string): KnownBrand | undefined {
    return this.brands.find((brand) => brand.id === id) ?? this.tenants.find((brand) => brand.id === id)
  }
}
