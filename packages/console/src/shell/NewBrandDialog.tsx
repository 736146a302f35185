/** The form that creates a brand, in a dialog. */
import { Dialog } from "../ui/Dialog.tsx"
import { NewBrandForm } from "./NewBrand.tsx"

/** From the menu of brands. */
export const NewBrandDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="New brand" onClose={onClose}>
    <NewBrandForm onCreated={onClose} />
  </Dialog>
)
