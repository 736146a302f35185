/** Whether a media query holds, kept up to date. */
import { useSyncExternalStore } from "react"

/** Renders anew when it changes. */
export const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (onChange) => {
      const list = matchMedia(query)
      list.addEventListener("change", onChange)
      return () => list.removeEventListener("change", onChange)
    },
    () => matchMedia(query).matches
  )
