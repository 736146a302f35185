/** A form in a dialog, which closes once the API has taken it. */
import { useMutation } from "@tanstack/react-query"
import type { FormEvent, ReactNode } from "react"
import { messageOf } from "../api/client.ts"
import { Button } from "./Button.tsx"
import { Dialog, DialogActions } from "./Dialog.tsx"

interface FormDialogProps {
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  /** What the button says: a verb. */
  readonly does: string
  readonly onSubmit: () => Promise<unknown>
  readonly onClose: () => void
}

/** Closes when `onSubmit` has succeeded. Its failure stays below the fields, with what was typed. */
export const FormDialog = ({ children, description, does, onClose, onSubmit, title }: FormDialogProps) => {
  const act = useMutation({ mutationFn: onSubmit, onSuccess: onClose })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    act.mutate()
  }
  return (
    <Dialog title={title} description={description} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {children}
        {act.isError ? (
          <p role="alert" className="text-danger text-sm">
            {messageOf(act.error)}
          </p>
        ) : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={act.isPending}>
            {does}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
