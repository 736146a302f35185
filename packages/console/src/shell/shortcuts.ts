/** Keys that work on every page of a brand. A page adds its own. */
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { moveRow } from "./rows.ts"

/** Keys and words of the help. `useGlobalKeys` and the pages act on them: both change together. */
export const shortcuts: ReadonlyArray<readonly [keys: string, does: string]> = [
  ["/", "Search leads"],
  ["j, k", "Next and previous row, also of the next page"],
  ["Enter", "Open the row"],
  ["Escape", "Close the lead, the dialog or the menu"],
  ["g h", "Go to Home"],
  ["g l", "Go to Leads"],
  ["g v", "Go to Live"],
  ["g c", "Go to Campaigns"],
  ["g s", "Go to Signals"],
  ["g i", "Go to Import"],
  ["g k", "Go to API Keys"],
  ["g w", "Go to Webhooks"],
  ["g o", "Go to Operators"],
  ["g u", "Go to the audit log"],
  ["g m", "Go to the simulator"],
  ["g a", "Go to the reference of the API"],
  ["Space", "Pause or play the simulation"],
  [". ,", "One step of the simulation on, or back"],
  ["?", "This help"]
]

const pageOf = {
  h: "/brands/$brandId",
  l: "/brands/$brandId/leads",
  v: "/brands/$brandId/live",
  c: "/brands/$brandId/campaigns",
  s: "/brands/$brandId/signals",
  i: "/brands/$brandId/import",
  k: "/brands/$brandId/settings/keys",
  w: "/brands/$brandId/settings/webhooks",
  o: "/brands/$brandId/settings/operators",
  u: "/brands/$brandId/settings/audit",
  m: "/brands/$brandId/simulator",
  a: "/brands/$brandId/api"
} as const

/** How long `g` waits for the letter after it. */
const sequenceMillis = 1200

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null

/** Calls `onKey` for keys that are pressed outside fields and dialogs, without modifiers. */
export const useKeys = (onKey: (key: string, event: KeyboardEvent) => void): void => {
  const latest = useRef(onKey)
  useEffect(() => {
    latest.current = onKey
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey
      if (hasModifier || event.defaultPrevented || isTyping(event.target)) return
      if (document.querySelector("[role=dialog], [role=menu]") !== null) return
      latest.current(event.key, event)
    }
    document.addEventListener("keydown", listen)
    return () => document.removeEventListener("keydown", listen)
  }, [])
}

/** Set while a field of search that is not there yet is to have the focus. */
let isSearchWanted = false

/** Whether the field of search that has just appeared was asked for by a key. Asks once. */
export const takeSearchFocus = (): boolean => {
  const isWanted = isSearchWanted
  isSearchWanted = false
  return isWanted
}

/** Keys of the frame, for all pages of the brand: `g` and a letter within 1.2 s, `/`, `j`, `k` and `?`. */
export const useGlobalKeys = (brandId: string, onHelp: () => void): void => {
  const navigate = useNavigate()
  const goAt = useRef(0)
  useKeys((key, event) => {
    const isSecond = event.timeStamp - goAt.current < sequenceMillis
    goAt.current = key === "g" ? event.timeStamp : 0
    if (key === "?") onHelp()
    else if (isSecond && key in pageOf)
      void navigate({ to: pageOf[key as keyof typeof pageOf], params: { brandId } })
    else if (key === "/") {
      event.preventDefault()
      const field = document.querySelector<HTMLInputElement>("[data-search]")
      if (field !== null) field.select()
      else {
        isSearchWanted = true
        void navigate({ to: pageOf.l, params: { brandId } })
      }
    } else if (key === "j" || key === "k") {
      event.preventDefault()
      moveRow(key)
    }
  })
}
