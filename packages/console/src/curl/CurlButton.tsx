/** Shows what a page asked of the API, as commands to repeat it. */
import { useState } from "react"
import { Button } from "../ui/Button.tsx"
import { lazyDialog } from "../ui/lazyDialog.tsx"
import type { ApiCall } from "./curl.ts"

const CurlDialog = lazyDialog(async () => (await import("./CurlDialog.tsx")).CurlDialog)

/** The button "curl" of a page: opens the dialog with these calls. */
export const CurlButton = ({ calls }: { readonly calls: ReadonlyArray<ApiCall> }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="quiet" icon="terminal" onClick={() => setOpen(true)}>
        curl
      </Button>
      {isOpen ? <CurlDialog calls={calls} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
