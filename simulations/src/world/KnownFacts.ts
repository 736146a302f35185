/** What the parties of a run know for certain, each from its own side: what the oracles compare. */
import type { Query, ReferenceCampaign, ReferenceModel } from "@lead-signals/store-contract/reference"
import type { Plan, Sighting } from "../plan/Plan.ts"
import type { ReceiverBehaviour } from "../Scenario.ts"
import type { SimulatedRequest, SimulatedResponse } from "./SimulatedHttp.ts"
import type { StoreMethod } from "./StorePorts.ts"

// Bodies are looked into freely here.
export type Json = any

/** What whoever calls means by it, apart from the words of HTTP. */
export type Meaning =
  | { readonly means: "observe"; readonly seen: ReadonlyArray<Sighting> }
  | { readonly means: "amend"; readonly id: number; readonly change: Record<string, unknown> }
  | { readonly means: "erase"; readonly id: number; readonly person: string }
  | { readonly means: "list"; readonly query: Query }
  | { readonly means: "detail"; readonly id: number; readonly withDetail: boolean }
  | { readonly means: "metrics"; readonly startDate: string | null; readonly endDate: string | null }
  | { readonly means: "reading"; readonly post: string; readonly day: string; readonly totals: Json }
  | { readonly means: "bad"; readonly status: number; readonly code: string; readonly names: string | null }
  | { readonly means: "cross" }
  /** May make so many further deliveries. */
  | { readonly means: "resend"; readonly webhook: KnownWebhook; readonly mostEvents: number }
  | { readonly means: "export"; readonly id: number }
  | { readonly means: "enable"; readonly webhook: KnownWebhook; readonly enabled: boolean }
  | { readonly means: "rotate"; readonly webhook: KnownWebhook }
  | { readonly means: "revoke"; readonly key: KnownKey }
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
  /** Of the brand that it is about. */
  readonly brand: KnownBrand | null
  /** The key it is made with; null for the operator's. */
  readonly key: KnownKey | null
  /** Virtual milliseconds since 1970. */
  readonly sentAt: number
  /** When the service began with it. */
  handledAt: number
  /** What the reference says to it, as of the instant at which the store did it; undefined where it says nothing. */
  expected: unknown
}

export interface Answered {
  readonly call: Call
  readonly response: SimulatedResponse
  readonly body: Json
  readonly at: number
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
  /** By the service's clock. */
  readonly serviceNow: number
}

export interface KnownKey {
  readonly id: string
  readonly value: string
  readonly requestsPerMinute: number
  /** When its revocation was first asked for, and when it was acknowledged. */
  revokingAt: number | null
  revokedAt: number | null
}

export interface KnownWebhook {
  readonly id: string
  readonly brandId: string
  readonly url: string
  readonly behaviour: ReceiverBehaviour
  readonly events: ReadonlyArray<string>
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

export interface ReceivedPost {
  readonly at: number
  readonly webhook: KnownWebhook
  readonly headers: Readonly<Record<string, string>>
  readonly id: string
  readonly body: string
  readonly envelope: Json
  /** Of the event: its type and its lead or engagement. */
  readonly subject: string
  readonly status: number | null
  readonly retryAfterSeconds: number | null
}

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
}

export class KnownFacts {
  readonly brands: Array<KnownBrand> = []
  readonly received: Array<ReceivedPost> = []
  /** People whose erasure was acknowledged, and when. */
  readonly erased = new Map<string, number>()
  /** People whose erasure was asked for: from then on it may have happened. */
  readonly erasing = new Set<string>()
  readonly coverageMarks = new Set<string>()
  /** Deliveries in the dead letters at the end, as `webhook subject`. */
  readonly dead = new Set<string>()
  /** Every delivery as the operator sees it at the end, with its log. */
  readonly deliveries: Array<{ readonly webhook: KnownWebhook; readonly delivery: Json }> = []
  /** What brands list in the end, on quiet data, by brand and order. */
  readonly finalLists = new Map<string, ReadonlyArray<Json>>()
  /** When the host lost its power, and with it every rate window. [RATE-5] */
  readonly powerLostAt: Array<number> = []
  /** By how much the clocks that commits went by were ahead of the true time, at least and at most, in milliseconds. */
  readonly clockErrors = { least: 0, most: 0 }
  /** What a failover of the store has lost, in words. */
  readonly lostByFailover: Array<string> = []
  requests = 0
  engagements = 0
  violation: Violation | null = null

  constructor(readonly plan: Plan) {}

  /** The first violation is kept: what comes after may only follow from it. */
  violate(oracle: string, message: string): void {
    this.violation ??= { oracle, message: [message, ...this.lostByFailover].join("; ") }
  }

  brandOf(id: string): KnownBrand | undefined {
    return this.brands.find((brand) => brand.id === id)
  }
}
