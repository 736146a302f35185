/** A secret that the server tells once. */
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

export const SecretDialog = ({ children, onClose, title, value }: SecretDialogProps) => (
  <Dialog title={title} description="Copy it now: it is not shown again." onClose={onClose}>
    <Secret value={value} />
    <div className="text-muted mt-3 text-sm">{children}</div>
    <DialogActions>
      <Button look="primary" onClick={onClose}>
        I have copied it
      </Button>
    </DialogActions>
  </Dialog>
)
