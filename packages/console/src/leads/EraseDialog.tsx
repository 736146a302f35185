/** Erases a person, for good, once the reader has typed that they mean it. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { answerOf, api, type LeadDetail, messageOf } from "../api/client.ts"
import { leadKey, leadsKey } from "../api/queries.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, DialogActions } from "../ui/Dialog.tsx"
import { TextField } from "../ui/Field.tsx"
import { notify } from "../ui/toasts.tsx"

interface EraseDialogProps {
  readonly brandId: string
  readonly lead: LeadDetail
  readonly onClose: () => void
  readonly onErased: () => void
}

/** Takes the lead's id typed as confirmation. `onErased` is called before the lists are read again; a failure stays in the dialog. */
export const EraseDialog = ({ brandId, lead, onClose, onErased }: EraseDialogProps) => {
  const [typed, setTyped] = useState("")
  const queryClient = useQueryClient()
  const id = String(lead.id)
  const erase = useMutation({
    mutationFn: () =>
      answerOf(api.DELETE("/operator/brands/{brandId}/leads/{id}", { params: { path: { brandId, id } } })),
    onSuccess: async () => {
      onErased()
      queryClient.removeQueries({ queryKey: leadKey(brandId, id) })
      notify("The person is erased")
      await queryClient.invalidateQueries({ queryKey: leadsKey(brandId) })
    }
  })
  // An id can be typed on every keyboard, a name can't.
  const isConfirmed = typed.trim() === id
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isConfirmed) erase.mutate()
  }
  const engagements = lead.engagementsMeta.truncated ? "more than 20" : String(lead.engagements.length)
  return (
    <Dialog title="Erase this person" description="This can't be undone." onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4 text-sm">
        <div>
          <p className="mb-1">What goes:</p>
          <ul className="flex list-disc flex-col gap-1 pl-5">
            <li>
              the lead <bdi className="font-medium">{lead.name}</bdi>, with flags and score;
            </li>
            <li>their engagements ({engagements}), with comments;</li>
            <li>their events and the deliveries of these, also those that wait to be sent;</li>
            <li>their traces in posts that others engaged with.</li>
          </ul>
          <p className="text-muted mt-2">
            A keyed hash stays, by which later observations of the person are refused. Your receivers keep
            what they got: erase it there, too.
          </p>
        </div>
        <TextField
          label={`Type the lead's id, ${id}, to confirm`}
          inputMode="numeric"
          autoComplete="off"
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {erase.isError ? (
          <p role="alert" className="text-danger">
            {messageOf(erase.error)}
          </p>
        ) : null}
        <DialogActions>
          <Button onClick={onClose}>Keep the person</Button>
          <Button type="submit" look="danger" disabled={!isConfirmed || erase.isPending}>
            Erase for good
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
