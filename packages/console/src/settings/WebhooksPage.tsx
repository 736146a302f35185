/** Settings > Webhooks: where events go. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { answerOf, api, type Webhook } from "../api/client.ts"
import { webhooksKey, webhooksQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { PageHeader } from "../shell/PageHeader.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { openSecret } from "../ui/SecretDialog.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"
import { Time } from "../ui/Time.tsx"
import { WebhookBadge } from "./WebhookBadge.tsx"
import { bodyOf, eventTypes, newWebhook, WebhookFields, type WebhookValues } from "./WebhookForm.tsx"

interface CreateWebhookProps {
  readonly brandId: string
  readonly onClose: () => void
}

const CreateWebhook = ({ brandId, onClose }: CreateWebhookProps) => {
  const queryClient = useQueryClient()
  const [values, setValues] = useState<WebhookValues>(newWebhook)
  const create = async () => {
    const { description, ...body } = bodyOf(values)
    const { data } = await answerOf(
      api.POST("/operator/brands/{brandId}/webhooks", {
        params: { path: { brandId } },
        body: { ...body, ...(description === null ? {} : { description }) }
      })
    )
    openSecret({
      title: "The webhook's secret",
      value: data.secret,
      text: "Your receiver verifies the signature of each post with it. Send a test event from the webhook's page to try it."
    })
    await queryClient.invalidateQueries({ queryKey: webhooksKey(brandId) })
  }
  return (
    <FormDialog title="New webhook" does="Create webhook" onSubmit={create} onClose={onClose}>
      <WebhookFields values={values} onChange={setValues} />
    </FormDialog>
  )
}

/** For the scope `webhooks`. The secret of a new webhook is shown once. */
export const WebhooksPage = () => {
  const { brandId } = useParams({ from: "/brands/$brandId/settings/webhooks" })
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery(brandId))
  const [isCreating, setCreating] = useState(false)

  const columns: ReadonlyArray<Column<Webhook>> = [
    {
      title: "Webhook",
      cell: ({ description, id, url }) => (
        <Link
          to="/brands/$brandId/settings/webhooks/$webhookId"
          params={{ brandId, webhookId: id }}
          className="flex min-w-0 flex-col underline-offset-2 hover:underline"
        >
          <span className="font-medium break-all">{description ?? url}</span>
          {description === null ? null : <span className="text-muted text-xs break-all">{url}</span>}
        </Link>
      )
    },
    {
      title: "Events",
      className: "max-md:hidden",
      cell: ({ events }) => <span className="text-muted font-mono text-xs">{events.join(", ")}</span>
    },
    { title: "Created", className: "max-lg:hidden", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "State", className: "text-right", cell: (webhook) => <WebhookBadge webhook={webhook} /> }
  ]

  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      New webhook
    </Button>
  )
  const body = () => {
    if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
    if (webhooks === undefined) return <Loading />
    if (webhooks.length === 0)
      return (
        <div className="card">
          <Empty icon="webhook" title="No webhooks yet" action={create}>
            A webhook gets a signed post for each new lead and each engagement. It is sent again until your
            receiver answers with success.
          </Empty>
        </div>
      )
    return (
      <div className="card overflow-x-auto">
        <DataTable label="Webhooks" columns={columns} rows={webhooks} keyOf={({ id }) => id} />
      </div>
    )
  }
  const path = `/operator/brands/${brandId}/webhooks`
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Systems that get this brand's events."
        actions={
          <>
            <CurlButton
              calls={[
                { does: "The webhooks", path },
                {
                  does: "Create a webhook",
                  method: "POST",
                  path,
                  body: { url: "https://example.com/hooks/leads", events: eventTypes }
                }
              ]}
            />
            {create}
          </>
        }
      />
      <div className="px-4 pb-6 md:px-6">{body()}</div>
      {isCreating ? <CreateWebhook brandId={brandId} onClose={() => setCreating(false)} /> : null}
    </>
  )
}
