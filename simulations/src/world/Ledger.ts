/** What the parties of a world know for certain, each from its own side: what the oracles compare. */
import type { Persona } from "../Scenario.ts"

export interface SentEngagement {
  readonly id: string
  readonly brandId: string
  readonly person: string
  /** Of the person, once it is known. */
  leadId: number | null
  acknowledged: boolean
}

export interface KnownWebhook {
  readonly id: string
  readonly brandId: string
  readonly url: string
  readonly persona: Persona
  readonly secret: string
}

export interface ReceivedPost {
  /** Virtual milliseconds since 1970. */
  readonly at: number
  readonly webhook: KnownWebhook
  readonly headers: Readonly<Record<string, string>>
  readonly id: string
  readonly body: string
  // Bodies are looked into freely here.
  readonly envelope: any
  readonly status: number | null
}

/** A rule that did not hold, by the oracle that says so. */
export interface Violation {
  readonly oracle: string
  readonly message: string
}

export class Ledger {
  readonly sent = new Map<string, SentEngagement>()
  readonly webhooks: Array<KnownWebhook> = []
  readonly received: Array<ReceivedPost> = []
  /** Deliveries that the operator finds in the dead letters at the end, as `webhook event what`. */
  readonly dead = new Set<string>()
  /** People whose erasure was told, and when. */
  readonly erased = new Map<string, number>()
  /** People whose erasure was asked for: from then on it may have happened. */
  readonly erasing = new Set<string>()
  readonly marks = new Set<string>()
  requests = 0
  private readonly watchers: Array<(post: ReceivedPost) => void> = []
  violation: Violation | null = null

  /** Is told of every post when it comes. */
  watch(watcher: (post: ReceivedPost) => void): void {
    this.watchers.push(watcher)
  }

  receive(post: ReceivedPost): void {
    this.received.push(post)
    for (const watcher of this.watchers) watcher(post)
  }

  /** The first violation is kept: what comes after may only follow from it. */
  violate(oracle: string, message: string): void {
    this.violation ??= { oracle, message }
  }
}
