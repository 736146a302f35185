/** How a webhook sends its events, in words. */
import type { Webhook } from "../api/client.ts"

/** The choices of the form, and what the page says. */
export const orderingTexts: Readonly<Record<Webhook["ordering"], string>> = {
  none: "In any order, side by side",
  lead: "Each lead's events one after the other"
}

/** The choices of the form, and what the page says. */
export const formatTexts: Readonly<Record<Webhook["format"], string>> = {
  envelope: "Envelope of version 1",
  cloudevents: "CloudEvents 1.0"
}

const orderOf = ({ maxDelay, ordering }: Webhook): string => {
  if (ordering === "none") return orderingTexts.none
  const held = maxDelay === null ? "as long as it is retried" : `for at most ${maxDelay} s`
  return `${orderingTexts.lead}; one that fails holds the next back ${held}`
}

const postOf = ({ maxBatch, maxWait }: Webhook): string => {
  if (maxBatch === 1) return "One event"
  return `Up to ${maxBatch} events, ${maxWait === 0 ? "without waiting for more" : `waiting for more at most ${maxWait} s`}`
}

/** Two lines: order, and post with batch and format. */
export const WebhookSending = ({ webhook }: { readonly webhook: Webhook }) => (
  <dl
    aria-label="How it sends"
    className="mx-4 mb-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm md:mx-6"
  >
    <dt className="text-muted">Order</dt>
    <dd>{orderOf(webhook)}</dd>
    <dt className="text-muted">Post</dt>
    <dd>
      {postOf(webhook)}, as {formatTexts[webhook.format]}
    </dd>
  </dl>
)
