/** Modal dialogs: focus stays within, and the page behind does not scroll. */
import { Dialog as Base } from "@base-ui/react/dialog"
import type { ReactNode } from "react"
import { IconButton } from "./Button.tsx"

interface DialogProps {
  readonly title: string
  readonly description?: ReactNode
  /** Called by Escape, a click beside the dialog and its cross. Null: these do nothing, and only what the dialog holds closes it. */
  readonly onClose: (() => void) | null
  readonly children: ReactNode
  readonly wide?: boolean
}

/**
 * A dialog that is open as long as it is rendered, at most 512 px wide, or 768 px with `wide`. On a phone it leaves 8 px at each side; a content
 * that is higher than the window scrolls inside it.
 */
export const Dialog = ({ children, description, onClose, title, wide = false }: DialogProps) => (
  <Base.Root open onOpenChange={(open) => open || onClose?.()}>
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-[#0008]" />
      <Base.Popup
        className={`card fixed inset-x-2 top-[8vh] z-50 mx-auto flex max-h-[84vh] flex-col shadow-2xl ${wide ? "max-w-3xl" : "max-w-lg"}`}
      >
        <header className="border-line flex items-start gap-3 border-b py-3 pr-2 pl-4">
          <div className="grow pt-1">
            <Base.Title className="text-base font-semibold">{title}</Base.Title>
            {description === undefined ? null : (
              <Base.Description className="text-muted mt-0.5 text-sm">{description}</Base.Description>
            )}
          </div>
          {onClose === null ? null : <Base.Close render={<IconButton icon="close" label="Close" />} />}
        </header>
        <div className="overflow-y-auto p-4">{children}</div>
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

/** The row of buttons at the end of a dialog, at its right; it wraps on a phone. */
export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>
)
