/** One webhook: its state, what can be done with it, and its deliveries. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { answerOf, api, CallFailed, type Webhook } from "../api/client.ts"
import { webhooksKey, webhooksQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Button, buttonClass } from "../ui/Button.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { TextField } from "../ui/Field.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { MenuButton, type MenuItem } from "../ui/MenuButton.tsx"
import { openSecret } from "../ui/SecretDialog.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { toTheSecond } from "../ui/Time.tsx"
import { notify, notifyFailure } from "../ui/toasts.tsx"
import { Deliveries, refreshMillis } from "./Deliveries.tsx"
import { DeliveryDialog } from "./DeliveryDialog.tsx"
import { WebhookBadge } from "./WebhookBadge.tsx"
import { WebhookPlots } from "./WebhookPlots.tsx"
import { bodyOf, valuesOf, WebhookFields, type WebhookValues } from "./WebhookForm.tsx"
import { WebhookSending } from "./WebhookSending.tsx"

const from = "/brands/$brandId/settings/webhooks/$webhookId"

interface OfWebhook {
  readonly brandId: string
  readonly webhook: Webhook
}

const pathOf = ({ brandId, webhook: { id } }: OfWebhook) => ({ params: { path: { brandId, id } } })

/** Only what was changed: another operator may have changed the rest meanwhile. */
const changeOf = (before: WebhookValues, after: WebhookValues) => {
  const known: Readonly<Record<string, unknown>> = bodyOf(before)
  return Object.fromEntries(
    Object.entries(bodyOf(after)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name])
    )
  )
}

const EditWebhook = ({
  brandId,
  onClose,
  onSaved,
  webhook
}: OfWebhook & { readonly onClose: () => void; readonly onSaved: () => Promise<void> }) => {
  const [opened] = useState(() => valuesOf(webhook))
  const [values, setValues] = useState(opened)
  const save = async () => {
    const body = changeOf(opened, values)
    if (Object.keys(body).length > 0)
      await answerOf(
        api.PATCH("/operator/brands/{brandId}/webhooks/{id}", { ...pathOf({ brandId, webhook }), body })
      )
    await onSaved()
    notify("Saved the webhook")
  }
  return (
    <FormDialog title="Edit the webhook" does="Save" onSubmit={save} onClose={onClose}>
      <WebhookFields values={values} onChange={setValues} />
    </FormDialog>
  )
}

const millisPerDay = 86_400_000

/** The value of a field of local time, to the minute. */
const localText = (instant: number): string => {
  const offset = new Date(instant).getTimezoneOffset() * 60_000
  return new Date(instant - offset).toISOString().slice(0, 16)
}

const Recover = ({
  brandId,
  onClose,
  onSaved,
  webhook
}: OfWebhook & { readonly onClose: () => void; readonly onSaved: () => Promise<void> }) => {
  const [since, setSince] = useState(() => localText(Date.now() - millisPerDay))
  const recover = async () => {
    const { data } = await answerOf(
      api.POST("/operator/brands/{brandId}/webhooks/{id}/recover", {
        ...pathOf({ brandId, webhook }),
        body: { since: new Date(since).toISOString() }
      })
    )
    await onSaved()
    notify(
      data.queued === 0
        ? "No delivery has died since then"
        : data.queued === 1
          ? "Queued one delivery again"
          : `Queued ${data.queued} deliveries again`
    )
  }
  return (
    <FormDialog
      title="Send dead deliveries again"
      description="Those that died at this time or later, without those that were sent again before."
      does="Send again"
      onSubmit={recover}
      onClose={onClose}
    >
      <TextField
        label="Since"
        type="datetime-local"
        required
        value={since}
        onChange={(event) => setSince(event.target.value)}
      />
    </FormDialog>
  )
}

type Open = "edit" | "recover" | "rotate" | "delete"

