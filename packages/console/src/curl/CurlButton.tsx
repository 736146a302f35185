/** Shows what a page asked of the API, as commands to repeat it. */
import { useState } from "react"
import { useSession } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { CopyButton } from "../ui/Copy.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { type ApiCall, curlOf } from "./curl.ts"

export const CurlButton = ({ calls }: { readonly calls: ReadonlyArray<ApiCall> }) => {
  const [isOpen, setOpen] = useState(false)
  const { access } = useSession()
  const commands = calls.map((call) => ({ does: call.does, command: curlOf(location.origin, access, call) }))
  return (
    <>
      <Button look="quiet" icon="terminal" onClick={() => setOpen(true)}>
        curl
      </Button>
      {isOpen ? (
        <Dialog
          wide
          title="As curl"
          description={
            access === "operator"
              ? "The calls of this page. LEAD_SIGNALS_OPERATOR_TOKEN holds the operator token."
              : "The calls of this page. KEY holds the API key."
          }
          onClose={() => setOpen(false)}
        >
          <div className="flex flex-col gap-4">
            {commands.map(({ command, does }) => (
              <section key={does} className="flex flex-col gap-2">
                <div className="flex items-center gap-2">
                  <h3 className="grow text-sm font-medium">{does}</h3>
                  <CopyButton text={command} />
                </div>
                <pre tabIndex={0} className="bg-sunken overflow-x-auto rounded-md p-3 font-mono text-xs">
                  {command}
                </pre>
              </section>
            ))}
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
