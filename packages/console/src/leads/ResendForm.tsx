/** Sends an event of a lead to a webhook again, and says what became of it. */
import { useMutation, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { answerOf, api, type Webhook } from "../api/client.ts"
import { deliveryQuery, webhooksQuery } from "../api/queries.ts"
import { DeliveryState } from "../settings/DeliveryState.tsx"
import { Button } from "../ui/Button.tsx"
import { notifyFailure } from "../ui/toasts.tsx"
import { Select } from "../ui/Select.tsx"

type EventType = Webhook["events"][number]

const eventTexts: Readonly<Record<string, string>> = {
  "lead2.created": "lead2.created",
  "activity.detected": "activity.detected, the latest"
}

const Outcome = ({
  brandId,
  deliveryId,
  webhookId
}: {
  readonly brandId: string
  readonly webhookId: string
  readonly deliveryId: string
}) => {
  const { data: delivery } = useQuery(deliveryQuery(brandId, webhookId, deliveryId))
  const last = delivery?.log.at(-1)
  return (
    <p role="status" className="flex flex-wrap items-center gap-2 text-sm">
      <DeliveryState state={delivery?.state ?? "pending"} />
      <span className="text-muted">
        {last === undefined
          ? "Queued"
          : `Attempt ${last.number}: ${last.status === null ? (last.error ?? "no answer") : `status ${last.status}`}, ${last.durationMillis} ms`}
      </span>
      <Link
        to="/brands/$brandId/settings/webhooks/$webhookId"
        params={{ brandId, webhookId }}
        search={{ delivery: deliveryId }}
        className="text-accent underline-offset-2 hover:underline"
      >
        Delivery
      </Link>
    </p>
  )
}

/**
 * For the scope `webhooks`. Follows the new delivery until it ends and shows its state. Without a webhook it leads to the page that creates one;
 * while they load it is empty.
 */
export const ResendForm = ({ brandId, leadId }: { readonly brandId: string; readonly leadId: number }) => {
  const { data: webhooks } = useQuery(webhooksQuery(brandId))
  const [chosen, setChosen] = useState("")
  const resend = useMutation({
    mutationFn: async ({ event, webhookId }: { readonly webhookId: string; readonly event: EventType }) => {
      const answer = await answerOf(
        api.POST("/operator/brands/{brandId}/leads/{id}/resend", {
          params: { path: { brandId, id: String(leadId) } },
          body: { webhookId, event }
        })
      )
      return { webhookId, deliveryId: answer.data.deliveryId }
    },
    onError: notifyFailure
  })
  if (webhooks === undefined) return null
  if (webhooks.length === 0)
    return (
      <p className="text-muted text-sm">
        To send this lead to another system,{" "}
        <Link
          to="/brands/$brandId/settings/webhooks"
          params={{ brandId }}
          className="text-accent underline underline-offset-2"
        >
          create a webhook
        </Link>
        .
      </p>
    )
  const choices = webhooks.flatMap((webhook) =>
    webhook.events.map((event) => ({ value: `${webhook.id} ${event}`, webhook, event }))
  )
  // The list is read again meanwhile. A webhook that is gone, or has other events, is chosen no more.
  const choice = choices.find(({ value }) => value === chosen)
  const submit = (form: FormEvent) => {
    form.preventDefault()
    if (choice !== undefined) resend.mutate({ webhookId: choice.webhook.id, event: choice.event })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <label htmlFor="resend" className="text-sm font-medium">
        Send an event again
      </label>
      <div className="flex gap-2">
        <Select
          id="resend"
          className="min-w-0 grow"
          value={choice?.value ?? ""}
          onChange={(change) => setChosen(change.target.value)}
        >
          <option value="">Choose event and webhook</option>
          {choices.map(({ event, value, webhook }) => (
            <option key={value} value={value}>
              {eventTexts[event] ?? event} → {webhook.description ?? webhook.url}
              {webhook.enabled ? "" : " (disabled)"}
            </option>
          ))}
        </Select>
        <Button type="submit" icon="send" disabled={choice === undefined || resend.isPending}>
          Send
        </Button>
      </div>
      {resend.data === undefined ? null : <Outcome brandId={brandId} {...resend.data} />}
    </form>
  )
}