const Actions = ({ brandId, webhook }: OfWebhook) => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<Open | null>(null)
  const path = pathOf({ brandId, webhook })
  const refresh = () => queryClient.invalidateQueries({ queryKey: webhooksKey(brandId) })
  const close = () => setOpen(null)

  const test = useMutation({
    mutationFn: () => answerOf(api.POST("/operator/brands/{brandId}/webhooks/{id}/test", path)),
    onSuccess: async ({ data: { deliveryId } }) => {
      await refresh()
      await navigate({
        to: from,
        params: { brandId, webhookId: webhook.id },
        search: { delivery: deliveryId }
      })
    },
    onError: notifyFailure
  })
  const enable = useMutation({
    mutationFn: (enabled: boolean) =>
      answerOf(api.PATCH("/operator/brands/{brandId}/webhooks/{id}", { ...path, body: { enabled } })),
    onSuccess: async (_, enabled) => {
      await refresh()
      notify(enabled ? "Enabled: what was held is sent" : "Disabled: deliveries are held")
    },
    onError: notifyFailure
  })
  const rotate = async () => {
    const { data } = await answerOf(api.POST("/operator/brands/{brandId}/webhooks/{id}/rotate-secret", path))
    openSecret({
      title: "The new secret",
      value: data.secret,
      text: "The previous secret also signs for 24 hours."
    })
  }
  const remove = async () => {
    await answerOf(api.DELETE("/operator/brands/{brandId}/webhooks/{id}", path))
    await navigate({ to: "/brands/$brandId/settings/webhooks", params: { brandId } })
    await refresh()
    notify("Deleted the webhook")
  }
  const items: ReadonlyArray<MenuItem> = [
    ...(webhook.enabled ? [{ text: "Disable", onSelect: () => enable.mutate(false) }] : []),
    { text: "Recover dead deliveries …", onSelect: () => setOpen("recover") },
    { text: "Rotate the secret …", onSelect: () => setOpen("rotate") },
    { text: "Delete …", onSelect: () => setOpen("delete"), isDangerous: true }
  ]
  return (
    <>
      {webhook.enabled ? null : (
        <Button onClick={() => enable.mutate(true)} disabled={enable.isPending}>
          Enable
        </Button>
      )}
      <Button onClick={() => setOpen("edit")}>Edit</Button>
      <MenuButton icon="more" label="More" items={items} disabled={enable.isPending} />
      <Button look="primary" icon="send" onClick={() => test.mutate()} disabled={test.isPending}>
        Send a test
      </Button>
      {open === "edit" ? (
        <EditWebhook brandId={brandId} webhook={webhook} onClose={close} onSaved={refresh} />
      ) : null}
      {open === "recover" ? (
        <Recover brandId={brandId} webhook={webhook} onClose={close} onSaved={refresh} />
      ) : null}
      {open === "rotate" ? (
        <ConfirmDialog title="Rotate the secret" does="Make a new secret" onConfirm={rotate} onClose={close}>
          The server makes a new secret. The present one also signs for 24 hours, so that your receiver can
          change over.
        </ConfirmDialog>
      ) : null}
      {open === "delete" ? (
        <ConfirmDialog title="Delete this webhook" does="Delete for good" onConfirm={remove} onClose={close}>
          The webhook goes with its deliveries and their log. Attempts under way may still arrive. This can't
          be undone; to stop it for a while, disable it.
        </ConfirmDialog>
      ) : null}
    </>
  )
}

const Problem = ({ webhook: { disabledReason, enabled, failingSince } }: { readonly webhook: Webhook }) => {
  if (enabled && failingSince === null) return null
  return (
    <p
      className={`mx-4 mb-4 rounded-md px-3 py-2 text-sm md:mx-6 ${enabled ? "bg-warn-soft text-warn" : "bg-danger-soft text-danger"}`}
    >
      {enabled
        ? `Every attempt since ${toTheSecond(failingSince!)} has failed. Deliveries are tried again, until one succeeds or five days are over: then the webhook is disabled.`
        : `${disabledReason ?? "Disabled by an operator."} Deliveries are held until you enable it.`}
    </p>
  )
}

/**
 * State and deliveries are read again every 5 s. A webhook that is not there has a text of its own. The parameter `delivery` opens one of them in a
 * dialog.
 */
export const WebhookPage = () => {
  const { brandId, webhookId } = useParams({ from })
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  // Its state goes with the deliveries below, which are read anew as often.
  const {
    data: webhooks,
    error,
    refetch
  } = useQuery({
    ...webhooksQuery(brandId),
    refetchInterval: refreshMillis
  })
  const webhook = webhooks?.find(({ id }) => id === webhookId)
  if (webhook === undefined) {
    if (webhooks !== undefined || (error instanceof CallFailed && error.status === 404))
      return (
        <Empty
          isPage
          icon="webhook"
          title="There is no such webhook"
          action={
            <Link
              to="/brands/$brandId/settings/webhooks"
              params={{ brandId }}
              className={buttonClass("primary")}
            >
              All webhooks
            </Link>
          }
        >
          It was deleted, or the link is of another brand.
        </Empty>
      )
    return error === null ? (
      <Loading />
    ) : (
      <div className="p-4 md:p-6">
        <Failure error={error} onRetry={() => void refetch()} />
      </div>
    )
  }
  const path = `/operator/brands/${brandId}/webhooks/${webhookId}`
  return (
    <>
      <nav aria-label="Back" className="touch:pt-1 touch:-mb-4 px-4 pt-4 text-sm md:px-6">
        <Link
          to="/brands/$brandId/settings/webhooks"
          params={{ brandId }}
          className="text-accent touch:min-h-11 inline-flex items-center underline-offset-2 hover:underline"
        >
          Webhooks
        </Link>
      </nav>
      <PageHeader
        title={webhook.description ?? webhook.url}
        description={
          <span className="flex flex-wrap items-center gap-2">
            <WebhookBadge webhook={webhook} />
            <span className="break-all">{webhook.url}</span>
            <span className="font-mono text-xs">{webhook.events.join(", ")}</span>
          </span>
        }
        actions={
          <>
            <CurlButton
              calls={[
                {
                  does: "The deliveries",
                  path: `${path}/deliveries`,
                  query: { state: search.state, page: search.page }
                },
                { does: "Send a test event", method: "POST", path: `${path}/test` }
              ]}
            />
            <Actions brandId={brandId} webhook={webhook} />
          </>
        }
      />
      <Problem webhook={webhook} />
      <WebhookSending webhook={webhook} />
      <WebhookPlots brandId={brandId} webhookId={webhookId} />
      <Deliveries
        brandId={brandId}
        webhookId={webhookId}
        search={search}
        onChange={(next) => void navigate({ to: from, search: next })}
      />
      {search.delivery === undefined ? null : (
        <DeliveryDialog
          key={search.delivery}
          brandId={brandId}
          webhookId={webhookId}
          deliveryId={search.delivery}
          onOpen={(delivery) => void navigate({ to: from, search: { ...search, delivery } })}
          onClose={() => {
            const { delivery: _, ...rest } = search
            void navigate({ to: from, search: rest })
          }}
        />
      )}
    </>
  )
}
