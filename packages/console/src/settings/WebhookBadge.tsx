/** How a webhook fares, in a word. */
import type { Webhook } from "../api/client.ts"
import { Badge } from "../ui/Badge.tsx"

/** Enabled, failing, or disabled: red where the server disabled it, plain where an operator did. */
export const WebhookBadge = ({ webhook }: { readonly webhook: Webhook }) => {
  if (!webhook.enabled)
    return <Badge tone={webhook.disabledReason === null ? "plain" : "bad"}>Disabled</Badge>
  return webhook.failingSince === null ? (
    <Badge tone="good">Enabled</Badge>
  ) : (
    <Badge tone="warn">Failing</Badge>
  )
}
