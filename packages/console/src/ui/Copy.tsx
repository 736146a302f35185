/** Text to take along: a secret that is shown once, a command. */
import { useState } from "react"
import { Button } from "./Button.tsx"

const visibleMillis = 2000

/** Over plain http, elsewhere than on this machine, a page has no clipboard of its own. */
const copyBySelection = (text: string): void => {
  const area = document.createElement("textarea")
  area.value = text
  const near = document.querySelector("[role=dialog]") ?? document.body
  near.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}

const copyText = async (text: string): Promise<void> => {
  if ((navigator.clipboard as Clipboard | undefined) === undefined) copyBySelection(text)
  else await navigator.clipboard.writeText(text)
}

/** Says "Copied" for 2 s. It works on pages of plain http, too. */
export const CopyButton = ({ label = "Copy", text }: { readonly text: string; readonly label?: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), visibleMillis)
  }
  return (
    <Button icon={isCopied ? "check" : "copy"} onClick={() => void copy()} aria-live="polite">
      {isCopied ? "Copied" : label}
    </Button>
  )
}

/** A secret, as it is shown this once. */
export const Secret = ({ value }: { readonly value: string }) => (
  <div className="flex flex-wrap items-center gap-2">
    <code className="bg-sunken min-w-0 grow rounded-md px-3 py-2 font-mono text-sm break-all">{value}</code>
    <CopyButton text={value} />
  </div>
)
