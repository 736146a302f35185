/** What an operator can do with a lead: send its events again, export the person, erase the person. */
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { answerOf, api, type LeadDetail } from "../api/client.ts"
import { hasScope } from "../session/permissions.ts"
import { useSession } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { lazyDialog } from "../ui/lazyDialog.tsx"
import { saveText } from "../ui/saveFile.ts"
import { notify, notifyFailure } from "../ui/toasts.tsx"
import { ResendForm } from "./ResendForm.tsx"

const EraseDialog = lazyDialog(async () => (await import("./EraseDialog.tsx")).EraseDialog)

interface LeadActionsProps {
  readonly brandId: string
  readonly lead: LeadDetail
  readonly onErased: () => void
}

/** For operators: sending again with the scope `webhooks`, erasing with `admin`. The export of the person is noted in the audit log. */
export const LeadActions = ({ brandId, lead, onErased }: LeadActionsProps) => {
  const [isErasing, setErasing] = useState(false)
  const session = useSession()
  const exportPerson = useMutation({
    mutationFn: async () =>
      (
        await answerOf(
          api.GET("/operator/brands/{brandId}/leads/{id}/export", {
            params: { path: { brandId, id: String(lead.id) } }
          })
        )
      ).data,
    onSuccess: (data) => {
      saveText(`lead-${lead.id}.json`, "application/json", `${JSON.stringify(data, null, 2)}\n`)
      notify("Exported everything that is held about the person")
    },
    onError: notifyFailure
  })
  return (
    <>
      {hasScope(session, "webhooks") ? <ResendForm brandId={brandId} leadId={lead.id} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button icon="download" onClick={() => exportPerson.mutate()} disabled={exportPerson.isPending}>
          Export the person
        </Button>
        {hasScope(session, "admin") ? (
          <Button icon="trash" className="text-danger!" onClick={() => setErasing(true)}>
            Erase …
          </Button>
        ) : null}
      </div>
      {isErasing ? (
        <EraseDialog brandId={brandId} lead={lead} onClose={() => setErasing(false)} onErased={onErased} />
      ) : null}
    </>
  )
}
