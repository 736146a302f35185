import { Dialog } from "../ui/Dialog.tsx"
import { shortcuts } from "./shortcuts.ts"

/** Opened by `?` and by the button in the corner. */
export const ShortcutsDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
      {shortcuts.map(([keys, does]) => (
        <div key={keys} className="contents">
          <dt>
            <kbd className="bg-sunken border-line rounded border px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
