/** Begins posts, at most `perWebhook` of one webhook at once. Posts that were leased ahead wait until another of their webhook ends. [DELIV-7] */
import type { DeliverySlots, WebhookId } from "@lead-signals/domain"

/**
 * The maximum time that a post waits, in milliseconds. One that has waited longer is not begun: its receiver is no longer fast, and the webhook or
 * the lead may have changed meanwhile. Its delivery is leased again when the lease has run out.
 */
export const maxQueuedMillis = 5000

/** Begins the post where `mayPost` is true, else ends it without an attempt. */
export type Begin = (mayPost: boolean) => void

interface Waiting {
  readonly begin: Begin
  /** By the clock of the queue. */
  readonly until: number
}

interface OfWebhook {
  running: number
  /** A waiting post begins while fewer than this many run. */
  atOnce: number
  isBeginning: boolean
  readonly waiting: Array<Waiting>
}

/** The posts of an emitter that are leased. */
export class PostQueue {
  private readonly byWebhook = new Map<WebhookId, OfWebhook>()

  constructor(
    private readonly limits: DeliverySlots.Limits,
    /** Milliseconds since an arbitrary instant, by the monotonic clock. */
    private readonly now: () => number
  ) {}

  /** Begins the post at once, or when one of its webhook has ended before `until`, by the clock of the queue. */
  add(webhookId: WebhookId, until: number, begin: Begin): void {
    const { perWebhook } = this.limits
    const known = this.byWebhook.get(webhookId)
    const posts = known ?? { running: 0, atOnce: perWebhook, isBeginning: false, waiting: [] }
    if (known === undefined) this.byWebhook.set(webhookId, posts)
    if (posts.running >= perWebhook) {
      posts.waiting.push({ begin, until })
      return
    }
    posts.running++
    begin(true)
  }

  /**
   * Notes that a post has ended, and begins the next one of its webhook. After a failure fewer are under way at once. `isSuccessful` is null where no
   * attempt was made.
   */
  end(webhookId: WebhookId, isSuccessful: boolean | null): void {
    const posts = this.byWebhook.get(webhookId)!
    posts.running--
    if (isSuccessful !== null)
      posts.atOnce = isSuccessful ? this.limits.perWebhook : this.limits.perFailingWebhook
    // Called within a `begin` of the loop below, which goes on by itself.
    if (posts.isBeginning) return
    posts.isBeginning = true
    while (posts.waiting.length > 0 && posts.running < posts.atOnce) {
      const { begin, until } = posts.waiting.shift()!
      posts.running++
      begin(this.now() < until)
    }
    posts.isBeginning = false
    if (posts.running === 0 && posts.waiting.length === 0) this.byWebhook.delete(webhookId)
  }

  /** Ends the waiting posts of the webhook without an attempt. */
  giveUp(webhookId: WebhookId): void {
    const posts = this.byWebhook.get(webhookId)
    if (posts === undefined) return
    const waiting = posts.waiting.splice(0)
    posts.running += waiting.length
    for (const { begin } of waiting) begin(false)
  }

  /** Forgets all waiting posts, so that none begins any more. */
  clear(): void {
    for (const { waiting } of this.byWebhook.values()) waiting.length = 0
  }
}
