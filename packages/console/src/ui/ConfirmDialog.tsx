/** Asks before something is done that can't be undone, and says what it does. */
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { messageOf } from "../api/client.ts"
import { Button } from "./Button.tsx"
import { Dialog, DialogActions } from "./Dialog.tsx"

interface ConfirmDialogProps {
  readonly title: string
  readonly children: ReactNode
  /** What the button says: a verb. */
  readonly does: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Closes when `onConfirm` has succeeded. Its failure stays in the dialog, and the button works again. */
export const ConfirmDialog = ({ children, does, onClose, onConfirm, title }: ConfirmDialogProps) => {
  const act = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="text-sm">{children}</div>
      {act.isError ? (
        <p role="alert" className="text-danger mt-3 text-sm">
          {messageOf(act.error)}
        </p>
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" onClick={() => act.mutate()} disabled={act.isPending}>
          {does}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
