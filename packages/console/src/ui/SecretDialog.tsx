/** The dialog of a new key, token or webhook secret. The server never returns it again. */
import { useBlocker } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { Secret } from "./Copy.tsx"
import { Dialog, DialogActions } from "./Dialog.tsx"

interface SecretDialogProps {
  readonly title: string
  readonly value: string
  readonly children: ReactNode
  readonly onClose: () => void
}

const always = () => true

/**
 * Shows a secret until its button is pressed. Escape, a click beside the dialog and the browser's Back do nothing, and the browser asks before it
 * closes or reloads the page: what is closed by accident would be lost.
 */
export const SecretDialog = ({ children, onClose, title, value }: SecretDialogProps) => {
  useBlocker({ shouldBlockFn: always })
  return (
    <Dialog title={title} description="Copy it now: it is not shown again." onClose={null}>
      <Secret value={value} />
      <div className="text-muted mt-3 text-sm">{children}</div>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
