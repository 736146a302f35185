/** What an operator has to look at: webhooks that fail, and deliveries that died. */
import { Link } from "@tanstack/react-router"
import type { Webhook } from "../api/client.ts"
import { Icon } from "../ui/Icon.tsx"

export interface Trouble {
  readonly webhook: Webhook
  /** The deliveries that the link shows; undefined: all. */
  readonly state: string | undefined
  readonly text: string
}

interface NeedsAHandProps {
  readonly brandId: string
  readonly troubles: ReadonlyArray<Trouble>
  readonly hasWebhooks: boolean
}

export const NeedsAHand = ({ brandId, hasWebhooks, troubles }: NeedsAHandProps) => (
  <section aria-labelledby="needs-a-hand" className="card flex flex-col p-4">
    <h2 id="needs-a-hand" className="mb-3 text-sm font-semibold">
      Needs a hand
    </h2>
    {troubles.length === 0 ? (
      <p className="text-muted flex items-center gap-2 text-sm">
        <Icon name="check" className="text-accent size-4" />
        {hasWebhooks ? "Nothing: every webhook delivers." : "Nothing: there is no webhook that could fail."}
      </p>
    ) : (
      <ul className="flex flex-col gap-2">
        {troubles.map(({ state, text, webhook }) => (
          <li key={`${webhook.id} ${text}`}>
            <Link
              to="/brands/$brandId/settings/webhooks/$webhookId"
              params={{ brandId, webhookId: webhook.id }}
              search={state === undefined ? {} : { state }}
              className="hover:bg-sunken -mx-2 flex items-start gap-2 rounded-md px-2 py-1 text-sm"
            >
              <Icon name="alert" className="text-danger mt-0.5 size-4" />
              <span className="min-w-0 break-words">
                <span className="font-medium">{webhook.description ?? webhook.url}</span> {text}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    )}
  </section>
)
