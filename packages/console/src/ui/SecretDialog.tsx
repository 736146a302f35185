/** The dialog of a new key, token or webhook secret. The server never returns it again. */
import { useBlocker } from "@tanstack/react-router"
import { type ReactNode, useSyncExternalStore } from "react"
import { Button } from "./Button.tsx"
import { Secret } from "./Copy.tsx"
import { Dialog, DialogActions } from "./Dialog.tsx"

/** A secret that was just made, and what its reader does with it. */
export interface NewSecret {
  readonly title: string
  readonly value: string
  readonly text: ReactNode
}

let current: NewSecret | null = null
const listeners = new Set<() => void>()

const change = (next: NewSecret | null): void => {
  current = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Opens the dialog. The secret is kept outside of the page that made it, because the page is removed when its session ends. [SES-9] */
export const openSecret = (secret: NewSecret): void => change(secret)

const always = () => true

const Opened = ({ text, title, value }: NewSecret) => {
  useBlocker({ shouldBlockFn: always })
  return (
    <Dialog title={title} description="Copy it now: it is not shown again." onClose={null}>
      <Secret value={value} />
      <div className="text-muted mt-3 text-sm">{text}</div>
      <DialogActions>
        <Button look="primary" onClick={() => change(null)}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/**
 * Rendered once, beside the pages. Shows a secret until its button is pressed, also where the session ends meanwhile. Escape, a click beside the
 * dialog and the browser's Back do nothing, and the browser asks before it closes or reloads the page: what is closed by accident would be lost.
 */
export const SecretDialog = () => {
  const secret = useSyncExternalStore(subscribe, () => current)
  return secret === null ? null : <Opened {...secret} />
}
