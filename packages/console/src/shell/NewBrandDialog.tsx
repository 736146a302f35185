/** The form that creates a brand, in a dialog. */
import { Dialog } from "../ui/Dialog.tsx"
import { NewBrandForm } from "./NewBrand.tsx"

/** Opened from the menu of brands; it closes when the brand is created. */
export const NewBrandDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="New brand" onClose={onClose}>
    <NewBrandForm onCreated={onClose} />
  </Dialog>
)
