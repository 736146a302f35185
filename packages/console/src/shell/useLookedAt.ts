/** The time at which a page was last looked at. */
import { useEffect, useState } from "react"

/**
 * Milliseconds: when the page came up, when its window last got the focus or came back into view, or when `content` last changed. While somebody reads
 * it stays as it is.
 */
export const useLookedAt = (content: unknown): number => {
  const [last, setLast] = useState(() => ({ content, at: Date.now() }))
  // React draws anew before anybody sees the page.
  if (last.content !== content) setLast({ content, at: Date.now() })
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") setLast((before) => ({ ...before, at: Date.now() }))
    }
    window.addEventListener("focus", look)
    document.addEventListener("visibilitychange", look)
    return () => {
      window.removeEventListener("focus", look)
      document.removeEventListener("visibilitychange", look)
    }
  }, [])
  return last.at
}
