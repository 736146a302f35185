/** One delivery with its attempts, and the way to send it again. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { answerOf, api } from "../api/client.ts"
import { deliveriesKey, deliveryQuery, webhooksQuery } from "../api/queries.ts"
import { CurlButton } from "../curl/CurlButton.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, DialogActions } from "../ui/Dialog.tsx"
import { Failure, Loading } from "../ui/States.tsx"
import { exactTime } from "../ui/Time.tsx"
import { notifyFailure } from "../ui/toasts.tsx"
import { Attempts, RequestBody } from "./Attempts.tsx"
import { DeliveryState } from "./DeliveryState.tsx"

interface DeliveryDialogProps {
  readonly brandId: string
  readonly webhookId: string
  readonly deliveryId: string
  readonly onOpen: (deliveryId: string) => void
  readonly onClose: () => void
}

/** Read again while the delivery is pending. Sending it again opens the new delivery in its place. */
export const DeliveryDialog = ({ brandId, deliveryId, onClose, onOpen, webhookId }: DeliveryDialogProps) => {
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(brandId, webhookId, deliveryId))
  const { data: webhooks } = useQuery(webhooksQuery(brandId))
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
  const path = `/operator/brands/${brandId}/webhooks/${webhookId}/deliveries/${deliveryId}`
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
      wide
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
            {delivery.state === "pending" && delivery.nextAttemptAt === null ? (
              <p className="text-muted">Waits for an earlier event of its lead to end.</p>
            ) : null}
            {related("Sends again", delivery.resendOf)}
            {related("Sent again as", delivery.resentAs)}
          </div>
          <RequestBody delivery={delivery} />
          <Attempts log={delivery.log} webhook={webhooks?.find(({ id }) => id === webhookId)} />
          <DialogActions>
            <CurlButton
              calls={[
                { does: "This delivery, with its attempts", path },
                { does: "Send it again", method: "POST", path: `${path}/resend` }
              ]}
            />
            <Button icon="send" onClick={() => resend.mutate()} disabled={resend.isPending}>
              Send again
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}
