/** One delivery with its attempts, and the way to send it again. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { answerOf, api, type Schemas } from "../api/client.ts"
import { deliveriesKey, deliveryQuery } from "../api/queries.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, DialogActions } from "../ui/Dialog.tsx"
import { Failure, Loading } from "../ui/States.tsx"
import { exactTime } from "../ui/Time.tsx"
import { notifyFailure } from "../ui/toasts.tsx"
import { DeliveryState } from "./DeliveryState.tsx"

type DeliveryDetail = Schemas["DeliveryDetail"]

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

const Attempt = ({ attempt }: { readonly attempt: DeliveryDetail["log"][number] }) => (
  <li className="border-line flex flex-col gap-1.5 border-t py-3 first:border-t-0 first:pt-0">
    <p className="flex flex-wrap items-center gap-2 text-sm">
      <span className="font-medium">Attempt {attempt.number}</span>
      <Badge tone={isSuccess(attempt.status) ? "good" : "bad"}>
        {attempt.status === null ? (attempt.error ?? "no answer") : `Status ${attempt.status}`}
      </Badge>
      <span className="text-muted text-xs">
        {exactTime(attempt.at)}, {attempt.durationMillis} ms
      </span>
    </p>
    {attempt.response === null || attempt.response === "" ? null : (
      <pre
        tabIndex={0}
        className="bg-sunken max-h-40 overflow-auto rounded-md p-2 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {attempt.response}
      </pre>
    )}
  </li>
)

interface DeliveryDialogProps {
  readonly brandId: string
  readonly webhookId: string
  readonly deliveryId: string
  readonly onOpen: (deliveryId: string) => void
  readonly onClose: () => void
}

export const DeliveryDialog = ({ brandId, deliveryId, onClose, onOpen, webhookId }: DeliveryDialogProps) => {
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(brandId, webhookId, deliveryId))
  const queryClient = useQueryClient()
  const resend = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST("/operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}/resend", {
          params: { path: { brandId, id: webhookId, deliveryId } }
        })
      ),
    onSuccess: async ({ data }) => {
      await queryClient.invalidateQueries({ queryKey: deliveriesKey(brandId, webhookId) })
      onOpen(data.deliveryId)
    },
    onError: notifyFailure
  })
  const related = (text: string, id: string | null) =>
    id === null ? null : (
      <p>
        {text}{" "}
        <button
          type="button"
          className="text-accent font-mono text-xs underline-offset-2 hover:underline"
          onClick={() => onOpen(id)}
        >
          {id}
        </button>
      </p>
    )
  return (
    <Dialog
      title="Delivery"
      description={<span className="font-mono text-xs break-all">{deliveryId}</span>}
      onClose={onClose}
    >
      {error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : delivery === undefined ? (
        <Loading lines={3} />
      ) : (
        <>
          <div className="mb-4 flex flex-col gap-1 text-sm">
            <p className="flex items-center gap-2" role="status">
              <DeliveryState state={delivery.state} /> {delivery.event}
            </p>
            <p className="text-muted">Queued {exactTime(delivery.createdAt)}</p>
            {delivery.nextAttemptAt === null ? null : (
              <p className="text-muted">Next attempt {exactTime(delivery.nextAttemptAt)}</p>
            )}
            {related("Sends again", delivery.resendOf)}
            {related("Sent again as", delivery.resentAs)}
          </div>
          {delivery.log.length === 0 ? (
            <p className="text-muted text-sm">No attempt yet.</p>
          ) : (
            <ol aria-label="Attempts">
              {delivery.log.map((attempt) => (
                <Attempt key={attempt.number} attempt={attempt} />
              ))}
            </ol>
          )}
          <DialogActions>
            <Button icon="send" onClick={() => resend.mutate()} disabled={resend.isPending}>
              Send again
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}
