/** What a page asked of the API, as commands to repeat it. */
import { useSession } from "../session/session.ts"
import { CopyButton } from "../ui/Copy.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { type ApiCall, curlOf } from "./curl.ts"

interface CurlDialogProps {
  readonly calls: ReadonlyArray<ApiCall>
  readonly onClose: () => void
}

/** The calls as commands to copy. They name the variable that holds the credential, never its value: the page does not know it. */
export const CurlDialog = ({ calls, onClose }: CurlDialogProps) => {
  const { access } = useSession()
  const commands = calls.map((call) => ({ does: call.does, command: curlOf(location.origin, access, call) }))
  return (
    <Dialog
      wide
      title="As curl"
      description={
        access === "operator"
          ? "The calls of this page. LEAD_SIGNALS_OPERATOR_TOKEN holds the operator token."
          : "The calls of this page. KEY holds the API key."
      }
      onClose={onClose}
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
  )
}
